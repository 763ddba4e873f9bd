"""Same seed and actions, same game: whatever the process, batch size, thread count, or compiler."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from properties.play import VARIANTS

import mjenv
from mjenv.envs.vector import VectorEnv

STEPS = 260


def pick(games: VectorEnv) -> np.ndarray:
    """A legal action a row that depends on the row's game and decision number alone."""
    tables = games._engine.tables
    key = (tables["game"] * 7919 + tables["decisions"] * 104729 + 12345) % 1000003
    count = games.action_mask.sum(axis=1)
    wanted = key % count
    return (games.action_mask.cumsum(axis=1) > wanted[:, None]).argmax(axis=1)


def trace(games: VectorEnv, rows: int, steps: int = STEPS) -> str:
    """A digest of everything that the first rows show over some steps."""
    hasher = hashlib.sha256()
    for _ in range(steps):
        games.step(pick(games))
        for array in (
            games.observation,
            games.scalars,
            games.action_mask,
            games.seat,
            games.decision,
            games.points,
            games.done,
        ):
            hasher.update(np.ascontiguousarray(array[:rows]).tobytes())
    return hasher.hexdigest()


@pytest.mark.parametrize("variant", VARIANTS)
def test_batch_size_and_threads_do_not_matter(variant: str) -> None:
    expected = trace(mjenv.vector(variant, 1024, seed=41), 1)
    for size, threads in ((1, 1), (7, 1), (7, 2), (1024, 2)):
        games = mjenv.vector(variant, size, seed=41, threads=threads)
        assert trace(games, 1) == expected
        games.close()
    seven = trace(mjenv.vector(variant, 7, seed=41), 7)
    assert trace(mjenv.vector(variant, 1024, seed=41, threads=2), 7) == seven


@pytest.mark.parametrize("variant", VARIANTS)
def test_first_row_plays_the_games_of_the_aec_environment(variant: str) -> None:
    games = mjenv.vector(variant, 3, seed=42)
    env = mjenv.raw_env(variant)
    env.reset(seed=42)
    episodes = 0
    while episodes < 3:
        seen = env.observe(env.agent_selection)
        assert env.possible_agents.index(env.agent_selection) == games.seat[0]
        np.testing.assert_array_equal(seen["observation"], games.observation[0])
        np.testing.assert_array_equal(seen["scalars"], games.scalars[0])
        np.testing.assert_array_equal(seen["action_mask"], games.action_mask[0])
        actions = pick(games)
        env.step(int(actions[0]))
        games.step(actions)
        if games.done[0]:
            episodes += 1
            assert [env.infos[agent]["points"] for agent in env.possible_agents] == games.points[0].tolist()
            env.reset()


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
import mjenv
from properties.test_determinism import trace
from properties.play import VARIANTS
for variant in VARIANTS:
    for view in ("planes", "features", "oracle"):
        print(trace(mjenv.vector(variant, 3, seed=43, observation=view, episode="round", max_hands=2), 3, 150))
"""


def run_apart(**environment: str) -> str:
    """The traces that a fresh process prints."""
    tests = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT, str(tests)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) == 15
    return done.stdout


def test_processes_hash_seeds_and_plain_python_agree() -> None:
    expected = run_apart(PYTHONHASHSEED="1")
    assert run_apart(PYTHONHASHSEED="2") == expected
    assert run_apart(NUMBA_DISABLE_JIT="1") == expected


def test_games_differ_by_seed_game_and_hand() -> None:
    walls = set()
    for seed in (1, 2):
        games = mjenv.vector("yugan", 2, seed=seed)
        for _ in range(2):
            walls.update(games._engine.tables["wall"][row].tobytes() for row in range(2))
            games.reset(rows=[0, 1])
            games.step(pick(games))
            games.reset()
    assert len(walls) == 8
