"""The arena: lists of games between any agents, many at a time, with the same result whatever the batch size."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from agents.asking import ask
from agents.keys import decision_keys
from agents.protocol import OBSERVATIONS, Agent, Array
from agents.registry import make
from agents.watch import TALLY, note_throws, watch_deals, watch_steps
from mjenv.core.actions import N_ACTIONS, action_name
from mjenv.core.engine import Engine, check_max_hands, check_seed
from mjenv.core.rules import Rules
from mjenv.core.table import GOING, PHASE_HAND_OVER, REASON_HU, SOURCES
from mjenv.core.tiles import format_tiles, kinds_of
from mjenv.envs.snapshots import pack
from mjenv.variants import as_rules

Seating: TypeAlias = Sequence[Agent | str]
"""The agents of seats 0 to 3, or their names."""
Events: TypeAlias = list[dict[str, Any]]

MOST_GAMES = 10_000_000
"""More would not fit into memory in one call."""


class IllegalAction(ValueError):
    """An agent answered with something that is no legal action of the seat it plays.

    `place` is the game's place in the list. `state` is a snapshot of the table before the action: an AEC environment
    of the same rules goes there by `reset()` and `restore(state)`.
    """

    def __init__(self, problem: str, place: int = -1, state: bytes = b"") -> None:
        super().__init__(problem, place, state)
        self.place = place
        self.state = state

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True)
class Results:
    """What happened in n games, a row a game in the order given."""

    points: Array
    """int64 [n, 4]: points won or lost by each seat"""
    wins: Array
    """int64 [n, 4, S]: hands each seat won, by source (the order of `mjenv.core.table.SOURCES`)"""
    hands: Array
    """int64 [n]: hands played"""
    draws: Array
    """int64 [n]: hands that nobody won"""
    decisions: Array
    """int64 [n, 4]: decisions each seat took"""
    tally: Array
    """float64 [n, 4, T]: what `agents.watch` counts (its TALLY names the columns); no rows unless asked for"""


def play_games(
    variant: str,
    seats: Seating | Sequence[Seating],
    games: int | Sequence[int] | Array,
    *,
    seed: int = 0,
    rules: Rules | Mapping[str, Any] | None = None,
    episode: str = "hand",
    max_hands: int | None = None,
    options: Mapping[str, Any] | Sequence[Mapping[str, Any] | None] | None = None,
    batch_size: int = 1024,
    device: str = "cpu",
    tally: bool = False,
    log: Callable[[int, Events], None] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Results:
    """Play games of one seed to their end.

    games: how many (the first ones), or the game numbers; game i is what the i-th reset of an AEC environment under
    that seed gives (counted from 0), so a number that is given twice deals the same tiles twice.
    seats: four agents or names for all games, or four for each. options: reset options for all, or for each.
    tally: also count calls, wilds, shanten and luck. log: called with (place in the list, events) as each game ends.
    progress: called with the number of games that ended. Raises `IllegalAction` naming agent, seed and game.
    """
    chosen = as_rules(variant, rules)
    if isinstance(games, int | np.integer) and not 1 <= games <= MOST_GAMES:
        raise ValueError(f"games must be from 1 to {MOST_GAMES:,}, not {games!r}")
    numbers = np.arange(games) if isinstance(games, int | np.integer) else np.asarray(games)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or (numbers.size and numbers.min() < 0):
        raise ValueError(f"games must be a number or a list of game numbers from 0 on, not {games!r}")
    numbers = numbers.astype(np.int64)
    if batch_size < 1:
        raise ValueError(f"batch_size must be above 0, not {batch_size!r}")
    agents, seating = _seat_agents(chosen, seats, len(numbers), device)
    view = "features" if any(agent.observation == "features" for agent in agents) else "planes"
    size = max(1, min(batch_size, len(numbers)))
    engine = Engine(chosen, size, episode=episode, max_hands=check_max_hands(max_hands), view=view)
    watcher = _Watcher(engine) if tally else None
    arena = _Arena(engine, check_seed(seed), numbers, agents, seating, _options_of(options, len(numbers)), watcher, log)
    arena.play(progress or (lambda _: None))
    return arena.results


def _seat_agents(rules: Rules, seats: Seating | Sequence[Seating], n: int, device: str) -> tuple[list[Agent], Array]:
    """The distinct agents, and int64 [n, 4]: which of them plays each seat of each game."""
    shared = len(seats) == 4 and all(_is_seat(entry) for entry in seats)
    per_game: list[Any] = [seats] * n if shared else list(seats)
    if len(per_game) != n or any(_is_seat(game) or len(game) != 4 for game in per_game):
        raise ValueError(f"seats must be four agents, or four for each of the {n} games")
    named: dict[str, Agent] = {}
    places: dict[int, int] = {}
    agents: list[Agent] = []
    seating = np.zeros((n, 4), np.int64)
    for game, four in enumerate(per_game):
        for seat, entry in enumerate(four):
            if isinstance(entry, str):
                if entry not in named:
                    named[entry] = make(entry, rules.variant, rules, device=device)
                entry = named[entry]
            if id(entry) not in places:
                places[id(entry)] = len(agents)
                agents.append(entry)
            seating[game, seat] = places[id(entry)]
    for agent in agents:
        if agent.observation not in OBSERVATIONS:
            raise ValueError(f"agent {agent.name} reads {agent.observation!r}: use one of {', '.join(OBSERVATIONS)}")
    return agents, seating


def _is_seat(entry: Any) -> bool:
    return isinstance(entry, str) or hasattr(entry, "act")


def _options_of(given: Any, n: int) -> list[Mapping[str, Any] | None]:
    if given is None or isinstance(given, Mapping):
        return [given] * n
    if len(given) != n:
        raise ValueError(f"options must be one mapping, or one for each of the {n} games, not {len(given)}")
    return list(given)


class _Arena:
    """Games on their way through the rows of an engine."""

    def __init__(
        self,
        engine: Engine,
        seed: int,
        numbers: Array,
        agents: list[Agent],
        seating: Array,
        options: list[Mapping[str, Any] | None],
        watcher: _Watcher | None,
        log: Callable[[int, Events], None] | None,
    ) -> None:
        n = len(numbers)
        self._engine, self._seed, self._numbers = engine, seed, numbers
        self._agents, self._seating, self._options = agents, seating, options
        self._same_options = all(entry is options[0] for entry in options)
        self._watcher = watcher
        self._book = _LogBook(engine.rules, log) if log else None
        self._game = np.full(len(engine.tables), -1, np.int64)
        """The place in the list of the game on each row, -1 for an idle row."""
        self._next = 0
        self._actions = np.zeros(len(engine.tables), np.int64)
        self.results = Results(
            points=np.zeros((n, 4), np.int64),
            wins=np.zeros((n, 4, len(SOURCES)), np.int64),
            hands=np.zeros(n, np.int64),
            draws=np.zeros(n, np.int64),
            decisions=np.zeros((n, 4), np.int64),
            tally=np.zeros((n if watcher else 0, 4, len(TALLY))),
        )

    def play(self, progress: Callable[[int], None]) -> None:
        """Play all games."""
        ended = 0
        self._start(np.arange(len(self._game)))
        while (rows := np.flatnonzero(self._game >= 0)).size:
            self._decide(rows)
            if self._engine.step(self._actions, 0, len(self._game), autoreset=False, pause=True) >= 0:
                raise RuntimeError("a checked action is illegal: the table's mask was changed from outside")
            over = self._close_hands(rows)
            if over.size:
                ended += len(over)
                progress(ended)
                self._start(over)

    def _start(self, rows: Array) -> None:
        """Put the next games on free rows."""
        count = min(len(rows), len(self._numbers) - self._next)
        places = np.arange(self._next, self._next + count)
        self._next += count
        self._game[rows[count:]] = -1
        rows = rows[:count].astype(np.int64)
        self._game[rows] = places
        seeds = np.full(count, self._seed, np.int64)
        if self._same_options:
            self._engine.start(rows, seeds, self._numbers[places], self._options[0] if self._options else None)
        else:
            for at, place in enumerate(places):
                one = slice(at, at + 1)
                self._engine.start(rows[one], seeds[one], self._numbers[places[one]], self._options[place])
        self._note_deals(rows)

    def _decide(self, rows: Array) -> None:
        """Ask the agents for the actions of all rows that play, each agent once."""
        engine, tables = self._engine, self._engine.tables
        seats = engine.out.seat[rows].astype(np.int64)
        keys = decision_keys(tables["seed"][rows], tables["game"][rows], tables["decisions"][rows], seats)
        players = self._seating[self._game[rows], seats]
        for number, agent in enumerate(self._agents):
            mine = np.flatnonzero(players == number)
            if mine.size:
                self._actions[rows[mine]] = self._ask(agent, rows[mine], keys[mine])
        np.add.at(self.results.decisions, (self._game[rows], seats), 1)

    def _ask(self, agent: Agent, rows: Array, keys: Array) -> Array:
        engine = self._engine
        actions = ask(agent, engine, rows, keys)
        if actions.shape != (len(rows),) or not np.issubdtype(actions.dtype, np.integer):
            raise IllegalAction(
                f"agent {agent.name} must return {len(rows)} integers, not shape {actions.shape} of {actions.dtype}"
            )
        inside = (actions >= 0) & (actions < N_ACTIONS)
        legal = inside & (engine.mask[rows, np.where(inside, actions, 0)] > 0)
        if not legal.all():
            self._refuse(agent, int(rows[~legal][0]), int(actions[~legal][0]))
        return actions

    def _refuse(self, agent: Agent, row: int, action: int) -> None:
        engine = self._engine
        table = engine.tables[row]
        name = f" ({action_name(action)})" if 0 <= action < N_ACTIONS else ""
        seat = int(table["seat"])
        four = ", ".join(self._agents[player].name for player in self._seating[self._game[row]])
        raise IllegalAction(
            f"agent {agent.name} chose the illegal action {action}{name} at decision {int(table['decisions'])} as seat "
            f"{seat} in game {int(table['game'])} of {engine.rules.variant}, seed {self._seed}: "
            f"legal are {', '.join(map(str, np.flatnonzero(engine.mask[row])))}; it holds "
            f"{format_tiles(kinds_of(table['hand'][seat].tolist()))}; the seats are {four}",
            int(self._game[row]),
            pack(engine.rules, engine.tables[row : row + 1], {"agent_selection": f"player_{seat}"}),
        )

    def _close_hands(self, rows: Array) -> Array:
        """Book the hands that ended, go on to the next hands; returns the rows whose game is over."""
        engine, results = self._engine, self.results
        tables = engine.tables
        if self._watcher:
            self._watcher.step(rows)
        if self._book:
            for row in rows:
                self._book.step(int(self._game[row]), tables[row])
        paused = tables["phase"][rows] == PHASE_HAND_OVER
        over = engine.out.done[rows] != GOING
        ended = rows[paused | over]
        games = self._game[ended]
        results.points[games] += engine.out.points[ended]
        results.hands[games] += 1
        won = tables["reason"][ended] == REASON_HU
        results.draws[games] += ~won
        win = tables["win"][ended]
        results.wins[games[won], win["seat"][won].astype(np.int64), win["source"][won]] += 1
        going_on: Array = rows[paused]
        if going_on.size:
            engine.resume(going_on)
            self._note_deals(going_on)
        finished: Array = rows[over]
        if self._watcher:
            results.tally[self._game[finished]] = self._watcher.finish(finished)
        if self._book:
            self._book.finish(self._game[finished])
        return finished

    def _note_deals(self, rows: Array) -> None:
        if self._watcher:
            self._watcher.deal(rows)
        if self._book:
            for row in rows:
                game = int(self._game[row])
                names = [self._agents[player].name for player in self._seating[game]]
                self._book.start(game, self._engine.tables[row], names)


class _Watcher:
    """Tallies of the games under way."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._tally = np.zeros((len(engine.tables), 4, len(TALLY)))

    def deal(self, rows: Array) -> None:
        """Hands were dealt."""
        watch_deals(self._engine.rules.record, self._engine.tables, rows, self._tally, self._engine.lut)

    def step(self, rows: Array) -> None:
        """Decisions were taken."""
        engine, tables = self._engine, self._engine.tables
        watch_steps(engine.rules.record, tables, rows, self._tally, engine.lut)
        won = rows[(tables["reason"][rows] == REASON_HU) & tables["thrown"][rows].any(axis=1)]
        for row in won:
            note_throws(engine.rules, tables[row], self._tally[row], engine.lut)

    def finish(self, rows: Array) -> Array:
        """These games are over: their tallies, float64 [n, 4, T]."""
        done = self._tally[rows]
        self._tally[rows] = 0
        return done


class _LogBook:
    """Events of the games under way, each game's handed on when it ends."""

    def __init__(self, rules: Rules, sink: Callable[[int, Events], None]) -> None:
        self._rules, self._sink = rules, sink
        self._events: dict[int, Events] = {}

    def start(self, game: int, table: Any, names: list[str]) -> None:
        """A hand was dealt."""
        from mjenv.log import start_events

        self._events.setdefault(game, []).extend(start_events(self._rules, table, names))

    def step(self, game: int, table: Any) -> None:
        """A decision was taken."""
        from mjenv.log import step_events

        self._events[game] += step_events(self._rules, table)

    def finish(self, games: Array) -> None:
        """These games are over."""
        for game in games.tolist():
            self._sink(game, self._events.pop(game))
