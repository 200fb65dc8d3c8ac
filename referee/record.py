"""The record of a match: written from a ``Match``, read back, and played again to see that it holds.

A record is a JSON document (``record.schema.json``) and the one truth from which standings, ratings, reports and
replays are derived. Checking one needs nothing but the record: not the bots, not the league.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from itertools import permutations
from math import isfinite
from typing import Any

import fastjsonschema

from protocol.cards import Card, Cards, NotationError, Suit
from protocol.view import Choice, Contract, Three, TurnKind
from referee.deal import board_seed
from referee.errors import DealError, IllegalChoice, RecordError, RulesError
from referee.match import Match
from referee.placing import placing_after_strikes, strike_outs
from referee.round import Round
from referee.rules import rules_as_json, rules_from_json
from referee.stand_in import stand_in

__all__ = ["FORMAT", "Record", "match_record", "read_json", "read_record", "replay", "verify"]

FORMAT = "three-five-eight/match/1"
Record = dict[str, Any]


# Writing


def match_record(
    match: Match,
    *,
    name: str,
    number: int,
    seats: Sequence[Mapping[str, str]],
    limits: Mapping[str, Any],
    faults: Sequence[Mapping[str, Any]],
    clock: Sequence[Mapping[str, Any]],
) -> Record:
    """The record of a match that is over.

    :param name: ``<league>/<board>/<seating>``.
    :param number: the board's number.
    :param seats: ``{"bot": …, "version": …}`` by seat.
    :param faults: in the order in which they happened.
    """
    assert match.placing is not None, "a match is recorded when it is over"
    board: dict[str, Any] = {"number": number, "seed": match.seed.hex()}
    if match.given:
        board["given"] = list(match.given)
    return {
        "format": FORMAT,
        "match": name,
        "rules": rules_as_json(match.rules),
        "limits": dict(limits),
        "board": board,
        "first_dealer": match.first_dealer,
        "seats": [dict(seat) for seat in seats],
        "rounds": list(recorded_rounds(match)),
        "end": match.end,
        "placing": list(placing_after_strikes(match.placing, faults)),
        "faults": [dict(fault) for fault in faults],
        "clock": [dict(seat) for seat in clock],
    }


def recorded_rounds(match: Match) -> Iterator[dict[str, Any]]:
    """The rounds that are over, as they stand in the record."""
    totals: Three = (0, 0, 0)
    for rnd, thrown_in in zip(match.rounds, match.thrown_in, strict=False):
        first, second, third = (total + score for total, score in zip(totals, rnd.scores, strict=True))
        totals = first, second, third
        yield recorded_round(rnd, thrown_in, totals)


def recorded_round(rnd: Round, thrown_in: Sequence[tuple[str, str]], totals: Three) -> dict[str, Any]:
    return {
        **recorded_deal(rnd, thrown_in),
        "exchanges": [
            {
                "up": exchange.up,
                "down": exchange.down,
                "suit": write(exchange.suit),
                "gave": write(exchange.gave),
                "got": write(exchange.got),
            }
            for exchange in rnd.exchanges
        ],
        "contract": write(rnd.contract),
        "discard": write(Cards(rnd.discard)),
        "tricks": [
            {"leader": trick.leader, "cards": [str(card) for card in trick.cards], "winner": trick.winner}
            for trick in rnd.tricks
        ],
        "taken": list(rnd.taken),
        "score": list(rnd.scores),
        "totals": list(totals),
    }


def recorded_deal(rnd: Round, thrown_in: Sequence[tuple[str, str]]) -> dict[str, Any]:
    return {
        "dealer": rnd.dealer,
        "deal": [repr(Cards.of(rnd.deal.hands[(seat - rnd.dealer) % 3])) for seat in range(3)],
        "kitty": write(Cards.of(rnd.deal.kitty)),
        "thrown_in": [{"deal": text, "why": why} for text, why in thrown_in],
    }


def write(choice: Choice | None) -> Any:
    """A choice as it stands in a record: a card, four cards, a suit, a contract, or null."""
    if isinstance(choice, Cards):
        return [str(card) for card in choice]
    return None if choice is None else str(choice)


# Reading and replaying


@cache
def schema_check() -> Any:
    schema = json.loads(resources.files("referee").joinpath("record.schema.json").read_text("utf-8"))
    return fastjsonschema.compile(inlined(schema, schema.pop("$defs")))


def inlined(schema: Any, definitions: Mapping[str, Any]) -> Any:
    """The schema with each ``$ref`` replaced by what it names: checking takes a third of the time then."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            return definitions[schema["$ref"].removeprefix("#/$defs/")]
        return {key: inlined(value, definitions) for key, value in schema.items()}
    return [inlined(value, definitions) for value in schema] if isinstance(schema, list) else schema


