"""What a hand is worth, and the choices that follow from it: exchange, contract and discards."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from sight import SUIT, Sight

from protocol.cards import Card, Cards, Suit
from protocol.view import DEALER, Contract, View

# Tricks to expect: a linear fit to those that these tips took as dealer, against each other.
# Ace, king, queen, jack, ten. In a side suit a king counts with one card beside it, a queen with two, and so on.
TRUMP_HONOURS = (0.95, 0.95, 0.85, 0.5, 0.2)
HONOURS = (1.0, 0.9, 0.65, 0.4, 0.2)
TRUMP, LONG_TRUMP, LONG = 1.2, 0.8, 7
VOID, SINGLETON = 0.65, 0.3
WITH_TRUMPS, WITHOUT_TRUMPS = -4.0, 2.1
# In misère every card costs a fifth of its rank above the two.
MISERE, MISERE_A_RANK = -15.5, 0.2


# What a hand is worth


def tricks(hand: int, contract: Contract) -> float:
    """The tricks that a dealer with these 16 cards (bits) will take."""
    if contract is Contract.MISERE:
        return MISERE + MISERE_A_RANK * sum(card.rank for card in Cards(hand))
    trump = contract.trump
    worth = WITHOUT_TRUMPS if trump is None else WITH_TRUMPS
    for suit in range(4):
        holding = hand >> 13 * suit & 8191
        worth += trumps_worth(holding) if suit == trump else side_suit_worth(holding)
        if trump is not None and suit != trump and holding.bit_count() <= 1:
            worth += SINGLETON if holding else VOID
    return worth


def trumps_worth(holding: int) -> float:
    length = holding.bit_count()
    honours = sum(weight for i, weight in enumerate(TRUMP_HONOURS) if holding >> 12 - i & 1)
    return honours + TRUMP * min(length, LONG) + LONG_TRUMP * max(length - LONG, 0)


def side_suit_worth(holding: int) -> float:
    length = holding.bit_count()
    return sum(weight for i, weight in enumerate(HONOURS) if holding >> 12 - i & 1 and length > i)


def score(view: View, hand: int, contract: Contract) -> float:
    """The dealer's score to expect in this round (R7.1, R9.5)."""
    over = tricks(hand, contract) - view.rules.targets_by_position(view.round, contract)[DEALER]
    return -over if contract is Contract.MISERE else over


def worth(view: View, hand: int) -> float:
    """What a hand is worth while the contract is open: the best one for the dealer, its honours for the others."""
    if view.position == DEALER:
        return max(score(view, hand, contract) for contract in view.rules.contracts)
    return sum(side_suit_worth(hand >> 13 * suit & 8191) for suit in range(4))


# Contract and discards


def declare(view: View) -> Contract:
    """Trump in the longest suit, of equals the one with the higher cards; misère with nothing but low cards."""
    hand = int(view.hand)

    def merit(contract: Contract) -> tuple[float, int]:
        trumps = 0 if contract.trump is None else hand >> 13 * contract.trump & 8191
        return round(score(view, hand, contract), 6), trumps

    return max(view.legal_contracts, key=merit)


def discard(view: View) -> Cards:
    """The losers that leave most: low cards of short side suits, for voids to be trumped."""
    contract = view.contract
    assert contract
    if contract is Contract.MISERE:
        return Cards.of(sorted(view.legal_cards, key=lambda card: card.rank)[-view.count :])
    return max(lowest_losers(view), key=lambda losers: tricks(view.hand - losers, contract))


def lowest_losers(view: View) -> Iterator[Cards]:
    """All ways to put the lowest cards of one or more suits aside."""
    suits = [tuple(view.legal_cards.suit(suit)) for suit in Suit]
    for counts in product(*(range(min(len(cards), view.count) + 1) for cards in suits)):
        if sum(counts) == view.count:
            yield Cards.of(card for cards, count in zip(suits, counts, strict=True) for card in cards[:count])


# Exchange


def give(view: View) -> Card:
    """Swap: the low card that probably brings the best one back, of a suit in which the ace is lacking."""
    return max(
        (card for suit in Suit if (card := view.hand.lowest(suit))), key=lambda card: gain(view, card.suit, card)
    )


def claim(view: View) -> Suit:
    """The suit in which the partner's highest card helps most: where he probably has the ace."""
    return max(view.legal_suits, key=lambda suit: gain(view, suit, None))


def give_back(view: View) -> Card:
    """The card that is missed least, of equals the lowest."""
    return max(view.legal_cards, key=lambda card: (worth(view, view.hand - (1 << card)), -card.rank))


def gain(view: View, suit: Suit, given: Card | None) -> float:
    """What the partner's highest card of a suit adds to the hand, on average; it must be higher than a given card."""
    before = worth(view, int(view.hand))
    kept = int(view.hand) if given is None else view.hand ^ 1 << given
    return sum(
        chance * (worth(view, kept | 1 << card) - before)
        for card, chance in highest_of(view, suit)
        if given is None or card > given
    )


def highest_of(view: View, suit: Suit) -> Iterator[tuple[Card, float]]:
    """The cards that may be the partner's highest of a suit, each with its chance."""
    assert view.partner is not None
    sight = Sight(view)
    held = view.rules.tricks / sight.unseen.bit_count()
    chance = 1.0
    for card in reversed(tuple(Cards(sight.may[view.partner] & SUIT[suit]))):
        yield card, chance * held
        chance *= 1 - held
