"""The league: cross table, ratings whose truth is known, games that are played once only."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")
pytest.importorskip("choix")
pytest.importorskip("matplotlib")

from agents.random_player import RandomPlayer
from experiments import blocks, evaluate, ladder, league, runs
from mjenv.replay import replay


class Other(RandomPlayer):
    """Random with other dice."""

    name = "other"

    def __init__(self, *setup: Any) -> None:
        super().__init__(7)


OTHER = f"{Other.__module__}:Other"


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """Chunks are of four blocks; the agents and the first block of each that is played are noted."""
    found: list[tuple[str, ...]] = []

    def play(match: blocks.Match, first: int, count: int, **settings: Any) -> Any:
        found.append((*map(str, match.agents), str(first)))
        return blocks.play_blocks(match, first, count, **settings)

    monkeypatch.setattr(runs, "CHUNK", 4)
    monkeypatch.setattr(runs, "play_blocks", play)
    return found


def test_a_cell_is_what_an_evaluation_says(tmp_path: Path) -> None:
    found = league.run("hangzhou", ["random", "greedy"], 12, tmp_path, seed=3)
    alone = evaluate.run("hangzhou", "greedy", "random", 12, seed=3, seatings="2v2")
    cells = {(cell["agent"], cell["versus"]): cell for cell in found["table"]}
    cell, mirrored = cells["greedy", "random"], cells["random", "greedy"]
    for key in ("points_per_hand", "low", "high"):
        assert cell[key] == alone[key]
        name = {"points_per_hand": "adjusted", "low": "adjusted_low", "high": "adjusted_high"}[key]
        assert cell[name] == alone["luck_adjusted"][key]
    assert mirrored["points_per_hand"] == -cell["points_per_hand"]
    assert (mirrored["low"], mirrored["high"]) == (-cell["high"], -cell["low"])
    assert mirrored["ahead"] == 1 - cell["ahead"] < 0.5
    assert cell["p"] == mirrored["p"] < 1e-3
    assert [entry["agent"] for entry in found["ratings"]] == ["greedy", "random"]
    assert found["ratings"][0]["low"] > 0 > found["ratings"][1]["high"]


def test_another_agent_other_order_or_more_blocks_play_only_what_is_new(
    tmp_path: Path, played: list[tuple[str, ...]]
) -> None:
    first = league.run("hangzhou", ["greedy", "random"], 8, tmp_path, seed=3)
    assert played == [("greedy", "random", "0"), ("greedy", "random", "4")]
    played.clear()
    again = league.run("hangzhou", ["random", "greedy"], 8, tmp_path, seed=3)
    assert not played and again["table"] == first["table"]
    assert sorted(again["ratings"], key=str) == sorted(first["ratings"], key=str)
    three = league.run("hangzhou", ["random", "greedy", OTHER], 8, tmp_path, seed=3)
    assert sorted(played) == sorted((*sorted((name, OTHER)), at) for name in ("greedy", "random") for at in "04")
    old = {(cell["agent"], cell["versus"]): cell["points_per_hand"] for cell in first["table"]}
    new = {(cell["agent"], cell["versus"]): cell["points_per_hand"] for cell in three["table"]}
    assert len(new) == 6 and old.items() <= new.items()
    played.clear()
    league.run("hangzhou", ["greedy", "random"], 12, tmp_path, seed=3)
    assert played == [("greedy", "random", "8")]


def test_one_against_three_is_played_both_ways_round(tmp_path: Path) -> None:
    found = league.run("hangzhou", ["greedy", "random"], 6, tmp_path, seed=1, seatings="1v3")
    cells = {(cell["agent"], cell["versus"]): cell["points_per_hand"] for cell in found["table"]}
    for pair in (("greedy", "random"), ("random", "greedy")):
        assert cells[pair] == evaluate.run("hangzhou", *pair, 6, seed=1)["points_per_hand"]
    assert found["games"] == 2 * 6 * 4


def test_logs_of_a_league_replay(tmp_path: Path, played: list[tuple[str, ...]]) -> None:
    league.run("hangzhou", ["greedy", "random"], 6, tmp_path, seed=1)
    league.run("hangzhou", ["greedy", "random"], 6, tmp_path, seed=1, logs=True)
    assert len(played) == 4, "blocks whose games were not logged are played again"
    logs = sorted((tmp_path / "games" / "greedy+random").glob("*.jsonl.gz"))
    assert [replay(log).games for log in logs] == [24, 12]


def test_games_of_other_rules_are_not_taken_for_these(tmp_path: Path) -> None:
    league.run("hongkong", ["greedy", "random"], 2, tmp_path, seed=1)
    with pytest.raises(ValueError, match=r"other games .*rules: "):
        league.run("hongkong", ["greedy", "random"], 2, tmp_path, seed=1, rules={"min_faan": 1})


def test_workers_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "CHUNK", 4)
    one = league.run("hangzhou", ["greedy", "random"], 8, tmp_path / "one", seed=3)
    assert league.run("hangzhou", ["greedy", "random"], 8, tmp_path / "two", seed=3, workers=2) == one


def test_ratings_are_those_that_made_the_games_and_their_intervals_cover() -> None:
    rng = np.random.default_rng(1)
    truth = np.array([150.0, 20.0, -170.0])
    covered = 0
    for number in range(20):
        ahead = {}
        for one, other in (("a", "b"), ("a", "c"), ("b", "c")):
            gap = truth["abc".index(one)] - truth["abc".index(other)]
            won = rng.binomial(6, 1 / (1 + 10 ** (-gap / 400)), 200).astype(float)
            ahead[one, other] = np.column_stack((won, 6 - won))
        found = league.rate("abc", ahead, number)
        assert found[:, 0] == pytest.approx(truth, abs=45)
        assert found[:, 0].mean() == pytest.approx(0, abs=1e-6)
        covered += ((found[:, 1] < truth) & (truth < found[:, 2])).sum()
    assert covered / 60 > 0.87


def test_one_that_never_loses_has_a_rating_all_the_same() -> None:
    ahead = {("a", "b"): np.tile([6.0, 0.0], (50, 1))}
    found = league.rate("ab", ahead, 0)
    assert np.isfinite(found).all() and found[0, 0] > 400


@pytest.mark.parametrize(
    ("agents", "settings", "told"),
    [
        (["greedy"], {}, "at least two agents"),
        (["greedy", "greedy"], {}, "each named once"),
        (["greedy", ""], {}, "each named once"),
        (["greedy", "best"], {}, "unknown agent 'best'"),
        (["greedy", "random"], {"blocks": 1}, "at least 2 blocks, not 1"),
        (["greedy", "random"], {"seatings": "all"}, "2v2 or 1v3, not 'all'"),
    ],
)
def test_bad_settings_are_named(tmp_path: Path, agents: list[str], settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        league.run("hangzhou", agents, out=tmp_path, **{"blocks": 2, **settings})


def test_the_ladder_writes_small_results_and_keeps_the_games_elsewhere(tmp_path: Path) -> None:
    games, results = tmp_path / "games", tmp_path / "results"
    ladder.climb("random,greedy", ["hangzhou"], 4, 1, "2v2", 1, games, results)
    assert sorted(path.name for path in (results / "hangzhou").iterdir()) == sorted(ladder.FILES)
    found = json.loads((results / "hangzhou" / "league.json").read_text())
    rows = list(csv.DictReader((results / "hangzhou" / "table.csv").open()))
    assert [float(row["points_per_hand"]) for row in rows] == [cell["points_per_hand"] for cell in found["table"]]
    assert sum(path.stat().st_size for path in results.rglob("*") if path.is_file()) < 100_000
    assert list((games / "hangzhou" / "games").iterdir())
