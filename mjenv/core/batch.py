"""Many tables at once: reset, step, auto-reset, outputs into rows that the caller owns."""

from __future__ import annotations

from typing import Any, NamedTuple

from mjenv.core.actions import N_ACTIONS
from mjenv.core.channels import VIEW_FEATURES, VIEW_ORACLE
from mjenv.core.layout import Array, Record
from mjenv.core.legal import decision_of, write_mask
from mjenv.core.lookahead import add_features, add_oracle
from mjenv.core.observe import observe
from mjenv.core.play import advance, begin_hand, take_action
from mjenv.core.reopen import reopen
from mjenv.core.session import enter_next_hand, new_episode
from mjenv.core.table import GOING, PHASE_HAND_OVER
from mjenv.jit import jit

START, STEP, RESUME, REOPEN, SHOW = range(5)


class Outputs(NamedTuple):
    """What a batch shows of its N tables; rows are padded, `*_words` re-read the same memory as uint64."""

    observation: Array
    """uint8 [N, 40 C]"""
    observation_words: Array
    """uint64 [N, 5 C]"""
    scalars: Array
    """float32 [N, K]"""
    mask: Array
    """uint8 [N, 80]"""
    mask_words: Array
    """uint64 [N, 10]"""
    seat: Array
    """int8 [N]: who decides, -1 if nobody"""
    decision: Array
    """int8 [N]: what, an index in DECISIONS, -1 if nothing"""
    reward: Array
    """float32 [N, 4]"""
    points: Array
    """int32 [N, 4]"""
    scores: Array
    """int32 [N, 4]"""
    done: Array
    """uint8 [N]: GOING, TERMINATED or TRUNCATED"""


@jit
def write_view(
    rules: Record, table: Record, seat: int, view: int, row: Array, words: Array, scalars: Array, lut: Any
) -> None:
    """Write what `seat` sees in a view (VIEW_...)."""
    observe(rules, table, seat, row, words, scalars)
    if view == VIEW_FEATURES:
        add_features(rules, table, seat, row, words, scalars, lut)
    elif view == VIEW_ORACLE:
        add_oracle(rules, table, seat, row, words)


@jit
def _show(rules: Record, table: Record, index: int, view: int, out: Outputs, lut: Any) -> None:
    """Write mask, decision and observation of the seat to act."""
    write_mask(rules, table, out.mask[index], out.mask_words[index])
    out.seat[index] = table["seat"]
    out.decision[index] = decision_of(table)
    if table["seat"] >= 0:
        write_view(
            rules,
            table,
            int(table["seat"]),
            view,
            out.observation[index],
            out.observation_words[index],
            out.scalars[index],
            lut,
        )


@jit
def _account(rules: Record, table: Record, index: int, out: Outputs) -> None:
    """Write scores, and the points and reward of a hand that just ended."""
    scale = float(rules["reward_scale"])
    for seat in range(4):
        points = int(table["points"][seat])
        out.points[index, seat] = points
        out.reward[index, seat] = points / scale
        out.scores[index, seat] = table["scores"][seat]
    out.done[index] = table["done"]


@jit
def prepare_tables(rules: Array, tables: Array, rows: Array, seeds: Array, games: Array) -> None:
    """Set the tables `rows` to the start of games `games` under `seeds` (all int64), no hand begun yet."""
    for number in range(len(rows)):
        table = tables[int(rows[number])]
        table["seed"] = seeds[number]
        new_episode(rules[0], table, int(games[number]))


@jit
def find_illegal(mask: Array, actions: Array) -> int:
    """The first row whose action is outside its mask, or -1; rows with nothing to decide take any action."""
    for index in range(len(actions)):
        action = int(actions[index])
        if action < 0 or action >= N_ACTIONS or not mask[index, action]:
            idle = True
            for other in range(N_ACTIONS):
                idle = idle and not mask[index, other]
            if not idle:
                return index
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
def run_tables(
    rules: Array,
    tables: Array,
    rows: Array,
    command: int,
    arguments: Array,
    view: int,
    autoreset: bool,
    pause: bool,
    out: Outputs,
    lut: Any,
) -> None:
    """Run one command on the tables `rows` (int64) to their next decisions, and write what they show.

    STEP takes the legal action `arguments[row]`; with `pause` a table then stops between two hands (for a log that
    reads it there), else the next hand begins at once, and with `autoreset` the next game. START begins the first hand
    of an episode, RESUME the next one after a pause; REOPEN asks the seat `arguments[row]` first, after hidden tiles
    were re-dealt; SHOW changes nothing. One kernel for all, because each compiles everything it calls.
    """
    for number in range(len(rows)):
        index = int(rows[number])
        table = tables[index]
        if command == STEP and table["seat"] < 0:
            for seat in range(4):
                out.points[index, seat] = 0
                out.reward[index, seat] = 0.0
            continue
        _begin(rules[0], table, command, int(arguments[index]), lut)
        advance(rules[0], table, lut)
        _account(rules[0], table, index, out)
        if command != SHOW and not pause and table["seat"] < 0:
            _go_on(rules[0], table, autoreset)
            advance(rules[0], table, lut)
        _show(rules[0], table, index, view, out, lut)


@jit
def view_table(
    rules: Array, tables: Array, seat: int, view: int, row: Array, words: Array, scalars: Array, lut: Any
) -> None:
    """What `seat` sees of the first table."""
    write_view(rules[0], tables[0], seat, view, row, words, scalars, lut)
