"""Turns: how one begins, ordinary draws, gang replacements, and the draw-only phase."""

from __future__ import annotations

from typing import Any

from mjenv.core.actions import OFFER_HU
from mjenv.core.layout import Record
from mjenv.core.session import end_hand
from mjenv.core.table import DRAWN_HEAD, DRAWN_TAIL, PHASE_DRAW_ONLY, PHASE_OWN, REASON_DRAW
from mjenv.core.wall import draw_tile, tail_left
from mjenv.core.winning import may_win_own, spares_wilds
from mjenv.jit import jit


@jit
def may_gang(rules: Record, table: Record) -> bool:
    """Whether a gang of any sort may be declared: its replacement must be there to draw."""
    return tail_left(rules, table) > int(rules["gang_reserve"])


@jit
def begin_turn(rules: Record, table: Record, seat: int, lut: Any) -> None:
    """Open the seat's own turn: everything that is legal with the tile it just drew or was dealt."""
    table["phase"] = PHASE_OWN
    table["seat"] = seat
    table["turn"] = seat
    table["tile"] = -1
    table["barred"] = -1
    table["kept_hu"] = 0
    table["offer"][seat] = OFFER_HU if may_win_own(rules, table, seat, lut) else 0
    table["float_open"] = 0
    if rules["max_floats"] > 0 and spares_wilds(rules, table, seat, 2, lut):
        table["float_open"] = 1


@jit
def next_draw(rules: Record, table: Record, seat: int, lut: Any) -> None:
    """The seat draws from the head and its turn begins; without a tile the hand is drawn."""
    table["gang_run"] = 0
    table["drawn_from"] = DRAWN_HEAD
    table["draws"][seat] += 1
    if draw_tile(rules, table, seat, False):
        begin_turn(rules, table, seat, lut)
    else:
        end_hand(rules, table, REASON_DRAW)


@jit
def replace_gang(rules: Record, table: Record, seat: int, lut: Any) -> None:
    """A gang stands: count it, draw its replacement, and the seat's turn goes on.

    A float count survives if the hand is still bao-tou before the replacement (rules: Hangzhou, "Wild").
    """
    table["gang_run"] += 1
    if table["floats"][seat] > 0 and not spares_wilds(rules, table, seat, 1, lut):
        table["floats"][seat] = 0
    table["drawn_from"] = DRAWN_TAIL
    if draw_tile(rules, table, seat, True):
        begin_turn(rules, table, seat, lut)
    else:
        end_hand(rules, table, REASON_DRAW)


@jit
def draw_only(rules: Record, table: Record, first: int, lut: Any) -> None:
    """Draw without discarding, from seat `first` on, until somebody may win or no tile is left (rules: Fuzhou)."""
    seat = first
    table["gang_run"] = 0
    table["drawn_from"] = DRAWN_HEAD
    table["tile"] = -1
    table["turn"] = seat
    while draw_tile(rules, table, seat, False):
        if may_win_own(rules, table, seat, lut):
            table["phase"] = PHASE_DRAW_ONLY
            table["seat"] = seat
            table["offer"][seat] = OFFER_HU
            return
        seat = (seat + 1) & 3
        table["turn"] = seat
    end_hand(rules, table, REASON_DRAW)
