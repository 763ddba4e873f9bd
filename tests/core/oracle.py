"""Brute force: wins by taking groups off, distances by listing every target; nothing is shared with the tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Counts = tuple[int, ...]

ORPHANS = (0, 8, 9, 17, 18, 26, *range(27, 34))
FAR = 99


def split_suits(counts: Sequence[int]) -> list[Counts]:
    """The counts of characters, dots, bamboo and honors."""
    return [tuple(int(c) for c in counts[first : first + 9]) for first in (0, 9, 18, 27)]


# Wins: take away the group of the first tile in every possible way.


@cache
def find_uses(counts: Counts) -> frozenset[tuple[int, int, int]]:
    """All (sets, pairs, wilds) that use up one suit's tiles; seven counts are honors. No group is all wilds."""
    if not any(counts):
        return frozenset({(0, 0, 0)})
    first = next(rank for rank, count in enumerate(counts) if count)
    found = set()
    for group, sets, pairs in list_groups(first, len(counts) == 9):
        for used in list_uses(group, first, counts):
            left = list(counts)
            for rank in used:
                left[rank] -= 1
            for more_sets, more_pairs, wilds in find_uses(tuple(left)):
                if sets + more_sets <= 5 and pairs + more_pairs <= 1:
                    found.add((sets + more_sets, pairs + more_pairs, wilds + len(group) - len(used)))
    return frozenset(found)


def list_groups(rank: int, runs: bool) -> Iterator[tuple[Counts, int, int]]:
    """Every triplet, pair and run with this rank, as (ranks, sets, pairs)."""
    yield (rank,) * 3, 1, 0
    yield (rank,) * 2, 0, 1
    if runs:
        for low in range(max(0, rank - 2), min(6, rank) + 1):
            yield (low, low + 1, low + 2), 1, 0


def list_uses(group: Counts, first: int, counts: Counts) -> set[Counts]:
    """Which tiles of `group` may be real, `first` among them; the rest is wild."""
    uses = set()
    for size in range(1, len(group) + 1):
        for real in combinations(group, size):
            if first in real and all(real.count(rank) <= counts[rank] for rank in real):
                uses.add(real)
    return uses


def completes_standard(counts: Sequence[int], wilds: int, sets: int) -> bool:
    """Whether the tiles and wilds are exactly `sets` sets and a pair."""
    totals = {(0, 0, 0)}
    for suit in split_suits(counts):
        totals = {
            (a + d, b + e, c + f)
            for (a, b, c), (d, e, f) in product(totals, find_uses(suit))
            if a + d <= sets and b + e <= 1 and c + f <= wilds
        }
    return any(used + 3 * (sets - made) + 2 * (1 - paired) == wilds for made, paired, used in totals)


# Distances: of every target, the tiles missing and the fifth copies that only wilds can be.

Costs = dict[tuple[int, int, int], int]


