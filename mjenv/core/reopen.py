"""After hidden tiles were re-dealt: rebuild what follows from them, and re-open the window."""

from __future__ import annotations

from typing import Any

from mjenv.core.actions import CHI_LOW
from mjenv.core.layout import Record
from mjenv.core.melds import lay_chi, lay_peng, mark_claimed, undo_call
from mjenv.core.shapes import index_row
from mjenv.core.table import (
    MELD_CHI,
    OUTLOOK_UNKNOWN,
    PHASE_CALLED,
    PHASE_CLAIM,
    PHASE_DRAW_ONLY,
    PHASE_OPENING,
    PHASE_OWN,
    PHASE_ROB,
    TODO_ASK_DRAWN,
    TODO_CLAIMS,
    TODO_NONE,
    TODO_OPENING,
    TODO_ROB,
    TODO_TURN,
)
from mjenv.core.tiles import HAND_KINDS
from mjenv.core.winning import is_complete_with
from mjenv.jit import jit


@jit
def _rebuild_hands(table: Record) -> None:
    for seat in range(4):
        wilds = 0
        for kind in range(HAND_KINDS):
            count = int(table["hand"][seat, kind])
            if table["is_wild"][kind]:
                wilds += count
                count = 0
            table["real"][seat, kind] = count
        table["wilds"][seat] = wilds
        table["outlook"][seat] = OUTLOOK_UNKNOWN
        index_row(table["real"][seat], table["key"][seat])


@jit
def _reopen_kept_hu(rules: Record, table: Record, lut: Any) -> None:
    """Ask again whether the seat that called could have won on the discard."""
    seat = int(table["turn"])
    number = int(table["n_melds"][seat]) - 1
    meld, tile = int(table["meld_type"][seat, number]), int(table["meld_tile"][seat, number])
    claimed, discarder = int(table["meld_claimed"][seat, number]), int(table["meld_from"][seat, number])
    undo_call(table, seat)
    table["kept_hu"] = 1 if is_complete_with(rules, table, seat, claimed, lut) else 0
    mark_claimed(table, discarder, claimed)
    if meld == MELD_CHI:
        lay_chi(table, seat, CHI_LOW + claimed - tile, claimed, discarder)
    else:
        lay_peng(table, seat, tile, discarder)


@jit
def reopen(rules: Record, table: Record, seat: int, lut: Any) -> None:
    """Re-open what is being decided, for `advance` to ask: `seat` first, then all others that have an option."""
    _rebuild_hands(table)
    table["n_events"] = 0
    table["todo"] = TODO_NONE
    phase, turn = int(table["phase"]), int(table["turn"])
    if phase == PHASE_CLAIM or phase == PHASE_ROB:
        table["ask_first"] = 1 + seat
        table["todo"] = TODO_ROB if phase == PHASE_ROB else TODO_CLAIMS
    elif phase == PHASE_OWN:
        table["todo"] = TODO_TURN
    elif phase == PHASE_CALLED and rules["keep_hu"] and turn != seat:
        _reopen_kept_hu(rules, table, lut)
    elif phase == PHASE_OPENING and int(table["seat"]) != seat:
        table["todo"] = TODO_OPENING
    elif phase == PHASE_DRAW_ONLY and turn != seat:
        table["todo"] = TODO_ASK_DRAWN
