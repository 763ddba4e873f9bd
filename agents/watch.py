"""What happens to each seat of a table, counted while games run: calls, wilds, floats, shanten, and luck in drawing.

The luck columns compare a draw with its chance. Given everybody's tiles, those that nobody has drawn yet lie in every
order with the same probability. So "the tile helped, less the chance that it would" has mean zero whatever is played,
and that is what a control variate needs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mjenv.core import wins
from mjenv.core.layout import Array, Record
from mjenv.core.lookahead import hand_distance, wild_set
from mjenv.core.rules import Rules
from mjenv.core.shanten import count_unseen, draw_suits, find_useful
from mjenv.core.table import (
    DISCARDED,
    EVENT_BONUS,
    EVENT_CHI,
    EVENT_DISCARD,
    EVENT_DRAW,
    EVENT_GANG,
    EVENT_PENG,
    MELD_GANG,
    PHASE_HAND_OVER,
    PHASE_OVER,
    REASON_DRAW,
    REASON_HU,
    ROBBED_GANG,
)
from mjenv.core.tiles import HAND_KINDS, KINDS
from mjenv.core.wall import gain, lose
from mjenv.core.winning import forms_open
from mjenv.jit import jit, kernel

TALLY = (
    "hands",
    "drawn_hands",
    "win_total",
    "win_points",
    "deal_ins",
    "deal_in_points",
    "deal_in_extra",
    "chi",
    "peng",
    "gang",
    "own_gang",
    "wilds_dealt",
    "wilds_drawn",
    "wilds_used",
    "wilds_thrown",
    "thrown_cost",
    "floats",
    "floats_paid",
    "bonus",
    "shanten_dealt",
    "reached_turn_5",
    "shanten_turn_5",
    "shanten_end",
    "luck_wait",
    "luck_near",
    "luck_far",
    "luck_wild",
    "luck_bonus",
)
"""Columns of a tally, each a sum over the hands of a game.

