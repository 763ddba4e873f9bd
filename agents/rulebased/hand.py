"""How near a hand is and what brings it nearer, on top of the engine's per-suit tables."""

from __future__ import annotations

from agents.rulebased.view import take
from mjenv.core.actions import CHI_LOW, GANG, PENG
from mjenv.core.layout import Record
from mjenv.core.shanten import distance, useful
from mjenv.core.suits import Lut
from mjenv.jit import jit


@jit
def shanten_of(view: Record, melds: int, sets: int, forms: int, lut: Lut) -> int:
    """Shanten of the concealed tiles with `melds` sets on the table, in the forms asked for."""
    return distance(view["row"], view["words"], view["key"], int(view["wilds"]), melds, sets, forms, lut)


@jit
def shanten_and_useful(view: Record, melds: int, sets: int, forms: int, lut: Lut) -> tuple[int, int]:
    """Shanten of a hand of 3n+1 tiles, and how many unseen tiles lower it."""
    return useful(
        view["row"],
        view["words"],
        view["key"],
        int(view["wilds"]),
        melds,
        sets,
        forms,
        view["unseen"],
        view["is_wild"],
        lut,
    )


@jit
def claim(view: Record, action: int, copies: int) -> None:
    """Take what a claim of the pending tile lays down out of the hand; `copies` -1 puts it back, 1 takes it."""
    tile = int(view["tile"])
    if action == PENG or action == GANG:
        take(view, tile, copies * (2 if action == PENG else 3))
        return
    lowest = tile - (action - CHI_LOW)
    for kind in range(lowest, lowest + 3):
        if kind != tile:
            take(view, kind, copies)
