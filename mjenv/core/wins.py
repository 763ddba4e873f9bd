"""A `WIN` record on its way to a settlement: its derived fields, its items, and the one call that scores it."""

from __future__ import annotations

from mjenv.core import hooks
from mjenv.core.layout import Array, Record
from mjenv.core.shapes import POWER, SUIT_OF
from mjenv.core.table import DISCARDED, MELD_CHI, MELD_PENG, ROBBED_GANG
from mjenv.core.tiles import HAND_KINDS
from mjenv.jit import jit, kernel


@jit
def prepare(win: Record) -> None:
    """Fill `row`, `key` and `wilds` from `hand`; a winning tile from another seat is real even if its kind is wild."""
    from_other = win["source"] == DISCARDED or win["source"] == ROBBED_GANG
    tile, major, minor = int(win["tile"]), int(win["major"]), int(win["minor"])
    for suit in range(4):
        win["key"][suit] = 0
    wilds = 0
    for kind in range(HAND_KINDS):
        held = int(win["hand"][kind])
        if kind == major or kind == minor:
            real = 1 if from_other and kind == tile else 0
            wilds += held - real
            held = real
        win["row"][kind] = held
        if held > 0:
            win["key"][SUIT_OF[kind]] += held * POWER[kind]
    win["wilds"] = wilds


@kernel
def prepare_first(wins: Array) -> None:
    """`prepare` for `wins[0]`: Python hands over arrays, not records."""
    prepare(wins[0])


@jit
def clear_items(win: Record) -> None:
    """Start a settlement: no items yet."""
    win["n_items"] = 0


@jit
def add_item(win: Record, item: int, value: int) -> None:
    """Append one item."""
    number = int(win["n_items"])
    win["item"][number] = item
    win["value"][number] = value
    win["n_items"] = number + 1


@jit
def add_line(win: Record, item: int, value: int) -> None:
    """Append one item unless its value is 0."""
    if value != 0:
        add_item(win, item, value)


@jit
def sum_items(win: Record) -> int:
    """The sum of all values so far."""
    total = 0
    for number in range(int(win["n_items"])):
        total += int(win["value"][number])
    return total


@jit
def finish(win: Record, total: int) -> int:
    """Store the total and return it."""
    win["total"] = total
    return total


@jit
def reject(win: Record) -> int:
    """Mark the tiles as completing nothing: no items, total -1."""
    win["n_items"] = 0
    win["total"] = -1
    return -1


@kernel
def score(rules: Array, wins: Array, lut: Array) -> int:
    """Score and settle `wins[0]` (prepared) by `rules[0]`; its total, or -1 if the tiles complete nothing."""
    total = hooks.worth(rules[0], wins[0], lut[0])
    if total >= 0:
        hooks.settle(rules[0], wins[0], lut[0])
    return total


def meld_tiles(win: Record) -> list[list[int]]:
    """The kinds that lie in each meld (plain Python)."""
    tiles = []
    for number in range(int(win["n_melds"])):
        tile, sort = int(win["meld_tile"][number]), int(win["meld_type"][number])
        tiles.append([tile, tile + 1, tile + 2] if sort == MELD_CHI else [tile] * (3 if sort == MELD_PENG else 4))
    return tiles
