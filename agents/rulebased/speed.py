"""The speed player: the shortest way to any complete hand, counted in unseen tiles, two steps ahead near the end."""

from __future__ import annotations

from agents.protocol import Array
from agents.rulebased.greedy import choose_own_gang
from agents.rulebased.hand import (
    claim,
    count_reach,
    count_unseen,
    find_useful,
    may_discard,
    may_gang,
    measure_discards,
    shanten_of,
)
from agents.rulebased.player import CompiledPlayer
from agents.rulebased.view import FLOAT, read_view, take
from mjenv.core.actions import CHI_LOW, GANG, HU, PASS
from mjenv.core.layout import Record
from mjenv.core.suits import FAR, Lut
from mjenv.core.tiles import HAND_KINDS
from mjenv.jit import jit, kernel

TWO_STEPS = 1
"""At this shanten after the discard the tiles after the next one are counted too."""
MOST_USEFUL = 1023
"""More than any hand has useful tiles, however they are weighted."""
NARROW = 0.7
"""Two steps are counted for discards that leave at least this share of the most useful tiles."""


@jit
def count_pairs(view: Record, melds: int, sets: int, forms: int, lut: Lut) -> int:
    """In how many ways two unseen tiles in a row complete a one-shanten hand of 3n+1 tiles, discarding well."""
    _, kinds = find_useful(view, melds, sets, forms, lut)
    ways = 0
    for drawn in range(HAND_KINDS):
        unseen = int(view["unseen"][drawn])
        if not kinds >> drawn & 1 or unseen == 0:
            continue
        take(view, drawn, -1)
        view["unseen"][drawn] = unseen - 1
        ways += unseen * count_best_waits(view, melds, sets, forms, lut)
        view["unseen"][drawn] = unseen
        take(view, drawn, 1)
    return ways


@jit
def count_best_waits(view: Record, melds: int, sets: int, forms: int, lut: Lut) -> int:
    """The most winning unseen tiles that a discard of a real tile leaves a hand of 3n+2 tiles."""
    most = 0
    for kind in range(HAND_KINDS):
        if view["row"][kind]:
            take(view, kind, 1)
            if shanten_of(view, melds, sets, forms, lut) == 0:
                _, waits = find_useful(view, melds, sets, forms, lut)
                most = max(most, count_unseen(view, waits))
            take(view, kind, -1)
    return most


@jit
def choose_discard(mask: Array, view: Record, melds: int, floats: bool, sets: int, lut: Lut) -> int:
    """The discard of lowest shanten, then most ways on, then lowest index; wilds only as greedy throws them."""
    forms, first_wild = int(view["forms"]), -1
    lowest = measure_discards(mask, view, melds, sets, forms, lut)
    if not floats:
        lowest = FAR
        for kind in range(HAND_KINDS):
            if mask[kind] and view["is_wild"][kind]:
                first_wild = kind if first_wild < 0 else first_wild
                view["after"][kind] = FAR
            lowest = min(lowest, int(view["after"][kind]))
    if lowest == FAR:
        return first_wild
    widest = measure_widths(view, melds, lowest, sets, lut)
    best, most = -1, -1
    for kind in range(HAND_KINDS):
        ways = int(view["width"][kind])
        if view["after"][kind] != lowest:
            continue
        if lowest == TWO_STEPS and ways >= NARROW * widest:
            take(view, kind, 1)
            ways = count_pairs(view, melds, sets, forms, lut)
            take(view, kind, -1)
        if ways > most:
            best, most = kind, ways
    return best


@jit
def measure_widths(view: Record, melds: int, lowest: int, sets: int, lut: Lut) -> int:
    """Write into `view["width"]` how many tiles help after the discards whose `view["after"]` is lowest; the most.

    Up to the last step counted by `count_reach`; a tile that wins may come from anybody.
    """
    widest = 0
    for kind in range(HAND_KINDS):
        if view["after"][kind] == lowest:
            take(view, kind, 1)
            _, kinds = find_useful(view, melds, sets, int(view["forms"]), lut)
            view["width"][kind] = count_reach(view, kinds) if lowest > 0 else count_unseen(view, kinds)
            take(view, kind, -1)
            widest = max(widest, int(view["width"][kind]))
    return widest


