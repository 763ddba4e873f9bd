"""The reference scorer agrees with the settled cases, and the constructed wins cover the rules files."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from . import VARIANTS, score
from .arrange import Arrangement, Group, Tile, arrangements, brute_arrangements, gap_arrangements
from .construct import constructed_wins, coverage, settled_wins
from .hand import FROM_ANOTHER
from .options import ITEMS

CASES = Path(__file__).parents[1] / "cases"
COUNT = 2000


def cases(variant: str) -> list[dict[str, Any]]:
    """The case file of a variant."""
    found: list[dict[str, Any]] = json.loads((CASES / f"{variant}.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_settled_case_agrees(variant: str) -> None:
    for case in cases(variant):
        assert score(variant, case["win"], case["rules"]) == case["expect"], case["id"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_constructed_wins_cover_every_item_option_and_seat(variant: str) -> None:
    report = coverage(variant, 0, COUNT)
    assert report.wins >= COUNT
    assert report.missing(least=3) == []
    assert set(report.items) == set(ITEMS[variant])


@pytest.mark.parametrize("variant", VARIANTS)
def test_constructed_wins_cover_sources_openings_melds_and_errors(variant: str) -> None:
    report = coverage(variant, 0, COUNT)
    sources = {
        "fuzhou": {"self_draw", "discard", "replacement", "rob_gold", "three_golds"},
        "hangzhou": {"self_draw", "replacement"},
    }.get(variant, {"self_draw", "discard", "replacement", "robbed_gang"})
    openings = {"none", "dealt", "first_draw"} | ({"first_discard"} if variant != "hangzhou" else set())
    assert set(report.sources) == sources
    assert set(report.openings) == openings
    assert set(report.melds) == {"chi", "peng", "gang", "concealed_gang"}
    assert report.errors["ValueError"] >= 50
    assert report.errors["NotAWin"] >= 10
    assert (report.errors["BelowMinimum"] >= 50) == (variant in ("hongkong", "threefaan"))
    payers = {
        (win.get("seat", 0), win["from_seat"])
        for win, _, result in settled_wins(variant, 0, COUNT)
        if "error" not in result and win.get("source") in FROM_ANOTHER
    }
    assert len(payers) == (0 if variant == "hangzhou" else 12)


@pytest.mark.parametrize("variant", VARIANTS)
def test_constructed_wins_depend_on_the_seed_alone(variant: str) -> None:
    first = list(constructed_wins(variant, 7, 50))
    assert first == list(constructed_wins(variant, 7, 50))
    assert first != list(constructed_wins(variant, 8, 50))


def without_free_kinds(arrangement: Arrangement) -> tuple[Group, ...]:
    """Groups of wilds only, whatever they stand for, written in one way."""
    free = Tile(None, True)
    groups = []
    for group in arrangement:
        if all(tile.wild for tile in group.tiles):
            group = Group("pair" if group.name == "pair" else "triplet", (free,) * len(group.tiles))
        groups.append(group)
    return tuple(sorted(groups, key=str))


def test_trying_every_kind_and_filling_gaps_find_the_same_arrangements() -> None:
    rng = Random(5)
    found = 0
    for _ in range(150):
        sets, wilds = rng.choice([1, 2, 3, 4]), rng.choice([0, 1, 2])
        low = rng.randrange(22)
        fixed = [rng.randrange(low, low + 6) for _ in range(3 * sets + 2 - wilds)]
        brute = {without_free_kinds(one) for one in brute_arrangements(fixed, wilds, sets, True, 34)}
        gaps = {without_free_kinds(one) for one in gap_arrangements(fixed, wilds, sets, True)}
        assert brute == gaps, fixed
        found += len(brute)
    assert found > 100


def test_a_wrong_number_of_tiles_has_no_arrangement() -> None:
    assert list(arrangements([0, 0, 0], 0, 1)) == []
