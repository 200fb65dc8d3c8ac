"""A match: rounds until the end rule says stop (R8). Pure: given rules, seed and choices, all else follows."""

from __future__ import annotations

from collections.abc import Sequence

from protocol.cards import Card, Cards, Suit
from protocol.view import NO_CLOCK, Choice, Clock, Contract, Exchange, Rules, Three, TurnKind, View
from referee.deal import Deal, bot_seed, deal, first_dealer, read_deal, write_deal
from referee.placing import DECIDING_ROUNDS, end_reached, order_by_round, order_by_total, tricks_winner
from referee.round import Round

__all__ = ["Match"]

# R4.1, R4.2: while these are asked, or after the round, the dealer has the kitty.
KITTY_TAKEN = {
    "discard-first": (TurnKind.PLAY, None),
    "pick-up-first": (TurnKind.DECLARE, TurnKind.DISCARD, TurnKind.PLAY, None),
    "none": (),
}


class Match:
    """A match in progress.

    :param rules: rules that can be played (``referee.rules.check_rules``).
    :param seed: the board's seed, from which first dealer, deals and dice follow (R2.2, R2.4).
    :param given: deals of the first rounds as text (``referee.deal.read_deal``), instead of the seed's.
    :param dealer: the first dealer, instead of the seed's.
    :ivar round: the round that is being played, or the last one.
    :ivar rounds: the rounds that are over.
    :ivar thrown_in: for each round begun, the deals thrown in before it as (deal, why) (R2.5).
    :ivar totals: the totals by seat after the rounds that are over.
    :ivar decision: how many turns were taken so far.
    :ivar end: how the match ended, None while it goes on; ``placing`` has the places by seat, 1 to 3.
    """

    __slots__ = (
        "_behind",
        "_contenders",
        "_deciding",
        "_dice",
        "decision",
        "end",
        "first_dealer",
        "given",
        "placing",
        "round",
        "rounds",
        "rules",
        "seed",
        "thrown_in",
        "totals",
    )

    def __init__(self, rules: Rules, seed: bytes, given: Sequence[str] = (), dealer: int | None = None) -> None:
        self.rules = rules
        self.seed = seed
        self.given = tuple(given)
        self.first_dealer = first_dealer(seed) if dealer is None else dealer
        self.rounds: tuple[Round, ...] = ()
        self.thrown_in: tuple[tuple[tuple[str, str], ...], ...] = ()
        self.totals: Three = (0, 0, 0)
        self.decision = 0
        self.end: str | None = None
        self.placing: Three | None = None
        self._contenders: list[int] = []  # R8.5: who can still win once deciding rounds have begun
        self._behind: list[int] = []  # those placed after them, in order
        self._deciding = 0
        self._dice: dict[int, int] = {}
        self.round = self._next_round(None)

    # What is asked

    @property
    def over(self) -> bool:
        return self.end is not None

    @property
    def seat(self) -> int:
        """Whose turn it is."""
        return self.round.seat

    @property
    def kind(self) -> TurnKind | None:
        """What is asked for; None when the match is over."""
        return self.round.kind

    @property
    def count(self) -> int:
        """How many cards are chosen: 4 to discard, else 1."""
        return self.round.count

    def legal(self) -> tuple[Card, ...] | tuple[Suit, ...] | tuple[Contract, ...]:
        """What may be chosen; to discard, the cards from which ``count`` are chosen. Empty when the match is over."""
        return self.round.legal()

    def only_choice(self) -> Choice | None:
        """The only choice there is; None where there are several, or none."""
        return self.round.only_choice()

    def choose(self, choice: Choice) -> None:
        """Applies the choice of the seat on turn, and deals the next round when one is over.

        :raises IllegalChoice: it is against the rules; nothing has changed.
        """
        rnd = self.round
        rnd.choose(choice)
        self.decision += 1
        if rnd.kind is None:
            self._close_round(rnd)

    # Rounds and the end (R8)

    def _next_round(self, last: Round | None) -> Round:
        number = len(self.rounds)
        dealer = (self.first_dealer + number) % 3  # R2.2
        return Round(self.rules, number, dealer, self._sound_deal(number, dealer), last.scores if last else None)

    def _sound_deal(self, number: int, dealer: int) -> Deal:  # R2.5
        thrown_in: list[tuple[str, str]] = []
        if number < len(self.given):
            dealt = read_deal(self.given[number], dealer)
        else:
            dealt = deal(self.rules, self.seed, number)
        while why := dealt.fault(self.rules):
            thrown_in.append((write_deal(dealt, dealer), why))
            dealt = deal(self.rules, self.seed, number, len(thrown_in))
        self.thrown_in += (tuple(thrown_in),)
        return dealt

    def _close_round(self, last: Round) -> None:
        self.rounds += (last,)
        (a, b, c), (x, y, z) = self.totals, last.scores
        self.totals = a + x, b + y, c + z
        if self._contenders:
            self._settle_deciding_round(last)
        elif end := end_reached(self.rules, last, self.totals, len(self.rounds)):
            self._settle(end, last)
        if self.end is None:
            self.round = self._next_round(last)

    def _settle(self, end: str, last: Round) -> None:
        order = order_by_total(self.totals, last)
        winner = tricks_winner(self.rules, last)
        if end == "tricks" and winner is not None:  # R8.3
            order = [winner, *(seat for seat in order if seat != winner)]
        tied = [seat for seat in order if self.totals[seat] == max(self.totals)]
        if end in ("points", "rounds") and self.rules.ties == "deciding-round" and len(tied) > 1:  # R8.5
            self._contenders, self._behind = tied, order[len(tied) :]
        else:
            self._finish(end, order)

    def _settle_deciding_round(self, last: Round) -> None:  # R8.5
        self._deciding += 1
        order = order_by_round(self._contenders, last)
        best = last.scores[order[0]]
        left = [seat for seat in order if last.scores[seat] == best]
        self._behind = order[len(left) :] + self._behind
        self._contenders = left
        if len(left) == 1 or self._deciding == DECIDING_ROUNDS:
            self._finish("deciding-round", left + self._behind)

    def _finish(self, end: str, order: list[int]) -> None:
        self.end = end
        first, second, third = (order.index(seat) + 1 for seat in range(3))
        self.placing = first, second, third

    # What a seat sees

    def view(self, seat: int, clock: Clock = NO_CLOCK) -> View:
        """Everything that a seat may know now; what it is asked is filled in if it is on turn."""
        return self.view_of(self.round, seat, clock)

    def view_of(self, rnd: Round, seat: int, clock: Clock = NO_CLOCK) -> View:
        """The same of one of the match's rounds, be it over."""
        asked = rnd.kind if seat == rnd.seat else None
        dealer_sees = seat == rnd.dealer
        kitty_taken = rnd.kind in KITTY_TAKEN[self.rules.kitty]
        return View.of(
            rules=self.rules,
            seat=seat,
            round=rnd.number,
            dealer=rnd.dealer,
            totals=self._totals_before(rnd),
            last_scores=rnd.last_scores,
            hand=Cards(rnd.hands[seat]),
            exchanges=tuple(seen_by(seat, exchange) for exchange in rnd.exchanges),
            contract=rnd.contract,
            discard=Cards(rnd.discard if dealer_sees else 0),
            kitty=Cards(rnd.kitty if dealer_sees and kitty_taken else 0),
            leaders=rnd.leaders,
            played=rnd.played,
            taken=(rnd.taken[0], rnd.taken[1], rnd.taken[2]),
            kind=asked,
            partner=rnd.partner if asked else None,
            claimed=rnd.claimed if asked else None,
            legal_cards=Cards(rnd.legal_cards if asked else 0),
            legal_suits=tuple(Suit) if asked is TurnKind.CLAIM else (),
            legal_contracts=self.rules.contracts if asked is TurnKind.DECLARE else (),
            count=rnd.count if asked else 1,
            decision=self.decision,
            seed=self._dice_of(rnd.number, (seat - rnd.dealer) % 3),
            clock=clock,
        )

    def _dice_of(self, round_number: int, position: int) -> int:
        key = 3 * round_number + position
        if key not in self._dice:
            self._dice[key] = bot_seed(self.seed, round_number, position)
        return self._dice[key]

    def _totals_before(self, rnd: Round) -> Three:
        """The totals when a round began: those now, less the rounds from it on."""
        if rnd.number == len(self.rounds):
            return self.totals
        later = [past.scores for past in self.rounds[rnd.number :]]
        first, second, third = (self.totals[seat] - sum(scores[seat] for scores in later) for seat in range(3))
        return first, second, third

    def copy(self) -> Match:
        """A match of its own that goes on from here. Cheap: rounds that are over are shared."""
        other = object.__new__(Match)
        for name in Match.__slots__:
            setattr(other, name, getattr(self, name))
        other.round = self.round.copy()
        other._dice = dict(self._dice)
        return other


def seen_by(seat: int, exchange: Exchange) -> Exchange:
    """An exchange as a seat sees it: only the two parties see the cards (R5.7)."""
    if seat in (exchange.up, exchange.down):
        return exchange
    return Exchange(exchange.up, exchange.down, exchange.suit)
