"""The package's scorer against the independent reference scorer, over constructed wins of every pattern."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from reference import VARIANTS
from reference.construct import settled_wins

COUNT = 2000
SHOWN = 5


def package_result(variant: str, win: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """What `mjenv.score_win` says, in the format of the case files."""
    import mjenv

    rules = mjenv.rules(variant, **options)
    try:
        settlement = mjenv.score_win(variant, mjenv.Win(**win), rules=rules)
    except Exception as error:  # its sort is what is compared
        name = "ValueError" if isinstance(error, ValueError) else type(error).__name__
        return {"error": name} if str(error) else {"error": name, "message": "missing"}
    return {
        "items": [list(item) for item in settlement.items],
        "total": settlement.total,
        "payments": list(settlement.payments),
    }


def compare(variant: str, seed: int, count: int) -> None:
    """Fail with the first few wins on which the two scorers differ."""
    settled = settled_wins(variant, seed, count)
    differing = []
    for win, options, expected in settled:
        got = package_result(variant, win, options)
        if got != expected:
            differing.append(f"win = {win}\n  rules = {options}\n  package   {got}\n  reference {expected}")
    shown = "\n".join(differing[:SHOWN])
    assert not differing, f"{variant}: {len(differing)} of {len(settled)} wins differ, such as\n{shown}"


@pytest.mark.parametrize("variant", VARIANTS)
def test_score_win_agrees_with_the_reference(variant: str) -> None:
    compare(variant, 0, COUNT)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("variant", VARIANTS)
def test_score_win_agrees_with_the_reference_on_many_more(variant: str, seed: int) -> None:
    compare(variant, seed, 10_000)