def read_record(text: str | bytes) -> Record:
    """Reads a record and holds it against the schema.

    :raises RecordError: not JSON, or not of the record's form.
    """
    try:
        document = read_json(text)
    except (ValueError, RecursionError) as broken:
        raise RecordError(f"this is not JSON: {broken}") from None
    check_form(document)
    return dict(document)


def read_json(text: str | bytes) -> Any:
    """What a JSON text says. Python's reader alone would let NaN and Infinity in, which no comparison refuses.

    :raises ValueError: it is not JSON, or has a number that is none or too large.
    """
    return json.loads(text, parse_constant=finite, parse_float=finite)


def finite(number: str) -> float:
    value = float(number)
    if not isfinite(value):
        raise ValueError(f"{number:.40} is no number that JSON has, or too large")
    return value


def check_form(document: Any) -> None:
    try:
        schema_check()(document)
    except fastjsonschema.JsonSchemaValueException as odd:
        raise RecordError(
            f"not of the form of a match record: {odd.message.replace('data', 'record', 1):.200}"
        ) from None


def replay(record: Record) -> Match:
    """Plays a record's choices again, as far as the rules allow, and hands back the match.

    :raises RecordError: a choice that was illegal, a deal that is not the seed's, rounds missing or too many.
    """
    check_form(record)
    match = opened(record)
    struck = strike_outs(record["faults"])
    for number, written in enumerate(record["rounds"]):
        if match.over:
            raise RecordError(f"the match was over after {len(match.rounds)} rounds ({match.end}), but another follows")
        replay_round(match, written, f"round {number + 1}", struck)
    if not match.over:
        raise RecordError(f"the record stops after {len(match.rounds)} rounds, but the match was not over")
    return match


def opened(record: Record) -> Match:
    board = record["board"]
    try:
        rules = rules_from_json(record["rules"])
        if board["seed"] is not None:
            return Match(rules, bytes.fromhex(board["seed"]), board.get("given", ()))
        given = [" ".join([*rnd["deal"], *kitty_text(rnd["kitty"])]) for rnd in record["rounds"]]
        return Match(rules, b"", given, record["first_dealer"])
    except (RulesError, DealError, NotationError) as wrong:
        raise RecordError(str(wrong)) from None


def kitty_text(kitty: list[str]) -> list[str]:
    return [repr(Cards.of(Card(card) for card in kitty))] if kitty else []


def replay_round(match: Match, written: dict[str, Any], where: str, struck: dict[int, int]) -> None:
    rnd = match.round
    dealt = recorded_deal(rnd, match.thrown_in[rnd.number])
    if match.seed:
        compare(dealt, {name: written[name] for name in dealt}, where)
    for kind, choice in recorded_choices(written):
        spot = f"{where}, {place_in_round(rnd)}"
        if rnd.kind is not kind:
            wanted = rnd.kind.value if rnd.kind and not match.over else "nothing"
            raise RecordError(f"{spot}: the record has a choice to {kind.value}, but it is the turn for {wanted}")
        if struck.get(rnd.seat, match.decision) < match.decision and choice != stand_in(match.view(rnd.seat)):
            raise RecordError(f"{spot}: seat {rnd.seat} was struck out, but {choice} is not what the stand-in chooses")
        try:
            match.choose(choice)
        except IllegalChoice as illegal:
            raise RecordError(f"{spot}: {illegal}") from None
    if not rnd.over:
        raise RecordError(f"{where}: the record stops before the round is over ({place_in_round(rnd)})")


def recorded_choices(written: dict[str, Any]) -> Iterator[tuple[TurnKind, Choice]]:
    """The choices of a recorded round in the order of its turns.

    :raises RecordError: one is missing.
    """
    for exchange in written["exchanges"]:
        if exchange["suit"] is None:
            if exchange["gave"] is None:
                raise RecordError("an exchange has neither a suit that was claimed nor a card that was given")
            yield TurnKind.GIVE, Card(exchange["gave"])
            continue
        yield TurnKind.CLAIM, Suit.read(exchange["suit"])
        if exchange["gave"] is not None:
            yield TurnKind.GIVE_BACK, Card(exchange["gave"])
    yield TurnKind.DECLARE, Contract(written["contract"])
    if written["discard"]:
        yield TurnKind.DISCARD, Cards.of(Card(card) for card in written["discard"])
    for trick in written["tricks"]:
        for card in trick["cards"]:
            yield TurnKind.PLAY, Card(card)


