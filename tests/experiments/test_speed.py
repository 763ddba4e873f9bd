"""What measures speed: the hands it asks about, its counts, its shares, and the growth with games and threads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import islice

import numpy as np
import pytest

from experiments import scaling
from experiments.speed import bench, plays
from experiments.speed.calls import FUNCTIONS
from mjenv import hands


@pytest.mark.parametrize("kind", plays.HAND_KINDS)
def test_hands_have_fourteen_tiles_with_their_wilds(kind: str) -> None:
    counts, wilds = plays.deal_hands(kind, 2000)
    assert (counts.sum(axis=1) + wilds == 14).all()
    assert counts.max() <= 4 and set(wilds) == {0, 1, 2, 3, 4}
    assert (kind == "one suit") == (counts[:, 9:].sum() == 0)


def test_near_hands_are_wins_about_as_often_as_not() -> None:
    counts, wilds = plays.deal_hands("near", 2000)
    won = hands.is_win(counts, wilds)
    assert 0.45 < won[wilds == 0].mean() < 0.6
    assert 0.5 < won.mean() < 0.8


def test_an_agent_plays_all_rows() -> None:
    assert list(islice(plays.play_agent("fuzhou", "greedy", 4), 3)) == [(4, 0)] * 3


def test_rates_are_medians_with_their_spread() -> None:
    samples = [{"decisions": 10, "games": 0, "wall": wall, "cpu": cpu} for wall, cpu in ((1, 1), (2, 1), (10, 2))]
    assert bench.summarise(samples) == {"per_second": 5, "low": 1, "high": 10, "per_cpu_second": 10}


def test_scaling_measures_every_size_and_draws_them() -> None:
    report = scaling.run(["hongkong"], (1, 4), (1, 2), repeats=1, seconds=0.01, show=lambda name: None)
    assert [(row["games"], row["threads"]) for row in report["rows"]] == [(1, 1), (1, 2), (4, 1), (4, 2)]
    assert all(row["per_second"] > 0 for row in report["rows"])
    assert scaling.draw(report).startswith(b"\x89PNG")


def test_calls_are_counted_exactly_without_the_compiler() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "experiments.speed.calls", "hongkong", "hangzhou"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    counted = json.loads(done.stdout)
    assert all(set(calls) == set(FUNCTIONS) for calls in counted.values())
    assert all(calls["write_mask"] == calls["observe"] == 1 for calls in counted.values())
    assert counted["hangzhou"]["find_outlook"] == 0 < counted["hongkong"]["find_outlook"]


def test_calls_cannot_be_counted_in_compiled_code() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "experiments.speed.calls", "yugan"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "set NUMBA_DISABLE_JIT=1" in done.stderr


@pytest.mark.slow
def test_shares_of_the_breakdown_sum_to_one() -> None:
    from experiments.speed import breakdown

    found = breakdown.run(["hongkong"], games=256)["hongkong"]
    assert np.isclose(sum(part["share"] for part in found["parts"].values()), 1)
    assert all(part["nanoseconds"] > 0 for name, part in found["parts"].items() if name not in ("memory", "the rest"))
