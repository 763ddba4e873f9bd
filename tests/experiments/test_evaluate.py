"""The arena's evaluation: exact zeros, seatings, reproducibility, resuming, logs, refusals, measures."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")
pytest.importorskip("matplotlib")

import mjenv
from agents.arena import IllegalAction, play_games
from agents.random_player import RandomPlayer
from experiments import blocks, evaluate, runs
from experiments.blocks import COLUMN, SEATINGS, Match, share_ranks
from experiments.measures import MEASURES
from experiments.units import smallest_win
from mjenv.replay import replay

VARIANTS = ("yugan", "fuzhou", "hangzhou", "hongkong", "threefaan")


class Other(RandomPlayer):
    """Random with other dice."""

    name = "other"

    def __init__(self, *setup: Any) -> None:
        super().__init__(7)


class Cheater(RandomPlayer):
    """Throws what it does not hold, at the first decision of the third block."""

    name = "cheater"

    def __init__(self, *setup: Any) -> None:
        super().__init__()
        self.turns = 0

    def act(self, observation: Any, scalars: Any, mask: Any, keys: Any) -> Any:
        self.turns += 1
        return super().act(observation, scalars, mask, keys) if self.turns < 3 else np.argmin(mask, axis=1)


def test_seatings_are_what_they_say() -> None:
    counts = {name: len(patterns) for name, patterns in SEATINGS.items()}
    assert counts == {"1v3": 4, "2v2": 6, "all": 24, "balanced": 4}
    for patterns in SEATINGS.values():
        assert len(set(patterns)) == len(patterns)
        seats = np.array(patterns)
        for agent in range(seats.max() + 1):
            times = (seats == agent).sum(axis=0)
            assert (times == times[0]).all(), "every agent sits in every seat equally often"
    neighbours = {(row[seat], row[seat + 1]) for row in SEATINGS["balanced"] for seat in range(3)}
    assert len(neighbours) == 12


@pytest.mark.parametrize("variant", VARIANTS)
def test_an_agent_against_itself_is_exactly_zero(variant: str) -> None:
    for name, seatings in (("greedy", "1v3"), ("random", "2v2")):
        result = evaluate.run(variant, name, name, 6, seed=5, seatings=seatings, batch_size=7)
        assert (result["points_per_hand"], result["low"], result["high"]) == (0, 0, 0)
        assert result["tests"][0]["p_t"] == 1 and result["variance_ratio"] is None
        assert (result["bootstrap"]["low"], result["luck_adjusted"]["narrower"]) == (0, 0)


def test_greedy_beats_random_and_one_is_as_far_ahead_as_three_are_behind() -> None:
    result = evaluate.run("hangzhou", "greedy", "random", 200, seed=1)
    assert result["low"] > 1
    assert (result["games"], result["blocks"], result["hands"]) == (800, 200, 800)
    assert result["win_rate"] > 0.3 > result["rival_win_rate"]
    assert result["rules"] == json.loads(json.dumps(mjenv.rules("hangzhou").options))
    assert result["decisions"] == pytest.approx(result["decisions_per_hand"] * result["hands"])
    hero, rival = result["agents"]
    assert rival["points_per_hand"]["value"] == pytest.approx(-hero["points_per_hand"]["value"] / 3)
    assert result["smallest_win"] == 3
    assert hero["smallest_wins_per_hand"]["value"] == pytest.approx(result["points_per_hand"] / 3)
    assert result["tests"][0]["p_t"] < 1e-10 and result["tests"][0]["p_wilcoxon"] < 1e-10
    luck = result["luck_adjusted"]
    assert luck["narrower"] > 0.1
    assert luck["low"] < result["high"] and result["low"] < luck["high"]


def test_four_agents_meet_in_all_seatings_and_their_points_sum_to_zero() -> None:
    for seatings, games in ((None, 24), ("balanced", 4)):
        versus = ["random", Other(), Other()]
        result = evaluate.run("fuzhou", "greedy", versus, 3, seed=2, seatings=seatings)
        assert result["games"] == 3 * games
        assert sum(entry["points_per_hand"]["value"] for entry in result["agents"]) == pytest.approx(0)
        assert [entry["agent"] for entry in result["agents"]] == ["greedy", "random", "other", "other"]
        assert len(result["tests"]) == 6


def test_measures_are_those_of_the_games() -> None:
    found = evaluate.run("hongkong", "greedy", "random", 8, seed=3, rules={"min_faan": 0})
    seats = [["greedy" if seat == place else "random" for seat in range(4)] for _ in range(8) for place in range(4)]
    games = play_games("hongkong", seats, np.repeat(np.arange(8), 4), seed=3, rules={"min_faan": 0})
    place = np.tile(np.arange(4), 8)
    rows = np.arange(32)
    hero = found["agents"][0]
    assert hero["win_rate"]["value"] == games.wins[rows, place].sum() / 32
    assert hero["win_rate_discard"]["value"] == games.wins[rows, place, 1].sum() / 32
    assert hero["draw_rate"]["value"] == games.draws.sum() / 32
    assert hero["decisions_per_hand"]["value"] == games.decisions[rows, place].mean()
    assert found["points_per_hand"] == games.points[rows, place].mean()
    assert hero["wilds_dealt"] is None and hero["floats"] is None and hero["rank_1"] is None
    rival = found["agents"][1]
    if rival["deal_in_cost"]:
        lost = rival["deal_in_rate"]["value"] * 96
        assert lost == pytest.approx(round(lost))


def test_games_of_many_hands_have_ranks() -> None:
    found = evaluate.run("yugan", "greedy", "random", 4, seed=1, episode="game", max_hands=3)
    hero = found["agents"][0]
    assert sum(hero[f"rank_{place}"]["value"] for place in range(1, 5)) == pytest.approx(1)
    mean = sum(place * hero[f"rank_{place}"]["value"] for place in range(1, 5))
    assert hero["mean_rank"]["value"] == pytest.approx(mean) and mean < 2.5
    assert found["hands"] == 48


def test_equal_points_share_their_places() -> None:
    shares = share_ranks(np.array([[5, 0, 0, -5], [0, 0, 0, 0]]))
    assert shares[0].tolist() == [[1, 0, 0, 0], [0, 0.5, 0.5, 0], [0, 0.5, 0.5, 0], [0, 0, 0, 1]]
    assert (shares[1] == 0.25).all()


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_win_is_cheaper_than_the_smallest(variant: str) -> None:
    for options in ({}, {"min_faan": 0}) if variant in ("hongkong", "threefaan") else ({},):
        rules = mjenv.rules(variant, **options)
        games = play_games(variant, ["greedy"] * 4, 300, seed=1, rules=rules)
        won = games.points[games.points > 0]
        assert won.min() >= smallest_win(rules)
    assert smallest_win(mjenv.rules("hongkong", min_faan=0)) == 1


def test_chunks_workers_and_batches_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = evaluate.run("hangzhou", "greedy", "random", 20, seed=3, batch_size=5)
    monkeypatch.setattr(runs, "CHUNK", 8)
    assert evaluate.run("hangzhou", "greedy", "random", 20, seed=3) == whole
    spread = evaluate.run("hangzhou", "greedy", "random", 20, seed=3, workers=2, out=tmp_path / "out")
    monkeypatch.undo()
    assert spread == whole


def test_a_run_that_broke_off_goes_on_and_plays_no_block_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "CHUNK", 4)
    whole = evaluate.run("hangzhou", "greedy", "random", 12, seed=3)
    played: list[int] = []

    def play(match: Match, first: int, count: int, **settings: Any) -> Any:
        if len(played) == 2:
            raise KeyboardInterrupt
        played.append(first)
        return blocks.play_blocks(match, first, count, **settings)

    monkeypatch.setattr(runs, "play_blocks", play)
    with pytest.raises(KeyboardInterrupt):
        evaluate.run("hangzhou", "greedy", "random", 12, seed=3, out=tmp_path)
    assert played == [0, 4]
    played[:] = [-1]
    assert evaluate.run("hangzhou", "greedy", "random", 12, seed=3, out=tmp_path) == whole
    assert played == [-1, 8]
    assert evaluate.run("hangzhou", "greedy", "random", 8, seed=3, out=tmp_path)["blocks"] == 8
    (tmp_path / "blocks" / "00000004.npz").write_bytes(b"damaged")
    played[:] = [-1]
    assert evaluate.run("hangzhou", "greedy", "random", 12, seed=3, out=tmp_path) == whole
    assert played == [-1, 4]


def test_other_settings_in_a_folder_are_named(tmp_path: Path) -> None:
    evaluate.run("hangzhou", "greedy", "random", 2, seed=3, out=tmp_path)
    with pytest.raises(ValueError, match=r"other games .*seed: 3 there, 4 here"):
        evaluate.run("hangzhou", "greedy", "random", 2, seed=4, out=tmp_path)
    with pytest.raises(ValueError, match=r"agents: .*'random'.* there, .*'other'"):
        evaluate.run("hangzhou", "greedy", Other(), 2, seed=3, out=tmp_path)


def test_results_are_written(tmp_path: Path) -> None:
    result = evaluate.run("hangzhou", "greedy", "random", 6, seed=3, out=tmp_path)
    assert json.loads((tmp_path / "evaluation.json").read_text()) == result
    rows = list(csv.DictReader((tmp_path / "measures.csv").open()))
    told = next(row for row in rows if (row["agent"], row["measure"]) == ("greedy", "points_per_hand"))
    assert float(told["value"]) == result["points_per_hand"]
    assert (tmp_path / "evaluation.png").read_bytes().startswith(b"\x89PNG")


def test_it_stops_as_soon_as_the_confidence_sequence_is_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "CHUNK", 32)
    found = evaluate.run("hangzhou", "greedy", "random", 320, seed=3, until_ci=0.6)
    assert 32 < found["blocks"] < 320 and found["blocks"] % 32 == 0
    assert found["stopping"]["reached"] is True
    assert (found["high"] - found["low"]) / 2 <= 0.6
    again = evaluate.run("hangzhou", "greedy", "random", 320, seed=3, until_ci=0.6, workers=2)
    assert again == found
    missed = evaluate.run("hangzhou", "greedy", "random", 32, seed=3, until_ci=0.01)
    assert (missed["blocks"], missed["stopping"]["reached"]) == (32, False)


def test_logs_hold_every_game_and_replay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "CHUNK", 2)
    plain, packed = tmp_path / "log.jsonl", tmp_path / "log.jsonl.gz"
    evaluate.run("hangzhou", "greedy", "random", 3, seed=1, log=plain)
    assert replay(plain).games == 12
    out = tmp_path / "out"
    evaluate.run("hangzhou", "greedy", "random", 3, seed=1, out=out)
    evaluate.run("hangzhou", "greedy", "random", 3, seed=1, out=out, log=packed)
    assert replay(packed).games == 12
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.jsonl", "log.jsonl.gz", "out"]


def test_kept_games_are_never_lost_and_their_logs_never_partial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(count: int, log: str | None = None) -> int:
        evaluate.run("hangzhou", "random", "greedy", count, seed=1, out=tmp_path / "out", log=log and tmp_path / log)
        return replay(tmp_path / log).games if log else 0

    assert run(2, "short.jsonl") == 8
    run(5)
    assert run(5, "long.jsonl") == 20
    chunk = tmp_path / "out" / "blocks" / "00000000-5.jsonl.gz"
    whole = chunk.read_bytes()
    for damaged in (b"", whole[:100], whole[:-1] + b"x"):
        chunk.write_bytes(damaged)
        assert run(5, "again.jsonl") == 20
    assert run(3, "third.jsonl") == 12
    monkeypatch.setattr(runs, "play_blocks", lambda *_, **__: pytest.fail("a kept game was played again"))
    run(5)
    run(2)


@pytest.mark.parametrize("damage", [lambda old: b"", lambda old: old[:60] + bytes(80) + old[140:]])
def test_a_damaged_chunk_is_played_again(tmp_path: Path, damage: Any) -> None:
    settings: dict[str, Any] = {"seed": 3, "out": tmp_path}
    whole = evaluate.run("hangzhou", "greedy", "random", 3, **settings)
    chunk = tmp_path / "blocks" / "00000000.npz"
    chunk.write_bytes(damage(chunk.read_bytes()))
    assert evaluate.run("hangzhou", "greedy", "random", 3, **settings) == whole


def test_a_chunk_of_another_match_is_not_taken(tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("two", 2)):
        evaluate.run("hangzhou", "greedy", "random", 2, seed=seed, out=tmp_path / name)
    two = evaluate.run("hangzhou", "greedy", "random", 2, seed=2)
    (tmp_path / "one" / "blocks" / "00000000.npz").replace(tmp_path / "two" / "blocks" / "00000000.npz")
    assert evaluate.run("hangzhou", "greedy", "random", 2, seed=2, out=tmp_path / "two") == two


def test_agents_of_one_name_and_file_are_told_apart(tmp_path: Path) -> None:
    class Double(Other):
        """The same name, another class."""

    evaluate.run("hangzhou", Other(), "random", 2, out=tmp_path)
    with pytest.raises(ValueError, match="holds other games"):
        evaluate.run("hangzhou", Double(), "random", 2, out=tmp_path)


def test_numpy_settings_give_json(tmp_path: Path) -> None:
    found = evaluate.run("hangzhou", "random", "random", 2, seed=np.int64(3), max_hands=np.int64(2), out=tmp_path)
    assert json.loads(json.dumps(found)) == found


def test_a_bad_place_for_the_log_is_found_before_a_game_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "play_blocks", lambda *_, **__: pytest.fail("a game was played"))
    for place in (tmp_path, tmp_path / "no" / "such" / "folder"):
        with pytest.raises((ValueError, OSError)):
            evaluate.run("hangzhou", "greedy", "random", 2, log=place)


def test_an_illegal_action_names_everything_and_its_state_can_be_restored(tmp_path: Path) -> None:
    with pytest.raises(IllegalAction, match=r"agent cheater chose the illegal action \d+ .*seed 11") as caught:
        evaluate.run("hangzhou", Cheater(), "random", 2, seed=11, out=tmp_path, batch_size=1)
    told = str(caught.value)
    path = tmp_path / "blocks" / "illegal_action.state"
    assert f"the table is in {path}" in told and "the seats are cheater, random, random, random" in told
    env = mjenv.raw_env("hangzhou")
    env.reset(seed=0)
    env.restore(path.read_bytes())
    seen = env.observe(env.agent_selection)
    legal = ", ".join(map(str, seen["action_mask"].nonzero()[0]))
    assert f"legal are {legal};" in told and f"as seat {env.agent_selection[-1]} " in told


def test_a_worker_names_the_illegal_action_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "cheats.py").write_text(
        "from agents.random_player import RandomPlayer\n"
        "class Cheater(RandomPlayer):\n"
        "    name = 'cheater'\n"
        "    def __init__(self, *setup): super().__init__()\n"
        "    def act(self, o, s, mask, keys):\n"
        "        return mask.argmin(axis=1) if len(mask) > 8 else super().act(o, s, mask, keys)\n"
    )
    monkeypatch.setattr(runs, "CHUNK", 16)
    with pytest.raises(IllegalAction, match="agent cheater chose the illegal action"):
        evaluate.run("hangzhou", "cheats:Cheater", "random", 32, workers=2)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"blocks": 1}, "at least 2 blocks, not 1"),
        ({"blocks": -1}, "at least 2 blocks, not -1"),
        ({"blocks": 10**11}, "plays at most"),
        ({"agent": "best"}, "unknown agent 'best'"),
        ({"versus": "best"}, "unknown agent 'best'"),
        ({"versus": ["random", "random"]}, "for 4 agents, not 3"),
        ({"seatings": "3v1"}, "seatings must be one of 1v3, 2v2, all, balanced"),
        ({"seatings": "all"}, "for 4 agents, not 2"),
        ({"until_ci": 0}, "until_ci must be a number above 0"),
        ({"until_ci": float("inf")}, "until_ci must be a number above 0"),
        ({"workers": 0}, "workers must be above 0"),
        ({"seed": -1}, "seed must be"),
        ({"episode": "week"}, "episode must be"),
        ({"agent": Other(), "workers": 2}, "agents by name"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, Any], told: str) -> None:
    usual: dict[str, Any] = {"agent": "greedy", "versus": "random", "blocks": 2}
    with pytest.raises(ValueError, match=told):
        evaluate.run("hangzhou", **{**usual, **settings})


def test_a_checkpoint_of_another_variant_or_other_rules_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from agents.network import Policy, make_card, write_checkpoint

    policy = Policy("planes", 8, 2)
    write_checkpoint(tmp_path, policy, make_card(policy, mjenv.rules("yugan")))
    name = f"checkpoint:{tmp_path}"
    with pytest.raises(ValueError, match="plays yugan, not hangzhou"):
        evaluate.run("hangzhou", name, "random", 2)
    with pytest.raises(ValueError, match="sets: checkpoint 1, table 2"):
        evaluate.run("yugan", name, "random", 2, rules={"sets": 2})
    assert evaluate.run("yugan", name, "random", 2)["agent"] == name
    before = blocks.fingerprint(Match(mjenv.rules("yugan"), (name, "random")).players()[0])
    write_checkpoint(tmp_path, Policy("planes", 8, 2), make_card(policy, mjenv.rules("yugan")))
    assert blocks.fingerprint(Match(mjenv.rules("yugan"), (name, "random")).players()[0]) != before


def test_every_measure_reads_columns_that_are_kept() -> None:
    for above, below, text in MEASURES.values():
        assert {*above, *below} <= set(COLUMN) and text
