"""One round: exchange, contract and kitty, sixteen tricks, score (R4). It changes with each choice and logs it."""

from __future__ import annotations

from protocol.cards import BITS, CARDS, DECK, Card, Cards, Suit, cards_in
from protocol.view import Choice, Contract, Exchange, Rules, Three, Trick, TurnKind
from referee.deal import Deal
from referee.errors import IllegalChoice
from referee.exchange import claimed_card, exchanges_due, returned_card
from referee.trick import SUIT_MASKS, trick_powers

__all__ = ["Round"]

GIVE, CLAIM, GIVE_BACK = TurnKind.GIVE, TurnKind.CLAIM, TurnKind.GIVE_BACK
DECLARE, DISCARD, PLAY = TurnKind.DECLARE, TurnKind.DISCARD, TurnKind.PLAY
SUITS = tuple(Suit)
SUIT_OF = tuple(card.suit for card in CARDS)
BYTE = tuple(bytes([n]) for n in range(52))
LEFT_OF = (1, 2, 0)


class Round:
    """A deal that is exchanged, bid, played and scored. Seats are by number; hands are 52-bit masks by seat.

    :ivar seat: whose turn it is, and ``kind`` for what; ``kind`` is None when the round is over.
    :ivar exchanges: the exchanges that are complete.
    :ivar leaders: who led each trick that has begun; ``played`` has the cards' numbers in the order of play.
    :ivar taken: tricks taken by seat.
    """

    __slots__ = (
        "_best",
        "_best_seat",
        "_due",
        "_followers",
        "_legal",
        "_power",
        "_to_come",
        "_trump",
        "claimed",
        "contract",
        "deal",
        "dealer",
        "discard",
        "exchanges",
        "hands",
        "kind",
        "kitty",
        "last_scores",
        "leaders",
        "named",
        "number",
        "played",
        "rules",
        "seat",
        "taken",
    )

    def __init__(self, rules: Rules, number: int, dealer: int, deal: Deal, last_scores: Three | None) -> None:
        self.rules = rules
        self.number = number
        self.dealer = dealer
        self.deal = deal
        self.last_scores = last_scores
        self.hands = [int(Cards.of(deal.hands[(seat - dealer) % 3])) for seat in range(3)]
        self.kitty = int(Cards.of(deal.kitty))
        self.exchanges: tuple[Exchange, ...] = ()
        self.named: Suit | None = None
        self.claimed: Card | None = None
        self.contract: Contract | None = None
        self.discard = 0
        self.leaders = b""
        self.played = b""
        self.taken = [0, 0, 0]
        self.seat = dealer
        self.kind: TurnKind | None = None
        self._trump: Suit | None = None
        self._legal = 0
        self._to_come = 3
        self._followers = 0
        self._power: tuple[int, ...] = ()
        self._best = 0
        self._best_seat = dealer
        # R4, R5: no exchange in the first round.
        no_exchange = last_scores is None or rules.exchange == "none"
        self._due = () if no_exchange else exchanges_due(rules, last_scores or (0, 0, 0), self.targets, dealer)
        self._next_exchange()

    # What is asked

    @property
    def targets(self) -> Three:
        """The targets by seat (R3.1, R9.3, R9.5)."""
        by_position = self.rules.targets_by_position(self.number, self.contract)
        return by_position[-self.dealer % 3], by_position[(1 - self.dealer) % 3], by_position[(2 - self.dealer) % 3]

    @property
    def partner(self) -> int | None:
        """In an exchange the down player's seat."""
        return self._due[len(self.exchanges)][1] if len(self.exchanges) < len(self._due) else None

    @property
    def count(self) -> int:
        """How many cards are chosen: 4 to discard, else 1."""
        return self.rules.kitty_size if self.kind is DISCARD else 1

    @property
    def legal_cards(self) -> int:
        """The cards (bits) that may be chosen from: give, give_back, discard, play."""
        return self._legal

    def legal(self) -> tuple[Card, ...] | tuple[Suit, ...] | tuple[Contract, ...]:
        """What may be chosen; to discard, the cards from which ``count`` are chosen. Empty when the round is over."""
        if self._legal:
            return cards_in(self._legal)
        if self.kind is CLAIM:
            return SUITS
        return self.rules.contracts if self.kind is DECLARE else ()

    def only_choice(self) -> Choice | None:
        """The only choice there is; None where there are several, or none."""
        legal = self._legal
        if legal:
            return None if legal & legal - 1 else CARDS[legal.bit_length() - 1]
        contracts = self.rules.contracts
        return contracts[0] if self.kind is DECLARE and len(contracts) == 1 else None

    def choose(self, choice: Choice) -> None:
        """Applies a choice of the seat on turn.

        :raises IllegalChoice: it is against the rules; nothing has changed.
        """
        kind = self.kind
        if kind is PLAY:
            self._play(choice)
        elif kind is GIVE:
            self._give(self._card(choice, "R5.1"))
        elif kind is CLAIM:
            self._claim(choice)
        elif kind is GIVE_BACK:
            self._give_back(self._card(choice, "R5.2"))
        elif kind is DECLARE:
            self._declare(choice)
        elif kind is DISCARD:
            self._put_aside(choice)
        else:
            raise IllegalChoice("R6.4", "the round is over, there is nothing to choose")

    # Exchange (R5)

    def _next_exchange(self) -> None:
        if len(self.exchanges) == len(self._due):
            self._open_contract()
            return
        self.seat = self._due[len(self.exchanges)][0]
        if self.rules.exchange == "swap":
            self.kind, self._legal = GIVE, self.hands[self.seat]
        else:
            self.kind, self._legal = CLAIM, 0

    def _give(self, card: Card) -> None:  # R5.1
        up, down = self._due[len(self.exchanges)]
        returned = returned_card(self.hands[down], card)
        if returned is not card:
            self._move(card, up, down)
            self._move(returned, down, up)
        self.exchanges += (Exchange(up, down, None, card, returned),)
        self._next_exchange()

    def _claim(self, suit: Choice) -> None:  # R5.2
        if type(suit) is not Suit:
            raise IllegalChoice("R5.2", f"{suit!r:.40} is not a suit to claim: name S, H, D or C")
        up, down = self._due[len(self.exchanges)]
        claimed = claimed_card(self.hands[down], suit)
        if claimed is None:
            self.exchanges += (Exchange(up, down, suit),)
            self._next_exchange()
            return
        self._move(claimed, down, up)
        self.named, self.claimed = suit, claimed
        self.kind, self._legal = GIVE_BACK, self.hands[up]

    def _give_back(self, card: Card) -> None:  # R5.2
        up, down = self._due[len(self.exchanges)]
        self._move(card, up, down)
        self.exchanges += (Exchange(up, down, self.named, card, self.claimed),)
        self.named = self.claimed = None
        self._next_exchange()

    def _move(self, card: Card, giver: int, taker: int) -> None:
        self.hands[giver] ^= 1 << card
        self.hands[taker] |= 1 << card

    # Contract and kitty (R4.1, R4.2)

    def _open_contract(self) -> None:
        if self.rules.kitty == "pick-up-first":  # R4.2
            self.hands[self.dealer] |= self.kitty
        self.seat, self.kind, self._legal = self.dealer, DECLARE, 0  # R4.3

    def _declare(self, contract: Choice) -> None:
        if not isinstance(contract, Contract) or contract not in self.rules.contracts:
            allowed = ", ".join(str(c) for c in self.rules.contracts)
            raise IllegalChoice("R4.3", f"{contract!r:.40} may not be announced: choose one of {allowed}")
        self.contract = contract
        self._trump = contract.trump
        if self.rules.kitty_size:
            self.kind, self._legal = DISCARD, self.hands[self.dealer]
        else:
            self._first_lead()

    def _put_aside(self, choice: Choice) -> None:
        if not isinstance(choice, Cards) or len(choice) != self.count or choice > DECK:
            raise IllegalChoice("R4", f"{choice!r:.60} can't be put aside: choose {self.count} different cards")
        if strangers := choice - self._legal:
            why = f"{strangers[0]} is not in your hand and can't be put aside: choose from {Cards(self._legal)}"
            raise IllegalChoice("R4.1" if strangers & self.kitty else "R4", why)
        self.discard = int(choice)
        self.hands[self.dealer] ^= self.discard
        if self.rules.kitty == "discard-first":  # R4.1
            self.hands[self.dealer] |= self.kitty
        self._first_lead()

    # Play (R6)

    def _first_lead(self) -> None:
        self._lead(self.dealer if self.rules.first_lead == "dealer" else (self.dealer + 1) % 3)  # R6.1
        self.kind = PLAY

    def _lead(self, seat: int) -> None:
        self.leaders += BYTE[seat]
        self.seat = self._best_seat = seat
        self._to_come = 3
        self._best = 0
        self._legal = self.hands[seat]  # R6.2

    def _play(self, card: Choice) -> None:
        if type(card) is not Card or not self._legal & BITS[card]:
            raise self._not_playable(card)
        seat, hands = self.seat, self.hands
        hands[seat] ^= BITS[card]
        self.played += BYTE[card]
        if self._to_come == 3:
            led = SUIT_OF[card]
            self._followers = SUIT_MASKS[led]
            self._power = trick_powers(self._trump, led)
        if self._power[card] > self._best:  # R6.3
            self._best, self._best_seat = self._power[card], seat
        self._to_come -= 1
        if self._to_come:
            self.seat = seat = LEFT_OF[seat]
            hand = hands[seat]
            self._legal = hand & self._followers or hand  # R6.2
        else:
            self._take_trick(self._best_seat)

    def _take_trick(self, winner: int) -> None:
        self.taken[winner] += 1
        if self.hands[winner]:
            self._lead(winner)  # R6.3
        else:
            self.kind, self._legal = None, 0  # R6.4

    # Score (R7)

    @property
    def over(self) -> bool:
        return self.kind is None

    @property
    def scores(self) -> Three:
        """Scores by seat: tricks over the target, or under it in misère (R7.1, R9.5). They sum to zero (R3.1)."""
        sign = -1 if self.contract is Contract.MISERE else 1
        first, second, third = (sign * (t - target) for t, target in zip(self.taken, self.targets, strict=True))
        return first, second, third

    @property
    def winners(self) -> tuple[int, ...]:
        """Who took each trick that is complete: the next one's leader (R6.3)."""
        return (*self.leaders[1:], self._best_seat) if self.over else tuple(self.leaders[1:])

    @property
    def last_taken(self) -> tuple[int, int, int]:
        """The number of the last trick that each seat took, from 0; −1 for none (R8.4)."""
        last = {winner: number for number, winner in enumerate(self.winners)}
        return last.get(0, -1), last.get(1, -1), last.get(2, -1)

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """The tricks that have begun, each with its winner when it is complete."""
        cards = [CARDS[n] for n in self.played]
        winners = (*self.winners, None)
        return tuple(
            Trick(leader, tuple(cards[3 * i : 3 * i + 3]), winners[i]) for i, leader in enumerate(self.leaders)
        )

    # Copies, and what is wrong with a card

    def copy(self) -> Round:
        """A round of its own that goes on from here. Cheap: what is shared never changes."""
        other = object.__new__(Round)
        for name in Round.__slots__:
            setattr(other, name, getattr(self, name))
        other.hands = self.hands[:]
        other.taken = self.taken[:]
        return other

    def _card(self, card: Choice, rule: str) -> Card:
        if type(card) is Card and self._legal >> card & 1:
            return card
        raise IllegalChoice(rule, f"{card!r:.40} is not in your hand: choose from {Cards(self._legal)}")

    def _not_playable(self, card: Choice) -> IllegalChoice:
        legal = Cards(self._legal)
        if type(card) is Card and self.hands[self.seat] >> card & 1:
            led = CARDS[self.played[-(len(self.played) % 3)]].suit
            why = f"{card} does not follow suit: you hold {led.name.lower()}, play one of {legal}"
            return IllegalChoice("R6.2", why)
        return IllegalChoice("R6.2", f"{card!r:.40} is not in your hand: play one of {legal}")
