"""One game moves on: start a hand, take the action of the seat to act."""

from __future__ import annotations

from typing import Any

from mjenv.core.actions import HU, OWN_GANG
from mjenv.core.claims import ask_next, open_window
from mjenv.core.layout import Record
from mjenv.core.melds import add_to_peng, lay_concealed_gang, undo_call
from mjenv.core.opening import ask_opening, pass_opening, win_opening
from mjenv.core.randomness import below, seed_generator
from mjenv.core.session import end_hand
from mjenv.core.table import (
    DISCARDED,
    DRAWN_DEAL,
    EVENT_DISCARD,
    EVENT_PASS,
    HAND_WORDS,
    PHASE_CALLED,
    PHASE_CLAIM,
    PHASE_OPENING,
    PHASE_OWN,
    PHASE_ROB,
    REASON_DRAW,
    REASON_HU,
    TODO_ASK,
    TODO_ASK_DRAWN,
    TODO_CLAIMS,
    TODO_DRAW,
    TODO_DRAW_ONLY,
    TODO_NONE,
    TODO_OPENING,
    TODO_REPLACE,
    TODO_ROB,
    TODO_TURN,
    TODO_WIN,
)
from mjenv.core.tiles import HAND_KINDS
from mjenv.core.turns import ask_drawn, begin_turn, draw, draw_only, plan, replace
from mjenv.core.wall import build_wall, lose, record_event
from mjenv.core.winning import declare, fill_own_win, fill_win
from mjenv.jit import jit


@jit
def advance(rules: Record, table: Record, lut: Any) -> None:
    """Run on until a seat must decide or the hand is over."""
    while table["todo"] != TODO_NONE:
        todo = int(table["todo"])
        table["todo"] = TODO_NONE
        if todo == TODO_DRAW:
            draw(rules, table)
        elif todo == TODO_TURN:
            begin_turn(rules, table, lut)
        elif todo == TODO_CLAIMS or todo == TODO_ROB:
            open_window(rules, table, PHASE_ROB if todo == TODO_ROB else PHASE_CLAIM, lut)
        elif todo == TODO_ASK:
            ask_next(rules, table)
        elif todo == TODO_REPLACE:
            replace(rules, table, lut)
        elif todo == TODO_DRAW_ONLY:
            draw_only(rules, table)
        elif todo == TODO_ASK_DRAWN:
            ask_drawn(rules, table, lut)
        elif todo == TODO_OPENING:
            ask_opening(rules, table, lut)
        elif todo == TODO_WIN:
            declare(rules, table, lut)
            end_hand(rules, table, REASON_HU)
        else:
            end_hand(rules, table, REASON_DRAW)


@jit
def begin_hand(rules: Record, table: Record) -> None:
    """Shuffle and deal; `advance` goes on to the first decision."""
    for word in range(HAND_WORDS):
        table["hand_fields"][word] = 0
    for seat in range(4):
        table["points"][seat] = 0
    table["n_events"] = 0
    table["tile"] = -1
    table["barred"] = -1
    table["last_discard"] = -1
    table["drawn_from"] = DRAWN_DEAL
    seed_generator(table)
    if table["random_dealer"]:
        table["dealer"] = below(table, 4)
        table["random_dealer"] = 0
    build_wall(rules, table)
    plan(table, TODO_OPENING if rules["rob_gold"] else TODO_TURN, int(table["dealer"]))


@jit
def _discard(rules: Record, table: Record, kind: int) -> None:
    seat = int(table["seat"])
    is_wild = table["is_wild"][kind] != 0
    if is_wild:
        table["thrown"][seat] += 1
    floats = 0
    if is_wild and table["float_open"]:
        floats = min(int(table["floats"][seat]) + 1, int(rules["max_floats"]))
    table["floats"][seat] = floats
    is_drawn = kind == int(table["drawn"])
    detail = (1 if is_drawn else 0) | (2 if is_wild else 0) | floats << 2
    record_event(table, EVENT_DISCARD, seat, kind, detail)
    lose(table, seat, kind)
    copy = int(table["n_discarded"][seat, kind])
    table["n_discarded"][seat, kind] = copy + 1
    table["discards"] += 1
    table["order"][seat, copy, kind] = table["discards"]
    table["shown"][kind] += 1
    table["last_discard"] = kind
    table["last_discarder"] = seat
    table["gang_run"] = 0
    table["turn"] = seat
    table["tile"] = kind
    table["drawn"] = -1
    table["barred"] = -1
    table["float_open"] = 0
    table["ask_first"] = 0
    table["todo"] = TODO_CLAIMS


@jit
def _own_gang(rules: Record, table: Record, kind: int) -> None:
    seat = int(table["seat"])
    table["drawn"] = -1
    table["tile"] = kind
    if not table["peng"][seat, kind]:
        lay_concealed_gang(rules, table, seat, kind)
        table["todo"] = TODO_REPLACE
        return
    add_to_peng(table, seat, kind)
    table["ask_first"] = 0
    table["todo"] = TODO_ROB if rules["rob_gang"] else TODO_REPLACE


@jit
def _win_on_turn(rules: Record, table: Record, lut: Any) -> None:
    """Win with the drawn tile, or on the discard just called, whose call is then undone (rules: Fuzhou)."""
    seat = int(table["seat"])
    table["todo"] = TODO_WIN
    if table["phase"] != PHASE_CALLED:
        fill_own_win(rules, table, seat, lut)
        return
    number = int(table["n_melds"][seat]) - 1
    tile, discarder = int(table["meld_claimed"][seat, number]), int(table["meld_from"][seat, number])
    undo_call(table, seat)
    fill_win(table, seat, DISCARDED, tile, discarder, -1)


@jit
def _answer(rules: Record, table: Record, action: int, lut: Any) -> None:
    """Take the answer to a question: a claim, a robbery, Fuzhou's opening, or a draw-only win."""
    phase, seat = int(table["phase"]), int(table["seat"])
    if phase == PHASE_CLAIM or phase == PHASE_ROB:
        table["answer"][seat] = action
        table["todo"] = TODO_ASK
    elif phase == PHASE_OPENING:
        if action == HU:
            win_opening(rules, table, lut)
        else:
            pass_opening(table)
    elif action == HU:
        _win_on_turn(rules, table, lut)
    else:
        record_event(table, EVENT_PASS, seat, 0, int(table["offer"][seat]))
        plan(table, TODO_DRAW_ONLY, (seat + 1) & 3)


@jit
def take_action(rules: Record, table: Record, action: int, lut: Any) -> None:
    """Apply a legal action; `advance` goes on to the next decision, or to the end of the hand."""
    table["n_events"] = 0
    table["decisions"] += 1
    phase = int(table["phase"])
    if phase != PHASE_OWN and phase != PHASE_CALLED:
        _answer(rules, table, action, lut)
    elif action < HAND_KINDS:
        _discard(rules, table, action)
    elif action == HU:
        _win_on_turn(rules, table, lut)
    else:
        _own_gang(rules, table, action - OWN_GANG)
