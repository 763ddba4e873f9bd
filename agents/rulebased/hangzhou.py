"""Hangzhou: bao-tou, floats, gang runs and pairs multiply, so the cheap win may wait."""

from __future__ import annotations

from agents.rulebased.chance import EVERY, SELF
from agents.rulebased.routes import ANY_PAIRS, EVERYWHERE, SETS, add_route, is_made
from agents.rulebased.view import take
from mjenv.core.layout import Array, Record
from mjenv.core.suits import Lut
from mjenv.core.tiles import HAND_KINDS
from mjenv.jit import jit
from mjenv.variants.hangzhou import PAIRS_FACTOR

DEALER_PAYERS, OTHER_PAYERS = 3.0, 4.0
"""Shares that a win collects: three from the dealer's opponents, else two from the dealer and one from each other."""


@jit
def count_payers(view: Record) -> float:
    """Shares that a win of this seat collects."""
    return DEALER_PAYERS if view["seat_wind"] == 0 else OTHER_PAYERS


@jit
def pairs_factor(rules: Record, view: Record) -> int:
    """What seven pairs multiply by: doubled for every kind of which four real tiles are held."""
    fours = 0
    for kind in range(HAND_KINDS):
        if view["row"][kind] == 4:
            fours += 1
    return int(rules["option"][PAIRS_FACTOR]) << fours


@jit
def list_hangzhou_routes(rules: Record, view: Record, routes: Array) -> int:
    """Sets, or pairs while nothing is melded; and either with one wild spared (bao-tou) or more (to float first)."""
    payers, wilds, floats = count_payers(view), int(view["wilds"]), int(view["floats"])
    number = add_route(routes, 0, SETS, EVERYWHERE, 0, 1, 0, SELF, 1, payers)
    for spared in range(1, min(wilds, 3) + 1):
        factor = 1 << min(floats + spared, 4)
        number = add_route(routes, number, SETS, EVERYWHERE, 0, 0, spared, EVERY, 1, payers * factor)
    if view["melds"] == 0:
        pairs = pairs_factor(rules, view)
        number = add_route(routes, number, ANY_PAIRS, EVERYWHERE, 0, 7, 0, SELF, 0, payers * pairs)
        if rules["pairs_float"]:
            for spared in range(1, min(wilds, 3) + 1):
                factor = pairs << min(floats + spared, 4)
                number = add_route(routes, number, ANY_PAIRS, EVERYWHERE, 0, 6, spared, EVERY, 0, payers * factor)
    return number


@jit
def pay_hangzhou(rules: Record, view: Record, routes: Array, sets: int, lut: Lut) -> float:
    """What the complete hand in `view` pays now: bao-tou if it was before the tile `view["drawn"]` came."""
    drawn, floats = int(view["drawn"]), int(view["floats"])
    has_sets = is_made(view, routes, SETS, EVERYWHERE, 1, 0, sets, lut)
    has_pairs = view["melds"] == 0 and is_made(view, routes, ANY_PAIRS, EVERYWHERE, 7, 0, sets, lut)
    pairs = pairs_factor(rules, view)
    best = 1 if has_sets else 0
    if has_pairs:
        best = max(best, pairs)
    if drawn >= 0:
        take(view, drawn, 1)
        if has_sets and is_made(view, routes, SETS, EVERYWHERE, 0, 1, sets, lut):
            best = max(best, 2 << floats)
        if has_pairs and rules["pairs_float"] and is_made(view, routes, ANY_PAIRS, EVERYWHERE, 6, 1, sets, lut):
            best = max(best, pairs << (1 + floats))
        take(view, drawn, -1)
    if view["replaced"]:
        best <<= int(view["gang_run"])
    return count_payers(view) * best
