"""Turns: how one begins, ordinary draws, gang replacements, and the draw-only phase."""

from __future__ import annotations

from typing import Any

from mjenv.core.actions import OFFER_HU
from mjenv.core.layout import Record
from mjenv.core.table import (
    DRAWN_HEAD,
    DRAWN_TAIL,
    PHASE_DRAW_ONLY,
    PHASE_OWN,
    TODO_ASK_DRAWN,
    TODO_DRAW_ONLY,
    TODO_DRAWN_HAND,
    TODO_TURN,
)
from mjenv.core.wall import draw_tile, tail_left
from mjenv.core.winning import may_win_own, spares_wilds
from mjenv.jit import jit


@jit
def plan(table: Record, todo: int, seat: int) -> None:
    """Say what the table does next, and whose turn that is."""
    table["todo"] = todo
    table["turn"] = seat


@jit
def may_gang(rules: Record, table: Record) -> bool:
    """Whether a gang of any sort may be declared: its replacement must be there to draw."""
    return tail_left(rules, table) > int(rules["gang_reserve"])


@jit
def begin_turn(rules: Record, table: Record, lut: Any) -> None:
    """Open an own turn: everything that is legal with the tile just drawn or dealt."""
    seat = int(table["turn"])
    table["phase"] = PHASE_OWN
    table["seat"] = seat
    table["tile"] = -1
    table["barred"] = -1
    table["kept_hu"] = 0
    table["offer"][seat] = OFFER_HU if may_win_own(rules, table, seat, lut) else 0
    table["float_open"] = 0
    if rules["max_floats"] > 0 and spares_wilds(rules, table, seat, 2, lut):
        table["float_open"] = 1


@jit
def draw(rules: Record, table: Record) -> None:
    """The seat in turn draws from the head; without a tile the hand is drawn."""
    seat = int(table["turn"])
    table["gang_run"] = 0
    table["drawn_from"] = DRAWN_HEAD
    table["draws"][seat] += 1
    plan(table, TODO_TURN if draw_tile(rules, table, seat, False) else TODO_DRAWN_HAND, seat)


@jit
def replace(rules: Record, table: Record, lut: Any) -> None:
    """A gang of the seat in turn stands: count it and draw its replacement.

    A float count survives if the hand is still bao-tou before the replacement (rules: Hangzhou, "Wild").
    """
    seat = int(table["turn"])
    table["gang_run"] += 1
    if table["floats"][seat] > 0 and not spares_wilds(rules, table, seat, 1, lut):
        table["floats"][seat] = 0
    table["drawn_from"] = DRAWN_TAIL
    plan(table, TODO_TURN if draw_tile(rules, table, seat, True) else TODO_DRAWN_HAND, seat)


@jit
def draw_only(rules: Record, table: Record) -> None:
    """The seat in turn draws without discarding (rules: Fuzhou, "The last four")."""
    seat = int(table["turn"])
    table["gang_run"] = 0
    table["drawn_from"] = DRAWN_HEAD
    table["tile"] = -1
    plan(table, TODO_ASK_DRAWN if draw_tile(rules, table, seat, False) else TODO_DRAWN_HAND, seat)


@jit
def ask_drawn(rules: Record, table: Record, lut: Any) -> None:
    """Ask the seat that drew in the draw-only phase if it may win; else the next one draws."""
    seat = int(table["turn"])
    if may_win_own(rules, table, seat, lut):
        table["phase"] = PHASE_DRAW_ONLY
        table["seat"] = seat
        table["offer"][seat] = OFFER_HU
    else:
        plan(table, TODO_DRAW_ONLY, (seat + 1) & 3)
