"""Fuzhou's questions before the first turn: three golds, then robbing the gold (rules: Fuzhou, "Tiles and wall")."""

from __future__ import annotations

from typing import Any

from mjenv.core import hooks
from mjenv.core.actions import OFFER_HU
from mjenv.core.layout import Record
from mjenv.core.shapes import POWER, SUIT_OF, makes
from mjenv.core.table import (
    EVENT_PASS,
    PHASE_OPENING,
    ROB_GOLD,
    SELF_DRAW,
    THREE_GOLDS,
    TODO_OPENING,
    TODO_TURN,
    TODO_WIN,
)
from mjenv.core.tiles import HAND_KINDS
from mjenv.core.wall import record_event
from mjenv.core.winning import fill_win, is_hand_complete
from mjenv.jit import jit

# Steps 0-3 ask for three golds from the dealer in seat order; then the gold may be robbed by a complete dealer,
# by the other three, and by a dealer who is one tile short.
STEP_DEALER_COMPLETE, STEP_OTHERS, STEP_DEALER_SHORT, STEP_END = 4, 5, 8, 9


@jit
def _completes_with_gold(table: Record, seat: int, lut: Any) -> bool:
    """Whether one more wild completes the seat's sixteen tiles."""
    return makes(table["key"][seat], 5, 1, lut)


@jit
def _exchanges_for_gold(table: Record, seat: int, lut: Any) -> bool:
    """Whether a wild in place of some tile that is no gold completes the seat's seventeen tiles."""
    key, real = table["key"][seat], table["real"][seat]
    for kind in range(HAND_KINDS):
        if real[kind] > 0:
            key[SUIT_OF[kind]] -= POWER[kind]
            complete = makes(key, 5, 1, lut)
            key[SUIT_OF[kind]] += POWER[kind]
            if complete:
                return True
    return False


@jit
def _step_seat(table: Record, step: int) -> int:
    dealer = int(table["dealer"])
    if step < STEP_DEALER_COMPLETE:
        return (dealer + step) & 3
    if STEP_OTHERS <= step < STEP_DEALER_SHORT:
        return (dealer + 1 + step - STEP_OTHERS) & 3
    return dealer


@jit
def _is_open(rules: Record, table: Record, step: int, lut: Any) -> bool:
    seat = _step_seat(table, step)
    if step < STEP_DEALER_COMPLETE:
        return bool(table["wilds"][seat] >= 3)
    if STEP_OTHERS <= step < STEP_DEALER_SHORT:
        return _completes_with_gold(table, seat, lut)
    if step == STEP_DEALER_COMPLETE:
        return is_hand_complete(rules, table, seat, lut)
    return not is_hand_complete(rules, table, seat, lut) and _exchanges_for_gold(table, seat, lut)


@jit
def ask_opening(rules: Record, table: Record, lut: Any) -> None:
    """Ask the next question that applies, or let the dealer's first turn begin."""
    step = int(table["opening_step"])
    while step < STEP_END and not _is_open(rules, table, step, lut):
        step += 1
    table["opening_step"] = step
    table["turn"] = table["dealer"]
    if step == STEP_END:
        table["todo"] = TODO_TURN
        return
    seat = _step_seat(table, step)
    table["phase"] = PHASE_OPENING
    table["seat"] = seat
    table["offer"][seat] = OFFER_HU


@jit
def _fill_dealer_robbery(rules: Record, table: Record, lut: Any) -> int:
    """Describe the dealer's best robbery: the tile given up that scores most, the lowest kind on a tie; its total."""
    dealer, gold = int(table["dealer"]), int(table["major"])
    best, given_up = -1, -1
    for kind in range(HAND_KINDS):
        if table["real"][dealer, kind] > 0:
            fill_win(table, dealer, ROB_GOLD, gold, -1, kind)
            total = hooks.worth(rules, table["win"], lut)
            if total > best:
                best, given_up = total, kind
    fill_win(table, dealer, ROB_GOLD, gold, -1, given_up)
    return best


@jit
def win_opening(rules: Record, table: Record, lut: Any) -> None:
    """Describe the win that the seat to act declares now."""
    step, gold = int(table["opening_step"]), int(table["major"])
    seat = _step_seat(table, step)
    table["todo"] = TODO_WIN
    if step < STEP_DEALER_COMPLETE:
        fill_win(table, seat, THREE_GOLDS, -1, -1, -1)
        return
    if seat != int(table["dealer"]):
        fill_win(table, seat, ROB_GOLD, gold, -1, -1)
        return
    drawn = -1
    if step == STEP_DEALER_COMPLETE:
        fill_win(table, seat, SELF_DRAW, int(table["drawn"]), -1, -1)
        drawn = hooks.worth(rules, table["win"], lut)
    if _fill_dealer_robbery(rules, table, lut) < drawn:
        fill_win(table, seat, SELF_DRAW, int(table["drawn"]), -1, -1)


@jit
def pass_opening(table: Record) -> None:
    """Decline, and go on to the next question."""
    record_event(table, EVENT_PASS, int(table["seat"]), 0, OFFER_HU)
    table["opening_step"] += 1
    table["todo"] = TODO_OPENING
