"""How near a hand is and what brings it nearer, on top of the engine's per-suit tables."""

from __future__ import annotations

from agents.protocol import Array
from agents.rulebased.view import take
from mjenv.core.actions import CHI_LOW, GANG, OWN_GANG, PENG
from mjenv.core.layout import Record
from mjenv.core.shanten import distance, draw_suits
from mjenv.core.shanten import find_useful as shanten_and_useful
from mjenv.core.suits import FAR, Lut
from mjenv.core.tiles import HAND_KINDS, HONORS
from mjenv.jit import jit


@jit
def shanten_of(view: Record, melds: int, sets: int, forms: int, lut: Lut) -> int:
    """Shanten of the concealed tiles with `melds` sets on the table, in the forms asked for."""
    return distance(view["row"], view["words"], view["key"], int(view["wilds"]), melds, sets, forms, lut)


@jit
def find_useful(view: Record, melds: int, sets: int, forms: int, lut: Lut) -> tuple[int, int]:
    """Shanten of a hand of 3n+1 tiles, and a bit for every kind that lowers it."""
    row, key, wilds, drawn = view["row"], view["key"], int(view["wilds"]), view["drawn_words"]
    draw_suits(row, key, wilds, lut, drawn)
    shanten, kinds = shanten_and_useful(row, view["words"], key, wilds, melds, sets, forms, drawn, lut)
    for kind in range(HAND_KINDS):
        kinds |= int(view["is_wild"][kind]) << kind
    return shanten, kinds


@jit
def count_unseen(view: Record, kinds: int) -> int:
    """How many unseen tiles are of these kinds."""
    total = 0
    for kind in range(HAND_KINDS):
        if kinds >> kind & 1:
            total += int(view["unseen"][kind])
    return total


@jit
def has_neighbours(view: Record, kind: int) -> bool:
    """Whether two real tiles in hand make a run with this kind."""
    row, rank = view["row"], kind % 9
    if kind >= HONORS:
        return False
    below, above = rank > 0 and row[kind - 1] > 0, rank < 8 and row[kind + 1] > 0
    return (below and above) or (below and rank > 1 and row[kind - 2] > 0) or (above and rank < 7 and row[kind + 2] > 0)


@jit
def count_reach(view: Record, kinds: int) -> int:
    """Unseen tiles of these kinds, each weighted by how many seats it can come from.

    2 for the own draw, 1 more where the left neighbour's discard could be claimed for a run, 3 more where anybody's
    could for a triplet: discards are half as likely as draws to be the tile wanted, as others want it too.
    """
    total = 0
    for kind in range(HAND_KINDS):
        if kinds >> kind & 1:
            weight = 2
            if view["row"][kind] >= 2:
                weight = 5
            elif has_neighbours(view, kind):
                weight = 3
            total += weight * int(view["unseen"][kind])
    return total


@jit
def claim(view: Record, action: int, copies: int) -> None:
    """Take what a claim of the pending tile lays down out of the hand; `copies` is 1, or -1 to put it back."""
    tile = int(view["tile"])
    if action == PENG or action == GANG:
        take(view, tile, copies * (2 if action == PENG else 3))
        return
    lowest = tile - (action - CHI_LOW)
    for kind in range(lowest, lowest + 3):
        if kind != tile:
            take(view, kind, copies)


@jit
def measure_discards(mask: Array, view: Record, melds: int, sets: int, forms: int, lut: Lut) -> int:
    """Write the shanten after each discard in `mask` into `view["after"]`, `FAR` elsewhere; returns the lowest."""
    lowest = FAR
    for kind in range(HAND_KINDS):
        after = FAR
        if mask[kind]:
            take(view, kind, 1)
            after = shanten_of(view, melds, sets, forms, lut)
            take(view, kind, -1)
        view["after"][kind] = after
        lowest = min(lowest, after)
    return lowest


@jit
def may_discard(mask: Array) -> bool:
    """Whether some discard is legal: then it is the seat's own turn, or it has just called."""
    for kind in range(HAND_KINDS):
        if mask[kind]:
            return True
    return False


@jit
def may_gang(mask: Array) -> bool:
    """Whether an own gang is legal."""
    for kind in range(HAND_KINDS):
        if mask[OWN_GANG + kind]:
            return True
    return False
