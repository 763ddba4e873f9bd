"""Training: credit worked out by hand, files, resuming, determinism, checkpoints that fit or are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mjenv

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")
pytest.importorskip("matplotlib")
pytest.importorskip("tensorboard")

from agents import make  # noqa: E402
from agents.network import NetworkPlayer, Policy, Reader, make_card, masked_log_softmax, write_checkpoint  # noqa: E402
from experiments import evaluate, train  # noqa: E402

SMALL = {
    "decisions": 5000,
    "num_envs": 16,
    "minibatch": 512,
    "width": 32,
    "tile_width": 4,
    "curve_points": 1,
    "curve_blocks": 4,
    "final_blocks": 4,
}


def run(out: Path, **settings: Any) -> dict[str, Any]:
    return train.run(train.Args(out=str(out), **{**SMALL, **settings}))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of one whole tiny run."""
    out = tmp_path_factory.mktemp("training") / "run"
    run(out)
    return out


def weights(folder: Path) -> dict[str, Any]:
    return dict(torch.load(folder / train.STATE_FILE, weights_only=True)["policy"])


def assert_same_weights(first: Path, second: Path) -> None:
    mine, other = weights(first), weights(second)
    assert all(torch.equal(mine[name], other[name]) for name in mine)


def test_payments_land_on_the_latest_decision_of_each_seat() -> None:
    ledger = train.Ledger(2)
    ledger.decide(np.array([0, 1]), np.array([0, 3]))  # places 0 and 1
    ledger.decide(np.array([0, 1]), np.array([1, 3]))  # places 2 and 3
    ledger.pay(np.array([[2.0, -1.0, -1.0, 0.0], [0.0, 0.0, 0.0, 0.0]]))  # a hand of row 0 ends, seat 2 never decided
    ledger.decide(np.array([0]), np.array([0]))  # place 4
    ledger.pay(np.array([[5.0, 0.0, -5.0, 0.0], [-1.0, -1.0, -1.0, 3.0]]))
    following, payoff = ledger.close()
    assert following.tolist() == [4, 3, -1, -1, -1]
    assert payoff.tolist() == [2, 0, -1, 3, 5]


def test_advantages_follow_each_seats_own_decisions() -> None:
    """Seats 0, 1, 0 decide; then seat 0 is paid 3 and seat 1 pays 1. With gamma 0.9 and lambda 0.5:

    the last decision of seat 0: 3 - 2 = 1; of seat 1: -1 - 0.5 = -1.5; the first of seat 0, whose next state is its own
    second decision and not that of seat 1: 0.9 * 2 - 1 + 0.9 * 0.5 * 1 = 1.25.
    """
    ledger = train.Ledger(1)
    for seat in (0, 1, 0):
        ledger.decide(np.array([0]), np.array([seat]))
    ledger.pay(np.array([[3.0, -1.0, -1.0, -1.0]]))
    following, payoff = ledger.close()
    values = np.array([1.0, 0.5, 2.0], np.float32)
    found = train.estimate_advantages(values, payoff, following, [0, 1, 2, 3], 0.9, 0.5)
    assert found == pytest.approx([1.25, -1.5, 1.0])


def test_advantages_of_rows_that_decide_together() -> None:
    """Two rows at once, one seat each, twice; lambda 1 and gamma 1 give payments minus values."""
    ledger = train.Ledger(2)
    for _ in range(2):
        ledger.decide(np.array([0, 1]), np.array([2, 1]))
    ledger.pay(np.array([[0.0, 0, 4, -4], [0, -6, 6, 0]]))
    following, payoff = ledger.close()
    values = np.array([1, 2, 3, 4], np.float32)
    found = train.estimate_advantages(values, payoff, following, [0, 2, 4], 1.0, 1.0)
    assert found == pytest.approx([4 - 1, -6 - 2, 4 - 3, -6 - 4])


def test_shaping_sums_to_nothing_along_a_hand() -> None:
    clock = train.Clock()
    args = train.Args(num_envs=32, shaping=0.3, reward_clip=100)
    env = mjenv.vector("hangzhou", 32, observation="features", autoreset=False)
    decisions = train.play_hands(env, Policy("features", 16, 4), args, 0, clock)
    shaped = train.shape_payoff(decisions, 1.0, 100)
    first = np.ones(len(shaped), bool)
    first[decisions.following[decisions.following >= 0]] = False
    assert (shaped - decisions.payoff).sum() == pytest.approx(-decisions.potential[first].sum(), rel=1e-4)
    assert first.sum() <= 4 * 32
    assert decisions.payoff.sum() == pytest.approx(0, abs=1e-4)


