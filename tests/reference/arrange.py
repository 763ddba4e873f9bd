"""Every way to arrange concealed tiles into sets and a pair, wilds included, by plain recursion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations_with_replacement
from typing import NamedTuple

BRUTE_WILDS = 2
"""Up to so many wilds are tried as every kind there is; more of them fill gaps."""

ORPHANS = (0, 8, 9, 17, 18, 26, 27, 28, 29, 30, 31, 32, 33)


class Tile(NamedTuple):
    """What one tile stands for (None: a wild in a group of wilds only, any kind) and whether it is a wild."""

    kind: int | None
    wild: bool


class Group(NamedTuple):
    """A `run`, `triplet` or `pair` of tiles."""

    name: str
    tiles: tuple[Tile, ...]


Arrangement = tuple[Group, ...]


def arrangements(
    fixed: Sequence[int], wilds: int, sets: int, pair: bool = True, kinds: int = 34
) -> Iterator[Arrangement]:
    """All arrangements into `sets` sets (and a pair); `fixed` tiles are themselves, wilds anything below `kinds`."""
    if len(fixed) + wilds != 3 * sets + 2 * pair:
        return
    if wilds <= BRUTE_WILDS:
        yield from brute_arrangements(fixed, wilds, sets, pair, kinds)
    else:
        yield from gap_arrangements(fixed, wilds, sets, pair)


def can_arrange(fixed: Sequence[int], wilds: int, sets: int, pair: bool = True, kinds: int = 34) -> bool:
    """True if at least one arrangement exists."""
    return next(arrangements(fixed, wilds, sets, pair, kinds), None) is not None


# --- up to two wilds: try them as every kind -----------------------------------------------------------------------


def brute_arrangements(fixed: Sequence[int], wilds: int, sets: int, pair: bool, kinds: int) -> Iterator[Arrangement]:
    """Let the wilds stand for every combination of kinds and group the tiles in every way."""
    for meaning in combinations_with_replacement(range(kinds), wilds):
        if sizes_fit([*fixed, *meaning], pair):
            tiles = [Tile(kind, False) for kind in fixed] + [Tile(kind, True) for kind in meaning]
            yield from groupings(sorted(tiles), sets, pair)


def sizes_fit(kinds: Iterable[int], pair: bool) -> bool:
    """Sets do not cross suits (nor honors): each holds a multiple of three tiles, one of them two more for the pair."""
    sizes = [0] * 10
    for kind in kinds:
        sizes[kind // 9 if kind < 27 else kind - 24] += 1
    return sorted(size % 3 for size in sizes) == [0] * 9 + [2 if pair else 0]


def groupings(tiles: list[Tile], sets: int, pair: bool) -> Iterator[Arrangement]:
    """Every grouping of sorted tiles with known kinds; the first tile goes into a pair, a triplet or a run."""
    if not tiles:
        if sets == 0 and not pair:
            yield ()
        return
    first, rest = tiles[0], tiles[1:]
    kind = first.kind
    assert kind is not None
    if pair:
        for group, left in completed("pair", first, rest, [kind]):
            for others in groupings(left, sets, False):
                yield (group, *others)
    if sets:
        options = completed("triplet", first, rest, [kind, kind])
        if kind < 27 and kind % 9 <= 6:
            options += completed("run", first, rest, [kind + 1, kind + 2])
        for group, left in options:
            for others in groupings(left, sets - 1, pair):
                yield (group, *others)


def completed(name: str, first: Tile, rest: list[Tile], wanted: list[int]) -> list[tuple[Group, list[Tile]]]:
    """Each way to take the wanted kinds out of `rest`, as real tiles or as wilds."""
    ways: list[tuple[tuple[Tile, ...], list[Tile]]] = [((first,), rest)]
    for kind in wanted:
        longer = []
        for taken, left in ways:
            for wild in (False, True):
                tile = Tile(kind, wild)
                if tile in left:
                    remaining = list(left)
                    remaining.remove(tile)
                    longer.append(((*taken, tile), remaining))
        ways = longer
    found: dict[Group, list[Tile]] = {}
    for taken, left in ways:
        found.setdefault(Group(name, tuple(sorted(taken))), left)
    return list(found.items())


# --- any number of wilds: the lowest real tile starts a group and wilds fill its gaps ---------------------------------


def gap_arrangements(fixed: Sequence[int], wilds: int, sets: int, pair: bool) -> Iterator[Arrangement]:
    """Every way in which wilds complete the groups of the real tiles; groups of wilds only stand for any kind."""
    if not fixed:
        if wilds == 3 * sets + 2 * pair:
            free = Tile(None, True)
            yield (Group("triplet", (free,) * 3),) * sets + (Group("pair", (free,) * 2),) * pair
        return
    lowest = min(fixed)
    for name, kinds in groups_with(lowest, sets, pair):
        for group, left, used in filled(name, kinds, lowest, fixed):
            if used <= wilds:
                more = gap_arrangements(left, wilds - used, sets - (name != "pair"), pair and name != "pair")
                for others in more:
                    yield (group, *others)


def groups_with(kind: int, sets: int, pair: bool) -> list[tuple[str, list[int]]]:
    """The kinds of every pair, triplet and run that contains `kind`."""
    groups = [("pair", [kind] * 2)] if pair else []
    if sets:
        groups.append(("triplet", [kind] * 3))
        if kind < 27:
            starts = [start for start in (kind - 2, kind - 1, kind) if start // 9 == kind // 9 and 0 <= start % 9 <= 6]
            groups += [("run", [start, start + 1, start + 2]) for start in starts if start >= 0]
    return groups


def filled(name: str, kinds: list[int], lowest: int, fixed: Sequence[int]) -> list[tuple[Group, list[int], int]]:
    """Each way to lay the group with the real `lowest` tile in it and a real tile or a wild in every other place."""
    ways: list[tuple[tuple[Tile, ...], list[int]]] = [((), list(fixed))]
    for kind in kinds:
        longer = []
        for taken, left in ways:
            if kind in left:
                remaining = list(left)
                remaining.remove(kind)
                longer.append(((*taken, Tile(kind, False)), remaining))
            longer.append(((*taken, Tile(kind, True)), left))
        ways = longer
    found = {}
    for taken, left in ways:
        if Tile(lowest, False) in taken:
            group = Group(name, tuple(sorted(taken)))
            found[group] = (group, left, sum(tile.wild for tile in taken))
    return list(found.values())


# --- the other win forms ----------------------------------------------------------------------------------------------


def pairs_of_kinds(fixed: Sequence[int], wilds: int, pairs: int) -> list[Group] | None:
    """Pairs of all different kinds, or None; there is one way at most, apart from the kinds of pairs of wilds."""
    if len(fixed) + wilds != 2 * pairs:
        return None
    counts = Counter(fixed)
    if any(count > 2 for count in counts.values()):
        return None
    singles = [kind for kind, count in counts.items() if count == 1]
    if len(singles) > wilds:
        return None
    found = [Group("pair", (Tile(kind, False),) * 2) for kind, count in counts.items() if count == 2]
    found += [Group("pair", (Tile(kind, False), Tile(kind, True))) for kind in singles]
    found += [Group("pair", (Tile(None, True),) * 2)] * ((wilds - len(singles)) // 2)
    return found


def can_pair_up(fixed: Sequence[int], wilds: int, pairs: int) -> bool:
    """Pairs whose kinds may repeat: each kind held an odd number of times needs one wild."""
    odd = sum(count % 2 for count in Counter(fixed).values())
    return len(fixed) + wilds == 2 * pairs and odd <= wilds


def is_scattered(fixed: Sequence[int], wilds: int) -> bool:
    """Fourteen tiles, no kind twice, ranks of a suit at least three apart; wilds take any free places."""
    if len(fixed) + wilds != 14 or len(set(fixed)) != len(fixed):
        return False
    room = 7 - sum(kind >= 27 for kind in fixed)
    for suit in range(3):
        ranks = [kind % 9 for kind in fixed if kind < 27 and kind // 9 == suit]
        if any(abs(a - b) < 3 for a in ranks for b in ranks if a != b):
            return False
        room += most_added(ranks)
    return wilds <= room


def most_added(ranks: list[int]) -> int:
    """How many more ranks fit into a suit at least three apart."""
    free = [rank for rank in range(9) if all(abs(rank - taken) >= 3 for taken in ranks)]
    return max((1 + most_added([*ranks, rank]) for rank in free), default=0)


def is_thirteen_orphans(fixed: Sequence[int]) -> bool:
    """The thirteen terminals and honors, one of them twice."""
    return len(fixed) == 14 and sorted(set(fixed)) == list(ORPHANS)
