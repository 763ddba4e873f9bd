"""Who is better: one agent against three of another over duplicate deals, with a 95 % interval.

A block is one deal played four times, the agent in each seat once, so that the luck of the tiles cancels. Statistics
are over block means: the four games of a block are not independent.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from agents.arena import MOST_GAMES, Results, play_games
from agents.registry import make
from mjenv.core.rules import Rules
from mjenv.core.table import SOURCES
from mjenv.variants import as_rules

SEATINGS = 4
CONFIDENCE = 0.95


def student_within(t: float, df: int) -> float:
    """The probability that Student's t with `df` degrees of freedom lies within ±t (finite sums for whole df)."""
    angle = math.atan(t / math.sqrt(df))
    cosine = math.cos(angle)
    term = total = cosine if df % 2 else 1.0
    for k in range(3 if df % 2 else 2, df, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    total *= math.sin(angle)
    if df % 2 == 0:
        return total
    return 2 / math.pi * (angle + (total if df > 1 else 0.0))


def student_quantile(df: int, confidence: float = CONFIDENCE) -> float:
    """The t with `confidence` of the distribution within ±t, to 1e-9 by bisection."""
    low, high = 0.0, 1e4
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if student_within(middle, df) < confidence else (low, middle)
    return (low + high) / 2


def interval(block_means: np.ndarray[Any, Any]) -> tuple[float, float, float]:
    """Mean, and the lower and upper end of its 95 % t interval; float [blocks], at least 2 of them."""
    if len(block_means) < 2:
        raise ValueError(f"an interval needs at least 2 blocks, not {len(block_means)}")
    mean = float(np.mean(block_means))
    half = student_quantile(len(block_means) - 1) * float(np.std(block_means, ddof=1)) / math.sqrt(len(block_means))
    return mean, mean - half, mean + half


def run(
    variant: str,
    agent: str | Any,
    versus: str | Any,
    blocks: int,
    seed: int = 0,
    rules: Rules | Mapping[str, Any] | None = None,
    *,
    episode: str = "hand",
    max_hands: int | None = None,
    batch_size: int = 1024,
    device: str = "cpu",
    log: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Play `blocks` duplicate deals of `agent` against three of `versus` (names, or objects with `act`).

    Returns `points_per_hand` with `low` and `high` (95 %), rates over the agent's games, and what is needed to repeat
    it, whatever `batch_size` is. `log`: a file that all games are written to.
    `progress` is called with games done and games in all. Raises `ValueError` for fewer than 2 blocks.
    """
    if not 2 <= blocks <= MOST_GAMES // SEATINGS:
        most = MOST_GAMES // SEATINGS
        raise ValueError(f"an interval needs at least 2 blocks, and one call plays at most {most:,}: not {blocks}")
    table = as_rules(variant, rules)
    hero = make(agent, variant, table, device=device) if isinstance(agent, str) else agent
    if isinstance(versus, str):
        rival = hero if versus == agent else make(versus, variant, table, device=device)
    else:
        rival = versus
    seats = [
        [hero if seat == place else rival for seat in range(4)] for _ in range(blocks) for place in range(SEATINGS)
    ]
    games = np.repeat(np.arange(blocks), SEATINGS)
    settings: dict[str, Any] = {"seed": seed, "rules": table, "episode": episode, "max_hands": max_hands}
    total = len(games)
    if progress:
        settings["progress"] = lambda done: progress(done, total)
    with contextlib.ExitStack() as stack:
        if log is not None:
            from mjenv.log import LogWriter

            settings["log"] = stack.enter_context(LogWriter(log)).add
        results = play_games(variant, seats, games, batch_size=batch_size, **settings)
    summary = summarise(results, np.tile(np.arange(SEATINGS), blocks))
    return {
        "variant": variant,
        "agent": hero.name,
        "versus": rival.name,
        **summary,
        "blocks": blocks,
        "games": total,
        "episode": episode,
        "seed": seed,
        "rules": table.options,
        "rules_digest": table.digest,
    }


def summarise(results: Results, place: np.ndarray[Any, Any]) -> dict[str, Any]:
    """The numbers about the agent that sat at `place` (int [games]); games of a block follow one another."""
    rows = np.arange(len(place))
    points, hands = results.points[rows, place], results.hands
    by_block = points.reshape(-1, SEATINGS).sum(axis=1) / hands.reshape(-1, SEATINGS).sum(axis=1)
    mean, low, high = interval(by_block)
    wins = results.wins[rows, place].sum(axis=0)
    played = int(hands.sum())
    return {
        "points_per_hand": mean,
        "low": low,
        "high": high,
        "hands": played,
        "win_rate": float(wins.sum() / played),
        "wins_by_source": {name: int(count) for name, count in zip(SOURCES, wins, strict=True)},
        "rival_win_rate": float((results.wins.sum() - wins.sum()) / 3 / played),
        "draw_rate": float(results.draws.sum() / played),
        "decisions": int(results.decisions.sum()),
        "decisions_per_hand": float(results.decisions[rows, place].sum() / played),
    }
