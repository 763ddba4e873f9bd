"""Score one described win with the engine's own scorers: `Win`, `Settlement`, `score_win` and its errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np

from mjenv import variants
from mjenv.core import suits, wins
from mjenv.core.layout import Array, Record
from mjenv.core.rules import FLIP_NONE, Rules
from mjenv.core.table import (
    DISCARDED,
    MELD_ADDED,
    MELD_CHI,
    MELD_CONCEALED,
    MELD_GANG,
    MELD_PENG,
    OPENING_DEALT,
    OPENING_FIRST_DISCARD,
    OPENING_FIRST_DRAW,
    OPENING_NONE,
    OPENINGS,
    REPLACEMENT,
    ROB_GOLD,
    ROBBED_GANG,
    SELF_DRAW,
    SOURCES,
    THREE_GOLDS,
    WIN,
)
from mjenv.core.tiles import HONORS, KINDS, NAMES, WINDS, counts_of, format_tiles, kind_of, parse_tiles
from mjenv.core.variant import Variant
from mjenv.core.wall import next_kind
from mjenv.plain import plain

MELD_NAMES = {"chi": MELD_CHI, "peng": MELD_PENG, "gang": MELD_GANG, "concealed_gang": MELD_CONCEALED}
_NAME_OF_MELD = {**{number: name for name, number in MELD_NAMES.items()}, MELD_ADDED: "gang"}
COPIES = 4
MOST_STREAK = 65535


class NotAWin(Exception):
    """The tiles complete nothing."""


@dataclass(frozen=True)
class Settlement:
    """What a win is worth: named items in the order of the rules, their total, and what each seat receives."""

    items: tuple[tuple[str, int], ...]
    total: int
    payments: tuple[int, int, int, int]


class BelowMinimum(Exception):
    """The hand is complete, but short of the minimum; `settlement` holds what it would have been."""

    def __init__(self, settlement: Settlement, minimum: int) -> None:
        super().__init__(settlement, minimum)
        self.settlement = settlement
        self.items = settlement.items
        self.total = settlement.total
        self.minimum = minimum

    def __str__(self) -> str:
        listed = ", ".join(f"{name} {value}" for name, value in self.items)
        return f"{self.total} faan ({listed}), but the minimum is {self.minimum}"


@dataclass(frozen=True)
class Win:
    """One win as a player would describe it; a variant ignores the fields that it does not use."""

    seat: int = 0
    concealed: str = ""
    """Concealed tiles, the winning tile included."""
    winning_tile: str | None = None
    """May be None for Fuzhou's three golds only."""
    melds: tuple[str, ...] = ()
    """Such as "chi 123m", "peng 222s", "gang 5555p", "concealed_gang 5555p"."""
    source: str = "self_draw"
    """"self_draw", "discard", "replacement", "robbed_gang", "rob_gold" or "three_golds"."""
    from_seat: int | None = None
    """Who discarded or was robbed."""
    dealer: int = 0
    streak: int = 0
    round_wind: str = "E"
    indicator: str | None = None
    """The flipped tile, where the variant has one."""
    bonus: str = ""
    """The winner's own bonus tiles."""
    thrown_wilds: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Wilds that each seat has thrown (Yugan)."""
    others_hold_wild: bool = False
    """Another seat holds a wild (Yugan)."""
    gang_run: int = 0
    """Gangs in a row before the winning draw (Hangzhou)."""
    floats: int = 0
    """The winner's float count (Hangzhou)."""
    last_tile: bool = False
    """Nothing is left to draw."""
    opening: str | None = None
    """"dealt", "first_discard" or "first_draw"."""


