"""The batched environment: shapes, errors, resets, threads, zero-copy."""

from __future__ import annotations

import copy
import os
import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from properties.play import VARIANTS, choose

import mjenv
from mjenv.envs.tensors import NAMES


@pytest.mark.parametrize("observation", ["planes", "features", "oracle"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_arrays_have_the_documented_shapes_and_stay_the_same_objects(variant: str, observation: str) -> None:
    games = mjenv.vector(variant, 5, seed=1, observation=observation)
    layout = games.observation_layout
    expected = {
        "observation": ((5, len(layout.planes), 34), np.uint8),
        "scalars": ((5, len(layout.scalars)), np.float32),
        "action_mask": ((5, 75), np.bool_),
        "seat": ((5,), np.int8),
        "decision": ((5,), np.int8),
        "reward": ((5, 4), np.float32),
        "points": ((5, 4), np.int32),
        "scores": ((5, 4), np.int32),
        "done": ((5,), np.bool_),
        "truncated": ((5,), np.bool_),
    }
    before = {name: id(getattr(games, name)) for name in expected}
    games.step(games.action_mask.argmax(axis=1))
    games.reset(seed=2)
    for name, (shape, dtype) in expected.items():
        array = getattr(games, name)
        assert (array.shape, array.dtype) == (shape, np.dtype(dtype)), name
        assert id(array) == before[name]
    low, high = layout.scalar_bounds()
    assert (games.scalars >= low).all() and (games.scalars <= high).all()
    assert (games.observation <= layout.plane_high()[:, None]).all()
    assert all(name in mjenv.DECISIONS for name in np.array(mjenv.DECISIONS)[games.decision])


@pytest.mark.parametrize("variant", VARIANTS)
def test_without_an_observation_the_same_games_are_played(variant: str) -> None:
    bare, full = (mjenv.vector(variant, 6, seed=3, observation=view) for view in ("none", "planes"))
    assert bare.observation.shape == (6, 0, 34) and bare.scalars.shape == (6, 0)
    rng = np.random.default_rng(4)
    for _ in range(300):
        assert np.array_equal(bare.action_mask, full.action_mask)
        assert np.array_equal(bare.scores, full.scores) and np.array_equal(bare.decision, full.decision)
        actions = choose(full.action_mask, rng)
        bare.step(actions)
        full.step(actions)


def test_torch_shares_the_memory() -> None:
    pytest.importorskip("torch")
    games = mjenv.vector("hangzhou", 3, seed=1)
    tensors = games.tensors()
    assert set(tensors) == {*NAMES}
    for _ in range(40):
        games.step(games.action_mask.argmax(axis=1))
        for name, tensor in tensors.items():
            assert np.array_equal(tensor.numpy(), getattr(games, name)), name


def test_tensors_are_pinned_where_there_is_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    pinned: list[tuple[int, ...]] = []
    runtime = SimpleNamespace(
        cudaHostRegister=lambda *given: pinned.append(given) or 0, cudaHostUnregister=lambda address: 0
    )
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "cudart", lambda: runtime)
    monkeypatch.setattr(torch.Tensor, "is_pinned", lambda tensor: bool(pinned))
    games = mjenv.vector("hangzhou", 3, seed=1)
    games.tensors()
    games.tensors()
    memory = games._engine.shown
    assert pinned == [(memory.ctypes.data, memory.nbytes, 0)]
    runtime.cudaHostRegister = lambda *given: 2
    pinned.clear()
    with pytest.raises(RuntimeError, match=r"cannot pin .* CUDA error 2"):
        games.tensors()


@pytest.mark.parametrize(
    "actions",
    [
        [0, 0],
        [[0, 0, 0]],
        [0.0, 0.0, 0.0],
        [np.nan, 0, 0],
        ["a", "b", "c"],
        [True, True, True],
        [-1, 0, 0],
        [75, 0, 0],
        [74, 74, 74],
    ],
)
def test_bad_actions_raise_and_no_game_moves(actions: Any) -> None:
    games = mjenv.vector("hangzhou", 3, seed=1)
    before = games._engine.tables.tobytes(), games.observation.tobytes()
    with pytest.raises(ValueError, match="action"):
        games.step(actions)
    assert (games._engine.tables.tobytes(), games.observation.tobytes()) == before


def test_the_error_names_row_and_legal_actions() -> None:
    games = mjenv.vector("hangzhou", 3, seed=1)
    actions = games.action_mask.argmax(axis=1)
    actions[2] = 74
    with pytest.raises(ValueError, match=r"action 74 \(pass\) of row 2 is illegal: legal are \d+, \d+"):
        games.step(actions)


@pytest.mark.parametrize(
    "settings",
    [
        {"num_envs": 0},
        {"num_envs": 2.5},
        {"num_envs": 2, "threads": 0},
        {"num_envs": 2, "seed": -1},
        {"num_envs": 2, "episode": "all"},
        {"num_envs": 2, "observation": "tensor"},
        {"num_envs": 2, "observation": np.zeros(3)},
        {"num_envs": 2, "episode": np.array(["hand", "hand"])},
        {"num_envs": 2, "rules": {"stop_at": 3}},
        {"num_envs": 2, "max_hands": -4},
    ],
)
def test_bad_settings_raise(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must be|is not allowed|unknown"):
        mjenv.vector("hangzhou", **settings)


@pytest.mark.parametrize("rows", [[3], [-1], [0, 0], [0.5], np.ones((2, 2), bool), "x"])
def test_bad_rows_raise(rows: Any) -> None:
    games = mjenv.vector("hangzhou", 3, seed=1)
    before = games._engine.tables.tobytes()
    with pytest.raises(ValueError, match="rows"):
        games.reset(rows=rows)
    assert games._engine.tables.tobytes() == before


@pytest.mark.parametrize("variant", VARIANTS)
def test_without_autoreset_a_finished_row_waits(variant: str) -> None:
    games = mjenv.vector(variant, 8, seed=3, autoreset=False)
    rng = np.random.default_rng(1)
    while not games.done.all():
        games.step(choose(games.action_mask, rng))
    assert not games.action_mask.any()
    assert (games.seat == -1).all()
    assert (games.decision == -1).all()
    games.step(np.zeros(8, int))
    assert not games.points.any()
    games.reset(rows=games.done & (np.arange(8) < 3))
    assert games.action_mask[:3].any(axis=1).all()
    assert not games.action_mask[3:].any()
    assert games.done.tolist() == [False] * 3 + [True] * 5
    assert games._engine.tables["game"].tolist() == [(row << 32) + (row < 3) for row in range(8)]


@pytest.mark.parametrize("variant", VARIANTS)
def test_with_autoreset_the_row_shows_the_next_game(variant: str) -> None:
    games = mjenv.vector(variant, 8, seed=3)
    single = mjenv.vector(variant, 8, seed=3, autoreset=False)
    rng = np.random.default_rng(1)
    while not games.done.any():
        actions = choose(games.action_mask, rng)
        games.step(actions)
        single.step(actions)
    np.testing.assert_array_equal(games.points, single.points)
    np.testing.assert_array_equal(games.reward, single.reward)
    single.reset(rows=games.done)
    np.testing.assert_array_equal(games.observation, single.observation)
    np.testing.assert_array_equal(games.action_mask, single.action_mask)


def test_first_reset_shows_the_first_games_and_later_ones_go_on() -> None:
    games = mjenv.vector("yugan", 2, seed=9)
    first = games.observation.copy()
    games.reset()
    np.testing.assert_array_equal(games.observation, first)
    games.step(games.action_mask.argmax(axis=1))
    games.reset()
    assert (games.observation != first).any()
    games.reset(seed=9)
    np.testing.assert_array_equal(games.observation, first)


def test_reset_options_hold_for_all_chosen_rows() -> None:
    games = mjenv.vector("hongkong", 3, seed=1)
    games.reset(seed=1, options={"dealer": 2, "round_wind": "W", "scores": [1, 2, 3, 4], "streak": 5})
    assert games.seat.tolist() == [2, 2, 2]
    tables = games._engine.tables
    assert tables["round_wind"].tolist() == [2, 2, 2]
    assert tables["streak"].tolist() == [5, 5, 5]
    assert games.scores.tolist() == [[1, 2, 3, 4]] * 3
    with pytest.raises(ValueError, match="dealer"):
        games.reset(options={"dealer": 9})


def test_threads_survive_a_fork() -> None:
    games = mjenv.vector("yugan", 64, seed=5, threads=2)
    games.step(games.action_mask.argmax(axis=1))
    child = os.fork()
    if child == 0:
        games.step(games.action_mask.argmax(axis=1))
        os._exit(0 if games.action_mask.any(axis=1).all() else 1)
    assert os.waitpid(child, 0)[1] == 0
    games.step(games.action_mask.argmax(axis=1))
    games.close()
    games.close()


@pytest.mark.parametrize("variant", VARIANTS)
def test_copies_and_pickles_go_on_alike_and_apart(variant: str) -> None:
    games = mjenv.vector(variant, 16, seed=6, observation="features", threads=2)
    rng = np.random.default_rng(2)
    while not games.done.any():
        games.step(choose(games.action_mask, rng))
    twins = [copy.deepcopy(games), pickle.loads(pickle.dumps(games))]
    for twin in twins:
        np.testing.assert_array_equal(twin.points, games.points)
        np.testing.assert_array_equal(twin.done, games.done)
    for _ in range(90):
        actions = choose(games.action_mask, rng)
        before = games.observation.copy()
        for twin in twins:
            np.testing.assert_array_equal(twin.observation, before)
            np.testing.assert_array_equal(twin.action_mask, games.action_mask)
            twin.step(actions)
        np.testing.assert_array_equal(games.observation, before)
        games.step(actions)
        for twin in twins:
            for name in ("observation", "scalars", "action_mask", "seat", "points", "scores", "done"):
                np.testing.assert_array_equal(getattr(twin, name), getattr(games, name))


def test_a_shallow_copy_is_a_batch_of_its_own() -> None:
    games = mjenv.vector("hangzhou", 3, seed=1)
    twin = copy.copy(games)
    before = games.observation.tobytes()
    twin.step(twin.action_mask.argmax(axis=1))
    assert games.observation.tobytes() == before != twin.observation.tobytes()
    assert repr(twin) == "mjenv.vector('hangzhou', 3, observation='planes', threads=1)"


def test_an_illegal_first_step_leaves_the_batch_new() -> None:
    games = mjenv.vector("hangzhou", 3, seed=1)
    first = games.observation.copy()
    with pytest.raises(ValueError, match="illegal"):
        games.step([74] * 3)
    games.reset()
    assert np.array_equal(games.observation, first)
