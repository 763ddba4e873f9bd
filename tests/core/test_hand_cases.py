"""The worked hands of tests/cases/hands.json, one test each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mjenv import hands
from mjenv.core.tiles import HAND_KINDS, NAMES, counts_of, parse_tiles

CASES = json.loads((Path(__file__).parents[1] / "cases" / "hands.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_hand_case(case: dict[str, Any]) -> None:
    counts = np.array([counts_of(parse_tiles(case["counts"]), HAND_KINDS)], np.uint8)
    arguments = (counts, np.array([case["wilds"]]), np.array([case["melds"]]))
    options = {"sets": case["sets"], "forms": tuple(case["forms"])}
    expect = case["expect"]
    assert hands.is_win(*arguments, **options).tolist() == [expect["is_win"]]
    assert hands.shanten(*arguments, **options).tolist() == [expect["shanten"]]
    waits = hands.waits(*arguments, **options)[0]
    assert [NAMES[kind] for kind in np.flatnonzero(waits)] == (expect["waits"] or [])
