"""Who stands where: every agent meets every other over the same duplicate deals."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import choix
import numpy as np

from experiments import runs
from experiments.blocks import COLUMN, SEATINGS, Array, Match, points_per_hand
from experiments.evaluate import tell_luck
from experiments.pictures import draw_league
from experiments.statistics import CONFIDENCE, check_blocks, compare, holm
from mjenv.core.rules import Rules
from mjenv.variants import as_rules

RESAMPLES = 400
ELO = 400 / np.log(10)
"""Rating points for each unit of log-odds: 400 more are ten times the odds."""
PRIOR = 0.5
"""Half a game for either side of every pair keeps the rating of one that never loses finite."""
ADJUSTED = ("adjusted", "adjusted_low", "adjusted_high")
TABLE_FIELDS = ("agent", "versus", "points_per_hand", "low", "high", "p", *ADJUSTED, "ahead")
"""`p`: Holm-corrected over the pairs. `adjusted`: points per hand less the luck of the draws. `ahead`: share of games
that the agent ended above 0, even ones half."""
RATING_FIELDS = ("agent", "rating", "low", "high", "points_per_hand")

Pair = tuple[str, str]


def run(
    variant: str,
    agents: Sequence[str],
    blocks: int,
    out: str | Path,
    seed: int = 0,
    rules: Rules | Mapping[str, Any] | None = None,
    *,
    seatings: str = "2v2",
    episode: str = "hand",
    max_hands: int | None = None,
    workers: int | None = 1,
    device: str = "cpu",
    logs: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Play a round-robin of named agents over `blocks` deals, the same for every pair, and write its results.

    seatings: `2v2` (6 games a block) or `1v3` (4, both ways round). `out` keeps the games of each pair, so that a run
    goes on where it broke off, and another agent or more blocks play only what is new; `league.json`, `table.csv`,
    `ratings.csv` and `league.png` there hold the results, which are returned as JSON values too. logs: keep every game
    as a log beside its pair's results. Raises `ValueError`
    for settings that make no league, and where `out` holds games of other rules, seeds or versions of an agent.
    """
    table, names = as_rules(variant, rules), list(agents)
    check_blocks(blocks)
    if seatings not in ("2v2", "1v3"):
        raise ValueError(f"seatings of a league must be 2v2 or 1v3, not {seatings!r}")
    if len(names) < 2 or len(set(names)) < len(names) or not all(names):
        raise ValueError(f"a league needs at least two agents, each named once, not {', '.join(names)}")
    pairs = [
        (one, other)
        for one in names
        for other in names
        if one < other or (one > other and seatings == "1v3")  # by name, so that a pair's folder is always the same
    ]
    matches = [Match(table, pair, seatings, seed, episode, max_hands, device) for pair in pairs]
    tasks = []
    for match in matches:
        folder = Path(out) / "games" / "+".join(quote(str(name), safe="") for name in match.agents)
        runs.open_folder(match, folder)
        tasks += runs.tasks_of(match, blocks, folder, logs)
    total = blocks * len(pairs) * len(SEATINGS[seatings])
    processes = runs.choose_workers(workers, len(tasks), matches)
    show = (lambda done: progress(done, total)) if progress else None
    chunks = list(runs.play_tasks(tasks, processes, show))
    each = len(chunks) // len(pairs)
    sums = {pair: np.concatenate(chunks[place * each : (place + 1) * each]) for place, pair in enumerate(pairs)}
    result = {
        "variant": variant,
        "seatings": seatings,
        "blocks": blocks,
        "games": total,
        **rank(names, sums, seed),
        "episode": episode,
        "max_hands": max_hands,
        "seed": seed,
        "rules": json.loads(json.dumps(table.options)),
        "rules_digest": table.digest,
    }
    write_results(result, Path(out))
    return result


