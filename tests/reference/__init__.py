"""A second scorer, written from the rules files alone: slow, plain, and independent of the package under test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import fuzhou, hangzhou, hongkong, threefaan, yugan
from .hand import BelowMinimum, NotAWin
from .notation import Impossible
from .options import full_options

SCORERS = {
    "yugan": yugan.score,
    "fuzhou": fuzhou.score,
    "hangzhou": hangzhou.score,
    "hongkong": hongkong.score,
    "threefaan": threefaan.score,
}
VARIANTS = tuple(SCORERS)


def score(variant: str, win: Mapping[str, Any], rules: Mapping[str, Any]) -> dict[str, Any]:
    """The settlement of one win, or the name of the error, in the format of the case files."""
    try:
        items, total, payments = SCORERS[variant](win, full_options(variant, rules))
    except Impossible:
        return {"error": "ValueError"}
    except NotAWin:
        return {"error": "NotAWin"}
    except BelowMinimum:
        return {"error": "BelowMinimum"}
    assert sum(payments) == 0
    return {"items": [list(item) for item in items], "total": total, "payments": payments}
