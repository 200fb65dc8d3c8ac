"""What a match is played by, what a seat is asked, and what it sees when it is asked.

Everything here is a frozen value. ``Rules`` holds for a whole match; a ``View`` is complete: a bot can choose from it
alone, remembering nothing, so one that crashed can be started again in the middle of a match.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, Literal

from protocol.cards import CARDS, DECK, Card, Cards, Suit

__all__ = [
    "DEALER",
    "FOREHAND",
    "THIRD",
    "Choice",
    "Clock",
    "Contract",
    "Exchange",
    "Rules",
    "Trick",
    "TurnKind",
    "View",
]

# Positions at the table, counted clockwise from the dealer (R1).
DEALER, FOREHAND, THIRD = 0, 1, 2

Three = tuple[int, int, int]
NO_CARDS = Cards(0)


class Contract(Enum):
    """What the dealer may announce: a trump suit, no-trump (R9.4) or misère (R9.5). The value is the notation."""

    SPADES = "S"
    HEARTS = "H"
    DIAMONDS = "D"
    CLUBS = "C"
    NO_TRUMP = "NT"
    MISERE = "MISERE"

    @property
    def trump(self) -> Suit | None:
        """The trump suit; None for no-trump and misère."""
        return Suit.read(self.value) if len(self.value) == 1 else None

    @classmethod
    def of(cls, suit: Suit) -> Contract:
        """The contract that makes this suit trump."""
        return cls(suit.letter)

    def __repr__(self) -> str:
        return self.value

    __str__ = __repr__


class TurnKind(Enum):
    """What a seat is asked for. The value is the word in records and in the protocol."""

    GIVE = "give"
    """Exchange by swap (R5.1): which card to give."""
    CLAIM = "claim"
    """Exchange by claim (R5.2): which suit to claim."""
    GIVE_BACK = "give_back"
    """Exchange by claim (R5.2): which card to give back."""
    DECLARE = "declare"
    """The dealer announces the contract (R4.3)."""
    DISCARD = "discard"
    """The dealer puts four cards aside (R4.1, R4.2)."""
    PLAY = "play"
    """A card to the trick (R6)."""


Choice = Card | Suit | Contract | Cards
"""An answer: a card (give, give_back, play), a suit (claim), a contract (declare), four cards (discard)."""


@dataclass(frozen=True)
class Rules:
    """The rules of one match (R10): a value with fields, of which each can be overridden.

    ``referee.rules`` has the named sets, the variants, and the check which combinations can be played.
    """

    set: str = "ten-points"
    targets: Three = (8, 5, 3)
    """Tricks to take as dealer, forehand, third hand (R3)."""
    removed: Cards = NO_CARDS
    """Cards taken out of the deck (R9.2)."""
    kitty: Literal["discard-first", "pick-up-first", "none"] = "discard-first"
    first_lead: Literal["dealer", "forehand"] = "forehand"
    exchange: Literal["swap", "claim", "none"] = "swap"
    cards_per_point: int = 1
    """Exchanges for each point up (R9.6)."""
    downs: Literal["clockwise", "target"] = "target"
    """Whom an up player serves first (R5.6)."""
    contracts: tuple[Contract, ...] = (Contract.SPADES, Contract.HEARTS, Contract.DIAMONDS, Contract.CLUBS)
    rotate_targets: bool = False
    points_to_win: int | None = 10
    points_to_lose: int | None = None
    """Positive: 10 ends the match at a total of −10 (R9.2)."""
    tricks_to_win: int | None = None
    max_rounds: int | None = None
    ties: Literal["last-round", "deciding-round"] = "last-round"

    @cached_property
    def deck(self) -> Cards:
        """The cards that are dealt."""
        return DECK - self.removed

    @cached_property
    def kitty_size(self) -> int:
        """Cards in the kitty, which is also how many are discarded: 4, or 0."""
        return 0 if self.kitty == "none" else 4

    @cached_property
    def tricks(self) -> int:
        """Tricks in a round, and cards in a hand: 16, or 17 in 6-3-8."""
        return (len(self.deck) - self.kitty_size) // 3

    def targets_by_position(self, round_number: int, contract: Contract | None = None) -> Three:
        """Targets of dealer, forehand and third hand in a round counted from 0 (R3.1, R9.3, R9.5)."""
        targets = self.targets[::-1] if contract is Contract.MISERE else self.targets
        if not self.rotate_targets:
            return targets
        first, second, third = (targets[(position - round_number) % 3] for position in range(3))
        return first, second, third


@dataclass(frozen=True, slots=True)
class Exchange:
    """One exchange between rounds (R5), as a seat sees it: only the two parties see the cards (R5.7).

    In a swap ``gave`` is the up player's card and ``got`` what came back (the same card if it bounced). In a claim
    ``got`` is the card handed over and ``gave`` the one given back; both are None if the claim lapsed.
    """

    up: int
    down: int
    suit: Suit | None = None
    """The suit named in a claim; None in a swap."""
    gave: Card | None = None
    got: Card | None = None


@dataclass(frozen=True, slots=True)
class Trick:
    """A trick, complete or not: who led, and the cards in the order in which they were played."""

    leader: int
    cards: tuple[Card, ...]
    winner: int | None = None
    """The seat that took it, None while it is not complete."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds that the seat on turn has: for this decision, and the bank that overruns draw on."""

    move_time_s: float
    bank_s: float


