"""The comparison with other libraries: tables from made-up measurements, our own rows, libraries that fail."""

from __future__ import annotations

import json
import random
import sys
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from experiments import compare_speed
from experiments.speed import mjenv_rows, plays, worker
from experiments.speed.report import Row, draw_rates, measure_agreement, write_page, write_rate
from mjenv import hands


class FakeWorker:
    """A library that answers at made-up speeds; a row without a speed fails, `None` kills the process."""

    def __init__(self, speeds: dict[str, list[float] | str | None], **about: Any) -> None:
        self.speeds = speeds
        self.about = {"games": {}, "hands": {}, "answers": {}, **about}
        self.asked: list[tuple[str, float]] = []

    def measure(self, key: str, seconds: float) -> dict[str, Any]:
        self.asked.append((key, seconds))
        found = self.speeds[key]
        if found is None:
            raise compare_speed.Failure("stopped with exit code -9: no message")
        if isinstance(found, str):
            return {"error": found}
        return {"decisions": found.pop(0), "games": 2, "wall": 1.0, "cpu": 0.5}


def quiet(text: str) -> None:
    """Show nothing."""


def made_up_report() -> dict[str, Any]:
    machine = {"processor": "Abacus", "cores": 2, "system": "Linux", "load_before": 0.1, "load_after": 1.0}
    games = {"library": "mjenv", "part": "games", "row": "batch", "includes": "arrays", "per_second": 1.2e6}
    games |= {"low": 1e6, "high": 1.3e6, "per_cpu_second": 1.25e6, "decisions_per_game": None, "warm_up_seconds": 2.0}
    other = {**games, "library": "slow", "row": "one game", "includes": "objects", "per_second": 41_520.0}
    other |= {"low": 40_000.0, "high": 42_000.0, "per_cpu_second": 43_000.0, "decisions_per_game": 88.4}
    broken = {"library": "slow", "part": "games", "row": "two games", "includes": "", "error": "ValueError: no"}
    hand = {**games, "part": "hands", "row": "all/is_win/near", "includes": "a batch", "per_second": 31e6}
    return {
        "date": "2026-01-02",
        "machine": machine,
        "repeats": 5,
        "seconds": 1.0,
        "libraries": {"mjenv": {"language": "Python", "python": "3.11.7", "versions": {"mjenv": "1", "numba": "2"}}},
        "failed": {"gone": "cannot be installed: ERROR: No matching distribution found for gone==9"},
        "rows": [games, other, broken, hand],
        "agreement": {"slow": {"is_win/near": 1.0, "shanten/one suit": 0.9875}, "same": {"is_win/near": 1.0}},
    }


def test_the_page_holds_rates_spread_versions_and_what_failed() -> None:
    lines = write_page(made_up_report()).splitlines()
    assert "| mjenv | mjenv 1, numba 2 | Python | 3.11.7 |" in lines
    assert "| mjenv | batch | **1.20 M** (1.00 M to 1.30 M) | 1.25 M | – | arrays |" in lines
    assert "| slow | one game | **41.5 k** (40.0 k to 42.0 k) | 43.0 k | 88 | objects |" in lines
    assert "| mjenv | all | `is_win` | – | 31.0 M | – | a batch |" in lines
    assert "- gone: cannot be installed: ERROR: No matching distribution found for gone==9" in lines
    assert "- slow, two games: ValueError: no" in lines
    assert "Measured 2026-01-02 on one core of Abacus (2 cores, Linux; load 0.1 before, 1.0 after)." in lines[2]


def test_the_page_says_where_answers_differ() -> None:
    page = write_page(made_up_report())
    assert "- slow: the same answers as mjenv, except for shanten of one suit hands (98.75 % the same)\n" in page
    assert "- same: the same answers as mjenv\n" in page


@pytest.mark.parametrize(
    ("rate", "text"),
    [(87.4, "87.4"), (999.6, "1.00 k"), (1234, "1.23 k"), (354_200, "354 k"), (999_600, "1.00 M"), (31.04e6, "31.0 M")],
)
def test_rates_have_three_digits(rate: float, text: str) -> None:
    assert write_rate(rate) == text


def test_the_picture_is_a_png() -> None:
    pytest.importorskip("matplotlib")
    picture = draw_rates(made_up_report())
    assert picture is not None and picture.startswith(b"\x89PNG")


def test_a_row_is_the_median_of_its_samples() -> None:
    samples = [{"decisions": n, "games": 1, "wall": 2.0, "cpu": 0.5} for n in (300, 100, 160)]
    found = Row("mjenv", "games/one game", "arrays", samples, warm_up=3.0).summarise()
    assert (found["low"], found["per_second"], found["high"]) == (50, 80, 150)
    assert found["per_cpu_second"] == 320
    assert found["decisions_per_game"] == pytest.approx(560 / 3)
    assert (found["part"], found["row"], found["warm_up_seconds"]) == ("games", "one game", 3.0)


def test_agreement_is_the_share_of_equal_answers() -> None:
    own = {"hands/all/is_win/near": [1, 0, 1, 0], "hands/single/is_win/near": [1, 0, 1, 0]}
    other = {"hands/theirs/is_win/near": [1, 0, 0, 0]}
    assert measure_agreement({"mjenv": own, "other": other, "no hands": {}}) == {"other": {"is_win/near": 0.75}}


