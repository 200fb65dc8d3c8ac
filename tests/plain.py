"""3-5-8 a second time, as plainly as it can be said: the referee is held against this, move by move.

Written from the numbered rules alone and sharing no code with the referee, so that a slip in one of the two shows as
a difference between them. A card is a string ("AS", "TD"), a hand a list of cards, a match one generator that reads
from top to bottom like the rules: it yields whose turn it is and is sent the choice.
"""

import hashlib
from collections import Counter
from collections.abc import Generator, Iterator
from typing import Any

Turn = tuple[int, str, list[str]]  # seat, kind, legal choices
Play = Generator[Turn, Any, Any]

SUITS = "SHDC"
RANKS = "AKQJT98765432"  # R2.1, high to low
DEALER, FOREHAND, THIRD = 0, 1, 2  # R1, positions clockwise

ANNOUNCER: dict[str, Any] = {
    "set": "announcer",
    "targets": [8, 5, 3],
    "removed": [],
    "kitty": "discard-first",
    "first_lead": "dealer",
    "exchange": "swap",
    "cards_per_point": 1,
    "downs": "clockwise",
    "contracts": ["S", "H", "D", "C"],
    "rotate_targets": False,
    "points_to_win": None,
    "points_to_lose": None,
    "tricks_to_win": None,
    "max_rounds": 9,
    "ties": "last-round",
}
TEN_POINTS = ANNOUNCER | {
    "set": "ten-points",
    "first_lead": "forehand",
    "downs": "target",
    "points_to_win": 10,
    "max_rounds": None,
}
TWELVE_TRICKS = ANNOUNCER | {
    "set": "twelve-tricks",
    "kitty": "pick-up-first",
    "first_lead": "forehand",
    "exchange": "claim",
    "downs": "target",
    "tricks_to_win": 12,
    "max_rounds": 10,
    "ties": "deciding-round",
}
NINE_FIVE_TWO = TWELVE_TRICKS | {"set": "nine-five-two", "targets": [9, 5, 2]}  # R9.1
SIX_THREE_EIGHT = ANNOUNCER | {  # R9.2
    "set": "six-three-eight",
    "targets": [6, 3, 8],
    "removed": ["2C"],
    "kitty": "none",
    "first_lead": "forehand",
    "exchange": "claim",
    "downs": "target",
    "points_to_win": 10,
    "points_to_lose": 10,
    "max_rounds": None,
}
SETS: dict[str, dict[str, Any]] = {  # R10
    rules["set"]: rules for rules in (ANNOUNCER, TEN_POINTS, TWELVE_TRICKS, NINE_FIVE_TWO, SIX_THREE_EIGHT)
}


# Cards


def height(card: str) -> int:
    """0 for a two up to 12 for an ace."""
    return 12 - RANKS.index(card[0])


def of_suit(hand: list[str], suit: str) -> list[str]:
    return [card for card in hand if card[1] == suit]


def written(hand: list[str]) -> str:
    """R2.1: "AKQ.JT9.8.2", spades, hearts, diamonds, clubs."""
    return ".".join("".join(rank for rank in RANKS if rank + suit in hand) for suit in SUITS)


# Shuffling and dealing


def words(board_seed: bytes, label: str) -> Iterator[int]:
    """The 4-byte words of SHA-256(seed + "label/0"), SHA-256(seed + "label/1"), and so on."""
    block = 0
    while True:
        digest = hashlib.sha256(board_seed + f"{label}/{block}".encode("ascii")).digest()
        for start in range(0, 32, 4):
            yield int.from_bytes(digest[start : start + 4], "big")
        block += 1


def number_below(n: int, stream: Iterator[int]) -> int:
    while True:
        word = next(stream)
        if word < 2**32 // n * n:
            return word % n


def first_dealer(board_seed: bytes) -> int:  # R2.2
    return number_below(3, words(board_seed, "dealer"))


