"""The value player: what a hand could become, how likely that is in time, and what it would pay."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from agents.protocol import Array
from agents.rulebased.appraise import appraise_discards, appraise_hand, keep_best
from agents.rulebased.chance import build_chance, build_ends, rising_hazard
from agents.rulebased.danger import read_danger
from agents.rulebased.faan import list_faan_routes
from agents.rulebased.facts import FUZHOU, HANGZHOU, YUGAN, read_facts
from agents.rulebased.fuzhou import list_fuzhou_routes, pay_fuzhou
from agents.rulebased.hand import claim, may_discard
from agents.rulebased.hangzhou import list_hangzhou_routes, pay_hangzhou
from agents.rulebased.player import CompiledPlayer
from agents.rulebased.routes import MOST_ROUTES, ROUTE
from agents.rulebased.spirits import doubled_loss, price_throw, read_spirits, spirit_points
from agents.rulebased.view import CLAIM, FLOAT, read_view, take
from agents.rulebased.yugan import list_yugan_routes, pay_yugan
from mjenv.core.actions import CHI_LOW, GANG, HU, OWN_GANG, PASS, PENG
from mjenv.core.layout import Record
from mjenv.core.rules import Rules
from mjenv.core.shapes import NINE_ONE, POWER, SUIT_OF
from mjenv.core.suits import Lut
from mjenv.core.tiles import HAND_KINDS, HONORS
from mjenv.jit import jit, kernel

LOSS, PATIENCE, MARGIN, BEGINS, FULL, READY, CARE = range(7)
"""Places in `knobs`, float64 [7]: see `Habits`."""
NEVER_WAIT = 1e9
"""What an open win is worth where the variant gives no reason to wait for a better one."""
THROWN_WILD = 1e-6
"""The share of its worth at which a wild is weighed whose throw pays nothing: if nothing else may be thrown."""


@jit
def list_routes(rules: Record, view: Record, routes: Array, knobs: Array) -> int:
    """Write the routes that the variant offers this hand; how many.

    A hand that wins does not lose: where everybody pays, the usual loss is added to each pay.
    """
    variant, loss = rules["variant"], float(knobs[LOSS])
    if variant == YUGAN:
        loss += doubled_loss(view)
        number = list_yugan_routes(rules, view, routes)
    elif variant == FUZHOU:
        number = list_fuzhou_routes(rules, view, routes)
    elif variant == HANGZHOU:
        number = list_hangzhou_routes(rules, view, routes)
    else:
        number = list_faan_routes(rules, view, routes)
    for place in range(number):
        routes[place]["pay"] += loss
    return number


@jit
def pay_now(rules: Record, view: Record, routes: Array, own: bool, sets: int, lut: Lut, knobs: Array) -> float:
    """What the open win is worth; more than any wait where there is no better one: with faan, or three golds."""
    variant, loss = rules["variant"], float(knobs[LOSS])
    if variant == YUGAN:
        last = int(view["drawn"]) if own else int(view["tile"])
        return pay_yugan(rules, view, routes, last, own, sets, lut) + loss + doubled_loss(view)
    if variant == FUZHOU and view["wilds"] < 3:
        return pay_fuzhou(rules, view, routes, own, sets, lut) + loss
    if variant == HANGZHOU:
        return pay_hangzhou(rules, view, routes, sets, lut) + loss
    return NEVER_WAIT


@jit
def lay_claim(view: Record, action: int) -> None:
    """Lay the claimed meld down."""
    claim(view, action, 1)
    tile = int(view["tile"])
    view["melds"] = int(view["melds"]) + 1
    view["claimed"] += 1
    view["spirits"] += spirit_points(view, tile)
    inner = tile < HONORS and 0 < tile % 9 < 8
    if action == PENG or action == GANG:
        view["triplets"] |= 1 << tile
        view["meld_kinds"] |= 1 << tile
        view["open_gangs"] += 1 if action == GANG else 0
    else:
        view["meld_kinds"] |= 7 << (tile - (action - CHI_LOW))
        view["runs"] = int(view["runs"]) + 1
        inner = True
    if inner:
        view["forms"] = int(view["forms"]) & ~NINE_ONE


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
    if kind < HONORS and 0 < kind % 9 < 8:
        view["forms"] = int(view["forms"]) & ~NINE_ONE


@jit
def add_real(view: Record, kind: int) -> None:
    """Add a tile from another seat, which stands for itself even if its kind is wild."""
    view["row"][kind] = int(view["row"][kind]) + 1
    view["key"][SUIT_OF[kind]] += POWER[kind]
    view["spirits"] += spirit_points(view, kind)


@jit
def appraise_now(rules: Record, view: Record, routes: Array, chance: Array, knobs: Array, sets: int, lut: Lut) -> float:
    """Worth of a hand of 3n+1 tiles."""
    number = keep_best(view, routes, list_routes(rules, view, routes, knobs), chance, sets, lut)
    return appraise_hand(view, routes, number, chance, sets, lut)


@jit
def appraise_throw(
    views: Array, kind: int, rules: Record, routes: Array, chance: Array, knobs: Array, sets: int, lut: Lut
) -> float:
    """Worth of the hand with a Spirit thrown, less the price of throwing it; takes `views[1]` for room."""
    views[1] = views[0]
    view = views[1]
    take(view, kind, 1)
    view["spirits"] -= spirit_points(view, kind)
    view["thrown"] += 1
    return appraise_now(rules, view, routes, chance, knobs, sets, lut) - float(view["danger"][kind])


@jit
def choose_own(
    mask: Array,
    views: Array,
    rules: Record,
    routes: Array,
    chance: Array,
    knobs: Array,
    floats: bool,
    sets: int,
    lut: Lut,
) -> int:
    """On the own turn, and after a call: the discard, gang or win that is worth most."""
    view = views[0]
    now = -np.inf
    if mask[HU]:
        now = pay_now(rules, view, routes, int(view["drawn"]) >= 0, sets, lut, knobs)
    if now == NEVER_WAIT:
        return HU
    run = int(view["floats"])
    view["floats"] = 0
    number = keep_best(view, routes, list_routes(rules, view, routes, knobs), chance, sets, lut)
    best, most = appraise_discards(mask, view, routes, number, chance, sets, lut)
    if view["wilds"]:
        best, most = -1, -np.inf
        for kind in range(HAND_KINDS):
            if mask[kind]:
                worth = float(view["best"][kind])
                if view["is_wild"][kind] and rules["variant"] == YUGAN:
                    worth = appraise_throw(views, kind, rules, routes, chance, knobs, sets, lut)
                elif view["is_wild"][kind]:
                    worth = worth * (2 << run) if floats else worth * THROWN_WILD
                if worth > most:
                    best, most = kind, worth
    for kind in range(HAND_KINDS):
        if mask[OWN_GANG + kind] and not view["is_wild"][kind]:
            views[1] = views[0]
            lay_gang(views[1], kind)
            views[1]["turns"] += 1
            views[1]["floats"] = run
            worth = appraise_now(rules, views[1], routes, chance, knobs, sets, lut)
            if worth > most:
                best, most = OWN_GANG + kind, worth
    return HU if now * knobs[PATIENCE] >= most else best


@jit
def choose_claim(
    mask: Array,
    views: Array,
    rules: Record,
    routes: Array,
    chance: Array,
    knobs: Array,
    sets: int,
    lut: Lut,
) -> int:
    """The claim after which the hand is worth most, if that is more than now, else pass."""
    best, most = PASS, appraise_now(rules, views[0], routes, chance, knobs, sets, lut)
    for place in range(5):
        action = GANG - place if place < 2 else CHI_LOW + place - 2
        if not mask[action]:
            continue
        views[1] = views[0]
        view = views[1]
        lay_claim(view, action)
        if action == GANG:
            view["turns"] += 1
            worth = appraise_now(rules, view, routes, chance, knobs, sets, lut)
        else:
            view["floats"] = 0
            number = keep_best(view, routes, list_routes(rules, view, routes, knobs), chance, sets, lut)
            _, worth = appraise_discards(view["row"], view, routes, number, chance, sets, lut)
        if worth > most * knobs[MARGIN]:
            best, most = action, worth
    if mask[HU]:
        views[1] = views[0]
        add_real(views[1], int(views[0]["tile"]))
        if pay_now(rules, views[1], routes, False, sets, lut, knobs) * knobs[PATIENCE] >= most:
            return HU
    return best


@kernel
def act_value(
    planes: Array,
    scalars: Array,
    mask: Array,
    rules: Array,
    views: Array,
    tables: Array,
    actions: Array,
    routes: Array,
    chance: Array,
    ends: Array,
    knobs: Array,
) -> None:
    """Write the value player's action of every row into `actions` int64 [n]."""
    lut = tables[0]
    sets = int(rules[0]["sets"])
    for row in range(len(actions)):
        discards = may_discard(mask[row])
        if mask[row, HU] and not discards and scalars[row, CLAIM] == 0:
            actions[row] = HU
            continue
        read_view(planes[row], rules[0], views[0])
        read_facts(planes[row], scalars[row], views[0])
        if rules[0]["variant"] == YUGAN:
            read_spirits(planes[row], scalars[row], views[0])
            price_throw(planes[row], scalars[row], views[0], ends, knobs[CARE] > 0)
        elif knobs[CARE] > 0:
            late = (knobs[BEGINS] - float(views[0]["turns"])) / (knobs[BEGINS] - knobs[FULL])
            late = knobs[CARE] * min(1.0, max(0.0, late))
            read_danger(planes[row], rules[0], views[0], late, knobs[READY])
        if discards:
            floats = scalars[row, FLOAT] > 0
            actions[row] = choose_own(mask[row], views, rules[0], routes, chance, knobs, floats, sets, lut)
        else:
            actions[row] = choose_claim(mask[row], views, rules[0], routes, chance, knobs, sets, lut)


