"""Routes: what a hand could become, each with what it would pay, and how near and how wide the hand is for it."""

from __future__ import annotations

from agents.rulebased.hand import count_reach, count_unseen
from mjenv.core.forms import find_word
from mjenv.core.layout import Array, Field, Record, record_dtype
from mjenv.core.shanten import join_other_suits
from mjenv.core.shapes import IS_ORPHAN, PAIR_BIT, POWER, keep_scattered
from mjenv.core.suits import FAR, LANE_BITS, LEVELS, Lut
from mjenv.core.tiles import HAND_KINDS, HONORS
from mjenv.jit import jit

SETS, TRIPLETS, PAIRS, ANY_PAIRS, ORPHANS, TERMINALS, SCATTERED = range(7)
"""Sorts of routes: sets and a pair; triplets and a pair; pairs of different kinds; of any kinds; the thirteen orphans;
terminals and honors alone; and Yugan's thirteen scattered tiles."""

ROUTE = record_dtype(
    (
        Field("sort", "i8", (), "SETS ... SCATTERED"),
        Field("suits", "i8", (), "bit per suit (3: honors) whose tiles may be used"),
        Field("forced", "i8", (), "bit per honor that must become a triplet (SETS)"),
        Field("eyes", "i8", (), "pairs wanted beside the sets (0 or 1), or pairs in all (PAIRS, ANY_PAIRS)"),
        Field("spared", "i8", (), "wilds that must stay unused"),
        Field("way", "i8", (), "ANY, SELF or EVERY: how the last tile may come"),
        Field("calls", "i8", (), "1: calls help on the way"),
        Field("pay", "f8", (), "what completing it is worth"),
        Field("guess", "f8", (), "scratch: its worth before useful tiles are counted"),
    ),
    {},
)
MOST_ROUTES = 64
_ORPHANS = sum(1 << kind for kind in range(HAND_KINDS) if IS_ORPHAN[kind])
_ALL = (1 << HAND_KINDS) - 1
_SUIT = (1 << 9) - 1
EVERYWHERE = 0b1111


@jit
def kinds_in(suits: int) -> int:
    """The kinds of a set of suits, as bits."""
    kinds = 0
    for suit in range(4):
        if suits >> suit & 1:
            kinds |= (_SUIT if suit < 3 else 127) << 9 * suit
    return kinds


@jit
def add_route(
    routes: Array,
    number: int,
    sort: int,
    suits: int,
    forced: int,
    eyes: int,
    spared: int,
    way: int,
    calls: int,
    pay: float,
) -> int:
    """Write one route at place `number`; the next place."""
    route = routes[number]
    route["sort"], route["suits"], route["forced"], route["eyes"] = sort, suits, forced, eyes
    route["spared"], route["way"], route["calls"], route["pay"] = spared, way, calls, pay
    return min(number + 1, MOST_ROUTES - 1)


@jit
def _miss_pairs(view: Record, route: Record) -> tuple[int, int, int]:
    """Missing tiles of a pairs route, and pairs and singles held."""
    kinds = kinds_in(int(route["suits"]))
    any_kinds = route["sort"] == ANY_PAIRS
    pairs, singles = 0, 0
    for kind in range(HAND_KINDS):
        if kinds >> kind & 1:
            held = int(view["row"][kind])
            if any_kinds:
                pairs += held >> 1
                singles += held & 1
            else:
                pairs += 1 if held > 1 else 0
                singles += 1 if held == 1 else 0
    wanted = int(route["eyes"])
    return 2 * wanted - 2 * pairs - min(max(0, wanted - pairs), singles), pairs, singles


@jit
def miss_triplets(ones: int, twos: int, threes: int, wanted: int) -> int:
    """Tiles missing from `wanted` triplets and a pair, from how many kinds are held once, twice and more often."""
    whole = min(wanted, threes)
    paired = min(wanted - whole, twos)
    single = min(wanted - whole - paired, ones)
    fresh = wanted - whole - paired - single
    eye = 2
    if threes > whole or twos > paired:
        eye = 0
    elif ones > single:
        eye = 1
    return paired + 2 * single + 3 * fresh + eye