def deal(
    board_seed: bytes, round: int, attempt: int, rules: dict[str, Any]
) -> tuple[list[list[str]], list[str]]:  # R2.3, R2.4
    """The hands by position (dealer, forehand, third hand) and the kitty."""
    deck = [rank + suit for suit in SUITS for rank in RANKS if rank + suit not in rules["removed"]]
    stream = words(board_seed, f"deal/{round}/{attempt}")
    for k in range(len(deck) - 1, 0, -1):
        j = number_below(k + 1, stream)
        deck[k], deck[j] = deck[j], deck[k]
    kitty_size = 0 if rules["kitty"] == "none" else 4
    hand_size = (len(deck) - kitty_size) // 3
    hands: list[list[str]] = [[], [], []]
    for packet in [4] * (hand_size // 4) + [1] * (hand_size % 4):
        for position in (FOREHAND, THIRD, DEALER):
            hands[position] += deck[:packet]
            deck = deck[packet:]
    return hands, deck


# Tricks


def playable(hand: list[str], led: str | None) -> list[str]:  # R6.2
    """The cards that may be played from a hand when the suit `led` was led (None: to lead)."""
    if led is not None and of_suit(hand, led):
        return sorted(of_suit(hand, led))
    return sorted(hand)


def trick_winner(cards: list[str], leader: int, trump: str | None) -> int:  # R6.3
    """The seat that wins three cards played clockwise from the leader."""
    trumps = [card for card in cards if card[1] == trump]
    best = max(trumps or of_suit(cards, cards[0][1]), key=height)
    return (leader + cards.index(best)) % 3


def count_endings(hands: list[list[str]], leader: int, trump: str | None) -> tuple[Counter[tuple[int, ...]], int]:
    """Every legal way to play out three short hands: how often each count of tricks by seat comes out, and how many
    ways there are in all."""
    endings: Counter[tuple[int, ...]] = Counter()

    def play_on(hands: list[list[str]], leader: int, trick: list[str], taken: list[int]) -> None:
        if len(trick) == 3:
            winner = trick_winner(trick, leader, trump)
            taken = [count + (seat == winner) for seat, count in enumerate(taken)]
            leader, trick = winner, []
        seat = (leader + len(trick)) % 3
        if not hands[seat]:
            endings[tuple(taken)] += 1
            return
        for card in playable(hands[seat], trick[0][1] if trick else None):
            left = [[c for c in hand if c != card] for hand in hands]
            play_on(left, leader, [*trick, card], taken)

    play_on(hands, leader, [], [0, 0, 0])
    return endings, sum(endings.values())


# A match


class PlainMatch:
    """A match from its rules (the record's "rules") and its board's seed; ask `turn()`, answer with `choose()`."""

    def __init__(self, rules: dict[str, Any], board_seed: bytes) -> None:
        self.rules = rules
        self.board_seed = board_seed
        self.first_dealer = first_dealer(board_seed)
        self.hands: list[list[str]] = [[], [], []]
        self.totals = [0, 0, 0]
        self.rounds: list[dict[str, Any]] = []  # those that have been scored
        self.deciding = 0  # how many of them were deciding rounds
        self.end: str | None = None
        self.placing: list[int] | None = None
        self._story = self._match()
        self._turn: Turn | None = next(self._story)

    def turn(self) -> Turn | None:
        """Seat, kind and legal choices of the turn; None when the match is over."""
        return self._turn

    def choose(self, choice: str | list[str]) -> None:
        if self._turn is None:
            raise ValueError("the match is over")
        _, kind, legal = self._turn
        chosen = [choice] if isinstance(choice, str) else choice
        wanted = 4 if kind == "discard" else 1
        if len(chosen) != wanted or len(set(chosen)) != wanted or not set(chosen) <= set(legal):
            raise ValueError(f"{choice} is not legal to {kind}: {wanted} of {legal}")
        try:
            self._turn = self._story.send(choice)
        except StopIteration:
            self._turn = None

    def _match(self) -> Play:
        while self.end is None:
            yield from self._round()
            self._check_end()
            if self.end in ("points", "rounds") and self.rules["ties"] == "deciding-round":
                tied = [seat for seat in range(3) if self.totals[seat] == max(self.totals)]
                if len(tied) > 1:
                    yield from self._deciding_rounds(tied)

    # R4: deal, exchange, contract and kitty, tricks, score

    def _round(self) -> Play:
        number = len(self.rounds)
        dealer = (self.first_dealer + number) % 3  # R2.2
        by_position, kitty = deal(self.board_seed, number, 0, self.rules)
        self.hands = [by_position[(seat - dealer) % 3] for seat in range(3)]
        dealt = [written(hand) for hand in self.hands]
        exchanges: list[dict[str, Any]] = []
        if number > 0 and self.rules["exchange"] != "none":
            exchanges = yield from self._exchanges(dealer)
        contract, discard = yield from self._contract(dealer, kitty)
        tricks = yield from self._tricks(dealer, contract)
        taken = [sum(trick["winner"] == seat for trick in tricks) for seat in range(3)]
        targets = self._targets(number, dealer, misere=contract == "MISERE")
        score = [taken[seat] - targets[seat] for seat in range(3)]  # R7.1
        if contract == "MISERE":  # R9.5
            score = [targets[seat] - taken[seat] for seat in range(3)]
        self.totals = [self.totals[seat] + score[seat] for seat in range(3)]
        self.rounds.append(
            {
                "dealer": dealer,
                "deal": dealt,
                "kitty": sorted(kitty, key=lambda card: (SUITS.index(card[1]), height(card))),
                "thrown_in": [],
                "exchanges": exchanges,
                "contract": contract,
                "discard": discard,
                "tricks": tricks,
                "taken": taken,
                "score": score,
                "totals": self.totals,
            }
        )

    def _targets(self, number: int, dealer: int, misere: bool = False) -> list[int]:
        """The targets of a round by seat."""
        targets = list(self.rules["targets"])  # R3.1
        if misere:  # R9.5
            targets.reverse()
        shift = number if self.rules["rotate_targets"] else 0  # R9.3
        return [targets[((seat - dealer) % 3 - shift) % 3] for seat in range(3)]

    # R5

    def _exchanges(self, dealer: int) -> Generator[Turn, Any, list[dict[str, Any]]]:
        score = self.rounds[-1]["score"]
        targets = self._targets(len(self.rounds), dealer)
        from_left = [(dealer + 1) % 3, (dealer + 2) % 3, dealer]
        ups = [seat for seat in from_left if score[seat] > 0]
        if self.rules["exchange"] == "swap":  # R5.5; sorting keeps the order of equals
            ups.sort(key=lambda seat: -targets[seat])
        else:
            ups.sort(key=lambda seat: -score[seat])
        debt = [max(0, -points) * self.rules["cards_per_point"] for points in score]  # R5.3, R9.6
        exchanges = []
        for up in ups:
            if self.rules["downs"] == "clockwise":  # R5.6
                downs = [(up + 1) % 3, (up + 2) % 3]
            else:
                downs = sorted(from_left, key=lambda seat: -targets[seat])
            for _ in range(score[up] * self.rules["cards_per_point"]):
                down = next(seat for seat in downs if debt[seat] > 0)
                debt[down] -= 1
                if self.rules["exchange"] == "swap":
                    done = yield from self._swap(up, down)
                else:
                    done = yield from self._claim(up, down)
                exchanges.append(done)
        return exchanges

    def _swap(self, up: int, down: int) -> Generator[Turn, Any, dict[str, Any]]:  # R5.1
        gave = yield up, "give", sorted(self.hands[up])
        got = max([gave, *of_suit(self.hands[down], gave[1])], key=height)
        self._pass(gave, up, down)
        self._pass(got, down, up)
        return {"up": up, "down": down, "suit": None, "gave": gave, "got": got}

    def _claim(self, up: int, down: int) -> Generator[Turn, Any, dict[str, Any]]:  # R5.2
        suit = yield up, "claim", sorted(SUITS)
        held = of_suit(self.hands[down], suit)
        if not held:
            return {"up": up, "down": down, "suit": suit, "gave": None, "got": None}
        got = max(held, key=height)
        self._pass(got, down, up)
        gave = yield up, "give_back", sorted(self.hands[up])
        self._pass(gave, up, down)
        return {"up": up, "down": down, "suit": suit, "gave": gave, "got": got}

    def _pass(self, card: str, giver: int, taker: int) -> None:
        self.hands[giver].remove(card)
        self.hands[taker].append(card)

    # R4.1 to R4.3

    def _contract(self, dealer: int, kitty: list[str]) -> Generator[Turn, Any, tuple[str, list[str]]]:
        hand = self.hands[dealer]
        if self.rules["kitty"] == "pick-up-first":  # R4.2
            hand += kitty
        contract = yield dealer, "declare", sorted(self.rules["contracts"])
        if self.rules["kitty"] == "none":  # R9.2
            return contract, []
        chosen = yield dealer, "discard", sorted(hand)
        for card in chosen:
            hand.remove(card)
        if self.rules["kitty"] == "discard-first":  # R4.1
            hand += kitty
        return contract, sorted(chosen, key=lambda card: (SUITS.index(card[1]), height(card)))

    # R6

    def _tricks(self, dealer: int, contract: str) -> Generator[Turn, Any, list[dict[str, Any]]]:
        trump = contract if contract in SUITS else None  # R9.4, R9.5
        leader = dealer if self.rules["first_lead"] == "dealer" else (dealer + 1) % 3  # R6.1
        tricks = []
        while self.hands[leader]:  # R6.4
            cards: list[str] = []
            for seat in (leader, (leader + 1) % 3, (leader + 2) % 3):
                card = yield seat, "play", playable(self.hands[seat], cards[0][1] if cards else None)
                self.hands[seat].remove(card)
                cards.append(card)
            winner = trick_winner(cards, leader, trump)
            tricks.append({"leader": leader, "cards": cards, "winner": winner})
            leader = winner
        return tricks

    # R8

    def _check_end(self) -> None:
        """Names the end and places the players, if the round just scored was the last."""
        rules, last = self.rules, self.rounds[-1]
        order = self._order()
        if rules["tricks_to_win"] is not None and last["contract"] != "MISERE":  # R8.3, R9.5
            for seat in range(3):
                if last["taken"][seat] >= rules["tricks_to_win"]:
                    self._finish("tricks", [seat] + [other for other in order if other != seat])
                    return
        won = rules["points_to_win"] is not None and max(self.totals) >= rules["points_to_win"]  # R8.2
        lost = rules["points_to_lose"] is not None and min(self.totals) <= -rules["points_to_lose"]  # R9.2
        if won or lost:
            self._finish("points", order)
        elif rules["max_rounds"] is not None and len(self.rounds) >= rules["max_rounds"]:  # R8.1, R8.3
            self._finish("rounds", order)
        elif rules["max_rounds"] is None and len(self.rounds) >= 60:  # R8.7
            self._finish("round-limit", order)

    def _order(self) -> list[int]:
        """The seats, best first: total, the last round's points, its later trick, clockwise from its forehand."""
        return sorted(range(3), key=lambda seat: (-self.totals[seat], *self._tie_rule(seat)))  # R8.6

    def _tie_rule(self, seat: int) -> tuple[int, int, int]:  # R8.4
        last = self.rounds[-1]
        last_trick = max((n for n, trick in enumerate(last["tricks"]) if trick["winner"] == seat), default=-1)
        return -last["score"][seat], -last_trick, (seat - last["dealer"] - 1) % 3

    def _deciding_rounds(self, tied: list[int]) -> Play:  # R8.5
        behind = [seat for seat in self._order() if seat not in tied]
        self.end = self.placing = None
        while len(tied) > 1 and self.deciding < 9:
            yield from self._round()
            self.deciding += 1
            ranked = sorted(tied, key=self._tie_rule)
            score = self.rounds[-1]["score"]
            tied = [seat for seat in ranked if score[seat] == score[ranked[0]]]
            behind = [seat for seat in ranked if seat not in tied] + behind
        self._finish("deciding-round", tied + behind)

    def _finish(self, end: str, order: list[int]) -> None:
        self.end = end
        self.placing = [order.index(seat) + 1 for seat in range(3)]
