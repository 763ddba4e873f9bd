"""The value player: what a hand could become, how likely that is in time, and what it would pay."""

from __future__ import annotations

import numpy as np

from agents.protocol import Array
from agents.rulebased.appraise import appraise_discards, appraise_hand, keep_best
from agents.rulebased.chance import build_chance
from agents.rulebased.faan import list_faan_routes
from agents.rulebased.facts import read_facts
from agents.rulebased.hand import claim, may_discard
from agents.rulebased.player import CompiledPlayer
from agents.rulebased.routes import MOST_ROUTES, ROUTE
from agents.rulebased.view import read_view, take
from mjenv.core.actions import CHI_LOW, GANG, HU, OWN_GANG, PASS, PENG
from mjenv.core.layout import Record
from mjenv.core.rules import Rules
from mjenv.core.suits import Lut
from mjenv.core.tiles import HAND_KINDS
from mjenv.jit import jit


@jit
def list_routes(rules: Record, view: Record, routes: Array) -> int:
    """Write the routes that the variant offers this hand; how many."""
    return list_faan_routes(rules, view, routes)


@jit
def lay_claim(view: Record, action: int) -> None:
    """Lay the claimed meld down."""
    claim(view, action, 1)
    tile = int(view["tile"])
    view["melds"] = int(view["melds"]) + 1
    view["claimed"] += 1
    if action == PENG or action == GANG:
        view["triplets"] |= 1 << tile
        view["meld_kinds"] |= 1 << tile
        view["open_gangs"] += 1 if action == GANG else 0
    else:
        view["meld_kinds"] |= 7 << (tile - (action - CHI_LOW))
        view["runs"] = int(view["runs"]) + 1


@jit
def lay_gang(view: Record, kind: int) -> None:
    """Lay an own gang down: concealed, or added to a peng."""
    if view["peng"][kind]:
        take(view, kind, 1)
        view["open_gangs"] += 1
        return
    take(view, kind, 4)
    view["melds"] = int(view["melds"]) + 1
    view["closed_gangs"] += 1
    view["triplets"] |= 1 << kind
    view["meld_kinds"] |= 1 << kind


@jit
def appraise_now(rules: Record, view: Record, routes: Array, chance: Array, sets: int, lut: Lut) -> float:
    """Worth of a hand of 3n+1 tiles."""
    number = keep_best(view, routes, list_routes(rules, view, routes), chance, sets, lut)
    return appraise_hand(view, routes, number, chance, sets, lut)


@jit
def choose_own(mask: Array, views: Array, rules: Record, routes: Array, chance: Array, sets: int, lut: Lut) -> int:
    """On the own turn, and after a call: the discard or gang that is worth most."""
    view = views[0]
    number = keep_best(view, routes, list_routes(rules, view, routes), chance, sets, lut)
    best, most = appraise_discards(mask, view, routes, number, chance, sets, lut)
    for kind in range(HAND_KINDS):
        if mask[OWN_GANG + kind] and not view["is_wild"][kind]:
            views[1] = views[0]
            lay_gang(views[1], kind)
            views[1]["turns"] += 1
            worth = appraise_now(rules, views[1], routes, chance, sets, lut)
            if worth > most:
                best, most = OWN_GANG + kind, worth
    return best


@jit
def choose_claim(mask: Array, views: Array, rules: Record, routes: Array, chance: Array, sets: int, lut: Lut) -> int:
    """The claim after which the hand is worth most, if that is more than now, else pass."""
    best, most = PASS, appraise_now(rules, views[0], routes, chance, sets, lut)
    for place in range(5):
        action = GANG - place if place < 2 else CHI_LOW + place - 2
        if not mask[action]:
            continue
        views[1] = views[0]
        view = views[1]
        lay_claim(view, action)
        if action == GANG:
            view["turns"] += 1
            worth = appraise_now(rules, view, routes, chance, sets, lut)
        else:
            number = keep_best(view, routes, list_routes(rules, view, routes), chance, sets, lut)
            _, worth = appraise_discards(view["row"], view, routes, number, chance, sets, lut)
        if worth > most:
            best, most = action, worth
    return best


@jit
def act_value(
    planes: Array,
    scalars: Array,
    mask: Array,
    rules: Array,
    views: Array,
    lut: Lut,
    actions: Array,
    routes: Array,
    chance: Array,
) -> None:
    """Write the value player's action of every row into `actions` int64 [n]."""
    sets = int(rules[0]["sets"])
    for row in range(len(actions)):
        if mask[row, HU]:
            actions[row] = HU
            continue
        read_view(planes[row], rules[0], views[0])
        read_facts(planes[row], scalars[row], views[0])
        if may_discard(mask[row]):
            actions[row] = choose_own(mask[row], views, rules[0], routes, chance, sets, lut)
        else:
            actions[row] = choose_claim(mask[row], views, rules[0], routes, chance, sets, lut)


class ValuePlayer(CompiledPlayer):
    """Plans what the hand could become, and plays for the plan whose chance in time, times its pay, is highest."""

    name = "value"
    kernel = staticmethod(act_value)

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.extra = (np.zeros(MOST_ROUTES, ROUTE), build_chance(3.0, 0.04))