`win_total`: in faan, fan, multiplier or points, as the variant counts. `deal_in_extra`: points beyond what the other
losers paid. `thrown_cost`: points that a seat would have had more if it had thrown none of its wilds. `gang`: claimed
ones; `own_gang`: concealed and added ones. `luck_wait`, `luck_near`, `luck_far`: draws that lowered the shanten less
their chance, by the shanten before them (0, 1, more)."""

(
    HANDS,
    DRAWN_HANDS,
    WIN_TOTAL,
    WIN_POINTS,
    DEAL_INS,
    DEAL_IN_POINTS,
    DEAL_IN_EXTRA,
    CHI,
    PENG,
    GANG,
    OWN_GANG,
    WILDS_DEALT,
    WILDS_DRAWN,
    WILDS_USED,
    WILDS_THROWN,
    THROWN_COST,
    FLOATS,
    FLOATS_PAID,
    BONUS,
    SHANTEN_DEALT,
    REACHED_TURN_5,
    SHANTEN_TURN_5,
    SHANTEN_END,
    LUCK_WAIT,
    LUCK_NEAR,
    LUCK_FAR,
    LUCK_WILD,
    LUCK_BONUS,
) = range(len(TALLY))

TURN = 5


@jit
def count_undrawn(rules: Record, table: Record, pool: Array) -> None:
    """Write the tiles that nobody has drawn into the first row of `pool` (uint8 [2, KINDS]) by kind."""
    pool[:] = 0
    for index in range(int(table["head"]), int(rules["wall_size"])):
        taken = int(table["tail"]) < index < int(rules["live_end"])
        if not taken and index != int(table["flip"]):
            pool[0, int(table["wall"][index])] += 1


@jit
def _note_draw(
    rules: Record, table: Record, seat: int, tile: int, kept: int, pool: Array, row: Array, lut: Any
) -> None:
    """Add the luck of drawing `tile` to a seat's tally row.

    `pool` (uint8 [2, KINDS]) still holds the tile in its first row. `kept` is what the seat ended up with after bonus
    tiles were replaced, -1 for nothing; without it the hand is what it was before the draw.
    """
    total, bonus, wilds = 0, 0, 0
    for kind in range(KINDS):
        count = int(pool[0, kind])
        total += count
        pool[1, kind] = count
        if rules["bonus"][kind]:
            bonus += count
            pool[1, kind] = 0
        elif kind < HAND_KINDS and table["is_wild"][kind]:
            wilds += count
    is_bonus = rules["bonus"][tile] != 0
    is_wild = not is_bonus and table["is_wild"][tile] != 0
    row[LUCK_BONUS] += int(is_bonus) - bonus / total
    row[LUCK_WILD] += int(is_wild) - wilds / total
    row[WILDS_DRAWN] += int(is_wild)
    melds = int(table["n_melds"][seat])
    if kept >= 0:
        lose(table, seat, kept)
    real, key, drawn = table["real"][seat], table["key"][seat], table["after_draw"]
    own_wilds = int(table["wilds"][seat])
    draw_suits(real, key, own_wilds, lut, drawn)
    shanten, kinds = find_useful(
        real,
        table["real_words"][seat],
        key,
        own_wilds,
        melds,
        int(rules["sets"]),
        forms_open(rules, table, seat),
        drawn,
        lut,
    )
    count = count_unseen(kinds | wild_set(table), pool[1])
    if kept >= 0:
        gain(table, seat, kept)
    helped = not is_bonus and hand_distance(rules, table, seat, melds, lut) < shanten
    row[LUCK_WAIT + min(max(shanten, 0), 2)] += int(helped) - count / total


@jit
def _note_draws(rules: Record, table: Record, low: int, high: int, tally: Array, pool: Array, lut: Any) -> None:
    """Add the luck of events `low` to `high` - 1: one seat draws, and draws again for each bonus tile.

    `pool` is without these tiles before and with them afterwards.
    """
    event = table["event"]
    seat = int(event[low, 1])
    kept = int(event[high - 1, 2]) if event[high - 1, 0] == EVENT_DRAW else -1
    for number in range(high - 1, low - 1, -1):
        if event[number, 0] == EVENT_DRAW:
            tile = int(event[number, 2])
            pool[0, tile] += 1
            _note_draw(rules, table, seat, tile, kept, pool, tally[seat], lut)


@jit
def _note_event(rules: Record, table: Record, number: int, tally: Array, lut: Any) -> None:
    """Count a discard or a meld."""
    kind, seat = int(table["event"][number, 0]), int(table["event"][number, 1])
    detail = int(table["event"][number, 3])
    row = tally[seat]
    if kind == EVENT_CHI:
        row[CHI] += 1.0
    elif kind == EVENT_PENG:
        row[PENG] += 1.0
    elif kind == EVENT_GANG:
        row[GANG if detail == MELD_GANG else OWN_GANG] += 1.0
    elif kind == EVENT_DISCARD:
        row[WILDS_THROWN] += int(detail >> 1 & 1)
        row[FLOATS] += int(detail >> 2 > 0)
        thrown = 0
        for tile in range(HAND_KINDS):
            thrown += int(table["n_discarded"][seat, tile])
        if thrown == TURN:
            row[REACHED_TURN_5] += 1.0
            row[SHANTEN_TURN_5] += hand_distance(rules, table, seat, int(table["n_melds"][seat]), lut)


@jit
def _note_end(rules: Record, table: Record, tally: Array, lut: Any) -> None:
    """Count how a hand ended."""
    won = table["reason"] == REASON_HU
    win = table["win"]
    winner = int(win["seat"]) if won else -1
    for seat in range(4):
        row = tally[seat]
        row[DRAWN_HANDS] += int(table["reason"] == REASON_DRAW)
        shanten = -1 if seat == winner else hand_distance(rules, table, seat, int(table["n_melds"][seat]), lut)
        row[SHANTEN_END] += shanten
        for kind in range(len(table["bonus"][seat])):
            row[BONUS] += table["bonus"][seat, kind]
    if not won:
        return
    row = tally[winner]
    row[WIN_TOTAL] += win["total"]
    row[WIN_POINTS] += table["points"][winner]
    row[WILDS_USED] += win["wilds"]
    row[FLOATS_PAID] += int(win["floats"] > 0)
    if win["source"] == DISCARDED or win["source"] == ROBBED_GANG:
        payer = int(win["from_seat"])
        paid = -int(table["points"][payer])
        others = int(table["points"][winner]) - paid
        tally[payer, DEAL_INS] += 1.0
        tally[payer, DEAL_IN_POINTS] += paid
        tally[payer, DEAL_IN_EXTRA] += paid - others / 2


@kernel
def watch_deals(rules: Array, tables: Array, rows: Array, tally: Array, lut: Array) -> None:
    """Count the hands that were just dealt on tables `rows` (int64 [n]) into `tally` (float64 [N, 4, len(TALLY)])."""
    for number in range(len(rows)):
        index = int(rows[number])
        table = tables[index]
        for seat in range(4):
            row = tally[index, seat]
            row[HANDS] += 1.0
            row[WILDS_DEALT] += table["wilds"][seat]
            row[SHANTEN_DEALT] += hand_distance(rules[0], table, seat, 0, lut[0])


@jit
def _is_draw(event: Array, number: int) -> bool:
    """Whether an event belongs to a draw: the tile, or a bonus tile that is laid aside."""
    return bool(event[number, 0] == EVENT_DRAW or event[number, 0] == EVENT_BONUS)


@jit
def _note_step(rules: Record, table: Record, tally: Array, pool: Array, lut: Any) -> None:
    """Count the events of a step, from the last to the first, so that each draw finds in `pool` what was there."""
    event = table["event"]
    low = int(table["n_events"])
    is_counted = False
    while low > 0:
        high = low
        low -= 1
        if not _is_draw(event, low):
            _note_event(rules, table, low, tally, lut)
            continue
        while low > 0 and _is_draw(event, low - 1) and event[low - 1, 1] == event[low, 1]:
            low -= 1
        if not is_counted:
            count_undrawn(rules, table, pool)
            is_counted = True
        _note_draws(rules, table, low, high, tally, pool, lut)


@kernel
def watch_steps(rules: Array, tables: Array, rows: Array, tally: Array, lut: Array) -> None:
    """Count the last step of tables `rows` (int64 [n]) into `tally` (float64 [N, 4, len(TALLY)])."""
    pool = np.zeros((2, KINDS), np.uint8)
    for number in range(len(rows)):
        index = int(rows[number])
        table = tables[index]
        _note_step(rules[0], table, tally[index], pool, lut[0])
        if table["phase"] == PHASE_HAND_OVER or table["phase"] == PHASE_OVER:
            _note_end(rules[0], table, tally[index], lut[0])


def note_throws(rules: Rules, table: Record, tally: Array, lut: Array) -> None:
    """Add what throwing wilds cost each seat in the hand that `table` has just ended (`tally` float64 [4, columns]).

    The win is settled once more for each seat that threw any, as if it had thrown none.
    """
    for seat in np.flatnonzero(table["win"]["thrown"]).tolist():
        again = np.array([table["win"]])
        again["thrown"][0, seat] = 0
        wins.score(rules.record, again, lut)
        tally[seat, THROWN_COST] += int(again["payments"][0, seat]) - int(table["points"][seat])