def score_win(variant: str, win: Win, rules: Rules | Mapping[str, Any] | None = None) -> Settlement:
    """The settlement of a win by the rules of a variant.

    Raises `ValueError` if the win is impossible, `NotAWin` if the tiles complete nothing, `BelowMinimum` if the hand is
    short of the minimum; in this order.
    """
    chosen = variants.find(variant)
    record = variants.as_rules(variant, rules).record
    described = describe(chosen, record, win)
    total = int(wins.score(record, described, suits.load()))
    if total < 0:
        raise NotAWin(f"{win.concealed} with melds {list(win.melds)} completes no hand of {chosen.title}")
    settlement = settlement_of(chosen, described[0])
    minimum = int(record[0]["minimum"])
    if total < minimum:
        raise BelowMinimum(settlement, minimum)
    return settlement


def settlement_of(variant: Variant, win: Record) -> Settlement:
    """The settlement that a scored `WIN` record holds."""
    count = int(win["n_items"])
    items = tuple((variant.items[int(win["item"][i])], int(win["value"][i])) for i in range(count))
    first, second, third, fourth = (int(points) for points in win["payments"])
    return Settlement(items, int(win["total"]), (first, second, third, fourth))


def melds_text(win: Record) -> tuple[str, ...]:
    """The melds of a `WIN` record as `Win` writes them, such as "gang 5555p"."""
    sorts = (_NAME_OF_MELD[int(sort)] for sort in win["meld_type"][: int(win["n_melds"])])
    return tuple(f"{sort} {format_tiles(tiles)}" for sort, tiles in zip(sorts, wins.meld_tiles(win), strict=True))


def describe(variant: Variant, rules: Array, win: Win) -> Array:
    """The prepared `WIN` record (length 1) of a possible win; `ValueError` says why another is not."""
    if not isinstance(win, Win):
        raise ValueError(f"win={win!r}: describe the win with mjenv.Win(seat=..., concealed=..., ...)")
    record = np.zeros(1, WIN)
    for name in ("indicator", "major", "minor", "given_up", "tile", "from_seat"):
        record[name] = -1
    _fill_table(variant, rules[0], record, win)
    _fill_tiles(variant, rules[0], record, win)
    _check_source(record[0], win)
    _check_opening(record[0])
    wins.prepare_first(record)
    variant.check(rules[0], record[0])
    return record


def _whole(name: str, value: Any, low: int, high: int) -> int:
    try:
        number = low - 1 if isinstance(value, bool) else index(value)
    except TypeError:
        number = low - 1
    if not low <= number <= high:
        raise ValueError(f"{name}={value!r}: use a whole number from {low} to {high}")
    return number


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={value!r}: use True or False")
    return bool(value)


def _one_of(name: str, value: Any, choices: tuple[Any, ...]) -> int:
    if value not in choices:
        raise ValueError(f"{name}={value!r}: use one of {', '.join(repr(choice) for choice in choices)}")
    return choices.index(value)


def _fill_table(variant: Variant, rules: Record, record: Array, win: Win) -> None:
    """Everything but tiles: seats, source, counts and flags."""
    record["seat"] = _whole("seat", win.seat, 0, 3)
    record["dealer"] = _whole("dealer", win.dealer, 0, 3)
    record["streak"] = _whole("streak", win.streak, 0, MOST_STREAK)
    record["round_wind"] = _one_of("round_wind", win.round_wind, tuple(WINDS))
    _one_of("source", win.source, variant.sources)
    record["source"] = SOURCES.index(win.source)
    record["opening"] = _one_of("opening", win.opening, OPENINGS)
    if win.from_seat is not None:
        record["from_seat"] = _whole("from_seat", win.from_seat, 0, 3)
    record["last_tile"] = _flag("last_tile", win.last_tile)
    if rules["next_is_wild"]:
        record["others_hold_wild"] = _flag("others_hold_wild", win.others_hold_wild)
        throws = win.thrown_wilds
        if not isinstance(throws, tuple | list) or len(throws) != 4:
            raise ValueError(f"thrown_wilds={throws!r}: use four counts, one for each seat")
        record["thrown"] = [_whole("thrown_wilds", count, 0, 7) for count in throws]
    if rules["max_floats"]:
        record["floats"] = _whole("floats", win.floats, 0, int(rules["max_floats"]))
        record["gang_run"] = _whole("gang_run", win.gang_run, 0, int(rules["sets"]))


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name}={value!r}: write tiles as text such as '123m456pEE'")
    return value