@jit
def _count_alike(view: Record, kinds: int) -> tuple[int, int, int]:
    """How many of these kinds are held once, twice, and three times or more."""
    ones, twos, threes = 0, 0, 0
    for kind in range(HAND_KINDS):
        if kinds >> kind & 1:
            held = int(view["row"][kind])
            ones += 1 if held == 1 else 0
            twos += 1 if held == 2 else 0
            threes += 1 if held > 2 else 0
    return ones, twos, threes


@jit
def _prepare_sets(view: Record, route: Record, sets: int) -> tuple[int, int, int, int]:
    """For a SETS route: the honors' key without forced kinds, missing forced tiles, the lane to read, and the level."""
    key, need, wanted = int(view["key"][3]), 0, sets - int(view["melds"])
    if route["forced"]:
        for kind in range(HONORS, HAND_KINDS):
            if int(route["forced"]) >> kind & 1:
                held = int(view["row"][kind])
                need += max(0, 3 - held)
                key -= held * int(POWER[kind])
                wanted -= 1
    level = min(max(0, int(view["wilds"]) - int(route["spared"])), LEVELS - 1)
    return key, need, (LANE_BITS * (PAIR_BIT * int(route["eyes"]) + wanted)) if wanted >= 0 else -1, level


@jit
def measure_route(view: Record, route: Record, sets: int, lut: Lut) -> int:
    """How many tiles the hand misses for a route, wilds filling in; `FAR` if that is out of reach."""
    sort, kinds = int(route["sort"]), kinds_in(int(route["suits"]))
    wilds = int(view["wilds"]) - int(route["spared"])
    if wilds < 0:
        return FAR
    if sort == SETS:
        honors, need, lane, level = _prepare_sets(view, route, sets)
        if lane < 0:
            return FAR
        suits = int(route["suits"])
        own0 = find_word(0, int(view["key"][0]) if suits & 1 else 0, level, lut)
        own1 = find_word(1, int(view["key"][1]) if suits & 2 else 0, level, lut)
        own2 = find_word(2, int(view["key"][2]) if suits & 4 else 0, level, lut)
        own3 = find_word(3, honors if suits & 8 else 0, level, lut)
        word = int(lut["join"][lut["join"][own0, own1], lut["join"][own2, own3]])
        return need + (int(lut["missing"][word]) >> lane & 31) - wilds
    if sort == TRIPLETS:
        ones, twos, threes = _count_alike(view, kinds)
        return miss_triplets(ones, twos, threes, sets - int(view["melds"])) - wilds
    if sort == SCATTERED:
        return 14 - keep_scattered(view["key"], lut) - wilds
    if sort == TERMINALS:
        held = 0
        for kind in range(HAND_KINDS):
            held += int(view["row"][kind]) * int(IS_ORPHAN[kind])
        return 3 * (sets - int(view["melds"])) + 2 - held - wilds
    if sort == ORPHANS:
        ones, twos, threes = _count_alike(view, _ORPHANS)
        return 14 - (ones + twos + threes) - min(1, twos + threes) - wilds
    missing, _, _ = _miss_pairs(view, route)
    return missing - wilds


