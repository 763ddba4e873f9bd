"""Duplicate blocks: one deal played in several seatings, and sums over each block for each agent."""

from __future__ import annotations

import hashlib
import itertools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.arena import Events, Results, play_games
from agents.protocol import Agent
from agents.registry import find_checkpoint, make
from agents.watch import TALLY
from mjenv.core.engine import check_max_hands, check_seed
from mjenv.core.rules import Rules
from mjenv.core.table import SOURCES

Array = NDArray[Any]

RANKS = tuple(f"rank_{place}" for place in range(1, 5))
COLUMNS = (
    "seats",
    "points",
    "score_squared",
    "ahead",
    *(f"win_{source}" for source in SOURCES),
    "decisions",
    *RANKS,
    *TALLY,
)
"""Sums over the games of a block and the seats of an agent.

`seats`: seats it held. `score_squared`: the square of each game's points per hand. `ahead`: games that it ended above
0, those at 0 as a half. `rank_…`: times it came in at that place, ties shared. The rest as in `agents.watch.TALLY`."""
COLUMN = {name: place for place, name in enumerate(COLUMNS)}

CHUNK = 256
"""Blocks that are played, kept and looked at together, however many workers there are."""

WILLIAMS = ((0, 1, 3, 2), (1, 2, 0, 3), (2, 3, 1, 0), (3, 0, 2, 1))
"""Every agent in every seat once, and each next to every other."""

SEATINGS: dict[str, tuple[tuple[int, ...], ...]] = {
    "1v3": tuple(tuple(int(seat != place) for seat in range(4)) for place in range(4)),
    "2v2": tuple(tuple(int(seat not in pair) for seat in range(4)) for pair in itertools.combinations(range(4), 2)),
    "all": tuple(itertools.permutations(range(4))),
    "balanced": WILLIAMS,
}
"""The games of a block: which agent (0, 1, …) sits in seats 0 to 3."""


@dataclass(frozen=True)
class Match:
    """Agents that meet, and everything their games depend on."""

    rules: Rules
    agents: tuple[str | Agent, ...]
    """names, or agents themselves (which other processes cannot be given)"""
    seatings: str = "1v3"
    seed: int = 0
    episode: str = "hand"
    max_hands: int | None = None
    device: str = "cpu"
    batch_size: int = 1024
    _made: list[Agent] = field(default_factory=list, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", check_seed(self.seed))
        object.__setattr__(self, "max_hands", check_max_hands(self.max_hands) or None)
        if self.seatings not in SEATINGS:
            raise ValueError(f"seatings must be one of {', '.join(SEATINGS)}, not {self.seatings!r}")
        wanted = 1 + max(max(four) for four in SEATINGS[self.seatings])
        if len(self.agents) != wanted:
            raise ValueError(f"seatings {self.seatings} are for {wanted} agents, not {len(self.agents)}")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_made": []}

    @property
    def games(self) -> int:
        """Games in a block."""
        return len(SEATINGS[self.seatings])

    def players(self) -> list[Agent]:
        """The agents; one that is named twice is one."""
        if not self._made:
            named: dict[str, Agent] = {}
            for entry in self.agents:
                if isinstance(entry, str):
                    if entry not in named:
                        named[entry] = make(entry, self.rules.variant, self.rules, device=self.device)
                    entry = named[entry]
                self._made.append(entry)
        return self._made


def fingerprint(agent: Agent) -> str:
    """Sixteen hex digits over what an agent's play follows from: a checkpoint's files, or the source of its class.

    Those of a player that searches are over its policy, too.
    """
    kind, _, name = agent.name.partition(":")
    if kind == "checkpoint" and (folder := find_checkpoint(name)).is_dir():
        files = sorted(path for path in folder.iterdir() if path.name in ("card.json", "weights.safetensors"))
    else:
        source = getattr(sys.modules.get(type(agent).__module__), "__file__", None)
        files = [Path(source)] if source else []
    hasher = hashlib.sha256(f"{agent.name} {type(agent).__module__}:{type(agent).__qualname__}".encode())
    for path in files:
        hasher.update(path.read_bytes())
    policy = getattr(agent, "policy", None)
    if isinstance(policy, Agent):
        hasher.update(fingerprint(policy).encode())
    return hasher.hexdigest()[:16]


def play_blocks(
    match: Match,
    first: int,
    count: int,
    *,
    log: Callable[[int, Events], None] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Array:
    """Play blocks `first` to `first + count` - 1: float64 [count, agents, len(COLUMNS)].

    A block's deal is the game of its number under the seed, so matches with one seed share their deals.
    """
    seating = np.array(SEATINGS[match.seatings])
    players = match.players()
    seats = [[players[agent] for agent in four] for four in seating.tolist()] * count
    numbers = np.repeat(np.arange(first, first + count), match.games)
    with one_torch_thread():
        results = play_games(
            match.rules.variant,
            seats,
            numbers,
            seed=match.seed,
            rules=match.rules,
            episode=match.episode,
            max_hands=match.max_hands,
            batch_size=match.batch_size,
            tally=True,
            log=log,
            progress=progress,
        )
    return sum_blocks(results, np.tile(seating, (count, 1)), match.games, len(players))


def sum_blocks(results: Results, seating: Array, games: int, agents: int) -> Array:
    """Sums over each `games` games for each agent, float64 [blocks, agents, columns]; seating: int [n, 4]."""
    n = len(seating)
    columns = np.zeros((n, 4, len(COLUMNS)))
    columns[:, :, COLUMN["seats"]] = 1
    columns[:, :, COLUMN["points"]] = results.points
    columns[:, :, COLUMN["win_self_draw"] : COLUMN["decisions"]] = results.wins
    columns[:, :, COLUMN["decisions"]] = results.decisions
    columns[:, :, COLUMN["rank_1"] : COLUMN["rank_4"] + 1] = share_ranks(results.points)
    columns[:, :, COLUMN["hands"] :] = results.tally
    by_game = np.stack([(columns * (seating == agent)[:, :, None]).sum(axis=1) for agent in range(agents)], axis=1)
    by_game[:, :, COLUMN["score_squared"]] = points_per_hand(by_game) ** 2
    by_game[:, :, COLUMN["ahead"]] = (np.sign(by_game[:, :, COLUMN["points"]]) + 1) / 2
    sums: Array = by_game.reshape(n // games, games, agents, len(COLUMNS)).sum(axis=1)
    return sums


def points_per_hand(sums: Array) -> Array:
    """Points for each hand that a seat of the agent played, float64 [..., agents] from [..., agents, columns]."""
    return np.asarray(sums[..., COLUMN["points"]] / np.maximum(sums[..., COLUMN["hands"]], 1))


def share_ranks(points: Array) -> Array:
    """How much of each place, the first to the fourth, each seat takes; seats with equal points share theirs.

    int [n, 4] to float64 [n, 4, 4].
    """
    above = (points[:, None, :] > points[:, :, None]).sum(axis=2)
    equal = (points[:, None, :] == points[:, :, None]).sum(axis=2)
    place = np.arange(4)
    inside = (place >= above[:, :, None]) & (place < (above + equal)[:, :, None])
    return np.asarray(inside / equal[:, :, None])


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Networks think on one thread: sums of floats then have one order, whatever the machine and the workers."""
    torch: Any = sys.modules.get("torch")
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