class Habits(NamedTuple):
    """How a table plays: when rivals win, and what it takes to change one's mind. Fitted on seeds of their own."""

    begins: float
    """own draws left when the first rivals begin to win"""
    full: float
    """own draws left from which on they win most often"""
    hazard: float
    """the probability that one wins before the own next turn, from then on"""
    loss: float
    """points that somebody else's win costs: the more, the more a quick win counts"""
    patience: float
    """an open win is taken unless waiting is worth so many times as much"""
    margin: float
    """a call is made if the hand is worth so many times as much after it"""
    width: float
    """useful tiles that later steps find, against `chance.USUAL`: plans that need certain tiles find fewer"""
    ready: float
    """the probability that a rival without melds is ready by then"""


HABITS = {
    "yugan": Habits(18.5, 9, 0.45, 5, 1.2, 1.3, 1.0, 0.0),
    "fuzhou": Habits(10.5, 3.5, 0.4, 15, 1.0, 1.2, 1.0, 0.0),
    "hangzhou": Habits(14.5, 2, 0.33, 3, 1.05, 1.05, 1.0, 0.0),
    "hongkong": Habits(19, 6, 0.07, 0, 1.0, 1.05, 0.6, 0.1),
    "threefaan": Habits(18, 0, 0.05, 0, 1.0, 1.05, 0.9, 0.1),
}
ROUND = 3.0
"""Tiles a round that may win where discards do: the own draw, and three discards that mostly avoid it."""


