"""Tables and the rows they are shown in: the Python side of the batch kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mjenv.core import batch
from mjenv.core.actions import N_ACTIONS
from mjenv.core.channels import BATCH_VIEWS, VIEWS, ObservationLayout, observation_layout
from mjenv.core.layout import Array
from mjenv.core.rules import DEAL_FIXED, DEAL_ROTATES, Rules
from mjenv.core.suits import load
from mjenv.core.table import EPISODES, MAX_STREAK, TABLE, WALL_ROW
from mjenv.core.tiles import HAND_KINDS, KINDS, NAMES, ROW, WINDS, kind_of

MAX_SEED = 2**63 - 1
OPTIONS = ("dealer", "streak", "round_wind", "scores", "wall", "roll")


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool | np.bool_)


def check_seed(seed: Any) -> int:
    """The seed as an int; `ValueError` unless it is a whole number from 0 to 2**63 - 1."""
    if not _is_whole(seed) or not 0 <= seed <= MAX_SEED:
        raise ValueError(f"seed must be a whole number from 0 to 2**63 - 1, not {seed!r}")
    return int(seed)


def check_choice(name: str, value: Any, allowed: tuple[str, ...]) -> str:
    """The value; `ValueError` unless it is one of `allowed`."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, not {value!r}")
    return str(value)


def check_max_hands(value: Any) -> int:
    """The hand limit as an int, 0 for None; `ValueError` unless None or a whole number above 0."""
    if value is None:
        return 0
    if not _is_whole(value) or not 1 <= value < 2**31:
        raise ValueError(f"max_hands must be None or a whole number from 1 to 2**31 - 1, not {value!r}")
    return int(value)


def _check_wall(rules: Rules, wall: Any) -> list[int]:
    record = rules.record[0]
    try:
        kinds = [kind_of(tile) if isinstance(tile, str) else tile for tile in wall]
    except TypeError:
        raise ValueError(f"wall must be a list of tiles, not {wall!r}") from None
    for kind in kinds:
        if not _is_whole(kind) or not 0 <= kind < KINDS:
            raise ValueError(f"wall holds {kind!r}, which is neither a tile name nor a kind from 0 to {KINDS - 1}")
    counts = np.bincount(np.array(kinds, np.int64), minlength=KINDS)
    for kind in np.flatnonzero(counts != record["copies"]):
        raise ValueError(
            f"wall of {len(kinds)} tiles has {counts[kind]} of {NAMES[kind]}: {rules.variant} needs "
            f"{record['wall_size']} tiles with {record['copies'][kind]} of that kind"
        )
    return [int(kind) for kind in kinds]


def _check_roll(rules: Rules, roll: Any) -> int:
    dice = int(rules.record[0]["dice"])
    if dice == 0:
        raise ValueError(f"{rules.variant} rolls no dice under these rules, so roll={roll!r} has no meaning")
    if not _is_whole(roll) or not dice <= roll <= 6 * dice:
        raise ValueError(f"roll must be a whole number from {dice} to {6 * dice}, not {roll!r}")
    return int(roll)


def check_options(rules: Rules, options: Mapping[str, Any] | None) -> dict[str, Any]:
    """The reset options as table fields; `ValueError` for a bad value of a known key, unknown keys are ignored."""
    if options is not None and not isinstance(options, Mapping):
        raise ValueError(f"options must be a mapping of {', '.join(OPTIONS)}, not {options!r}")
    given = {name: value for name, value in (options or {}).items() if name in OPTIONS and value is not None}
    fields: dict[str, Any] = {}
    if "dealer" in given:
        dealer = given["dealer"]
        if dealer != "random" and not (_is_whole(dealer) and 0 <= dealer <= 3):
            raise ValueError(f"dealer must be 0, 1, 2, 3 or 'random', not {dealer!r}")
        fields["random_dealer" if dealer == "random" else "dealer"] = 1 if dealer == "random" else int(dealer)
    if "streak" in given:
        streak = given["streak"]
        if not _is_whole(streak) or not 0 <= streak <= MAX_STREAK:
            raise ValueError(f"streak must be a whole number from 0 to {MAX_STREAK}, not {streak!r}")
        fields["streak"] = 0 if rules.record[0]["deal_moves"] in (DEAL_FIXED, DEAL_ROTATES) else int(streak)
    if "round_wind" in given:
        allowed = tuple(WINDS) if rules.record[0]["wind_moves"] else ("E",)
        fields["round_wind"] = WINDS.index(check_choice("round_wind", given["round_wind"], allowed))
    if "scores" in given:
        scores = given["scores"]
        if (
            not hasattr(scores, "__len__")
            or len(scores) != 4
            or not all(_is_whole(s) and -(2**24) < s < 2**24 for s in scores)
        ):
            raise ValueError(f"scores must be four whole numbers below 2**24, not {scores!r}")
        fields["scores"] = [int(score) for score in scores]
    if "wall" in given:
        wall = _check_wall(rules, given["wall"])
        fields["wall"] = wall + [0] * (WALL_ROW - len(wall))
        fields["wall_given"] = 1
    if "roll" in given:
        fields["roll_given"] = _check_roll(rules, given["roll"])
    return fields


PAID = ("reward", "points", "scores", "done", "is_done", "is_truncated")