def _hand_tile(variant: Variant, rules: Record, name: str, kind: int) -> int:
    if not rules["copies"][kind] or rules["bonus"][kind]:
        raise ValueError(f"{name}: {variant.title} has no {NAMES[kind]} in a hand")
    return kind


def _read_melds(melds: Any) -> list[tuple[int, list[int]]]:
    if isinstance(melds, str) or not isinstance(melds, tuple | list):
        raise ValueError(f"melds={melds!r}: use a list of texts such as 'peng 222s'")
    return [_read_meld(meld) for meld in melds]


def _read_meld(text: Any) -> tuple[int, list[int]]:
    """The MELD_... and the kinds, ascending, of a meld such as "chi 123m"."""
    name, _, tiles = _text("meld", text).partition(" ")
    if name not in MELD_NAMES:
        raise ValueError(f"meld {text!r}: begin with one of {', '.join(MELD_NAMES)}, then a space and the tiles")
    kinds = sorted(parse_tiles(tiles))
    first = kinds[0] if kinds else 0
    if name == "chi":
        good = first < HONORS and first % 9 <= 6 and kinds == [first, first + 1, first + 2]
        wanted = "three tiles in a row of one suit"
    else:
        size = 3 if name == "peng" else 4
        good = kinds == [first] * size
        wanted = f"{'three' if size == 3 else 'four'} tiles alike"
    if not good:
        raise ValueError(f"meld {text!r}: a {name} is {wanted}")
    return MELD_NAMES[name], kinds


def _fill_tiles(variant: Variant, rules: Record, record: Array, win: Win) -> None:
    """Concealed tiles, melds, winning and flipped tile, bonus tiles; their notation, number and copies."""
    source = int(record["source"][0])
    concealed = parse_tiles(_text("concealed", win.concealed))
    melds = _read_melds(win.melds)
    for kind in concealed:
        _hand_tile(variant, rules, f"concealed={win.concealed!r}", kind)
    for text, (_, kinds) in zip(win.melds, melds, strict=True):
        for kind in kinds:
            _hand_tile(variant, rules, f"meld {text!r}", kind)
    _check_size(rules, record[0], len(concealed), len(melds))
    record["hand"][0] = counts_of(concealed)
    record["n_melds"] = len(melds)
    for number, (sort, kinds) in enumerate(melds):
        record["meld_type"][0, number] = sort
        record["meld_tile"][0, number] = kinds[0]
    if source != THREE_GOLDS:
        if win.winning_tile is None:
            raise ValueError("winning_tile is missing: name one of the concealed tiles")
        record["tile"] = kind_of(_text("winning_tile", win.winning_tile))
        if record["tile"][0] not in concealed:
            raise ValueError(f"winning_tile={win.winning_tile!r} is not among the concealed tiles {win.concealed!r}")
    _fill_wilds(variant, rules, record, win)
    _check_copies(rules, record[0], concealed, melds)
    _fill_bonus(variant, rules, record, win)


def _check_size(rules: Record, record: Record, concealed: int, n_melds: int) -> None:
    """Concealed tiles and three for each meld: a whole hand, or what a non-dealer holds at the deal."""
    wanted = 3 * int(rules["sets"]) + 2
    if record["source"] == THREE_GOLDS and record["opening"] == OPENING_DEALT and record["seat"] != record["dealer"]:
        wanted -= 1
    if concealed + 3 * n_melds != wanted:
        raise ValueError(
            f"{concealed} concealed tiles and {n_melds} melds count as {concealed + 3 * n_melds} tiles: use {wanted}, "
            "the winning tile included and three for every meld"
        )