@jit
def measure_claim(mask: Array, view: Record, action: int, sets: int, lut: Lut) -> int:
    """How good the hand is after a claim and the best discard: lower is nearer, then wider (`rank_hand`)."""
    melds, forms = int(view["melds"]) + 1, int(view["forms"])
    claim(view, action, 1)
    if action == GANG:
        shanten, kinds = find_useful(view, melds, sets, forms, lut)
        rank = rank_hand(shanten, count_unseen(view, kinds))
    else:
        lowest = measure_discards(view["row"], view, melds, sets, forms, lut)
        rank = rank_hand(lowest, measure_widths(view, melds, lowest, sets, lut))
    claim(view, action, -1)
    return rank


@jit
def rank_hand(shanten: int, useful: int) -> int:
    """Nearer before wider; lower is better."""
    return (MOST_USEFUL + 1) * shanten - useful


@jit
def choose_claim(mask: Array, view: Record, least: int, sets: int, lut: Lut) -> int:
    """The legal claim that leads to the best hand if that is nearer than the present one, else pass.

    A ready hand also claims what leaves it ready for more tiles. A gang need only leave it as near, since its
    replacement is a free draw, unless the hand is still concealed and a minimum (`least`) may ask for that. Ties as in
    greedy's order.
    """
    melds, forms = int(view["melds"]), int(view["forms"])
    shanten, kinds = find_useful(view, melds, sets, forms, lut)
    now = rank_hand(shanten, count_unseen(view, kinds) if shanten == 0 else MOST_USEFUL)
    best, lowest = PASS, rank_hand(FAR, 0)
    for place in range(5):
        action = GANG - place if place < 2 else CHI_LOW + place - 2
        if mask[action]:
            is_free = action == GANG and (least == 0 or melds > 0)
            limit = rank_hand(shanten + 1, MOST_USEFUL) if is_free else now
            rank = measure_claim(mask, view, action, sets, lut)
            if rank < min(limit, lowest):
                best, lowest = action, rank
    return best


@jit
def decide_speed(mask: Array, view: Record, floats: bool, least: int, sets: int, lut: Lut) -> int:
    """The speed action where no win is open."""
    if not may_discard(mask):
        return choose_claim(mask, view, least, sets, lut)
    if may_gang(mask):
        lowest = measure_discards(mask, view, int(view["melds"]), sets, int(view["forms"]), lut)
        gang = choose_own_gang(mask, view, lowest, sets, lut)
        if gang >= 0:
            return gang
    return choose_discard(mask, view, int(view["melds"]), floats, sets, lut)


@kernel
def act_speed(
    planes: Array, scalars: Array, mask: Array, rules: Array, views: Array, tables: Array, actions: Array
) -> None:
    """Write the speed player's action of every row into `actions` int64 [n]."""
    lut = tables[0]
    for row in range(len(actions)):
        if mask[row, HU]:
            actions[row] = HU
            continue
        read_view(planes[row], rules[0], views[0])
        floats, least = scalars[row, FLOAT] > 0, int(rules[0]["minimum"])
        actions[row] = decide_speed(mask[row], views[0], floats, least, int(rules[0]["sets"]), lut)


class SpeedPlayer(CompiledPlayer):
    """Takes every win; else lowest shanten, then most useful unseen tiles, two steps deep at one-shanten.

    Tiles that could be claimed count for more. It calls when that brings the hand nearer, or a ready hand to more
    tiles, and takes every gang that costs nothing, for the free draw. What the hand pays, and what others hold, it does
    not ask.
    """

    name = "speed"
    kernel = staticmethod(act_speed)
