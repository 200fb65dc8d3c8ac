from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Suit(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUIT_MISSING: _ClassVar[Suit]
    SPADES: _ClassVar[Suit]
    HEARTS: _ClassVar[Suit]
    DIAMONDS: _ClassVar[Suit]
    CLUBS: _ClassVar[Suit]

class Contract(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONTRACT_MISSING: _ClassVar[Contract]
    TRUMP_SPADES: _ClassVar[Contract]
    TRUMP_HEARTS: _ClassVar[Contract]
    TRUMP_DIAMONDS: _ClassVar[Contract]
    TRUMP_CLUBS: _ClassVar[Contract]
    NO_TRUMP: _ClassVar[Contract]
    MISERE: _ClassVar[Contract]

class Kind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    KIND_MISSING: _ClassVar[Kind]
    GIVE: _ClassVar[Kind]
    CLAIM: _ClassVar[Kind]
    GIVE_BACK: _ClassVar[Kind]
    DECLARE: _ClassVar[Kind]
    DISCARD: _ClassVar[Kind]
    PLAY: _ClassVar[Kind]
SUIT_MISSING: Suit
SPADES: Suit
HEARTS: Suit
DIAMONDS: Suit
CLUBS: Suit
CONTRACT_MISSING: Contract
TRUMP_SPADES: Contract
TRUMP_HEARTS: Contract
TRUMP_DIAMONDS: Contract
TRUMP_CLUBS: Contract
NO_TRUMP: Contract
MISERE: Contract
KIND_MISSING: Kind
GIVE: Kind
CLAIM: Kind
GIVE_BACK: Kind
DECLARE: Kind
DISCARD: Kind
PLAY: Kind

class DescribeRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Description(_message.Message):
    __slots__ = ("protocol", "name", "version", "language")
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    protocol: int
    name: str
    version: str
    language: str
    def __init__(self, protocol: _Optional[int] = ..., name: _Optional[str] = ..., version: _Optional[str] = ..., language: _Optional[str] = ...) -> None: ...

class FromReferee(_message.Message):
    __slots__ = ("match_started", "turn", "round_over", "match_over")
    MATCH_STARTED_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    ROUND_OVER_FIELD_NUMBER: _ClassVar[int]
    MATCH_OVER_FIELD_NUMBER: _ClassVar[int]
    match_started: MatchStarted
    turn: Turn
    round_over: RoundOver
    match_over: MatchOver
    def __init__(self, match_started: _Optional[_Union[MatchStarted, _Mapping]] = ..., turn: _Optional[_Union[Turn, _Mapping]] = ..., round_over: _Optional[_Union[RoundOver, _Mapping]] = ..., match_over: _Optional[_Union[MatchOver, _Mapping]] = ...) -> None: ...

class MatchStarted(_message.Message):
    __slots__ = ("protocol", "rules", "seat")
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    protocol: int
    rules: Rules
    seat: int
    def __init__(self, protocol: _Optional[int] = ..., rules: _Optional[_Union[Rules, _Mapping]] = ..., seat: _Optional[int] = ...) -> None: ...

class Turn(_message.Message):
    __slots__ = ("sequence", "view")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    view: View
    def __init__(self, sequence: _Optional[int] = ..., view: _Optional[_Union[View, _Mapping]] = ...) -> None: ...

class RoundOver(_message.Message):
    __slots__ = ("view", "scores")
    VIEW_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    view: View
    scores: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, view: _Optional[_Union[View, _Mapping]] = ..., scores: _Optional[_Iterable[int]] = ...) -> None: ...

class MatchOver(_message.Message):
    __slots__ = ("placing", "totals", "end")
    PLACING_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    placing: _containers.RepeatedScalarFieldContainer[int]
    totals: _containers.RepeatedScalarFieldContainer[int]
    end: str
    def __init__(self, placing: _Optional[_Iterable[int]] = ..., totals: _Optional[_Iterable[int]] = ..., end: _Optional[str] = ...) -> None: ...

class FromBot(_message.Message):
    __slots__ = ("sequence", "card", "suit", "contract", "cards")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    SUIT_FIELD_NUMBER: _ClassVar[int]
    CONTRACT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    card: int
    suit: Suit
    contract: Contract
    cards: int
    def __init__(self, sequence: _Optional[int] = ..., card: _Optional[int] = ..., suit: _Optional[_Union[Suit, str]] = ..., contract: _Optional[_Union[Contract, str]] = ..., cards: _Optional[int] = ...) -> None: ...

class Rules(_message.Message):
    __slots__ = ("set", "targets", "removed", "kitty", "first_lead", "exchange", "cards_per_point", "downs", "contracts", "rotate_targets", "points_to_win", "points_to_lose", "tricks_to_win", "max_rounds", "ties")
    SET_FIELD_NUMBER: _ClassVar[int]
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    KITTY_FIELD_NUMBER: _ClassVar[int]
    FIRST_LEAD_FIELD_NUMBER: _ClassVar[int]
    EXCHANGE_FIELD_NUMBER: _ClassVar[int]
    CARDS_PER_POINT_FIELD_NUMBER: _ClassVar[int]
    DOWNS_FIELD_NUMBER: _ClassVar[int]
    CONTRACTS_FIELD_NUMBER: _ClassVar[int]
    ROTATE_TARGETS_FIELD_NUMBER: _ClassVar[int]
    POINTS_TO_WIN_FIELD_NUMBER: _ClassVar[int]
    POINTS_TO_LOSE_FIELD_NUMBER: _ClassVar[int]
    TRICKS_TO_WIN_FIELD_NUMBER: _ClassVar[int]
    MAX_ROUNDS_FIELD_NUMBER: _ClassVar[int]
    TIES_FIELD_NUMBER: _ClassVar[int]
    set: str
    targets: _containers.RepeatedScalarFieldContainer[int]
    removed: int
    kitty: str
    first_lead: str
    exchange: str
    cards_per_point: int
    downs: str
    contracts: _containers.RepeatedScalarFieldContainer[Contract]
    rotate_targets: bool
    points_to_win: int
    points_to_lose: int
    tricks_to_win: int
    max_rounds: int
    ties: str
    def __init__(self, set: _Optional[str] = ..., targets: _Optional[_Iterable[int]] = ..., removed: _Optional[int] = ..., kitty: _Optional[str] = ..., first_lead: _Optional[str] = ..., exchange: _Optional[str] = ..., cards_per_point: _Optional[int] = ..., downs: _Optional[str] = ..., contracts: _Optional[_Iterable[_Union[Contract, str]]] = ..., rotate_targets: _Optional[bool] = ..., points_to_win: _Optional[int] = ..., points_to_lose: _Optional[int] = ..., tricks_to_win: _Optional[int] = ..., max_rounds: _Optional[int] = ..., ties: _Optional[str] = ...) -> None: ...

class View(_message.Message):
    __slots__ = ("kind", "seat", "round", "dealer", "hand", "legal_cards", "legal_suits", "legal_contracts", "count", "contract", "played", "leaders", "taken", "exchanges", "partner", "claimed", "discard", "kitty", "totals", "last_scores", "decision", "seed", "move_time_s", "bank_s")
    KIND_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    LEGAL_CARDS_FIELD_NUMBER: _ClassVar[int]
    LEGAL_SUITS_FIELD_NUMBER: _ClassVar[int]
    LEGAL_CONTRACTS_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    CONTRACT_FIELD_NUMBER: _ClassVar[int]
    PLAYED_FIELD_NUMBER: _ClassVar[int]
    LEADERS_FIELD_NUMBER: _ClassVar[int]
    TAKEN_FIELD_NUMBER: _ClassVar[int]
    EXCHANGES_FIELD_NUMBER: _ClassVar[int]
    PARTNER_FIELD_NUMBER: _ClassVar[int]
    CLAIMED_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    KITTY_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    LAST_SCORES_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    MOVE_TIME_S_FIELD_NUMBER: _ClassVar[int]
    BANK_S_FIELD_NUMBER: _ClassVar[int]
    kind: Kind
    seat: int
    round: int
    dealer: int
    hand: int
    legal_cards: int
    legal_suits: _containers.RepeatedScalarFieldContainer[Suit]
    legal_contracts: _containers.RepeatedScalarFieldContainer[Contract]
    count: int
    contract: Contract
    played: bytes
    leaders: bytes
    taken: _containers.RepeatedScalarFieldContainer[int]
    exchanges: bytes
    partner: int
    claimed: int
    discard: int
    kitty: int
    totals: _containers.RepeatedScalarFieldContainer[int]
    last_scores: _containers.RepeatedScalarFieldContainer[int]
    decision: int
    seed: int
    move_time_s: float
    bank_s: float
    def __init__(self, kind: _Optional[_Union[Kind, str]] = ..., seat: _Optional[int] = ..., round: _Optional[int] = ..., dealer: _Optional[int] = ..., hand: _Optional[int] = ..., legal_cards: _Optional[int] = ..., legal_suits: _Optional[_Iterable[_Union[Suit, str]]] = ..., legal_contracts: _Optional[_Iterable[_Union[Contract, str]]] = ..., count: _Optional[int] = ..., contract: _Optional[_Union[Contract, str]] = ..., played: _Optional[bytes] = ..., leaders: _Optional[bytes] = ..., taken: _Optional[_Iterable[int]] = ..., exchanges: _Optional[bytes] = ..., partner: _Optional[int] = ..., claimed: _Optional[int] = ..., discard: _Optional[int] = ..., kitty: _Optional[int] = ..., totals: _Optional[_Iterable[int]] = ..., last_scores: _Optional[_Iterable[int]] = ..., decision: _Optional[int] = ..., seed: _Optional[int] = ..., move_time_s: _Optional[float] = ..., bank_s: _Optional[float] = ...) -> None: ...
