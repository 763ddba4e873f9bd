"""Worked cases of every variant: `tests/cases/<variant>.json`, compared exactly and in order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mjenv.scoring import BelowMinimum, NotAWin, Win, score_win
from mjenv.variants import BY_NAME

CASES = Path(__file__).parent.parent / "cases"
ERRORS = {"ValueError": ValueError, "NotAWin": NotAWin, "BelowMinimum": BelowMinimum}


def load_cases() -> list[Any]:
    found = []
    for variant in BY_NAME:
        for case in json.loads((CASES / f"{variant}.json").read_text()):
            found.append(pytest.param(variant, case, id=case["id"]))
    return found


@pytest.mark.parametrize(("variant", "case"), load_cases())
def test_case(variant: str, case: dict[str, Any]) -> None:
    win, expect = Win(**case["win"]), case["expect"]
    if "error" in expect:
        with pytest.raises(ERRORS[expect["error"]]):
            score_win(variant, win, case["rules"])
        return
    settlement = score_win(variant, win, case["rules"])
    assert [list(item) for item in settlement.items] == expect["items"]
    assert settlement.total == expect["total"]
    assert list(settlement.payments) == expect["payments"]
