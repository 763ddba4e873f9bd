"""The greedy player: always one step nearer to a complete hand, whatever it pays."""

from __future__ import annotations

from agents.protocol import Array
from agents.rulebased.hand import claim, count_unseen, find_useful, may_discard, may_gang, measure_discards, shanten_of
from agents.rulebased.player import CompiledPlayer
from agents.rulebased.view import FLOAT, read_view, take
from mjenv.core.actions import CHI_LOW, GANG, HU, OWN_GANG, PASS
from mjenv.core.layout import Record
from mjenv.core.shapes import STANDARD
from mjenv.core.suits import FAR, Lut
from mjenv.core.tiles import HAND_KINDS
from mjenv.jit import jit, kernel


@jit
def choose_discard(mask: Array, view: Record, floats: bool, sets: int, lut: Lut) -> int:
    """The discard of lowest shanten, then most useful unseen tiles, then lowest index, by `view["after"]`.

    A wild is a candidate only where throwing it floats, or where nothing else may be thrown: then the lowest index.
    """
    lowest, first_wild = FAR, -1
    for kind in range(HAND_KINDS):
        if mask[kind] and (floats or not view["is_wild"][kind]):
            lowest = min(lowest, int(view["after"][kind]))
        elif mask[kind] and first_wild < 0:
            first_wild = kind
    best, most = first_wild, -1
    for kind in range(HAND_KINDS):
        if view["after"][kind] == lowest and mask[kind] and (floats or not view["is_wild"][kind]):
            take(view, kind, 1)
            _, kinds = find_useful(view, int(view["melds"]), sets, int(view["forms"]), lut)
            count = count_unseen(view, kinds)
            take(view, kind, -1)
            if count > most:
                best, most = kind, count
    return best


@jit
def choose_own_gang(mask: Array, view: Record, limit: int, sets: int, lut: Lut) -> int:
    """The lowest own gang that leaves the hand within `limit` shanten, or -1.

    Compared is the shanten of what stays concealed, before the replacement is drawn. Adding to a peng leaves the same
    tiles as discarding that tile; a concealed gang takes four tiles away and lays one more set. Wilds are never laid.
    """
    for kind in range(HAND_KINDS):
        if not mask[OWN_GANG + kind] or view["is_wild"][kind]:
            continue
        after = int(view["after"][kind])
        if not view["peng"][kind]:
            take(view, kind, 4)
            after = shanten_of(view, int(view["melds"]) + 1, sets, STANDARD, lut)
            take(view, kind, -4)
        if after <= limit:
            return OWN_GANG + kind
    return -1


@jit
def choose_claim(mask: Array, view: Record, sets: int, lut: Lut) -> int:
    """The legal claim that leads to the lowest shanten, if that is lower than the present one, else pass.

    Equal claims: gang before peng before chi (the claimed tile lowest, middle, highest).
    """
    melds, forms = int(view["melds"]), int(view["forms"])
    best, lowest = PASS, FAR
    for place in range(5):
        action = GANG - place if place < 2 else CHI_LOW + place - 2
        if mask[action]:
            if lowest == FAR:
                lowest = shanten_of(view, melds, sets, forms, lut)
            claim(view, action, 1)
            after = shanten_of(view, melds + 1, sets, forms, lut)
            claim(view, action, -1)
            if after < lowest:
                best, lowest = action, after
    return best


@jit
def decide_greedy(mask: Array, view: Record, floats: bool, sets: int, lut: Lut) -> int:
    """The greedy action where no win is open."""
    if not may_discard(mask):
        return choose_claim(mask, view, sets, lut)
    lowest = measure_discards(mask, view, int(view["melds"]), sets, int(view["forms"]), lut)
    if may_gang(mask):
        gang = choose_own_gang(mask, view, lowest, sets, lut)
        if gang >= 0:
            return gang
    return choose_discard(mask, view, floats, sets, lut)


@kernel
def act_greedy(
    planes: Array, scalars: Array, mask: Array, rules: Array, views: Array, tables: Array, actions: Array
) -> None:
    """Write the greedy player's action of every row into `actions` int64 [n]."""
    lut = tables[0]
    for row in range(len(actions)):
        if mask[row, HU]:
            actions[row] = HU
            continue
        read_view(planes[row], rules[0], views[0])
        floats = scalars[row, FLOAT] > 0
        actions[row] = decide_greedy(mask[row], views[0], floats, int(rules[0]["sets"]), lut)


class GreedyPlayer(CompiledPlayer):
    """Takes every win; else lowest shanten, then most useful tiles.

    It looks at its own hand alone: no thought of what the hand will pay, of what others hold, of a minimum count, or of
    winning later for more. Wilds stay in hand unless throwing one floats.
    """

    name = "greedy"
    kernel = staticmethod(act_greedy)
