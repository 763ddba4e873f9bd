"""What search adds: a known position, and a small run that can be repeated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")

from scenarios.table import Game
from scenarios.timid import PLAIN, READY, Timid

import mjenv
from agents.rollout import RolloutPlayer
from experiments.search_gain import Witness, measure
from mjenv.core.actions import HU


def test_a_win_that_the_policy_would_decline_gains_its_payment() -> None:
    rules = mjenv.rules("hongkong", **PLAIN)
    game = Game("hongkong", rules=PLAIN, hands=["", READY, "", ""], draws="5p").throw_drawn().pass_all()
    witness = Witness(rules, RolloutPlayer(rules, Timid(), rollouts=400, width=75))
    assert witness.search(game.env.table, np.zeros(1, np.uint64)).tolist() == [HU]
    assert (witness.searched, witness.differing) == (1, 1)
    game.do(1, "hu")
    assert witness.gains == {(0, 1): game.points()[1]}


def test_a_run_can_be_repeated(tmp_path: Path) -> None:
    found: list[dict[str, Any]] = []
    for _ in range(2):
        measure("hangzhou", "greedy", deals=2, seed=3, rollouts=16, out=tmp_path)
        found.append(json.loads((tmp_path / "hangzhou-greedy.json").read_text()))
        assert found[-1].pop("milliseconds_per_decision") > 0
    assert found[0] == found[1]
    assert found[0]["hands"] == 8
    assert found[0]["low"] <= found[0]["gain"] <= found[0]["high"]
    assert 0 < found[0]["rollouts_per_decision"] <= 16
