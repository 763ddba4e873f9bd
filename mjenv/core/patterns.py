"""Facts about a complete hand that scorers share: its kinds, triplets and pairs as bit sets, suits, runs, flowers.

All read a prepared `WIN` record; *real* tiles are those of `row` and of the melds. They ask nothing about completeness.
Bit `k` of a set stands for kind `k`: whole numbers keep the compiled scorers small.
"""

from __future__ import annotations

from mjenv.core.layout import Record
from mjenv.core.table import DISCARDED, MELD_CHI, MELD_PENG, REPLACEMENT, ROBBED_GANG, SELF_DRAW
from mjenv.core.tiles import EAST, HAND_KINDS, HONORS, PLANTS, RED
from mjenv.core.wins import add_line
from mjenv.jit import jit

SUIT_SET = 0b111111111
INNER_SET = 0b011111110 * (1 + (1 << 9) + (1 << 18))
WIND_SET, DRAGON_SET = 0b1111 << EAST, 0b111 << RED
HONOR_SET = WIND_SET | DRAGON_SET


@jit
def survey(win: Record) -> tuple[int, int, int]:
    """Sets of the real kinds, of those with a triplet or gang, and of those that are a concealed pair."""
    kinds, triplets, pairs = 0, 0, 0
    row = win["row"]
    for kind in range(HAND_KINDS):
        held = int(row[kind])
        if held > 0:
            kinds |= 1 << kind
        if held == 2:
            pairs |= 1 << kind
        if held > 2:
            triplets |= 1 << kind
    for number in range(int(win["n_melds"])):
        tile = int(win["meld_tile"][number])
        if win["meld_type"][number] == MELD_CHI:
            kinds |= 7 << tile
        else:
            kinds |= 1 << tile
            triplets |= 1 << tile
    return kinds, triplets, pairs


@jit
def count_bits(kinds: int) -> int:
    """How many kinds a set holds."""
    total = 0
    while kinds > 0:
        kinds &= kinds - 1
        total += 1
    return total


@jit
def is_one_suit(kinds: int) -> bool:
    """Whether a set holds numbers of exactly one suit, with or without honors."""
    dots, bamboo = kinds >> 9 & SUIT_SET, kinds >> 18 & SUIT_SET
    if kinds & SUIT_SET:
        return dots | bamboo == 0
    return (dots == 0) != (bamboo == 0)


@jit
def is_full_flush(kinds: int) -> bool:
    """Whether a set holds numbers of one suit and no honor."""
    return kinds < 1 << HONORS and is_one_suit(kinds)


@jit
def is_all_triplets(triplets: int, pairs: int) -> bool:
    """Whether a hand without wilds is four triplets or gangs and a pair: more than that does not fit."""
    return pairs > 0 and count_bits(triplets) == 4


@jit
def is_all_runs(win: Record, eye: int) -> bool:
    """Whether the hand, which has no wilds, is runs and a pair of `eye`."""
    if count_melds(win, MELD_CHI, MELD_CHI) < win["n_melds"]:
        return False
    row = win["row"]
    started, started_before = 0, 0
    for kind in range(HAND_KINDS):
        left = int(row[kind]) - started - started_before
        if kind == eye:
            left -= 2
        if left < 0 or (left > 0 and (kind >= HONORS or kind % 9 > 6)):
            return False
        started, started_before = left, started
    return True


@jit
def has_runs_and_eye(win: Record, eyes: int) -> bool:
    """Whether the hand, which has no wilds, is runs and a pair out of the set `eyes`."""
    for eye in range(HAND_KINDS):
        if eyes >> eye & 1 and win["row"][eye] > 1 and is_all_runs(win, eye):
            return True
    return False


@jit
def is_nine_gates(win: Record, kinds: int, pure: bool) -> bool:
    """Whether fourteen tiles without melds contain 1112345678999 of their one suit; `pure`: before the winning tile."""
    if win["n_melds"] > 0 or not is_full_flush(kinds):
        return False
    tile = int(win["tile"])
    first = tile // 9 * 9
    for kind in range(first, first + 9):
        held = int(win["row"][kind])
        if pure and kind == tile:
            held -= 1
        if held < (1 if INNER_SET >> kind & 1 else 3):
            return False
    return True


@jit
def count_melds(win: Record, first: int, last: int) -> int:
    """Melds of the sorts `first` … `last` (MELD_...)."""
    total = 0
    for number in range(int(win["n_melds"])):
        if first <= int(win["meld_type"][number]) <= last:
            total += 1
    return total


@jit
def count_held(win: Record, kind: int) -> int:
    """Copies of a kind in the concealed tiles and melds, wild or not."""
    total = int(win["hand"][kind])
    for number in range(int(win["n_melds"])):
        tile, sort = int(win["meld_tile"][number]), int(win["meld_type"][number])
        if sort == MELD_CHI:
            if tile <= kind <= tile + 2:
                total += 1
        elif tile == kind:
            total += 3 if sort == MELD_PENG else 4
    return total


@jit
def find_own_wind(win: Record) -> int:
    """The winner's place after the dealer: 0-3 for E S W N."""
    return (int(win["seat"]) - int(win["dealer"])) & 3


@jit
def is_own_win(win: Record) -> bool:
    """Whether the winning tile came from the wall."""
    source = int(win["source"])
    return source == SELF_DRAW or source == REPLACEMENT


@jit
def add_flush(win: Record, first: int, kinds: int) -> None:
    """Append half_flush (`first`, 3) or full_flush (the next item, 7)."""
    if is_full_flush(kinds):
        add_line(win, first + 1, 7)
    elif is_one_suit(kinds):
        add_line(win, first, 3)


@jit
def add_circumstances(win: Record, first: int) -> None:
    """Append the items from `first` on: gang_replacement, robbed_gang, last_draw, last_discard, one each."""
    source, last = int(win["source"]), int(win["last_tile"])
    add_line(win, first, 1 if source == REPLACEMENT else 0)
    add_line(win, first + 1, 1 if source == ROBBED_GANG else 0)
    add_line(win, first + 2, last if is_own_win(win) else 0)
    add_line(win, first + 3, last if source == DISCARDED else 0)


@jit
def add_flowers(win: Record, first: int, full: int) -> None:
    """Append the items from `first` on: seat_flower, seat_season, all_flowers, all_seasons (`full` each), no_flowers.

    A full group takes the place of its tile of the own number.
    """
    bits = 0
    for place in range(8):
        bits |= int(win["bonus"][PLANTS + place]) << place
    own = find_own_wind(win)
    flowers, seasons = bits & 15, bits >> 4
    add_line(win, first, flowers >> own & 1 if flowers < 15 else 0)
    add_line(win, first + 1, seasons >> own & 1 if seasons < 15 else 0)
    add_line(win, first + 2, full if flowers == 15 else 0)
    add_line(win, first + 3, full if seasons == 15 else 0)
    add_line(win, first + 4, 1 if bits == 0 else 0)
