"""Routes to a minimum count of faan: Hong Kong Old Style and the three-faan table."""

from __future__ import annotations

from agents.rulebased.chance import ANY, SELF
from agents.rulebased.facts import HONGKONG
from agents.rulebased.routes import EVERYWHERE, ORPHANS, PAIRS, SETS, TRIPLETS, add_route, kinds_in
from mjenv.core.layout import Array, Record
from mjenv.core.tiles import EAST, HAND_KINDS, HONORS, RED
from mjenv.jit import jit

CAP = 0
"""Place of the most faan that count in `rules["option"]`, in both variants."""
FLOWERS = 1
"""Place in Hong Kong's `rules["option"]` that says whether there are bonus tiles."""
HONOR_SUIT, NUMBERS = 0b1000, 0b0111
OWN_SHARE = 0.35
"""How often the last tile is drawn rather than claimed."""
ALL_RUNS_SHARE = 0.6
"""How often a hand of numbers without triplets ends as runs alone."""


@jit
def pay_discard(rules: Record, faan: int) -> float:
    """What a win on a discard brings: Hong Kong's table of units, or three times 2^faan."""
    faan = min(faan, int(rules["option"][CAP]))
    if rules["variant"] != HONGKONG:
        return 3.0 * 2.0**faan
    if faan <= 4:
        return 2.0**faan
    if faan % 2 == 0:
        return 2.0 ** (faan // 2 + 2)
    return (2.0 ** ((faan - 1) // 2 + 2) + 2.0 ** ((faan + 1) // 2 + 2)) / 2.0


@jit
def pay_own(rules: Record, faan: int) -> float:
    """What a self-drawn win brings from all three together."""
    return pay_discard(rules, faan) * (3.0 if rules["variant"] == HONGKONG else 1.0)


@jit
def add_faan_route(
    rules: Record,
    view: Record,
    routes: Array,
    number: int,
    sort: int,
    suits: int,
    forced: int,
    eyes: int,
    faan: int,
    weight: float,
) -> int:
    """Add a route worth `faan` before `self_draw` and `concealed_hand`, with calls and, if still possible, without.

    Below the minimum only those two can help: then the last tile must be drawn, or the hand stay concealed.
    """
    least = int(rules["minimum"])
    if sort != PAIRS and sort != ORPHANS:
        own = pay_own(rules, faan + 1)
        if faan >= least:
            pay = (1.0 - OWN_SHARE) * pay_discard(rules, faan) + OWN_SHARE * own
            number = add_route(routes, number, sort, suits, forced, eyes, 0, ANY, 1, weight * pay)
        elif faan + 1 >= least:
            number = add_route(routes, number, sort, suits, forced, eyes, 0, SELF, 1, weight * own)
    if view["claimed"]:
        return number
    drawn = faan + 1 if rules["variant"] == HONGKONG else faan + 2
    own = pay_own(rules, drawn)
    if faan + 1 >= least:
        pay = (1.0 - OWN_SHARE) * pay_discard(rules, faan + 1) + OWN_SHARE * own
        number = add_route(routes, number, sort, suits, forced, eyes, 0, ANY, 0, weight * pay)
    elif drawn >= least:
        number = add_route(routes, number, sort, suits, forced, eyes, 0, SELF, 0, weight * own)
    return number


@jit
def count_flowers(rules: Record, view: Record) -> int:
    """Faan of the bonus tiles that lie open."""
    flowers, faan = int(view["flowers"]), 0
    every = 3 if rules["variant"] == HONGKONG else 2
    for group in range(2):
        four = flowers >> 4 * group & 15
        faan += every if four == 15 else four >> int(view["seat_wind"]) & 1
    return faan


@jit
def worth_of_honor(view: Record, kind: int) -> int:
    """Faan of a triplet of an honor: 1 for a dragon, 1 each for the seat wind and the round wind."""
    if kind >= RED:
        return 1
    faan = 1 if kind == EAST + int(view["seat_wind"]) else 0
    return faan + (1 if kind == EAST + int(view["round_wind"]) else 0)


@jit
def add_suit_routes(rules: Record, view: Record, routes: Array, number: int, faan: int, weight: float) -> int:
    """All routes of a hand that already counts `faan`."""
    melded, runs, melds = int(view["meld_kinds"]), int(view["runs"]), int(view["melds"])
    pairs, pair_faan, doubles = 0, 0, 0
    for kind in range(HONORS, HAND_KINDS):
        if view["row"][kind] >= 2:
            value = worth_of_honor(view, kind)
            pair_faan += value
            doubles += value
            if value:
                pairs |= 1 << kind
    number = add_faan_route(rules, view, routes, number, SETS, EVERYWHERE, 0, 1, faan, weight)
    for kind in range(HONORS, HAND_KINDS):
        if pairs >> kind & 1:
            value = worth_of_honor(view, kind)
            number = add_faan_route(rules, view, routes, number, SETS, EVERYWHERE, 1 << kind, 1, faan + value, weight)
    if pairs & (pairs - 1):
        number = add_faan_route(rules, view, routes, number, SETS, EVERYWHERE, pairs, 1, faan + pair_faan, weight)
    if not view["triplets"]:
        chows = weight * ALL_RUNS_SHARE
        number = add_faan_route(rules, view, routes, number, SETS, NUMBERS, 0, 1, faan + 1, chows)
    if runs == 0:
        number = add_faan_route(rules, view, routes, number, TRIPLETS, EVERYWHERE, 0, 1, faan + 3 + doubles, weight)
    if melds == 0:
        number = add_faan_route(rules, view, routes, number, PAIRS, EVERYWHERE, 0, 7, faan + 4, weight)
    for suit in range(3):
        half, full = 1 << suit | HONOR_SUIT, 1 << suit
        if melded & ~kinds_in(half):
            continue
        number = add_faan_route(rules, view, routes, number, SETS, half, 0, 1, faan + 3, weight)
        if pairs:
            number = add_faan_route(rules, view, routes, number, SETS, half, pairs, 1, faan + 3 + pair_faan, weight)
        if runs == 0:
            number = add_faan_route(rules, view, routes, number, TRIPLETS, half, 0, 1, faan + 6 + doubles, weight)
        if melds == 0:
            number = add_faan_route(rules, view, routes, number, PAIRS, half, 0, 7, faan + 7, weight)
        if not melded & ~kinds_in(full):
            number = add_faan_route(rules, view, routes, number, SETS, full, 0, 1, faan + 7, weight)
    return number


@jit
def add_limit_routes(rules: Record, view: Record, routes: Array, number: int) -> int:
    """The limit hands worth planning: thirteen orphans, honors alone, three dragons, concealed triplets."""
    cap, is_hongkong = int(rules["option"][CAP]), rules["variant"] == HONGKONG
    if view["melds"] == 0:
        number = add_route(routes, number, ORPHANS, EVERYWHERE, 0, 1, 0, ANY, 0, pay_discard(rules, cap))
    if view["runs"] == 0 and not int(view["meld_kinds"]) & ~kinds_in(HONOR_SUIT):
        number = add_route(routes, number, TRIPLETS, HONOR_SUIT, 0, 1, 0, ANY, 1, pay_discard(rules, cap))
    if not view["claimed"]:
        faan = 8 if is_hongkong else cap
        pay = pay_own(rules, faan + 1)
        number = add_route(routes, number, TRIPLETS, EVERYWHERE, 0, 1, 0, SELF, 0, pay)
    dragons, held = 0, 0
    for kind in range(RED, HAND_KINDS):
        if not int(view["triplets"]) >> kind & 1:
            dragons |= 1 << kind
            held += min(3, int(view["row"][kind]))
        else:
            held += 3
    if held >= 4 and dragons:
        faan = 8 if is_hongkong else cap
        number = add_route(routes, number, SETS, EVERYWHERE, dragons, 1, 0, ANY, 1, pay_discard(rules, faan))
    return number


@jit
def list_faan_routes(rules: Record, view: Record, routes: Array) -> int:
    """Write the routes of this hand into `routes`; how many."""
    faan = count_flowers(rules, view)
    for kind in range(HONORS, HAND_KINDS):
        if int(view["triplets"]) >> kind & 1:
            faan += worth_of_honor(view, kind)
    number = add_limit_routes(rules, view, routes, 0)
    has_flowers = rules["variant"] != HONGKONG or rules["option"][FLOWERS] != 0
    if has_flowers and view["flowers"] == 0:
        keeps = max(0.3, 1.0 - 8.0 * min(8, int(view["turns"])) / (int(view["hidden"]) + 8.0))
        number = add_suit_routes(rules, view, routes, number, faan + 1, keeps)
    return add_suit_routes(rules, view, routes, number, faan, 1.0)
