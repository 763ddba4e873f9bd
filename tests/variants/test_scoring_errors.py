"""What every variant refuses, and what holds for scoring as a whole."""

from __future__ import annotations

import dataclasses
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from variants.test_scoring import error, settle
from variants.test_scoring_faan import FROM_DEALER, hongkong

from mjenv.core.table import MELD_ADDED
from mjenv.scoring import BelowMinimum, NotAWin, Win, describe, melds_text, score_win
from mjenv.variants import BY_NAME, rules

GOOD: dict[str, Any] = {"seat": 1, "bonus": "f1", "concealed": "345678s99sNNN", "melds": ("peng 222s",)}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"concealed": "345678s99sNNX"}, "cannot read"),
        ({"concealed": 5}, "concealed"),
        ({"melds": ("pung 222s",)}, "pung"),
        ({"melds": ("peng 223s",)}, "three tiles alike"),
        ({"melds": ("chi 124s",)}, "in a row"),
        ({"melds": ("chi 89s1p",)}, "in a row"),
        ({"melds": ("chi ESW",)}, "in a row"),
        ({"melds": ("gang 222s",)}, "four tiles alike"),
        ({"melds": "peng 222s"}, "list"),
        ({"melds": ("peng f1f1f1",)}, "no f1"),
        ({"concealed": "345678s99sNNf2"}, "no f2"),
        ({"bonus": "E"}, "no bonus tile"),
        ({"bonus": "f1f1"}, "1 times"),
        ({"concealed": "345678s99sNNNN"}, "use 14"),
        ({"winning_tile": None}, "winning_tile"),
        ({"winning_tile": "1s"}, "not among"),
        ({"winning_tile": "99s"}, "unknown tile"),
        ({"concealed": "22345s99sNNNN"}, "5 copies of 2s"),
        ({"seat": 4}, "seat"),
        ({"seat": True}, "seat=True: use a whole number"),
        ({"last_tile": "no"}, "last_tile='no': use True or False"),
        ({"dealer": -1}, "dealer"),
        ({"dealer": 1.0}, "dealer"),
        ({"streak": -1}, "streak"),
        ({"round_wind": "C"}, "round_wind"),
        ({"source": "discard"}, "from_seat"),
        ({"source": "discard", "from_seat": 1}, "from_seat"),
        ({"source": "discard", "from_seat": 4}, "from_seat"),
        ({"from_seat": 0}, "from_seat"),
        ({"source": "rob_gold"}, "source"),
        ({"source": "stolen"}, "source"),
        ({"source": "replacement"}, "gang"),
        ({"source": "robbed_gang", "from_seat": 0}, "other three"),
        ({"opening": "second_draw"}, "opening"),
        ({"opening": "first_draw"}, "empty melds"),
    ],
)
def test_an_impossible_win_is_refused_with_a_reason(changes: dict[str, Any], says: str) -> None:
    assert says in error("hongkong", **{**GOOD, "winning_tile": "9s", **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"opening": "dealt"},
        {"opening": "dealt", "seat": 0, **FROM_DEALER, "from_seat": 1},
        {"opening": "first_discard"},
        {"opening": "first_discard", "source": "discard", "from_seat": 2},
        {"opening": "first_draw", "seat": 0},
        {"opening": "first_draw", **FROM_DEALER},
    ],
)
def test_an_opening_must_fit(changes: dict[str, Any]) -> None:
    fields = {"seat": 1, "concealed": "22345m678p888sNNN", "winning_tile": "8p", **changes}
    assert "opening" in error("hongkong", **fields)


def test_fields_that_a_variant_does_not_use_are_ignored() -> None:
    plain = {**GOOD, "winning_tile": "9s"}
    unused = {"indicator": "??", "thrown_wilds": "x", "gang_run": 9, "floats": -1, "others_hold_wild": True}
    assert settle("hongkong", **plain, **unused) == settle("hongkong", **plain)


@pytest.mark.parametrize("win", [None, {"seat": 1}, Win])
def test_what_is_no_win_is_refused(win: Any) -> None:
    with pytest.raises(ValueError, match=r"describe the win with mjenv\.Win"):
        score_win("hongkong", win)


def test_flags_that_a_variant_uses_are_true_or_false() -> None:
    fields = {"concealed": "123m456m789m11p567p", "winning_tile": "7p", "indicator": "3p"}
    assert "others_hold_wild" in error("yugan", **fields, others_hold_wild=1)


def test_value_error_comes_before_not_a_win_and_that_before_below_minimum() -> None:
    assert not issubclass(NotAWin, ValueError) and not issubclass(BelowMinimum, ValueError)
    wrong = {**GOOD, "concealed": "345678s19sNNN", "winning_tile": "9s"}
    assert "from_seat" in error("hongkong", **wrong, source="discard")
    with pytest.raises(NotAWin, match="345678s19sNNN"):
        settle("hongkong", **wrong)
    with pytest.raises(NotAWin):
        settle("hongkong", **{**wrong, "concealed": "345m67p199sNNN"})


def test_the_minimum_is_named() -> None:
    fields = {"concealed": "55m567p234888s", "melds": ("chi 123m",), "winning_tile": "5m"}
    with pytest.raises(BelowMinimum, match=r"1 faan \(self_draw 1\), but the minimum is 3") as caught:
        hongkong(**fields)
    assert caught.value.settlement.payments == (-2, 6, -2, -2)
    assert pickle.loads(pickle.dumps(caught.value)).items == caught.value.items
    assert hongkong({"min_faan": 1}, **fields).total == 1


def test_results_are_plain_frozen_values() -> None:
    settlement = hongkong(concealed="345678s99sNNN", melds=["peng 222s"], winning_tile="9s")
    assert [type(value) for _, value in settlement.items] == [int] * len(settlement.items)
    assert type(settlement.total) is int and [type(points) for points in settlement.payments] == [int] * 4
    with pytest.raises(dataclasses.FrozenInstanceError):
        settlement.total = 0  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        Win().seat = 2  # type: ignore[misc]


def test_rules_may_be_given_in_every_form() -> None:
    win = Win(**GOOD, winning_tile="9s")
    given = rules("hongkong", min_faan=0)
    assert score_win("hongkong", win, given) == score_win("hongkong", win, rules={"min_faan": 0})
    with pytest.raises(ValueError, match="variants are"):
        score_win("taipei", win)
    with pytest.raises(ValueError, match="hongkong"):
        score_win("threefaan", win, given)


def test_melds_are_written_as_win_reads_them() -> None:
    melds = ("chi 123m", "peng 222p", "gang 5555p", "concealed_gang EEEE")
    described = describe(
        BY_NAME["hongkong"], rules("hongkong").record, Win(concealed="55m", winning_tile="5m", melds=melds)
    )
    assert melds_text(described[0]) == melds
    described["meld_type"][0, 2] = MELD_ADDED
    assert melds_text(described[0]) == melds


def test_plain_python_settles_every_case_alike_and_without_warnings() -> None:
    here = Path(__file__).parent
    command = [sys.executable, "-W", "error::RuntimeWarning", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [*command, str(here / "test_cases.py")], cwd=here.parents[1], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-2000:]
