"""Training with SB3: shaped rewards, files, a saved model as a player, settings that are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents import make
from experiments import evaluate, train_sb3
from experiments.train_sb3 import Args, Budget, MaskablePlayer, Shaped, TileReader, make_env, make_model, run
from mjenv.envs.sb3 import SeatVecEnv
from mjenv.variants import as_rules

SMALL: dict[str, Any] = {
    "timesteps": 256,
    "num_envs": 8,
    "n_steps": 16,
    "minibatch": 64,
    "epochs": 2,
    "width": 16,
    "tile_width": 4,
    "blocks": 2,
    "opponents": "random",
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("sb3")
    run(Args(out=str(out), **SMALL))
    return out


def test_shaping_adds_the_same_to_every_way_to_play_a_hand() -> None:
    plain, shaped = (SeatVecEnv("hangzhou", 8, opponents="greedy", observation="features") for _ in range(2))
    wrapped = Shaped(shaped, 0.1, 0.5)
    column = 34 * len(plain.observation_layout.planes) + plain.observation_layout.scalar("shanten")
    plain.seed(4)
    wrapped.seed(4)
    before = plain.reset()[:, column]
    np.testing.assert_array_equal(wrapped.reset()[:, column], before)
    sums, rng, ended = np.zeros(8), np.random.default_rng(0), 0
    for _ in range(60):
        actions = (plain.action_masks() * rng.random((8, 75))).argmax(axis=1)
        seen, rewards, dones, _ = plain.step(actions)
        sums += wrapped.step(actions)[1] - np.clip(rewards, -0.5, 0.5)
        np.testing.assert_allclose(sums[dones], 0.1 * 8 * before[dones], atol=1e-5)
        ended += int(dones.sum())
        sums[dones], before = 0, np.where(dones, seen[:, column], before)
    assert ended > 8


@pytest.mark.parametrize("settings", [{}, {"observation": "planes", "shaping": 0}])
def test_every_part_of_the_network_learns(settings: dict[str, Any]) -> None:
    args = Args(**SMALL, **settings)
    budget = Budget(args)
    model = make_model(args, make_env(args, as_rules("hangzhou", None)), budget)
    before = {name: value.clone() for name, value in model.policy.state_dict().items()}
    logits = model.policy.action_net.weight[5]
    assert logits[args.width + 5] == 1
    model.learn(128, callback=budget)
    still = [name for name, value in model.policy.state_dict().items() if value.equal(before[name])]
    assert not still


def test_the_network_reads_the_look_ahead_at_the_size_of_1() -> None:
    batch = SeatVecEnv("hangzhou", 40, opponents="greedy", observation="features")
    batch.seed(2)
    seen, layout = batch.reset(), batch.observation_layout
    tables = np.rint(seen[:, : 34 * len(layout.planes)].reshape(40, -1, 34) * layout.plane_high()[:, None])
    scalars = np.rint(8 * seen[:, 34 * len(layout.planes) + layout.scalar("shanten") :])
    reader = TileReader(batch.observation_space, "features", 4, 8)
    read: list[np.ndarray] = []
    reader.tile.register_forward_pre_hook(lambda _, inputs: read.append(inputs[0].numpy()))
    claims = reader(torch.from_numpy(seen))[:, -5:].detach().numpy()
    shanten, useful = tables[:, layout.plane("discard_shanten")], tables[:, layout.plane("discard_useful")]
    gap = shanten - shanten.min(axis=1, keepdims=True)
    np.testing.assert_allclose(read[0][:, -3], np.minimum(gap, 3), atol=1e-5)
    np.testing.assert_allclose(read[0][:, -2], useful * 16 / 255, atol=1e-5)
    np.testing.assert_allclose(read[0][:, -1], np.where(gap == 0, useful, 0) * 16 / 255, atol=1e-5)
    np.testing.assert_allclose(claims, np.clip(scalars[:, 1:] - scalars[:, :1], -2, 2), atol=1e-5)
    assert (claims < 2).any() and (gap > 3).any()


def test_a_run_writes_a_model_its_card_and_an_evaluation(finished: Path) -> None:
    card = json.loads((finished / "model.json").read_text())
    assert (card["variant"], card["timesteps"], card["observation"]) == ("hangzhou", 256, "features")
    assert card["training"]["opponents"] == "random"
    result = json.loads((finished / "evaluation.json").read_text())
    assert set(result["against"]) == {"random", "greedy"}
    assert sorted(path.name for path in finished.iterdir()) == ["evaluation.json", "model.json", "model.zip"]


def test_the_saved_model_plays_as_the_trained_one(finished: Path) -> None:
    told = json.loads((finished / "evaluation.json").read_text())["against"]["random"]
    name = f"experiments.train_sb3:{finished}/model.zip"
    found = evaluate.run("hangzhou", name, "random", SMALL["blocks"], Args.seed + 1)
    assert found["points_per_hand"] == told["points_per_hand"]
    assert found["decisions"] == told["decisions"]


def test_a_row_is_decided_by_itself(finished: Path) -> None:
    player = MaskablePlayer.load(finished / "model.zip", as_rules("hangzhou", None))
    rng = np.random.default_rng(3)
    layout = player._flat.layout
    planes = (rng.random((70, len(layout.planes), 34)) * layout.plane_high()[:, None]).astype(np.uint8)
    scalars = rng.random((70, len(layout.scalars)), np.float32)
    mask = rng.random((70, 75)) < 0.2
    mask[:, 74] = True
    together = player.act(planes, scalars, mask, np.zeros(70))
    alone = [int(player.act(*(part[row : row + 1] for part in (planes, scalars, mask, mask)))[0]) for row in range(70)]
    assert together.tolist() == alone
    assert mask[np.arange(70), together].all()


def test_the_same_seed_gives_the_same_model(finished: Path, tmp_path: Path) -> None:
    run(Args(out=str(tmp_path), **SMALL))
    rules = as_rules("hangzhou", None)
    first, second = (
        MaskablePlayer.load(at / "model.zip", rules)._model.policy.state_dict() for at in (finished, tmp_path)
    )
    assert all(value.equal(second[name]) for name, value in first.items())


def test_a_model_is_refused_at_another_table(finished: Path) -> None:
    name = f"experiments.train_sb3:{finished}/model.zip"
    with pytest.raises(ValueError, match="hangzhou, not yugan"):
        make(name, "yugan")
    with pytest.raises(ValueError, match="no saved model"):
        make("experiments.train_sb3:nowhere/model.zip", "hangzhou")
    with pytest.raises(ValueError, match=r"DIR/model\.zip"):
        make("experiments.train_sb3:Model", "hangzhou")


def test_a_damaged_model_is_named(finished: Path, tmp_path: Path) -> None:
    (tmp_path / "model.json").write_bytes((finished / "model.json").read_bytes())
    (tmp_path / "model.zip").write_bytes((finished / "model.zip").read_bytes()[:1000])
    with pytest.raises(ValueError, match="damaged"):
        make(f"experiments.train_sb3:{tmp_path}/model.zip", "hangzhou")
    (tmp_path / "model.json").write_text("[]")
    with pytest.raises(ValueError, match="no card"):
        make(f"experiments.train_sb3:{tmp_path}/model.zip", "hangzhou")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, "either minutes or timesteps"),
        ({"minutes": 1, "timesteps": 9}, "either minutes or timesteps"),
        ({"minutes": 0}, "above 0"),
        ({"minutes": float("nan")}, "above 0"),
        ({"timesteps": 9, "observation": "planes"}, "shaping"),
        ({"timesteps": 9, "blocks": 1}, "at least 2 blocks"),
        ({"timesteps": 9, "seed": -1}, "seed"),
        ({"timesteps": 9, "variant": "chess"}, "unknown variant"),
        ({"timesteps": 9, "opponents": "nobody"}, "unknown agent"),
    ],
)
def test_settings_that_make_no_run_are_named(settings: dict[str, Any], told: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=told):
        train_sb3.run(Args(out=str(tmp_path / "run"), **settings))
    assert not (tmp_path / "run").exists()


def test_a_device_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match="no GPU"):
        train_sb3.run(Args(timesteps=9, device="cuda"))
