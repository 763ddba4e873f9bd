"""What a hand is worth over its routes: the chance of each in time, times what it pays."""

from __future__ import annotations

import numpy as np

from agents.rulebased.chance import MISSING, TURNS
from agents.rulebased.routes import find_for_route, kinds_in, measure_route, share_useful
from agents.rulebased.view import take
from mjenv.core.layout import Array, Record
from mjenv.core.suits import FAR, Lut
from mjenv.core.tiles import HAND_KINDS
from mjenv.jit import jit

USUAL_SHARE = np.array([0, 8, 18, 26, 34, 38, 40, 40, 40, 40, 40])
"""int64 [MISSING]: useful tiles in 128ths of the unseen ones, before they are counted."""
DROP_BELOW = 0.04
"""Routes whose first guess is worth less than this share of the best one are dropped."""
SPREAD = 0.15
"""What the other routes add to the best one, as a share of their worth: plans change."""


@jit
def weigh(view: Record, route: Record, missing: int, share: int, chance: Array) -> float:
    """Chance times pay of a route for a hand of 3n+1 tiles."""
    if missing >= MISSING:
        return 0.0
    turns = min(int(view["turns"]), TURNS - 1)
    return float(chance[int(route["way"]), max(0, missing), share, turns]) * float(route["pay"])


@jit
def keep_best(view: Record, routes: Array, number: int, chance: Array, sets: int, lut: Lut) -> int:
    """Move the routes that look worth a closer look to the front; how many there are."""
    top = 0.0
    for place in range(number):
        route = routes[place]
        missing = measure_route(view, route, sets, lut)
        if missing < MISSING:
            missing = max(missing, 0)
            route["guess"] = weigh(view, route, missing, int(USUAL_SHARE[missing]), chance)
            top = max(top, float(route["guess"]))
        else:
            route["guess"] = -1.0
    kept = 0
    for place in range(number):
        if float(routes[place]["guess"]) >= DROP_BELOW * top:
            if kept < place:
                routes[kept] = routes[place]
            kept += 1
    return kept


@jit
def appraise_hand(view: Record, routes: Array, number: int, chance: Array, sets: int, lut: Lut) -> float:
    """Worth of a hand of 3n+1 tiles over `routes[:number]`."""
    best, total = 0.0, 0.0
    for place in range(number):
        route = routes[place]
        missing = measure_route(view, route, sets, lut)
        if missing >= MISSING:
            continue
        share = share_useful(view, route, missing, find_for_route(view, route, sets, lut))
        worth = weigh(view, route, missing, share, chance)
        best, total = max(best, worth), total + worth
    return best + SPREAD * (total - best)


@jit
def _appraise_route(mask: Array, view: Record, route: Record, chance: Array, sets: int, lut: Lut) -> None:
    """Add one route to `view["best"]` and `view["rest"]` of every discard in `mask`."""
    kinds, nearest = kinds_in(int(route["suits"])), FAR
    unused = measure_route(view, route, sets, lut)
    for kind in range(HAND_KINDS):
        if mask[kind]:
            after = unused
            if kinds >> kind & 1 or view["is_wild"][kind]:
                take(view, kind, 1)
                after = measure_route(view, route, sets, lut)
                take(view, kind, -1)
            view["after"][kind] = min(after, FAR)
            nearest = min(nearest, after)
    if nearest >= MISSING:
        return
    share_unused, widest = -1, 0
    for kind in range(HAND_KINDS):
        if mask[kind] and view["after"][kind] == nearest:
            used = kinds >> kind & 1 or view["is_wild"][kind]
            if used or share_unused < 0:
                take(view, kind, 1)
                share = share_useful(view, route, nearest, find_for_route(view, route, sets, lut))
                take(view, kind, -1)
                if not used:
                    share_unused = share
            else:
                share = share_unused
            widest = max(widest, share)
            add_worth(view, kind, weigh(view, route, nearest, share, chance))
    for kind in range(HAND_KINDS):
        if mask[kind] and nearest < view["after"][kind]:
            add_worth(view, kind, weigh(view, route, int(view["after"][kind]), widest, chance))


@jit
def add_worth(view: Record, kind: int, worth: float) -> None:
    """Count one route for a discard."""
    view["best"][kind] = max(float(view["best"][kind]), worth)
    view["rest"][kind] += worth


@jit
def appraise_discards(
    mask: Array, view: Record, routes: Array, number: int, chance: Array, sets: int, lut: Lut
) -> tuple[int, float]:
    """The discard in `mask` that is worth most over `routes[:number]`, the lowest kind of equals, and its worth.

    `view["best"]` then holds the worth of each, less what it may cost (`view["danger"]`).
    """
    for kind in range(HAND_KINDS):
        view["best"][kind] = 0.0
        view["rest"][kind] = 0.0
    for place in range(number):
        _appraise_route(mask, view, routes[place], chance, sets, lut)
    chosen, most = -1, -np.inf
    for kind in range(HAND_KINDS):
        if mask[kind]:
            best = float(view["best"][kind])
            worth = best + SPREAD * (float(view["rest"][kind]) - best) - float(view["danger"][kind])
            view["best"][kind] = worth
            if worth > most:
                chosen, most = kind, worth
    return chosen, most