def test_a_run_leaves_its_files(finished: Path) -> None:
    names = {"weights.safetensors", "card.json", "resume.pt", "evaluation.json", "learning_curve.png", "tensorboard"}
    assert {path.name for path in finished.iterdir()} == names
    assert (finished / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    found = json.loads((finished / "evaluation.json").read_text())
    assert found["decisions"] >= SMALL["decisions"]
    assert set(found["against"]) == {"random", "greedy"}
    for result in found["against"].values():
        assert result["low"] <= result["points_per_hand"] <= result["high"]
    assert [point["decisions"] for point in found["curve"]] == [0, found["decisions"]]


def test_two_runs_agree_bit_for_bit(finished: Path, tmp_path: Path) -> None:
    run(tmp_path / "run")
    assert_same_weights(finished, tmp_path / "run")
    assert (finished / "weights.safetensors").read_bytes() == (tmp_path / "run" / "weights.safetensors").read_bytes()


def test_another_seed_gives_another_policy(finished: Path, tmp_path: Path) -> None:
    run(tmp_path / "run", seed=2, decisions=1)
    assert any(not torch.equal(part, weights(finished)[name]) for name, part in weights(tmp_path / "run").items())


def test_an_interrupted_run_resumes_where_it_stood(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, learn = tmp_path / "run", train.learn

    def stop_at_second(*arguments: Any) -> Any:
        if arguments[4] == 2:
            raise KeyboardInterrupt
        return learn(*arguments)

    monkeypatch.setattr(train, "learn", stop_at_second)
    with pytest.raises(KeyboardInterrupt):
        run(out)
    assert "resume" in capsys.readouterr().err
    assert isinstance(make(f"checkpoint:{out}", "hangzhou"), NetworkPlayer)
    monkeypatch.undo()
    run(out, resume=True)
    assert_same_weights(finished, out)


def test_resuming_refuses_a_file_that_training_did_not_write(tmp_path: Path) -> None:
    (tmp_path / "resume.pt").write_text("junk")
    with pytest.raises(ValueError, match="no file that training wrote"):
        run(tmp_path, resume=True)
    assert (tmp_path / "resume.pt").read_text() == "junk"


def test_resuming_refuses_other_settings_and_empty_folders(finished: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"other settings: learning_rate: 0\.\d+ there, 0\.5 here"):
        run(finished, resume=True, learning_rate=0.5)
    with pytest.raises(ValueError, match="nothing to resume"):
        run(tmp_path / "empty", resume=True)


def test_a_new_run_moves_an_old_one_aside(tmp_path: Path) -> None:
    for _ in range(2):
        run(tmp_path / "run", decisions=1)
    assert (tmp_path / "run.1" / "card.json").exists() and (tmp_path / "run" / "card.json").exists()


def test_a_loss_that_is_no_number_stops_the_run_and_saves_its_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train, "shape_payoff", lambda decisions, *_: np.full(len(decisions.payoff), np.nan, np.float32))
    with pytest.raises(FloatingPointError, match=r"nan_batch\.pt"):
        run(tmp_path / "run")
    saved = torch.load(tmp_path / "run" / "nan_batch.pt", weights_only=True)
    assert {"planes", "mask", "actions", "returns", "policy"} <= set(saved)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"decisions": None}, "how long"),
        ({"minutes": 1.0}, "either"),
        ({"decisions": 0}, "above 0"),
        ({"observation": "planes"}, "shaping"),
        ({"device": "cuda:99"}, "no GPU"),
        ({"variant": "chess"}, "unknown variant"),
        ({"rules": {"stop_at": 1}}, "stop_at"),
    ],
)
def test_bad_settings_are_named(tmp_path: Path, settings: dict[str, Any], told: str) -> None:
    if "device" in settings and torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(ValueError, match=told):
        run(tmp_path / "run", **settings)
    assert not (tmp_path / "run" / "card.json").exists()


def test_a_checkpoint_plays_alike_in_any_batch(finished: Path) -> None:
    name = f"checkpoint:{finished}"
    results = [evaluate.run("hangzhou", name, "greedy", 6, seed=3, batch_size=size) for size in (1, 24)]
    assert results[0] == results[1]
    own = evaluate.run("hangzhou", name, name, 6, seed=3, batch_size=5)
    assert (own["points_per_hand"], own["low"], own["high"]) == (0, 0, 0)


