"""Predicates on a complete hand that scorers share: suits, triplets, runs, gangs, and who completed it.

All read a prepared `WIN` record; *real* tiles are those of `row` and of the melds. They ask nothing about completeness.
"""

from __future__ import annotations

from mjenv.core.layout import Record
from mjenv.core.shapes import SUIT_OF
from mjenv.core.table import (
    DISCARDED,
    MELD_ADDED,
    MELD_CHI,
    MELD_CONCEALED,
    MELD_GANG,
    MELD_PENG,
    REPLACEMENT,
    ROBBED_GANG,
    SELF_DRAW,
)
from mjenv.core.tiles import HAND_KINDS, HONORS, PLANTS, SEASONS
from mjenv.core.wins import add_item
from mjenv.jit import jit

HONOR_BIT = 8


@jit
def find_suits(win: Record) -> int:
    """The suits of all real tiles as bits: 1, 2, 4 for characters, dots, bamboo, 8 for honors."""
    bits = 0
    for kind in range(HAND_KINDS):
        if win["row"][kind] > 0:
            bits |= 1 << int(SUIT_OF[kind])
    for number in range(int(win["n_melds"])):
        bits |= 1 << int(SUIT_OF[int(win["meld_tile"][number])])
    return bits


@jit
def is_one_suit(suits: int) -> bool:
    """Whether `find_suits` saw exactly one suit of numbers, with or without honors."""
    numbered = suits & 7
    return numbered == 1 or numbered == 2 or numbered == 4


@jit
def has_inner_tile(win: Record) -> bool:
    """Whether a real tile is neither a terminal nor an honor."""
    for kind in range(HONORS):
        if win["row"][kind] > 0 and 0 < kind % 9 < 8:
            return True
    for number in range(int(win["n_melds"])):
        tile = int(win["meld_tile"][number])
        if win["meld_type"][number] == MELD_CHI or (tile < HONORS and 0 < tile % 9 < 8):
            return True
    return False


@jit
def count_in_melds(win: Record, kind: int) -> int:
    """Copies of a kind in the melds."""
    total = 0
    for number in range(int(win["n_melds"])):
        tile, sort = int(win["meld_tile"][number]), int(win["meld_type"][number])
        if sort == MELD_CHI:
            same_suit = kind < HONORS and kind // 9 == tile // 9
            total += 1 if same_suit and tile <= kind <= tile + 2 else 0
        elif tile == kind:
            total += 3 if sort == MELD_PENG else 4
    return total


@jit
def count_held(win: Record, kind: int) -> int:
    """Copies of a kind in the concealed tiles and melds, wild or not."""
    return int(win["hand"][kind]) + count_in_melds(win, kind)


@jit
def has_triplet(win: Record, kind: int) -> bool:
    """Whether an honor makes a triplet or gang, concealed or in a meld."""
    return win["row"][kind] >= 3 or count_in_melds(win, kind) >= 3


@jit
def count_triplets(win: Record, first: int, last: int) -> int:
    """How many of the honors `first` … `last` make a triplet or gang."""
    total = 0
    for kind in range(first, last + 1):
        total += 1 if has_triplet(win, kind) else 0
    return total


@jit
def has_pair(win: Record, first: int, last: int) -> bool:
    """Whether one of the honors `first` … `last` is a concealed pair."""
    for kind in range(first, last + 1):
        if win["row"][kind] == 2:
            return True
    return False


@jit
def count_exposed_gangs(win: Record) -> int:
    """Gangs claimed or added."""
    total = 0
    for number in range(int(win["n_melds"])):
        sort = win["meld_type"][number]
        total += 1 if sort == MELD_GANG or sort == MELD_ADDED else 0
    return total


@jit
def count_concealed_gangs(win: Record) -> int:
    """Concealed gangs."""
    total = 0
    for number in range(int(win["n_melds"])):
        total += 1 if win["meld_type"][number] == MELD_CONCEALED else 0
    return total


@jit
def has_claimed_meld(win: Record) -> bool:
    """Whether a meld is a chi, a peng or an exposed gang."""
    return count_concealed_gangs(win) < win["n_melds"]


@jit
def is_own_win(win: Record) -> bool:
    """Whether the winning tile came from the wall."""
    return win["source"] == SELF_DRAW or win["source"] == REPLACEMENT


@jit
def is_all_triplets(win: Record) -> bool:
    """Whether the hand, which has no wilds, is triplets or gangs and a pair."""
    for number in range(int(win["n_melds"])):
        if win["meld_type"][number] == MELD_CHI:
            return False
    pairs = 0
    for kind in range(HAND_KINDS):
        held = win["row"][kind]
        if held == 1 or held == 4:
            return False
        pairs += 1 if held == 2 else 0
    return pairs == 1


@jit
def is_all_runs(win: Record, eye: int) -> bool:
    """Whether the hand, which has no wilds, is runs and a pair of `eye`."""
    for number in range(int(win["n_melds"])):
        if win["meld_type"][number] != MELD_CHI:
            return False
    started, started_before = 0, 0
    for kind in range(HAND_KINDS):
        left = int(win["row"][kind]) - started - started_before - (2 if kind == eye else 0)
        if left < 0 or (left > 0 and (kind >= HONORS or kind % 9 > 6)):
            return False
        started, started_before = left, started
    return True


@jit
def is_nine_gates(win: Record, pure: bool) -> bool:
    """Whether fourteen tiles without melds contain 1112345678999 of their one suit; `pure`: before the winning tile."""
    suits = find_suits(win)
    if win["n_melds"] > 0 or suits & HONOR_BIT or not is_one_suit(suits):
        return False
    first = int(win["tile"]) // 9 * 9
    for rank in range(9):
        kind = first + rank
        held = int(win["row"][kind])
        if pure and kind == win["tile"]:
            held -= 1
        if held < (3 if rank == 0 or rank == 8 else 1):
            return False
    return True


@jit
def add_circumstances(win: Record, first: int) -> None:
    """Append the items from `first` on: gang_replacement, robbed_gang, last_draw, last_discard, one each."""
    source = win["source"]
    if source == REPLACEMENT:
        add_item(win, first, 1)
    if source == ROBBED_GANG:
        add_item(win, first + 1, 1)
    if win["last_tile"] and is_own_win(win):
        add_item(win, first + 2, 1)
    if win["last_tile"] and source == DISCARDED:
        add_item(win, first + 3, 1)


@jit
def add_flowers(win: Record, first: int, full: int) -> None:
    """Append the items from `first` on: seat_flower, seat_season, all_flowers, all_seasons (`full` each), no_flowers.

    A full group takes the place of its tile of the own number.
    """
    number = (int(win["seat"]) - int(win["dealer"])) & 3
    flowers, seasons = 0, 0
    for place in range(4):
        flowers += int(win["bonus"][PLANTS + place])
        seasons += int(win["bonus"][SEASONS + place])
    if flowers < 4 and win["bonus"][PLANTS + number]:
        add_item(win, first, 1)
    if seasons < 4 and win["bonus"][SEASONS + number]:
        add_item(win, first + 1, 1)
    if flowers == 4:
        add_item(win, first + 2, full)
    if seasons == 4:
        add_item(win, first + 3, full)
    if flowers + seasons == 0:
        add_item(win, first + 4, 1)