def place_in_round(rnd: Round) -> str:
    if rnd.kind is TurnKind.PLAY:
        return f"trick {len(rnd.played) // 3 + 1}"
    if rnd.partner is not None:
        return f"exchange {len(rnd.exchanges) + 1}"
    return "after the last trick" if rnd.kind is None else "contract and kitty"


def compare(right: Any, written: Any, where: str) -> None:
    """Raises a sentence about the first place at which a recorded value is not what the rules give."""
    if isinstance(right, dict):
        for key in right:
            compare(right[key], written.get(key), f"{where}, {key}")
    elif isinstance(right, list) and isinstance(written, list) and len(right) == len(written):
        for number, (one, other) in enumerate(zip(right, written, strict=True)):
            compare(one, other, f"{where} {number + 1}")
    elif right != written or isinstance(right, bool) is not isinstance(written, bool):
        raise RecordError(f"{where}: the record says {json.dumps(written):.80}, but it is {json.dumps(right):.80}")


# Verifying


def verify(record: Record, league_seed: bytes | None = None) -> None:
    """Plays a record again and holds everything it says against the rules.

    :param league_seed: if given, the board's seed is checked against it too.
    :raises RecordError: the first thing wrong.
    """
    match = replay(record)
    if league_seed is not None and record["board"]["seed"] != board_seed(league_seed, record["board"]["number"]).hex():
        raise RecordError(f"board {record['board']['number']}: its seed is not the league's for that number")
    check_name(record)
    compare(match.first_dealer, record["first_dealer"], "first_dealer")
    for number, (right, written) in enumerate(zip(recorded_rounds(match), record["rounds"], strict=True)):
        if not match.seed:
            right["thrown_in"] = written["thrown_in"]
        compare(right, written, f"round {number + 1}")
    compare(match.end, record["end"], "end")
    check_faults(match, record)
    assert match.placing is not None
    compare(list(placing_after_strikes(match.placing, record["faults"])), record["placing"], "placing, seat")


def check_name(record: Record) -> None:
    """``<league>/<board>/<seating>``: the seating is the one in which the three names sit."""
    _, number, seating = record["match"].split("/")
    names = [seat["bot"] for seat in record["seats"]]
    if int(number) != record["board"]["number"]:
        raise RecordError(f"match {record['match']}: the board's number is {record['board']['number']}")
    if tuple(names) != tuple(permutations(sorted(names)))[int(seating)]:
        raise RecordError(f"match {record['match']}: {', '.join(names)} is not seating {seating} of these three")


def check_faults(match: Match, record: Record) -> None:
    """Each fault stands at a turn of its seat, its substitute is the stand-in's choice, and the third strikes out."""
    wanted = {fault["decision"]: fault for fault in record["faults"] if fault["decision"] is not None}
    again = Match(match.rules, match.seed, match.given, match.first_dealer)
    choices = [choice for written in record["rounds"] for _, choice in recorded_choices(written)]
    for decision, choice in enumerate(choices if wanted else ()):
        if fault := wanted.pop(decision, None):
            where = f"fault at decision {decision}"
            turn = {"round": again.round.number, "seat": again.seat, "turn": again.kind.value if again.kind else None}
            compare(turn, fault, where)
            compare(write(stand_in(again.view(again.seat))), fault["substitute"], f"{where}, substitute")
            compare(write(choice), fault["substitute"], f"{where}, the card played")
        again.choose(choice)
    if wanted:
        raise RecordError(f"fault at decision {min(wanted)}: the match had only {match.decision} decisions")
    check_strikes(record)


def check_strikes(record: Record) -> None:
    decisions = [fault["decision"] for fault in record["faults"] if fault["decision"] is not None]
    if decisions != sorted(set(decisions)):
        raise RecordError("the faults do not stand in the order of the decisions")
    counts = [0, 0, 0]
    out = [False, False, False]
    for number, fault in enumerate(record["faults"]):
        seat = fault["seat"]
        if out[seat]:
            raise RecordError(f"fault {number + 1}: seat {seat} had been struck out before")
        counts[seat] += 1
        started = fault["kind"] != "start"
        if [fault[name] is not None for name in ("round", "decision", "turn", "substitute")] != [started] * 4:
            raise RecordError(
                f"fault {number + 1}: round, decision, turn and substitute belong to all faults but start"
            )
        out[seat] = not started or counts[seat] >= record["limits"]["strikes"]
        if out[seat] is not fault["struck_out"]:
            raise RecordError(f"fault {number + 1}: seat {seat} is {'' if out[seat] else 'not '}struck out with it")
