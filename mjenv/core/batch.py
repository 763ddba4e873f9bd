"""Many tables at once: reset, step, auto-reset, outputs into rows that the caller owns."""

from __future__ import annotations

from typing import Any

from mjenv.core.actions import MASK_ROW, N_ACTIONS
from mjenv.core.channels import PLANES, VIEW_FEATURES, VIEW_NONE, VIEW_ORACLE, VIEWS, observation_layout
from mjenv.core.layout import Array, Field, Record, offset_of, record_dtype
from mjenv.core.legal import decision_of, write_mask
from mjenv.core.lookahead import add_features, add_oracle
from mjenv.core.memory import prefetch_record
from mjenv.core.observe import observe
from mjenv.core.play import advance, begin_hand, take_action
from mjenv.core.reopen import reopen
from mjenv.core.session import enter_next_hand, new_episode
from mjenv.core.table import GOING, PHASE_HAND_OVER, TABLE, TRUNCATED
from mjenv.core.tiles import ROW
from mjenv.jit import jit, kernel

START, STEP, RESUME, REOPEN, SHOW = range(5)


_LAYOUTS = [observation_layout(view) for view in VIEWS]

SHOWN = record_dtype(
    (
        Field("mask", "u1", (MASK_ROW,), "1 for legal actions"),
        Field("scalars", "f4", (max(len(layout.scalars) for layout in _LAYOUTS),), "see `ObservationLayout`"),
        Field("reward", "f4", (4,), "points of a hand that just ended / reward_scale"),
        Field("points", "i4", (4,), "points of a hand that just ended"),
        Field("scores", "i4", (4,), "scores"),
        Field("seat", "i1", (), "who decides, -1 if nobody"),
        Field("decision", "i1", (), "what, an index in DECISIONS, -1 if nothing"),
        Field("done", "u1", (), "GOING, TERMINATED or TRUNCATED"),
        Field("is_done", "u1", (), "1: the episode is over"),
        Field("is_truncated", "u1", (), "1: it was cut off"),
        Field("observation", "u1", (ROW * max(len(layout.planes) for layout in _LAYOUTS),), "a plane every 40 bytes"),
    ),
    {"observation_words": "observation", "mask_words": "mask"},
)
"""What one table shows, with room for the largest view. One record instead of an array a quantity: compiled code then
counts no references, and a step touches memory in one place."""

STEP_BYTES = offset_of(TABLE, "event") + 64
MASK_BYTES = offset_of(SHOWN, "observation")
PLANES_BYTES = MASK_BYTES + ROW * len(PLANES)
"""What most steps touch: so much of a table, and of a row without and with its planes."""
MANY = 256
"""From so many tables on, the memory of the next one is asked for while one is worked on."""


@jit
def write_view(rules: Record, table: Record, seat: int, view: int, shown: Record, lut: Any) -> None:
    """Write what `seat` sees in a view (VIEW_...)."""
    if view == VIEW_NONE:
        return
    row, words, scalars = shown["observation"], shown["observation_words"], shown["scalars"]
    observe(rules, table, seat, row, words, scalars)
    if view == VIEW_FEATURES:
        add_features(rules, table, seat, row, words, scalars, lut)
    elif view == VIEW_ORACLE:
        add_oracle(rules, table, seat, row, words)


@jit
def _show(rules: Record, table: Record, view: int, shown: Record, lut: Any) -> None:
    """Write mask, decision and observation of the seat to act."""
    write_mask(rules, table, shown["mask"], shown["mask_words"])
    shown["seat"] = table["seat"]
    shown["decision"] = decision_of(table)
    if table["seat"] >= 0:
        write_view(rules, table, int(table["seat"]), view, shown, lut)


@jit
def _account(rules: Record, table: Record, shown: Record) -> None:
    """Write scores, and the points and reward of a hand that just ended."""
    scale = float(rules["reward_scale"])
    for seat in range(4):
        points = int(table["points"][seat])
        shown["points"][seat] = points
        shown["reward"][seat] = points / scale
        shown["scores"][seat] = table["scores"][seat]
    done = int(table["done"])
    shown["done"] = done
    shown["is_done"] = 1 if done != GOING else 0
    shown["is_truncated"] = 1 if done == TRUNCATED else 0


