"""Who is better: agents over duplicate deals, with 95 % intervals.

A block is one deal played in several seatings, so that the luck of the deal cancels. Statistics are over block means:
the games of a block are not independent.
"""

from __future__ import annotations

import contextlib
import json
import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agents.arena import MOST_GAMES
from agents.protocol import Agent
from experiments import measures, runs
from experiments.blocks import COLUMN, Array, Match, points_per_hand
from experiments.statistics import (
    Interval,
    adjust_for_luck,
    bootstrap_interval,
    check_blocks,
    compare,
    confidence_sequence,
    half_width,
    holm,
    interval,
    variance_ratio,
)
from mjenv.core.rules import Rules
from mjenv.core.table import SOURCES
from mjenv.variants import as_rules

LUCK = [COLUMN[name] for name in COLUMN if name.startswith("luck_")]


def run(
    variant: str,
    agent: str | Agent,
    versus: str | Agent | Sequence[str | Agent],
    blocks: int,
    seed: int = 0,
    rules: Rules | Mapping[str, Any] | None = None,
    *,
    seatings: str | None = None,
    episode: str = "hand",
    max_hands: int | None = None,
    until_ci: float | None = None,
    workers: int | None = 1,
    batch_size: int = 1024,
    device: str = "cpu",
    out: str | Path | None = None,
    log: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Play `blocks` duplicate deals of `agent` against `versus`: one agent, or three.

    seatings: `1v3` (4 games a block, the default against one), `2v2` (6), or for four different agents `all` (24, the
    default) or `balanced` (4). until_ci: stop when the points per hand are known to ± so much, `blocks` at the latest.
    workers: processes, None for all cores; agents must then be names. out: a folder that keeps finished blocks, so that
    the same call goes on where one broke off, and in which the results are written. log: a file for all games.

    Returns JSON values: `points_per_hand` with `low` and `high`, every measure of every agent, tests, and what repeats
    the run, whatever `workers` and `batch_size` are. `progress` is called with games done and games in all. Raises
    `ValueError` for fewer than 2 blocks and other settings that make no evaluation.
    """
    others = [versus] if isinstance(versus, str) or hasattr(versus, "act") else list(versus)
    chosen = seatings or ("1v3" if len(others) == 1 else "all")
    table = as_rules(variant, rules)
    match = Match(table, (agent, *others), chosen, seed, episode, max_hands, device, batch_size)
    check_blocks(blocks)
    if blocks > MOST_GAMES // match.games:
        raise ValueError(
            f"one call plays at most {MOST_GAMES // match.games:,} blocks of {match.games} games, not {blocks}"
        )
    if until_ci is not None and not 0 < until_ci < math.inf:
        raise ValueError(f"until_ci must be a number above 0, not {until_ci!r}")
    match.players()
    if out is not None:
        import experiments.pictures  # noqa: F401 - a missing library is told now, not after the games
    sums = _play(match, blocks, until_ci, workers, out, log, progress)
    result = summarise(match, sums, until_ci)
    if out is not None:
        write_results(result, sums, Path(out))
    return result


def _play(
    match: Match,
    blocks: int,
    until_ci: float | None,
    workers: int | None,
    out: str | Path | None,
    log: str | Path | None,
    progress: Callable[[int, int], None] | None,
) -> Array:
    """The sums of the blocks, and the log."""
    total = blocks * match.games
    with contextlib.ExitStack() as stack:
        folder = Path(out) / "blocks" if out is not None else None
        if log is not None:
            runs.check_log(Path(log))
            if folder is None:
                place = tempfile.TemporaryDirectory(prefix=".mjenv-log-", dir=Path(log).resolve().parent)
                folder = Path(stack.enter_context(place))
        if folder is not None:
            runs.open_folder(match, folder)
        tasks = runs.tasks_of(match, blocks, folder, log is not None)
        processes = runs.choose_workers(workers, len(tasks), [match])
        show = (lambda done: progress(done, total)) if progress else None
        chunks: list[Array] = []
        scores = np.zeros(0)
        with contextlib.closing(runs.play_tasks(tasks, processes, show)) as played:
            for sums in played:
                chunks.append(sums)
                scores = np.append(scores, points_per_hand(sums[:, 0]))
                if until_ci is not None and half_width(confidence_sequence(scores)) <= until_ci:
                    break
        if log is not None:
            runs.join_logs(tasks[: len(chunks)], Path(log).resolve())
    return np.concatenate(chunks)


def summarise(match: Match, sums: Array, until_ci: float | None = None) -> dict[str, Any]:
    """All results over sums float64 [blocks, agents, columns], as JSON values."""
    names = [player.name for player in match.players()]
    scores = points_per_hand(sums)
    first = sums[:, 0].sum(axis=0)
    told = interval(scores[:, 0])
    stopping = None
    if until_ci is not None:
        told = confidence_sequence(scores[:, 0])
        reached = half_width(told) <= until_ci
        stopping = {"until_ci": until_ci, "reached": reached, "method": "asymptotic confidence sequence"}
    hands = float(first[COLUMN["hands"]])
    rivals = sums[:, 1:].sum(axis=(0, 1))
    wins = slice(COLUMN["win_self_draw"], COLUMN["decisions"])
    played = int(sums[:, :, COLUMN["hands"]].sum()) // 4
    bootstrap = bootstrap_interval(scores[:, 0], match.seed)
    return {
        "variant": match.rules.variant,
        "agent": names[0],
        "versus": names[1] if len(names) == 2 else names[1:],
        "seatings": match.seatings,
        "points_per_hand": told.value,
        "low": told.low,
        "high": told.high,
        "bootstrap": {"low": bootstrap.low, "high": bootstrap.high},
        "stopping": stopping,
        "luck_adjusted": tell_luck(scores[:, 0], sums),
        "variance_ratio": tell_variance(scores[:, 0], sums[:, 0], match.games),
        "tests": tell_tests(names, scores),
        "blocks": len(sums),
        "games": len(sums) * match.games,
        "hands": played,
        "win_rate": float(first[wins].sum()) / hands,
        "wins_by_source": {name: int(count) for name, count in zip(SOURCES, first[wins], strict=True)},
        "rival_win_rate": float(rivals[wins].sum() / rivals[COLUMN["hands"]]),
        "draw_rate": float(first[COLUMN["drawn_hands"]]) / hands,
        "decisions": int(first[COLUMN["decisions"]]),
        "decisions_per_hand": float(first[COLUMN["decisions"]]) / hands,
        "smallest_win": measures.smallest_win(match.rules),
        "agents": [{"agent": name, **measures.measure(match, sums[:, place])} for place, name in enumerate(names)],
        "episode": match.episode,
        "max_hands": match.max_hands,
        "seed": match.seed,
        "rules": json.loads(json.dumps(match.rules.options)),
        "rules_digest": match.rules.digest,
    }


def tell_luck(scores: Array, sums: Array) -> dict[str, Any]:
    """The first agent's points per hand less the luck of the draws, and how much narrower the interval is."""
    luck = np.concatenate((sums[:, 0][:, LUCK], sums[:, 1:].sum(axis=1)[:, LUCK]), axis=1)
    found, plain = interval(adjust_for_luck(scores, luck)), interval(scores)
    narrower = 1 - half_width(found) / half_width(plain) if half_width(plain) > 0 else 0.0
    return {"points_per_hand": found.value, "low": found.low, "high": found.high, "narrower": narrower}


def tell_variance(scores: Array, sums: Array, games: int) -> float | None:
    """How many games on independent deals, seats drawn by lot, are worth one of these."""
    mean_square = float(sums[:, COLUMN["score_squared"]].sum()) / (len(sums) * games)
    return variance_ratio(scores, mean_square - float(np.mean(scores)) ** 2, games)


def tell_tests(names: Sequence[str], scores: Array) -> list[dict[str, Any]]:
    """Paired tests of each two agents over float64 [blocks, agents], Holm-corrected for the number of pairs."""
    pairs = [(one, other) for one in range(len(names)) for other in range(one + 1, len(names))]
    found = [compare(scores[:, one] - scores[:, other]) for one, other in pairs]
    corrected = zip(holm([entry.p_t for entry in found]), holm([entry.p_wilcoxon for entry in found]), strict=True)
    return [
        {
            "agent": names[one],
            "versus": names[other],
            "difference": entry.difference.value,
            "low": entry.difference.low,
            "high": entry.difference.high,
            "p_t": p_t,
            "p_wilcoxon": p_wilcoxon,
        }
        for (one, other), entry, (p_t, p_wilcoxon) in zip(pairs, found, corrected, strict=True)
    ]


def write_results(result: Mapping[str, Any], sums: Array, folder: Path) -> None:
    """Write `evaluation.json`, `measures.csv` and `evaluation.png`."""
    from experiments.pictures import draw_evaluation

    runs.write_file(folder / "evaluation.json", (json.dumps(result, indent=1) + "\n").encode())
    rows = [
        (entry["agent"], name, *found.values())
        for entry in result["agents"]
        for name, found in entry.items()
        if name != "agent" and found is not None
    ]
    runs.write_csv(folder / "measures.csv", ("agent", "measure", *Interval._fields), rows)
    runs.write_file(folder / "evaluation.png", draw_evaluation(result, points_per_hand(sums)))