class ValuePlayer(CompiledPlayer):
    """Plans what the hand could become, and plays for the plan whose chance in time, times its pay, is highest.

    Plans are routes: any complete hand, one suit with honors or without, triplets, pairs, value honors as triplets,
    limit hands, a pair of golds, a wild spared for bao-tou or a float, a Major beside the last tile. For each it counts
    the tiles missing and the unseen tiles that help, and looks the chance up. It declines a win that waiting pays for,
    and throws a Spirit where the hand without it is worth more, the price of the throw taken off.
    Weak points: one route at a time, no second step, the others' hands unseen but for how fast tables end; a flush is
    planned as if nobody else collected that suit.
    """

    name = "value"
    kernel = staticmethod(act_value)
    care = 0.0
    """How much the danger of a discard counts."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        habits = HABITS[rules.variant]
        sources = ROUND if rules.record["hu_on_discard"][0] else 1.0
        hazard = rising_hazard(habits.begins, habits.full, habits.hazard)
        knobs = (habits.loss, habits.patience, habits.margin, habits.begins, habits.full, habits.ready, self.care)
        self._chance, self._ends = build_chance(sources, hazard, habits.width), build_ends(hazard)
        self._knobs = np.array(knobs, float)

    def arguments(self) -> tuple[Any, ...]:
        """Room for routes, the tables of chances, and the knobs."""
        return np.zeros(MOST_ROUTES, ROUTE), self._chance, self._ends, self._knobs
