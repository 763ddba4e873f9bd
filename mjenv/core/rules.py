"""What may differ between variants: the numbers of a `RULES` record, and the validated options they come from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mjenv.core.layout import Array, Field, record_dtype
from mjenv.core.tiles import KINDS

FLIP_NONE, FLIP_STACK, FLIP_TAIL = 0, 1, 2
DEAL_KEPT, DEAL_TO_WINNER, DEAL_FIXED, DEAL_ROTATES = 0, 1, 2, 3
N_OPTIONS = 24
MOST = 1e12

_FIELDS = (
    Field("variant", "u1", (), "the number of the variant in the registry"),
    Field("wall_size", "u1", (), "tiles in the shuffled wall"),
    Field("copies", "u1", (KINDS,), "copies of each kind in the wall"),
    Field("bonus", "u1", (KINDS,), "1 for kinds that are exposed and replaced when drawn"),
    Field("sets", "u1", (), "sets in a complete hand besides the pair"),
    Field("deal_rounds", "u1", (), "rounds of four tiles dealt before the singles"),
    Field("singles", "u1", (), "1: every seat takes one more tile after the rounds of four"),
    Field("dealer_takes_two", "u1", (), "1: the dealer takes both of its singles first"),
    Field("live_end", "u1", (), "first wall index that is set aside and never drawn"),
    Field("flip", "u1", (), "FLIP_NONE, FLIP_STACK (a stack chosen by dice) or FLIP_TAIL (from the tail until suited)"),
    Field("dice", "u1", (), "dice rolled after the deal"),
    Field("dead_wall", "u1", (), "1: tiles behind the flipped one serve as gang replacements only"),
    Field("stop_at", "u1", (), "tiles of the wall that are never drawn, wherever they lie"),
    Field("fixed_wild", "i1", (), "a kind that is always wild, or -1"),
    Field("flip_is_wild", "u1", (), "1: the flipped kind is wild"),
    Field("next_is_wild", "u1", (), "1: the kind after the flipped one is wild too"),
    Field("wild_locked", "u1", (), "1: a wild is never discarded and never part of a call"),
    Field("chi_wild", "u1", (), "1: a discarded wild may be claimed by chi"),
    Field("forms", "u1", (), "bits of the win forms"),
    Field("hu_on_discard", "u1", (), "1: a discard may be won on"),
    Field("rob_gang", "u1", (), "1: an added gang may be robbed"),
    Field("minimum", "i2", (), "least total that may be declared"),
    Field("claims_on_last", "u1", (), "1: a discard may be claimed when nothing is left to draw"),
    Field("gang_reserve", "u1", (), "a gang needs more than this many replacement tiles"),
    Field(
        "draw_only_at", "i1", (), "an unclaimed discard with at most this many tiles left starts the draw-only phase"
    ),
    Field("bar_called", "u1", (), "1: after chi or peng the called kind may not be discarded"),
    Field("keep_hu", "u1", (), "1: after an own chi or peng on a winning discard, hu stays open at the next discard"),
    Field("three_wilds_win", "u1", (), "1: holding three wilds wins, whatever the shape"),
    Field("rob_gold", "u1", (), "1: the flipped tile may be robbed before the first turn"),
    Field("max_floats", "u1", (), "highest float count; 0: the variant has no floats"),
    Field("pairs_float", "u1", (), "1: six pairs and a wild are bao-tou too"),
    Field("hidden_gangs", "u1", (), "1: concealed gangs lie face down"),
    Field("deal_moves", "u1", (), "DEAL_KEPT, DEAL_TO_WINNER, DEAL_FIXED or DEAL_ROTATES"),
    Field("keeps_on_draw", "u1", (), "1: the dealer keeps the deal after a drawn hand"),
    Field("max_continuations", "u1", (), "times a dealer may keep the deal; 0: no limit"),
    Field("wind_moves", "u1", (), "1: the round wind moves on when the deal has left the fourth dealer"),
    Field("round_hands", "u1", (), "hands in a round; 0: until the deal has left all four seats"),
    Field("game_rounds", "u1", (), "rounds in a game"),
    Field("game_hands", "u1", (), "hands in a game; 0: count rounds"),
    Field("start_score", "i4", (), "points every seat starts with"),
    Field("reward_scale", "f8", (), "points per unit of reward"),
    Field("option", "i4", (N_OPTIONS,), "numbers that only the variant's own scorer reads"),
)

RULES = record_dtype(_FIELDS, {})
RULES_DOC = {field.name: field.doc for field in _FIELDS}


@dataclass(frozen=True)
class Option:
    """One row of a variant's Options table.

    `allowed` lists every legal value, or `accepts` tests one and `says` tells in words what it wants.
    """

    name: str
    default: Any
    allowed: tuple[Any, ...] = ()
    accepts: Callable[[Any], bool] | None = None
    says: str = ""
    doc: str = ""

    def choices(self) -> str:
        """The allowed values in words."""
        return self.says or ", ".join(repr(value) for value in self.allowed)

    def check(self, value: Any) -> Any:
        """The value, a list made a tuple and a number a float where one is meant.

        Raises `ValueError` naming the option and what it allows.
        """
        value = tuple(value) if isinstance(value, list) else value
        if self.accepts is not None:
            good = self.accepts(value)
        else:
            good = any(type(value) is type(choice) and value == choice for choice in self.allowed)
        if not good:
            raise ValueError(f"rules option {self.name}={value!r} is not allowed: use {self.choices()}")
        return float(value) if isinstance(self.default, float) else value


def positive_number(name: str, default: float) -> Option:
    """An option that takes any number above zero that leaves float32 rewards finite."""

    def accepts(value: Any) -> bool:
        return isinstance(value, int | float) and not isinstance(value, bool) and 1 / MOST <= value <= MOST

    return Option(name, default, (), accepts, f"any number from {1 / MOST:g} to {MOST:g}", "points per unit of reward")


def whole_number(name: str, default: int, low: int, high: int, doc: str) -> Option:
    """An option that takes a whole number from `low` to `high`."""

    def accepts(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high

    return Option(name, default, (), accepts, f"a whole number from {low} to {high}", doc)


class Rules:
    """The frozen rules of one table: a variant and a value for each of its options.

    Options read as attributes (`rules.reward_scale`) or by name (`rules["min_faan"]`); equal rules have equal hashes
    in every process (`rules.digest`).
    """

    __slots__ = ("_options", "_record", "variant")
    variant: str

    def __init__(self, variant: str, options: Mapping[str, Any], record: Array) -> None:
        record.flags.writeable = False
        object.__setattr__(self, "variant", variant)
        object.__setattr__(self, "_options", dict(options))
        object.__setattr__(self, "_record", record)

    @property
    def record(self) -> Array:
        """The `RULES` array of length 1 that the engine reads."""
        return self._record  # type: ignore[no-any-return]

    @property
    def options(self) -> dict[str, Any]:
        """A copy of all option values by name."""
        return dict(self._options)

    @property
    def digest(self) -> str:
        """Sixteen hex digits that name the variant and all option values."""
        text = json.dumps([self.variant, self.options], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def __getitem__(self, name: str) -> Any:
        return self._options[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._options[name]
        except KeyError:
            raise AttributeError(f"{self.variant} has no rules option {name!r}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("rules are frozen: make new ones with mjenv.rules(...)")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("rules are frozen: make new ones with mjenv.rules(...)")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rules) and (self.variant, self.options) == (other.variant, other.options)

    def __hash__(self) -> int:
        return int(self.digest, 16)

    def __reduce__(self) -> tuple[Any, ...]:
        return Rules, (self.variant, self._options, self._record.copy())

    def __repr__(self) -> str:
        inside = "".join(f", {name}={value!r}" for name, value in self._options.items())
        return f"mjenv.rules({self.variant!r}{inside})"


def fill_record(values: Mapping[str, Any]) -> Array:
    """A `RULES` array of length 1 with the given fields; the rest are zero."""
    record = np.zeros(1, RULES)
    for name, value in values.items():
        record[name] = value
    return record