class Outputs:
    """Views of `SHOWN` records [N], one array a quantity.

    observation uint8 [N, C, 34]; scalars float32 [N, K]; mask uint8 [N, 75]; seat, decision int8 [N]; reward
    float32 [N, 4]; points, scores int32 [N, 4]; done uint8 [N] (GOING, TERMINATED or TRUNCATED).
    """

    def __init__(self, shown: Array, layout: ObservationLayout) -> None:
        planes = shown["observation"].reshape(len(shown), -1, ROW)
        self.observation: Array = planes[:, : len(layout.planes), :HAND_KINDS]
        self.scalars: Array = shown["scalars"][:, : len(layout.scalars)]
        self.mask: Array = shown["mask"][:, :N_ACTIONS]
        self.seat: Array = shown["seat"]
        self.decision: Array = shown["decision"]
        self.reward: Array = shown["reward"]
        self.points: Array = shown["points"]
        self.scores: Array = shown["scores"]
        self.done: Array = shown["done"]


class Engine:
    """N tables under one set of rules, and the rows that show them: `shown` (`SHOWN` [N]), and `out`, its arrays.

    Every call overwrites the rows.
    """

    def __init__(self, rules: Rules, num_tables: int, *, episode: str, max_hands: int, view: str) -> None:
        self.rules = rules
        self.layout: ObservationLayout = observation_layout(view)
        self.view = BATCH_VIEWS.index(view)
        self.lut = load()
        self.tables = np.zeros(num_tables, TABLE)
        self.tables["seat"] = -1
        self.tables["episode"] = EPISODES.index(check_choice("episode", episode, EPISODES))
        self.tables["max_hands"] = max_hands
        self.rows: Array = np.arange(num_tables, dtype=np.int64)
        self._no_arguments: Array = np.zeros(num_tables, np.int64)
        self._allocate(num_tables)

    def _allocate(self, n: int) -> None:
        self.shown: Array = np.zeros(n, batch.SHOWN)
        self.shown["seat"] = self.shown["decision"] = -1
        self.out = Outputs(self.shown, self.layout)
        self.observation: Array = self.out.observation
        self.mask: Array = self.out.mask

    def __getstate__(self) -> dict[str, Any]:
        paid = {name: self.shown[name].copy() for name in PAID}
        return {"rules": self.rules, "view": BATCH_VIEWS[self.view], "tables": self.tables.tobytes(), "paid": paid}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Copies and pickles carry the tables; rows are allocated and written anew, since they are views."""
        tables = np.frombuffer(state["tables"], TABLE).copy()
        self.__init__(state["rules"], len(tables), episode="hand", max_hands=0, view=state["view"])  # type: ignore[misc]
        self.tables[:] = tables
        self.show()
        for name, array in state["paid"].items():
            self.shown[name] = array

    def start(self, rows: Array, seeds: Array, games: Array, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode on the tables `rows` (int64) with their seeds and game numbers.

        Raises `ValueError` for a bad option; then nothing has changed.
        """
        fields = check_options(self.rules, options)
        batch.prepare_tables(self.rules.record, self.tables, rows, seeds, games)
        for name, value in fields.items():
            self.tables[name][rows] = value
        self._run(batch.START, rows)

    def step(self, actions: Array, low: int, high: int, *, autoreset: bool, pause: bool) -> int:
        """Advance tables `low` to `high` - 1 by one action each (`actions` int64 [N]); returns -1.

        If an action is illegal nothing happens, and the first such table is returned.
        """
        return self._run(batch.STEP, self.rows[low:high], actions, autoreset, pause)

    def _run(
        self,
        command: int,
        rows: Array,
        arguments: Array | None = None,
        autoreset: bool = False,
        pause: bool = False,
    ) -> int:
        return batch.run_tables(
            self.rules.record,
            self.tables,
            rows,
            command,
            self._no_arguments if arguments is None else arguments,
            self.view,
            autoreset,
            pause,
            self.shown,
            self.lut,
        )

    def find_illegal(self, actions: Array, low: int, high: int) -> int:
        """The first of rows `low` to `high` - 1 whose action (int64 [N]) is outside its mask, or -1."""
        return batch.find_illegal(self.shown, actions, low, high)

    def resume(self, rows: Array) -> None:
        """Begin the next hand of tables that paused between two hands."""
        self._run(batch.RESUME, rows)

    def show(self) -> None:
        """Write all rows again after the tables were changed from outside."""
        self._run(batch.SHOW, self.rows)

    def reopen(self, seat: int) -> None:
        """Rebuild all tables after hidden tiles were re-dealt; `seat` is asked first in an open window."""
        self._run(batch.REOPEN, self.rows, np.full(len(self.rows), seat, np.int64))


class Scratch:
    """A row of its own to write one seat's view into."""

    def __init__(self, view: str) -> None:
        self._view = VIEWS.index(view)
        self._shown = np.zeros(1, batch.SHOWN)
        self._out = Outputs(self._shown, observation_layout(view))

    def view(self, engine: Engine, seat: int) -> tuple[Array, Array]:
        """Planes uint8 [C, 34] and scalars float32 [K] of `seat` at the engine's first table; overwritten next time."""
        batch.view_table(engine.rules.record, engine.tables, seat, self._view, self._shown, engine.lut)
        return self._out.observation[0], self._out.scalars[0]