@cache
def list_targets(ranks: int, most_sets: int) -> tuple[Array, Array, list[tuple[int, int, int]]]:
    """Every arrangement of one suit, grouped by (sets, pairs, forced fifth copies).

    Counts uint8 [ranks, T], where each group starts, and the labels of the groups.
    """
    groups = [(rank,) * 3 for rank in range(ranks)]
    groups += [(low, low + 1, low + 2) for low in range(7) if ranks == 9]
    targets = set()
    for sets in range(most_sets + 1):
        for chosen in combinations_with_replacement(groups, sets):
            ranks_used = [rank for group in chosen for rank in group]
            for pair in ((), *((rank, rank) for rank in range(ranks))):
                held = [0] * ranks
                for rank in (*ranks_used, *pair):
                    held[rank] += 1
                targets.add((sets, len(pair) // 2, sum(max(0, h - 4) for h in held), *held))
    table = np.array(sorted(targets))
    starts = np.flatnonzero(np.any(np.diff(table[:, :3], axis=0, prepend=-1), axis=1))
    counts = np.ascontiguousarray(table[:, 3:].T.astype(np.uint8))
    return counts, starts, [(int(a), int(b), int(c)) for a, b, c in table[starts, :3]]


@cache
def cost_suit(counts: Counts, most_sets: int) -> Costs:
    """(sets, pairs, forced) -> fewest missing tiles, without entries that more forcing does not improve."""
    targets, starts, labels = list_targets(len(counts), most_sets)
    missing = np.zeros(targets.shape[1], np.uint8)
    for used, held in zip(targets, counts, strict=True):
        missing += np.maximum(used, np.uint8(held)) - np.uint8(held)
    least = np.minimum.reduceat(missing, starts)
    costs: Costs = {}
    for (sets, pairs, forced), cost in zip(labels, least.tolist(), strict=True):
        if all(costs.get((sets, pairs, fewer), FAR) > cost for fewer in range(forced)):
            costs[sets, pairs, forced] = cost
    return costs


def miss_standard(counts: Sequence[int], wilds: int, sets: int) -> int:
    """The fewest tiles missing from `sets` sets and a pair."""
    totals: Costs = {(0, 0, 0): 0}
    for suit in split_suits(counts):
        grown: Costs = {}
        own = [item for item in cost_suit(suit, sets).items() if item[0][2] <= wilds]
        for (a, b, c), cost in totals.items():
            for (d, e, f), more in own:
                if a + d <= sets and b + e <= 1 and c + f <= wilds:
                    label = (a + d, b + e, c + f)
                    grown[label] = min(grown.get(label, FAR), cost + more)
        totals = grown
    return min(cost for (made, paired, _), cost in totals.items() if made == sets and paired == 1)


@cache
def miss_alike(held: Counts, wilds: int, size: int, uses: Counts) -> int:
    """The fewest tiles missing from `size` tiles of some kinds, each used as often as one of `uses` allows.

    held: how often each of the kinds is held, in ascending order, as it does not matter which is which.
    """
    totals = {(0, 0): 0}
    for count in held:
        grown: dict[tuple[int, int], int] = {}
        for (used, forced), cost in totals.items():
            for use in uses:
                label = (used + use, forced + max(0, use - 4))
                if label[0] <= size and label[1] <= wilds:
                    grown[label] = min(grown.get(label, FAR), cost + max(0, use - count))
        totals = grown
    return min(cost for (used, _), cost in totals.items() if used == size)


@cache
def keep_apart(held: Counts) -> dict[int, int]:
    """By size, the most held ranks in a choice of that many ranks: of nine at least 3 apart, of seven (honors) any."""
    best: dict[int, int] = {}
    gap = 3 if len(held) == 9 else 1
    for size in range(len(held) + 1):
        for ranks in combinations(range(len(held)), size):
            if all(high - low >= gap for low, high in pairwise(ranks)):
                best[size] = max(best.get(size, 0), sum(held[rank] for rank in ranks))
    return best


def miss_scattered(counts: Sequence[int]) -> int:
    """The fewest tiles missing from fourteen different tiles with the ranks of a suit at least 3 apart."""
    kept = [keep_apart(tuple(min(1, count) for count in suit)) for suit in split_suits(counts)]
    return min(
        14 - sum(best[size] for best, size in zip(kept, sizes, strict=True))
        for sizes in product(*kept)
        if sum(sizes) == 14
    )


def miss_orphans(counts: Sequence[int]) -> int:
    """The fewest tiles missing from the thirteen orphans, whichever is twice."""
    return min(sum(max(0, 1 + (kind == double) - int(counts[kind])) for kind in ORPHANS) for double in ORPHANS)


def miss_form(form: str, counts: Sequence[int], wilds: int, melds: int, sets: int) -> int:
    """The fewest tiles missing in one form; 99 where melds rule it out."""
    if form == "standard":
        return miss_standard(counts, wilds, sets - melds)
    if form == "nine_one":
        size = 3 * (sets - melds) + 2
        return miss_alike(tuple(sorted(int(counts[kind]) for kind in ORPHANS)), wilds, size, tuple(range(size + 1)))
    if melds:
        return FAR
    if form == "seven_pairs":
        return miss_alike(tuple(sorted(map(int, counts))), wilds, 14, (0, 2))
    if form == "seven_pairs_any":
        return miss_alike(tuple(sorted(map(int, counts))), wilds, 14, tuple(range(0, 15, 2)))
    return miss_scattered(counts) if form == "thirteen_scattered" else miss_orphans(counts)


def shanten(counts: Sequence[int], wilds: int, melds: int, sets: int, forms: Sequence[str]) -> int:
    """As `mjenv.hands.shanten`, for one hand."""
    missing = min((miss_form(form, counts, wilds, melds, sets) for form in forms), default=FAR)
    return missing if missing == FAR else missing - wilds - 1


def is_win(counts: Sequence[int], wilds: int, melds: int, sets: int, forms: Sequence[str]) -> bool:
    """As `mjenv.hands.is_win`, for one hand."""
    if sum(map(int, counts)) + wilds != 3 * (sets - melds) + 2:
        return False
    if "standard" in forms and completes_standard(counts, wilds, sets - melds):
        return True
    others = [form for form in forms if form != "standard"]
    return shanten(counts, wilds, melds, sets, others) == -1


def waits(counts: Sequence[int], wilds: int, melds: int, sets: int, forms: Sequence[str]) -> list[int]:
    """As `mjenv.hands.waits`, for one hand: the kinds that complete it."""
    found = []
    for kind in range(34):
        drawn = [int(c) + (k == kind) for k, c in enumerate(counts)]
        if drawn[kind] <= 4 and is_win(drawn, wilds, melds, sets, forms):
            found.append(kind)
    return found


def draws_to_win(counts: Sequence[int], wilds: int, melds: int, sets: int, forms: Sequence[str], most: int) -> int:
    """How many real tiles must be drawn, by playing: draw any tile, throw any, up to `most` draws (then `most` + 1)."""
    size = 3 * (sets - melds) + 2
    hands = {(tuple(int(c) for c in counts), wilds)}
    for drawn in range(most + 1):
        whole = {hand for hand in hands if sum(hand[0]) + hand[1] == size}
        if any(is_win(tiles, wild, melds, sets, forms) for tiles, wild in whole):
            return drawn
        hands = {hand for hand in hands if hand not in whole} | {
            (change(tiles, kind, -1), wild) for tiles, wild in whole for kind in range(34) if tiles[kind]
        }
        hands = {(change(tiles, kind, 1), wild) for tiles, wild in hands for kind in range(34) if tiles[kind] < 4}
    return most + 1


def change(counts: Counts, kind: int, by: int) -> Counts:
    """The counts with one kind changed."""
    return (*counts[:kind], counts[kind] + by, *counts[kind + 1 :])