@jit
def _find_for_sets(view: Record, route: Record, sets: int, lut: Lut) -> int:
    """The kinds whose draw brings a SETS route nearer."""
    honors, _, lane, level = _prepare_sets(view, route, sets)
    suits, kinds = int(route["suits"]), 0
    own0 = find_word(0, int(view["key"][0]) if suits & 1 else 0, level, lut)
    own1 = find_word(1, int(view["key"][1]) if suits & 2 else 0, level, lut)
    own2 = find_word(2, int(view["key"][2]) if suits & 4 else 0, level, lut)
    own3 = find_word(3, honors if suits & 8 else 0, level, lut)
    joined = int(lut["join"][lut["join"][own0, own1], lut["join"][own2, own3]])
    missing = int(lut["missing"][joined]) >> lane & 31
    for suit in range(4):
        if not suits >> suit & 1:
            continue
        rest = join_other_suits(own0, own1, own2, own3, suit, lut["join"])
        key = honors if suit == 3 else int(view["key"][suit])
        for kind in range(9 * suit, min(9 * suit + 9, HAND_KINDS)):
            held = int(view["row"][kind])
            if int(route["forced"]) >> kind & 1:
                kinds |= (1 if held < 3 else 0) << kind
            elif held < 4:
                drawn = find_word(suit, key + int(POWER[kind]), level, lut)
                after = int(lut["missing"][lut["join"][drawn, rest]]) >> lane & 31
                kinds |= (1 if after < missing else 0) << kind
    return kinds


@jit
def find_for_route(view: Record, route: Record, sets: int, lut: Lut) -> int:
    """A bit for every kind whose draw brings the hand nearer to a route."""
    sort, allowed, kinds = int(route["sort"]), kinds_in(int(route["suits"])), 0
    for kind in range(HAND_KINDS):
        kinds |= int(view["is_wild"][kind]) << kind
    if sort == SETS:
        return kinds | _find_for_sets(view, route, sets, lut)
    ones, twos, threes = _count_alike(view, _ORPHANS if sort == ORPHANS else allowed)
    _, pairs, singles = _miss_pairs(view, route)
    wanted = sets - int(view["melds"])
    now = miss_triplets(ones, twos, threes, wanted)
    keeps = keep_scattered(view["key"], lut) if sort == SCATTERED else 0
    for kind in range(HAND_KINDS):
        held, helps = int(view["row"][kind]), False
        if held > 3 or not allowed >> kind & 1:
            continue
        if sort == TRIPLETS:
            if held == 0:
                helps = miss_triplets(ones + 1, twos, threes, wanted) < now
            elif held == 1:
                helps = miss_triplets(ones - 1, twos + 1, threes, wanted) < now
            elif held == 2:
                helps = miss_triplets(ones, twos - 1, threes + 1, wanted) < now
        elif sort == ORPHANS:
            helps = IS_ORPHAN[kind] > 0 and (held == 0 or (held == 1 and twos + threes == 0))
        elif sort == TERMINALS:
            helps = IS_ORPHAN[kind] > 0
        elif sort == SCATTERED:
            suit, power = min(kind // 9, 3), int(POWER[kind])
            if held == 0:
                view["key"][suit] += power
                helps = keep_scattered(view["key"], lut) > keeps
                view["key"][suit] -= power
        else:
            fresh = held == 0 or (held == 2 and sort == ANY_PAIRS)
            helps = (
                singles < int(route["eyes"]) - pairs if fresh else held & 1 == 1 and (held == 1 or sort == ANY_PAIRS)
            )
        kinds |= (1 if helps else 0) << kind
    return kinds


@jit
def share_useful(view: Record, route: Record, missing: int, kinds: int) -> int:
    """Useful tiles as a share of the unseen ones in 128ths; where calls help, tiles that can be claimed weigh more."""
    if route["calls"] and missing > 1:
        return min(127, 64 * count_reach(view, kinds) // int(view["hidden"]))
    return min(127, 128 * count_unseen(view, kinds) // int(view["hidden"]))


@jit
def is_made(view: Record, routes: Array, sort: int, suits: int, eyes: int, spared: int, sets: int, lut: Lut) -> bool:
    """Whether nothing is missing from a route; the last place of `routes` is room for it."""
    add_route(routes, MOST_ROUTES - 1, sort, suits, 0, eyes, spared, 0, 0, 0.0)
    return measure_route(view, routes[MOST_ROUTES - 1], sets, lut) <= 0
