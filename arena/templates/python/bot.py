"""my-bot, a bot for 3-5-8. Its choices are the methods of MyBot: change them one by one, and see what it is worth.

A method gets a view, all that its seat may know, and returns one of the choices that are legal. What is left out here
has a default: low cards, long suits. `python -m pydoc protocol.bot` and `… protocol.view` say what else there is.
"""

from collections.abc import Iterable

from protocol.bot import Bot, serve
from protocol.cards import Card, Suit
from protocol.view import Contract, View
from referee.trick import winning_place


class MyBot(Bot):
    name = "my-bot"

    # Before the play

    def declare(self, view: View) -> Contract:
        """As dealer: the contract. Here the suit with most cards, of equals the one with the higher cards."""

        def strength(contract: Contract) -> tuple[int, int]:
            if contract.trump is None:  # no-trump or misère, where the rules allow them
                return 0, 0
            suit = view.hand.suit(contract.trump)
            return len(suit), sum(card.rank for card in suit)

        return max(view.legal_contracts, key=strength)

    def discard(self, view: View) -> Iterable[Card]:
        """As dealer: the cards to put aside, `view.count` of them. Here low ones, trumps last."""
        return sorted(view.legal_cards, key=lambda card: (card.suit is view.trump, card.rank))[: view.count]

    def give(self, view: View) -> Card:
        """Up in the last round: a card for `view.partner`, whose highest of that suit, if higher, comes back (R5.1)."""
        return min(view.legal_cards, key=lambda card: (card.rank, -view.hand.count(card.suit)))

    def claim(self, view: View) -> Suit:
        """The same where suits are claimed: `view.partner` hands over his highest of it (R5.2). Here a long suit."""
        lacking_its_ace = [suit for suit in Suit if Card(f"A{suit}") not in view.hand]
        return max(lacking_its_ace or view.legal_suits, key=view.hand.count)

    def give_back(self, view: View) -> Card:
        """The card that goes back for `view.claimed`. Here the lowest."""
        return min(view.legal_cards, key=lambda card: card.rank)

    # The play

    def play(self, view: View) -> Card:
        """A card to the trick. Here the cheapest that wins so far, else the lowest; every trick counts (R7.1)."""
        cheapest = sorted(view.legal_cards, key=lambda card: (card.suit is view.trump, card.rank))
        winners = [card for card in cheapest if wins(card, view)]
        if view.contract is Contract.MISERE:  # every trick counts against
            losers = [card for card in cheapest if card not in winners]
            return losers[-1] if losers else cheapest[0]
        if not view.trick:
            return max(view.legal_cards, key=lambda card: card.rank)
        return winners[0] if winners else cheapest[0]


def wins(card: Card, view: View) -> bool:
    """Whether a card would be the best in the trick, as it stands."""
    return winning_place([*view.trick, card], view.trump) == len(view.trick)


if __name__ == "__main__":
    serve(MyBot)