def rank(names: Sequence[str], sums: Mapping[Pair, Array], seed: int) -> dict[str, Any]:
    """Cross table and ratings, best agent first; sums: float64 [blocks, 2, columns] of each pair."""
    cells = _cross_table(sums)
    ratings = rate(names, {pair: entry[:, :, COLUMN["ahead"]] for pair, entry in sums.items()}, seed)
    rated = []
    for name, rating in zip(names, ratings.tolist(), strict=True):
        mean = float(np.mean([cell["points_per_hand"] for cell in cells if cell["agent"] == name]))
        rated.append(dict(zip(RATING_FIELDS, (name, *rating, mean), strict=True)))
    rated.sort(key=lambda entry: -float(entry["rating"]))
    order = [entry["agent"] for entry in rated]
    cells.sort(key=lambda cell: (order.index(cell["agent"]), order.index(cell["versus"])))
    return {"ratings": rated, "table": cells}


def _cross_table(sums: Mapping[Pair, Array]) -> list[dict[str, Any]]:
    """For each ordered pair the points per hand of the first, and whether they differ from 0 (paired t test, Holm)."""
    cells: list[dict[str, Any]] = []
    p_values = []
    for (one, other), entry in sums.items():
        scores = points_per_hand(entry)[:, 0]
        found, luck = compare(scores), tell_luck(scores, entry)
        adjusted = luck["points_per_hand"], luck["low"], luck["high"]
        ahead = float(entry[:, 0, COLUMN["ahead"]].sum() / entry[:, :, COLUMN["ahead"]].sum())
        p_values.append(found.p_t)
        cells.append(dict(zip(TABLE_FIELDS, (one, other, *found.difference, found.p_t, *adjusted, ahead), strict=True)))
    cells = [{**cell, "p": p} for cell, p in zip(cells, holm(p_values), strict=True)]
    mirrored = [_mirror(cell) for cell in cells if (cell["versus"], cell["agent"]) not in sums]
    return cells + mirrored


def _mirror(cell: Mapping[str, Any]) -> dict[str, Any]:
    """The same cell from the other side: two against two, what one side wins the other loses (0 stays 0, not -0)."""
    return {
        "agent": cell["versus"],
        "versus": cell["agent"],
        "points_per_hand": 0.0 - cell["points_per_hand"],
        "low": 0.0 - cell["high"],
        "high": 0.0 - cell["low"],
        "p": cell["p"],
        "adjusted": 0.0 - cell["adjusted"],
        "adjusted_low": 0.0 - cell["adjusted_high"],
        "adjusted_high": 0.0 - cell["adjusted_low"],
        "ahead": 1 - cell["ahead"],
    }


def rate(names: Sequence[str], ahead: Mapping[Pair, Array], seed: int) -> Array:
    """Bradley–Terry ratings with mean 0, and intervals: float64 [agents, 3] (rating, low, high).

    ahead: float64 [blocks, 2] of each pair, the games of a block that either side came out ahead in, even ones half for
    both. The interval is a percentile bootstrap over deals: a resample takes the same deals in every pair.
    """
    place = {name: number for number, name in enumerate(names)}
    rows = np.array([place[one] for one, _ in ahead])
    columns = np.array([place[other] for _, other in ahead])
    games = np.stack(list(ahead.values()))
    blocks = games.shape[1]
    rng = np.random.default_rng(seed)
    fitted = []
    for number in range(1 + RESAMPLES):
        times = rng.multinomial(blocks, np.full(blocks, 1 / blocks)) if number else np.ones(blocks)
        won = np.tensordot(games, times, (1, 0))
        counts = PRIOR * (1 - np.eye(len(names)))
        np.add.at(counts, (rows, columns), won[:, 0])
        np.add.at(counts, (columns, rows), won[:, 1])
        fitted.append(ELO * choix.ilsr_pairwise_dense(counts))
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(fitted[1:], (tail, 100 - tail), axis=0)
    return np.column_stack((fitted[0], low, high))


def write_results(result: Mapping[str, Any], folder: Path) -> None:
    """Write `league.json`, `table.csv`, `ratings.csv` and `league.png`."""
    runs.write_file(folder / "league.json", (json.dumps(result, indent=1) + "\n").encode())
    for name, fields in (("table", TABLE_FIELDS), ("ratings", RATING_FIELDS)):
        runs.write_csv(folder / f"{name}.csv", fields, [[entry[field] for field in fields] for entry in result[name]])
    runs.write_file(folder / "league.png", draw_league(result))