def _fill_wilds(variant: Variant, rules: Record, record: Array, win: Win) -> None:
    """The flipped tile and the kinds that are wild."""
    if rules["flip"] != FLIP_NONE:
        if win.indicator is None:
            raise ValueError(f"indicator is missing: {variant.title} needs the flipped tile")
        kind = _hand_tile(variant, rules, "indicator", kind_of(_text("indicator", win.indicator)))
        record["indicator"] = kind
        if rules["flip_is_wild"]:
            record["major"] = kind
        if rules["next_is_wild"]:
            record["minor"] = int(plain(next_kind)(kind))
    elif rules["fixed_wild"] >= 0:
        record["major"] = rules["fixed_wild"]


def _check_copies(rules: Record, record: Record, concealed: list[int], melds: list[tuple[int, list[int]]]) -> None:
    """No kind more than four times; the flipped tile counts, unless it was robbed into the hand."""
    everything = concealed + [kind for _, kinds in melds for kind in kinds]
    flipped = int(record["indicator"])
    if flipped >= 0 and record["source"] != ROB_GOLD:
        everything.append(flipped)
    for kind in sorted(set(everything)):
        held = everything.count(kind)
        if held > COPIES:
            where = ", the flipped tile included" if kind == flipped else ""
            raise ValueError(f"{held} copies of {NAMES[kind]}{where}: there are {COPIES}")


def _fill_bonus(variant: Variant, rules: Record, record: Array, win: Win) -> None:
    """The winner's bonus tiles, each a bonus tile of the variant and no more often than it exists."""
    bonus = parse_tiles(_text("bonus", win.bonus))
    for kind in bonus:
        if not rules["bonus"][kind]:
            known = format_tiles(kind for kind in range(KINDS) if rules["bonus"][kind])
            raise ValueError(f"bonus={win.bonus!r}: {NAMES[kind]} is no bonus tile here; they are {known or 'none'}")
        if bonus.count(kind) > rules["copies"][kind]:
            raise ValueError(f"bonus={win.bonus!r}: {NAMES[kind]} exists {int(rules['copies'][kind])} times")
    record["bonus"][0] = counts_of(bonus, record["bonus"].shape[1])


def _check_source(record: Record, win: Win) -> None:
    """What the source needs: another seat, a gang, or that the robbed kind is nowhere else."""
    source, tile = int(record["source"]), int(record["tile"])
    melds = wins.meld_tiles(record)
    if source in (DISCARDED, ROBBED_GANG):
        if record["from_seat"] < 0 or record["from_seat"] == record["seat"]:
            raise ValueError(f"source {win.source!r} needs a from_seat other than seat {win.seat}")
    elif record["from_seat"] >= 0:
        raise ValueError(f"from_seat={win.from_seat} does not fit source {win.source!r}: leave it None")
    if source == REPLACEMENT and not any(len(tiles) == 4 for tiles in melds):
        raise ValueError("source 'replacement' follows a gang: name one in melds")
    if source == ROBBED_GANG and (record["hand"][tile] > 1 or any(tile in tiles for tiles in melds)):
        raise ValueError(f"the robbed seat holds the other three {NAMES[tile]}: the winner has the robbed one only")


def _check_opening(record: Record) -> None:
    """Which openings fit which seat and source."""
    opening, source = int(record["opening"]), int(record["source"])
    if opening == OPENING_NONE:
        return
    name, is_dealer = repr(OPENINGS[opening]), record["seat"] == record["dealer"]
    if record["n_melds"] > 0:
        raise ValueError(f"opening {name} needs empty melds")
    if opening == OPENING_DEALT and source not in (ROB_GOLD, THREE_GOLDS) and not (is_dealer and source == SELF_DRAW):
        raise ValueError(f"opening {name} needs the dealer and source 'self_draw'")
    if opening == OPENING_FIRST_DISCARD and (
        is_dealer or source != DISCARDED or record["from_seat"] != record["dealer"]
    ):
        raise ValueError(f"opening {name} needs a non-dealer, source 'discard' and the dealer as from_seat")
    if opening == OPENING_FIRST_DRAW and (is_dealer or source != SELF_DRAW):
        raise ValueError(f"opening {name} needs a non-dealer and source 'self_draw'")