def test_rows_take_turns_after_a_warm_up() -> None:
    one = FakeWorker({"games/a": [5, 10, 30], "games/b": [5, 20, 20]}, games={"a": "x", "b": "y"})
    key = "hands/all/is_win/near"
    two = FakeWorker({key: [1, 7, 9]}, hands={"all": "z"}, answers={key: [1]})
    found = compare_speed.compare({"one": one, "two": two}, 2, 1.0, quiet)  # type: ignore[dict-item]
    assert [row["per_second"] for row in found] == [20, 20, 8]
    assert [row["includes"] for row in found] == ["x", "y", "z"]
    assert one.asked == [("games/a", 0.2), ("games/b", 0.2), *[("games/a", 1.0), ("games/b", 1.0)] * 2]
    assert two.asked == [(key, 0.2), (key, 0.3), (key, 0.3)]


def test_a_failing_row_is_reported_and_not_asked_again() -> None:
    bad = FakeWorker({"games/a": "ValueError: no", "games/b": None}, games={"a": "", "b": ""})
    found = compare_speed.compare({"bad": bad}, 3, 1.0, quiet)  # type: ignore[dict-item]
    assert [row["error"] for row in found] == ["ValueError: no", "stopped with exit code -9: no message"]
    assert len(bad.asked) == 2


def test_a_library_that_cannot_start_says_why() -> None:
    with pytest.raises(compare_speed.Failure, match=r"exit code 1: ModuleNotFoundError: No module named 'absent_rows'"):
        compare_speed.Worker("absent", sys.executable, {})
    with pytest.raises(compare_speed.Failure, match=r"cannot be started: /absent/python: No such file"):
        compare_speed.Worker("absent", "/absent/python", {})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--with", "chess=python3"], "unknown library 'chess': use riichienv, "),
        (["--with", "rlcard"], "--with rlcard names no interpreter: use rlcard=PYTHON"),
        (["--repeats", "0"], "--repeats must be at least 1"),
        (["--seconds", "nan"], "--seconds above 0"),
    ],
)
def test_bad_arguments_end_before_anything_is_measured(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        compare_speed.main([*arguments, "--out", str(tmp_path / "out")])
    assert end.value.code == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_results_are_a_page_and_the_data_behind_it(tmp_path: Path) -> None:
    report = made_up_report()
    compare_speed.write_results(tmp_path, report)
    assert json.loads((tmp_path / "speed.json").read_text()) == report
    assert (tmp_path / "speed.md").read_text() == write_page(report)


@pytest.mark.parametrize("kind", worker.KINDS)
def test_hands_are_the_same_everywhere_and_have_fourteen_tiles(kind: str) -> None:
    dealt = np.array(worker.deal_hands(200)[kind])
    assert (dealt == worker.deal_hands(200)[kind]).all()
    assert (dealt.sum(axis=1) == 14).all() and dealt.max() <= 4
    assert len({tuple(counts) for counts in dealt}) > 150
    assert (dealt[:, 9:] == 0).all() == (kind == "one suit")


def test_about_half_of_the_near_hands_are_complete() -> None:
    share = hands.is_win(np.array(worker.deal_hands(400)["near"], np.uint8)).mean()
    assert 0.45 < share < 0.65


def test_a_worker_measures_whole_chunks_until_the_time_is_over() -> None:
    found = worker.measure(iter([(100, 1), (50, 1)]), 0.0)
    assert (found["decisions"], found["games"]) == (100, 1)
    assert found["wall"] >= 0 and found["cpu"] >= 0


def test_a_worker_offers_games_and_hands_by_key() -> None:
    module = SimpleNamespace(
        GAMES={"one": ("what", lambda: iter([(7, 1)]))},
        HANDS={"call": ("how", lambda dealt: [sum(counts) for counts in dealt], lambda ready: [ready[0] == 14], list)},
    )
    rows, answers = worker.collect(module, {"near": [[1] * 14, [2] * 14]})
    assert answers == {"hands/call/is_win/near": [1], "hands/call/shanten/near": [14, 28]}
    assert list(islice(rows["games/one"](), 1)) == [(7, 1)]
    assert list(islice(rows["hands/call/shanten/near"](), 2)) == [(2, 0), (2, 0)]


def test_our_batch_counts_a_decision_a_row() -> None:
    assert list(islice(plays.play_batch("fuzhou", 3), 4)) == [(3, 0)] * 4


@pytest.mark.parametrize("label", ["one game by the batch interface, mask + planes", "raw_env(), mask + planes"])
def test_our_single_games_count_the_decisions_of_whole_hands(label: str) -> None:
    for decisions, ended in islice(mjenv_rows.GAMES[label][1](), 3):
        assert ended == 1
        assert 4 <= decisions <= 400


def test_our_calls_answer_hands_alike() -> None:
    dealt = [worker.deal_hand("near", random.Random(number)) for number in range(20)]
    found = []
    for _, prepare, is_win, shanten in mjenv_rows.HANDS.values():
        ready = prepare(dealt)
        found.append(([bool(win) for win in is_win(ready)], [int(value) for value in shanten(ready)]))
    assert found[0] == found[1]
    wins, distances = found[0]
    assert wins == [distance == -1 for distance in distances] and any(wins) and not all(wins)
