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
from experiments import ablation, evaluate, policies, run_folder, selfplay, train  # noqa: E402
from experiments.ledger import Ledger  # noqa: E402
from experiments.symmetry import permute_suits  # noqa: E402
from mjenv.cli.learning import _read_settings  # noqa: E402
from mjenv.core.actions import HU, PASS  # noqa: E402

SMALL = {
    "decisions": 5000,
    "num_envs": 16,
    "minibatch": 512,
    "width": 32,
    "tile_width": 4,
    "past_every": 2,
    "clone": 0.3,
    "kl": 0.1,
    "symmetry": True,
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
    return dict(torch.load(folder / run_folder.STATE_FILE, weights_only=True)["learner"]["policy"])


def assert_same_weights(first: Path, second: Path) -> None:
    mine, other = weights(first), weights(second)
    assert all(torch.equal(mine[name], other[name]) for name in mine)


def test_payments_land_on_the_latest_decision_of_each_seat() -> None:
    ledger = Ledger(2)
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
    ledger = Ledger(1)
    for seat in (0, 1, 0):
        ledger.decide(np.array([0]), np.array([seat]))
    ledger.pay(np.array([[3.0, -1.0, -1.0, -1.0]]))
    following, payoff = ledger.close()
    values = np.array([1.0, 0.5, 2.0], np.float32)
    found = selfplay.estimate_advantages(values, payoff, following, [0, 1, 2, 3], 0.9, 0.5)
    assert found == pytest.approx([1.25, -1.5, 1.0])


def test_advantages_of_rows_that_decide_together() -> None:
    """Two rows at once, one seat each, twice; lambda 1 and gamma 1 give payments minus values."""
    ledger = Ledger(2)
    for _ in range(2):
        ledger.decide(np.array([0, 1]), np.array([2, 1]))
    ledger.pay(np.array([[0.0, 0, 4, -4], [0, -6, 6, 0]]))
    following, payoff = ledger.close()
    values = np.array([1, 2, 3, 4], np.float32)
    found = selfplay.estimate_advantages(values, payoff, following, [0, 2, 4], 1.0, 1.0)
    assert found == pytest.approx([4 - 1, -6 - 2, 4 - 3, -6 - 4])


def play(variant: str, following: int = 16, **settings: Any) -> tuple[train.Learner, selfplay.Decisions]:
    """One iteration of cloning on 32 tables, with the networks as they are made and the teacher playing at some."""
    learner = train.Learner(
        train.Args(**{"variant": variant, "num_envs": 32, "width": 16, "tile_width": 4, **settings})
    )
    follows = np.arange(32) < following
    seating = np.full((32, 4), selfplay.LEARNER)
    played = learner.tables.play(learner.policy, learner.critic, seating, [], follows, False, 5, "cpu")
    return learner, played


@pytest.mark.parametrize("variant", ["yugan", "fuzhou", "hangzhou", "hongkong", "threefaan"])
def test_seats_that_decided_are_credited_with_what_they_won_or_lost(
    variant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Ledger] = []
    monkeypatch.setattr(selfplay, "Ledger", lambda n: made.append(Ledger(n)) or made[0])
    learner, played = play(variant)
    decided = made[0].last >= 0
    scores, scale = learner.tables.engine.tables["scores"], float(learner.rules.reward_scale)
    won = scores - scores.mean(axis=1, keepdims=True)  # all begin with the same
    assert played.payoff.sum() == pytest.approx(won[decided].sum() / scale, abs=1e-3)
    assert np.abs(won).sum() > 0 and decided.sum() > 100
    first = np.ones(len(played.payoff), bool)
    first[played.following[played.following >= 0]] = False
    assert first.sum() == decided.sum()
    for chosen in (played.actions, played.advice):
        assert played.mask.gather(1, chosen[:, None]).all()


@pytest.mark.parametrize(("following", "low", "high"), [(32, 1, 1), (16, 0.3, 0.7), (0, 0.1, 0.4)])
def test_tables_follow_the_teacher_where_they_should(following: int, low: float, high: float) -> None:
    _, played = play("hangzhou", following)
    assert low <= (played.actions == played.advice).float().mean() <= high


def test_an_oracle_sees_what_the_others_hold() -> None:
    learner, _ = play("hangzhou")
    engine = learner.tables.engine
    engine.start(engine.rows, np.full(32, 9), engine.rows)
    rows, seats = np.array([3]), np.array([int(engine.out.seat[3])])
    seen = selfplay.see_hidden(engine, rows, seats)[0]
    assert seen.shape == (selfplay.HIDDEN,)
    for place in range(3):
        hand = engine.tables["hand"][3, (seats[0] + 1 + place) % 4, :34]
        assert (seen[34 * place : 34 * place + 34] * 4).tolist() == hand.tolist()
        assert hand.sum() == 13


def test_the_learner_sits_once_at_tables_with_rivals() -> None:
    learner, _ = play("hangzhou", rivals="value,greedy", rivals_share=0.25, past_share=0.25)
    assert (learner.seat_players()[0] == selfplay.LEARNER).all()  # cloning
    learner.phase = "ppo"
    learner.pool = [learner.policy.state_dict()]
    seating, rivals = learner.seat_players()
    assert [rival.name for rival in rivals] == ["value", "greedy", "network"]
    assert (np.sort(seating[:16], axis=1)[:, 0] == selfplay.LEARNER).all()
    assert ((seating[:16] == selfplay.LEARNER).sum(axis=1) == 1).all()
    assert (seating[16:] == selfplay.LEARNER).all()
    assert sorted(seating[:8].max(axis=1).tolist()) == [0, 0, 0, 0, 1, 1, 1, 1]
    assert (seating[8:16].max(axis=1) == 2).all()
    for rival in (0, 1):
        assert {int(seat) for row in seating[:8] if row.max() == rival for seat in np.flatnonzero(row == -1)} == {
            0,
            1,
            2,
            3,
        }


@pytest.mark.parametrize(
    ("reward", "learned"), [("points", [9, -16, 0.25]), ("clip", [2, -2, 0.25]), ("root", [3, -4, 0.5])]
)
def test_rewards_as_they_are_learned(reward: str, learned: list[float]) -> None:
    args = train.Args(reward=reward, reward_clip=2)
    assert train.learn_from(np.array([9, -16, 0.25], np.float32), args).tolist() == learned


def test_suits_that_change_names_change_them_everywhere() -> None:
    """Suits m, p, s become p, s, m: the suit now called m was s."""
    planes = torch.zeros((1, 34, 1), dtype=torch.uint8)
    planes[0, 18] = 1  # 1s
    planes[0, 27] = 2  # E
    mask = torch.zeros((1, 75), dtype=torch.bool)
    mask[0, [20, 29, 34]] = True  # discard 3s, discard W, chi
    hidden = torch.zeros((1, selfplay.HIDDEN))
    hidden[0, 34 + 26] = 1  # 9s across
    batch = {"planes": planes, "mask": mask, "hidden": hidden}
    batch |= {"actions": torch.tensor([20]), "advice": torch.tensor([34])}
    permute_suits(batch, np.array([2, 0, 1]))
    assert batch["planes"][0, 0] == 1 and batch["planes"][0, 27] == 2 and batch["planes"].sum() == 3
    assert batch["mask"][0].nonzero().squeeze(1).tolist() == [2, 29, 34]
    assert (batch["actions"].item(), batch["advice"].item()) == (2, 34)
    assert batch["hidden"][0].nonzero().squeeze(1).tolist() == [34 + 8]


def test_a_run_leaves_its_files(finished: Path) -> None:
    names = {"weights.safetensors", "card.json", "resume.pt", "evaluation.json", "learning_curve.png", "tensorboard"}
    assert {path.name for path in finished.iterdir()} == names
    assert (finished / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    found = json.loads((finished / "evaluation.json").read_text())
    assert found["decisions"] >= SMALL["decisions"]
    assert list(found["against"]) == ["random", "greedy", "speed", "value", "guard"]
    for result in found["against"].values():
        assert result["low"] <= result["points_per_hand"] <= result["high"]
    assert [point["decisions"] for point in found["curve"]] == [0, found["decisions"]]
    card = json.loads((finished / "card.json").read_text())
    assert card["evaluation"]["value"]["points_per_hand"] == found["against"]["value"]["points_per_hand"]
    assert card["training"]["decisions_seen"] == found["decisions"]
    assert card["training"]["command"].startswith("mjenv train hangzhou --decisions 5000 --out")
    assert "--set num_envs=16" in card["training"]["command"]


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
    out, learn = tmp_path / "run", train.Learner.learn

    def stop_late(learner: train.Learner, *arguments: Any) -> Any:
        if learner.pool:  # past snapshots are among the rivals by now
            raise KeyboardInterrupt
        return learn(learner, *arguments)

    monkeypatch.setattr(train.Learner, "learn", stop_late)
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
    monkeypatch.setattr(train, "learn_from", lambda payoff, _: np.full(len(payoff), np.nan, np.float32))
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
        ({"reward": "square"}, "reward must be"),
        ({"precision": "half"}, "precision must be"),
        ({"teacher": "checkpoint:hangzhou"}, "rule-based"),
        ({"rivals": "value,nobody"}, "'nobody'"),
        ({"clone": 1.5}, "clone is a share"),
        ({"leave_wins": True, "advised": False}, "advised=True"),
        ({"rivals_share": 0.7, "past_share": 0.7}, "together"),
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


def test_a_short_training_beats_random(tmp_path: Path) -> None:
    result = run(tmp_path / "run", decisions=150_000, num_envs=128, width=64, final_blocks=60, advised=False)
    assert result["against"]["random"]["low"] > 1


@pytest.mark.parametrize(
    ("given", "settings"),
    [
        ([], {}),
        (
            ["kl=0.5", "epochs=3", "oracle=False", "reward=root"],
            {"kl": 0.5, "epochs": 3, "oracle": False, "reward": "root"},
        ),
    ],
)
def test_settings_are_read_from_text(given: list[str], settings: dict[str, Any]) -> None:
    assert _read_settings(train.Args, given) == settings


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("kl", "NAME=VALUE"),
        ("nothing=1", "NAME=VALUE with one of .*kl"),
        ("seed=1", "NAME=VALUE"),
        ("epochs=2.5", "whole"),
        ("oracle=yes", "True or False"),
        ("kl=x", "a number"),
    ],
)
def test_wrong_settings_in_text_are_named(given: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        _read_settings(train.Args, [given])


@pytest.mark.parametrize("wrong", [{"minutes": float("nan")}, {"minutes": float("inf")}, {"minutes": 1, "seed": -1}])
def test_wrong_settings_leave_an_old_run_where_it_is(tmp_path: Path, wrong: dict[str, Any]) -> None:
    (tmp_path / "resume.pt").write_text("old")
    with pytest.raises(ValueError, match=r"above 0|seed"):
        train.run(train.Args(out=str(tmp_path), **wrong))
    assert [path.name for path in tmp_path.iterdir()] == ["resume.pt"]


def test_a_finished_run_is_measured_and_shipped(finished: Path, tmp_path: Path) -> None:
    policies.ship("hangzhou", finished, 4, 2, 6, 1, tmp_path / "results", tmp_path / "to")
    shown = {path.name for path in (tmp_path / "results" / "hangzhou").iterdir()}
    assert shown == {"curve.json", "curve.png", "table.csv", "behaviour.csv", "behaviour.png"}
    lines = (tmp_path / "results" / "hangzhou" / "table.csv").read_text().splitlines()
    assert [line.split(",")[0] for line in lines] == ["against", "random", "greedy", "speed", "value", "guard"]
    place = tmp_path / "to" / "hangzhou"
    assert (place / "weights.safetensors").read_bytes() == (finished / "weights.safetensors").read_bytes()
    card = json.loads((place / "card.json").read_text())
    told = evaluate.run("hangzhou", f"checkpoint:{place}", "value", 4, seed=6)
    assert card["evaluation"]["value"]["points_per_hand"] == told["points_per_hand"]
    assert f"value,{told['points_per_hand']}," in "\n".join(lines)


@pytest.mark.parametrize("change", list(ablation.CHANGES))
def test_every_run_of_the_ablation_can_be_made(change: str) -> None:
    train.check_args(train.Args(decisions=1, **ablation.CHANGES[change]))


def test_whether_to_win_may_be_left_to_the_advisor() -> None:
    """Rows: the advisor wins; it passes where it could win; nothing can be won."""
    policy = Policy("features", 8, 2, "value", leave_wins=True)
    mask = torch.zeros((3, 75), dtype=torch.bool)
    mask[:2, [HU, PASS]] = True
    mask[2, [0, 1]] = True
    planes = torch.zeros((3, 34, policy.reader.channels), dtype=torch.uint8)
    numbers = torch.zeros((3, policy.reader.length))
    with torch.no_grad():
        chances = policy(planes, numbers, mask, torch.tensor([HU, PASS, 1]))[0].exp()
    assert chances[0, HU] == 1 and chances[1, PASS] == 1
    assert chances[2, [0, 1]].sum() == pytest.approx(1) and chances[2, 1] > 0.5
    assert mask[0, PASS] and mask[1, HU]  # what was given is unchanged