NO_CLOCK = Clock(float("inf"), float("inf"))


@dataclass(frozen=True)
class View:
    """Everything that a seat may know when it is asked (or after the round, when ``kind`` is None).

    Seats are 0, 1, 2 clockwise; tuples of three are by seat.
    """

    rules: Rules
    seat: int
    """My seat."""
    round: int
    """Number of the round, from 0."""
    dealer: int
    """The dealer's seat."""
    totals: Three
    """Totals before this round."""
    last_scores: Three | None
    """Scores of the round before, None in the first: who is up and who is down (R7.1)."""
    hand: Cards
    """My cards now."""
    exchanges: tuple[Exchange, ...] = ()
    """The exchanges of this round that are complete, with the cards that I saw."""
    contract: Contract | None = None
    discard: Cards = NO_CARDS
    """What I put aside as dealer; empty for the others."""
    kitty: Cards = NO_CARDS
    """The kitty, once I as dealer have taken it; empty for the others."""
    leaders: bytes = b""
    """Who led each trick that has begun."""
    played: bytes = b""
    """Numbers of the cards played in this round, in the order of play."""
    taken: Three = (0, 0, 0)
    """Tricks taken in this round."""
    kind: TurnKind | None = None
    """What I am asked for; None when it is not my turn."""
    partner: int | None = None
    """With whom I exchange (give, claim, give_back): the down player's seat."""
    claimed: Card | None = None
    """give_back: the card that I was just handed (it is in my hand)."""
    legal_cards: Cards = NO_CARDS
    """give, give_back, play: the cards that may be chosen. discard: those from which ``count`` are chosen."""
    legal_suits: tuple[Suit, ...] = ()
    """claim: the suits that may be named."""
    legal_contracts: tuple[Contract, ...] = ()
    """declare: the contracts that may be announced."""
    count: int = 1
    """How many cards to choose: 4 to discard, else 1."""
    decision: int = 0
    """The turns of the match before this one, the ones taken without asking included."""
    seed: int = 0
    """For bots that roll dice: 52 bits that depend on board, round and position alone."""
    clock: Clock = NO_CLOCK

    @classmethod
    def of(cls, **values: Any) -> View:
        """The same as ``View(...)``, unchecked, in a fifth of the time: a frozen class sets its fields one by one."""
        view = object.__new__(cls)
        vars(view).update(values)
        return view

    @property
    def position(self) -> int:
        """0 dealer, 1 forehand, 2 third hand."""
        return (self.seat - self.dealer) % 3

    @property
    def trump(self) -> Suit | None:
        return self.contract.trump if self.contract else None

    @property
    def targets(self) -> Three:
        """Targets of this round by seat; in misère they are ceilings (R9.5)."""
        by_position = self.rules.targets_by_position(self.round, self.contract)
        return by_position[-self.dealer % 3], by_position[(1 - self.dealer) % 3], by_position[(2 - self.dealer) % 3]

    @property
    def target(self) -> int:
        """My target."""
        return self.targets[self.seat]

    @property
    def tricks_to_go(self) -> int:
        """Tricks that I still lack to my target; negative when I am past it."""
        return self.target - self.taken[self.seat]

    @property
    def trick(self) -> tuple[Card, ...]:
        """The cards on the table in the order of play: empty when I lead."""
        on_table = len(self.played) % 3
        return tuple(CARDS[n] for n in self.played[len(self.played) - on_table :])

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """The tricks that have begun; the next lead shows who won one."""
        return tuple(
            Trick(
                leader=leader,
                cards=tuple(CARDS[n] for n in self.played[3 * i : 3 * i + 3]),
                winner=self.leaders[i + 1] if i + 1 < len(self.leaders) else None,
            )
            for i, leader in enumerate(self.leaders)
        )

    @property
    def legal(self) -> tuple[Card, ...] | tuple[Suit, ...] | tuple[Contract, ...]:
        """What may be chosen: cards, suits or contracts; to discard, the cards from which ``count`` are chosen."""
        return self.legal_suits or self.legal_contracts or tuple(self.legal_cards)

    def gone(self) -> Cards:
        """The cards played in this round, those on the table included."""
        mask = 0
        for n in self.played:
            mask |= 1 << n
        return Cards(mask)

    def unseen(self) -> Cards:
        """The cards that I can't place: not in my hand, not played, not in my discard."""
        return self.rules.deck - (self.hand | self.gone() | self.discard)

    def voids(self, seat: int) -> tuple[Suit, ...]:
        """The suits that a seat has shown it does not hold, by not following them (R6.2)."""
        shown = set()
        for trick in self.tricks:
            place = (seat - trick.leader) % 3
            if place < len(trick.cards) and trick.cards[place].suit != trick.cards[0].suit:
                shown.add(trick.cards[0].suit)
        return tuple(sorted(shown))
