"""Card play: of the legal cards, the one that wins most now over what it would probably win later.

That is what the tips of the table come to. A high card is not spent on a trick that is lost, and a lost trick takes the
lowest loser, from the shortest side suit first. A trick is won as cheaply as it can be. High cards of short side suits
are cashed before somebody is void, trumps are drawn by whoever holds most of them.
"""

from __future__ import annotations

from sight import SUIT, Sight, above, below

from protocol.cards import Card
from protocol.view import Contract, View

# What a card that is kept wins later, from counting over rounds that these tips played against each other.
# Trumps, by the number of higher ones that are unseen; those below by the length of the suit in hand.
HIGH_TRUMP = (1.0, 0.87, 0.7)
LOW_TRUMP_A_CARD, LOW_TRUMP_AT_MOST = 0.1, 0.75
# Side suits: the highest card left, which is safer from a trump the more cards of its suit are unseen; the second and
# the third highest, which need one and two lower cards beside them.
MASTER, MASTER_A_CARD, MASTER_AT_MOST, MASTER_WITHOUT_TRUMPS = 0.35, 0.07, 0.85, 0.65
SECOND, BARE_SECOND = 0.6, 0.1
THIRD, BARE_THIRD = 0.3, 0.07
A_RANK = 0.004
# What leading a card gains beyond the trick: a trump that draws two others; a low card of a suit without prospects.
DRAWING, UNNEEDED = 0.3, 0.2
# What a discard costs for each card that its suit has in hand: short suits are emptied first.
LENGTH = 0.03


def play(view: View) -> Card:
    """The card to play."""
    sight = Sight(view)
    if view.contract is Contract.MISERE:
        return min(view.legal_cards, key=lambda card: (sight.wins(card), -card.rank))
    if sight.led < 0:
        return max(view.legal_cards, key=lambda card: sight.wins(card) - promise(sight, card) + leading(sight, card))
    return max(view.legal_cards, key=lambda card: sight.wins(card) - promise(sight, card) - shortening(sight, card))


def promise(sight: Sight, card: Card) -> float:
    """The tricks that a card in hand will probably win if it is kept."""
    suit = card // 13
    higher = (above(card) & sight.unseen).bit_count()
    if suit == sight.trump:
        if higher < len(HIGH_TRUMP):
            return HIGH_TRUMP[higher] + A_RANK * card.rank
        length = (sight.hand & SUIT[suit]).bit_count()
        return min(LOW_TRUMP_A_CARD * length - 0.05, LOW_TRUMP_AT_MOST) + A_RANK * card.rank
    if higher == 0:
        if sight.trump >= 0 and sight.unseen & SUIT[sight.trump]:
            return min(MASTER + MASTER_A_CARD * (sight.unseen & SUIT[suit]).bit_count(), MASTER_AT_MOST)
        return MASTER_WITHOUT_TRUMPS
    guards = (sight.hand & below(card)).bit_count()
    if higher == 1:
        return SECOND if guards >= 1 else BARE_SECOND
    if higher == 2:
        return THIRD if guards >= 2 else BARE_THIRD
    return A_RANK * card.rank


def leading(sight: Sight, card: Card) -> float:
    """What leading a card gains beyond the trick."""
    suit = card // 13
    mine, out = sight.hand & SUIT[suit], sight.unseen & SUIT[suit]
    higher = (above(card) & out).bit_count()
    if suit == sight.trump:
        return DRAWING if higher == 0 and mine.bit_count() > out.bit_count() > 0 else 0.0
    return UNNEEDED if higher > 0 and (out >> mine.bit_length()).bit_count() > 1 else 0.0


def shortening(sight: Sight, card: Card) -> float:
    """What it costs to shorten a long side suit instead of a short one, in which trumps could then win tricks."""
    suit = card // 13
    if suit == sight.trump or sight.trump < 0 or not sight.hand & SUIT[sight.trump]:
        return 0.0
    return LENGTH * (sight.hand & SUIT[suit]).bit_count()