def test_a_checkpoint_of_another_game_is_refused(finished: Path) -> None:
    name = f"checkpoint:{finished}"
    with pytest.raises(ValueError, match="plays hangzhou, not yugan"):
        make(name, "yugan")
    with pytest.raises(ValueError, match="stop_at: checkpoint 20, table 30"):
        make(name, "hangzhou", {"stop_at": 30})


def test_a_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    rules, policy = mjenv.rules("hangzhou"), Policy("features", 8, 2)
    write_checkpoint(tmp_path, policy, {**make_card(policy, rules), "layout_version": 99})
    with pytest.raises(ValueError, match="observation layout 99"):
        make(f"checkpoint:{tmp_path}", "hangzhou")
    write_checkpoint(tmp_path, policy, make_card(policy, rules))
    content = (tmp_path / "weights.safetensors").read_bytes()
    (tmp_path / "weights.safetensors").write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match="cannot be read"):
        make(f"checkpoint:{tmp_path}", "hangzhou")
    (tmp_path / "card.json").write_text("{")
    with pytest.raises(ValueError, match="is no card"):
        make(f"checkpoint:{tmp_path}", "hangzhou")


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("size", [1.0, 1e4, 1e30])
def test_illegal_actions_have_no_probability_whatever_the_logits(size: float, dtype: Any) -> None:
    logits = (torch.randn(64, 75, generator=torch.Generator().manual_seed(0)) * size).to(dtype)
    mask = torch.rand(64, 75, generator=torch.Generator().manual_seed(1)) < 0.1
    mask[:, 7] = True
    mask[0] = torch.arange(75) == 7
    log_probs = masked_log_softmax(logits, mask)
    assert torch.isfinite(log_probs[mask]).all()
    assert (log_probs.exp()[~mask] == 0).all()
    assert log_probs[0, 7] == 0
    assert mask[torch.arange(64), log_probs.argmax(1)].all()


@pytest.mark.parametrize("observation", ["planes", "features"])
@pytest.mark.parametrize("variant", ["yugan", "fuzhou", "hangzhou", "hongkong", "threefaan"])
def test_the_network_reads_numbers_near_one(variant: str, observation: str) -> None:
    env = mjenv.vector(variant, 64, observation=observation, seed=1)
    policy = Policy(observation)
    assert sum(part.numel() for part in policy.parameters()) <= 500_000
    for _ in range(25):
        planes = torch.from_numpy(policy.reader.planes(env.observation)) * policy.scale
        numbers = torch.from_numpy(policy.reader.numbers(env.observation, env.scalars))
        assert planes.shape == (64, 34, policy.reader.channels)
        assert planes.min() >= 0 and planes.max() <= 4
        assert numbers.abs().max() <= 4
        env.step(env.action_mask.argmax(axis=1))


def test_the_reader_counts_what_lies_on_the_table() -> None:
    layout = mjenv.observation_layout("features")
    seen = np.zeros((1, len(layout.planes), 34), np.uint8)
    seen[0, layout.plane("right_discard_1"), 5] = 12
    seen[0, layout.plane("right_discard_2"), 5] = 30
    seen[0, layout.plane("left_chi_middle"), 3] = 2
    seen[0, layout.plane("own_added_gang"), 9] = 1
    seen[0, layout.plane("discard_shanten")] = 15
    seen[0, layout.plane("discard_shanten"), [1, 2]] = (2, 3)
    seen[0, layout.plane("discard_useful"), [1, 2]] = (10, 20)
    read = Reader(layout).planes(seen)[0]
    assert (read[5, 20], read[3, 14], read[9, 15]) == (2, 2, 1)
    assert read[[1, 2, 3], 23].tolist() == [0, 1, 3]
    assert read[[1, 2], 24].tolist() == [10, 20] and read[[1, 2], 25].tolist() == [10, 0]


@pytest.mark.slow
def test_a_minute_of_training_beats_random(tmp_path: Path) -> None:
    result = train.run(train.Args(out=str(tmp_path / "run"), minutes=1.0, curve_points=1, final_blocks=300))
    assert result["against"]["random"]["low"] > 1


@pytest.mark.parametrize("wrong", [{"minutes": float("nan")}, {"minutes": float("inf")}, {"minutes": 1, "seed": -1}])
def test_wrong_settings_leave_an_old_run_where_it_is(tmp_path: Path, wrong: dict[str, Any]) -> None:
    (tmp_path / "resume.pt").write_text("old")
    with pytest.raises(ValueError, match=r"above 0|seed"):
        train.run(train.Args(out=str(tmp_path), **wrong))
    assert [path.name for path in tmp_path.iterdir()] == ["resume.pt"]