@kernel
def prepare_tables(rules: Array, tables: Array, rows: Array, seeds: Array, games: Array) -> None:
    """Set the tables `rows` to the start of games `games` under `seeds` (all int64), no hand begun yet."""
    for number in range(len(rows)):
        table = tables[int(rows[number])]
        table["seed"] = seeds[number]
        new_episode(rules[0], table, int(games[number]))


@jit
def _is_illegal(shown: Record, action: int) -> bool:
    """Whether a row that waits for an action does not allow this one."""
    if shown["seat"] < 0:
        return False
    return action < 0 or action >= N_ACTIONS or shown["mask"][action] == 0


@kernel
def find_illegal(rows: Array, actions: Array, low: int, high: int) -> int:
    """The first of rows `low` to `high` - 1 (`SHOWN`) whose action is outside its mask, or -1.

    Rows with nothing to decide take any action.
    """
    for row in range(low, high):
        if _is_illegal(rows[row], int(actions[row])):
            return row
    return -1


@jit
def _begin(rules: Record, table: Record, command: int, argument: int, lut: Any) -> None:
    """The first half of a command, up to where the table runs on by itself."""
    if command == STEP:
        take_action(rules, table, argument, lut)
    elif command == START:
        begin_hand(rules, table)
    elif command == RESUME:
        enter_next_hand(rules, table)
        begin_hand(rules, table)
    elif command == REOPEN:
        reopen(rules, table, argument, lut)


@jit
def _go_on(rules: Record, table: Record, autoreset: bool) -> None:
    """After a hand: begin the next one, or with `autoreset` the next game."""
    if table["phase"] == PHASE_HAND_OVER:
        enter_next_hand(rules, table)
        begin_hand(rules, table)
    elif table["done"] != GOING and autoreset:
        new_episode(rules, table, int(table["game"]) + 1)
        begin_hand(rules, table)


@jit
def run_table(
    rules: Record,
    table: Record,
    command: int,
    argument: int,
    view: int,
    autoreset: bool,
    pause: bool,
    shown: Record,
    lut: Any,
) -> None:
    """Run one command on one table to its next decision, and write what it shows (see `run_tables`)."""
    if command == STEP and table["seat"] < 0:
        for seat in range(4):
            shown["points"][seat] = 0
            shown["reward"][seat] = 0.0
        return
    _begin(rules, table, command, argument, lut)
    advance(rules, table, lut)
    _account(rules, table, shown)
    if command != SHOW and not pause and table["seat"] < 0:
        _go_on(rules, table, autoreset)
        advance(rules, table, lut)
    _show(rules, table, view, shown, lut)


@kernel
def run_tables(
    rules: Array,
    tables: Array,
    numbers: Array,
    command: int,
    arguments: Array,
    view: int,
    autoreset: bool,
    pause: bool,
    rows: Array,
    lut: Array,
) -> int:
    """Run one command on the tables `numbers` (int64) to their next decisions, and write what they show.

    rows: `SHOWN` [N], one for each table. STEP takes the action `arguments[number]`; if one of them is illegal, nothing
    happens and the first such number is returned, else -1. With `pause` a table then stops between two hands (for a log
    that reads it there), else the next hand begins at once, and with `autoreset` the next game. START begins the first
    hand of an episode, RESUME the next one after a pause; REOPEN asks the seat `arguments[number]` first, after hidden
    tiles were re-dealt; SHOW changes nothing. One kernel for all, because each compiles everything it calls.
    """
    if command == STEP:
        for number in numbers:
            if _is_illegal(rows[number], int(arguments[number])):
                return int(number)
    shown_bytes = MASK_BYTES if view == VIEW_NONE else PLANES_BYTES
    for place in range(len(numbers)):
        number = int(numbers[place])
        if len(numbers) >= MANY and place + 1 < len(numbers):
            later = int(numbers[place + 1])
            prefetch_record(tables, later, 0, STEP_BYTES)
            prefetch_record(rows, later, 0, shown_bytes)
        argument = int(arguments[number])
        run_table(rules[0], tables[number], command, argument, view, autoreset, pause, rows[number], lut[0])
    return -1


@kernel
def view_table(rules: Array, tables: Array, seat: int, view: int, rows: Array, lut: Array) -> None:
    """Write what `seat` sees of the first table into the first of `rows` (`SHOWN`)."""
    write_view(rules[0], tables[0], seat, view, rows[0], lut[0])
