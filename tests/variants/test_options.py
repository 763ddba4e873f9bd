"""The Options tables: names, defaults, allowed values, presets, and what they become in a `RULES` record."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from mjenv.core.rules import DEAL_FIXED, DEAL_KEPT, DEAL_ROTATES, DEAL_TO_WINNER, FLIP_NONE, FLIP_STACK, FLIP_TAIL
from mjenv.variants import BY_NAME, as_rules, rules

# name: (default, other allowed values, some that are not allowed)
TABLES: dict[str, dict[str, tuple[Any, list[Any], list[Any]]]] = {
    "yugan": {
        "basic_fan": ((6, 3, 6), [(3, 3, 3)], [(6, 3), 6, (3, 3, 6)]),
        "seven_pairs_fan": ((8, 4, 8), [(4, 4, 8)], [(8, 8, 8), None]),
        "nine_one_fan": ((8, 4), [(4, 4)], [(4, 8)]),
        "thirteen_orphans_fan": ((8, 4), [(4, 4)], ["84"]),
        "full_flush_factor": (2, [3, 4], [1, 5, 2.0, True]),
        "all_honors_factor": (2, [3], [4]),
        "exposed_gang_fan": (1, [2], [0, True]),
        "concealed_gang_fan": (2, [1, 4], [3]),
        "sets": (1, [2, 3], [0, -1, 1.5, True]),
        "reward_scale": (20.0, [1, 0.5], [0, -1, float("inf"), "20", True]),
    },
    "fuzhou": {
        "exposed_gang_points": (1, [2], [0]),
        "concealed_gang_points": (2, [4], [1]),
        "gold_pair_points": (50, [30, 60], [40]),
        "full_flush_points": (100, [60, 240], [120]),
        "streak_points": (1, [0], [2]),
        "robbed_gold_counts": (True, [False], [1, "yes"]),
        "three_golds_flat": (False, [True], [0]),
        "rounds": (1, [4], [2]),
        "reward_scale": (20.0, [1], [0]),
    },
    "hangzhou": {
        "wild_mode": ("flip", ["fixed"], ["Flip", None]),
        "seven_pairs_factor": (2, [1, 4], [3]),
        "pairs_bao_tou": (True, [False], [1]),
        "streak_factors": ((1, 4, 8), [(1, 2, 4), (1, 1, 1)], [(1, 2, 3), (1, 4)]),
        "streak_for_non_dealer": (True, [False], [None]),
        "chi_wild": (True, [False], [0]),
        "stop_at": (20, [12, 13, 40], [11, 41, 20.0]),
        "start_points": (50, [40, 60], [45]),
        "hands_per_game": (16, [8, 32], [4]),
        "reward_scale": (8.0, [1], [float("nan")]),
    },
    "hongkong": {
        "min_faan": (3, [0, 1, 2], [4, -1, False]),
        "limit_faan": (10, [8, 13], [12]),
        "bonus_tiles": (True, [False], [1]),
        "dealer_keeps_on_draw": (True, [False], ["no"]),
        "max_continuations": (None, [3, 5], [0, 4]),
        "game_length": ("full", ["east"], ["south"]),
        "pao": (False, [True], [None]),
        "nine_gates_pure": (True, [False], [2]),
        "seven_pairs_concealed": (False, [True], ["True"]),
        "reward_scale": (32.0, [64], [-32]),
    },
    "threefaan": {
        "min_faan": (3, [0, 1, 2], [4]),
        "cap_faan": (13, [8, 10], [12]),
        "rotate_dealer": (False, [True], [1]),
        "concealed_on_discard_only": (False, [True], [1]),
        "seven_pairs_concealed": (True, [False], [0]),
        "nine_gates_pure": (False, [True], [0]),
        "reward_scale": (64.0, [1], [0]),
    },
}
ROWS = [(variant, name) for variant, table in TABLES.items() for name in table]


def test_every_variant_has_a_table_here() -> None:
    assert set(TABLES) == set(BY_NAME)


@pytest.mark.parametrize("variant", TABLES)
def test_names_and_defaults_are_those_of_the_options_table(variant: str) -> None:
    assert rules(variant).options == {name: default for name, (default, _, _) in TABLES[variant].items()}


@pytest.mark.parametrize(("variant", "name"), ROWS)
def test_alternatives_are_allowed(variant: str, name: str) -> None:
    default, others, _ = TABLES[variant][name]
    for value in [default, *others]:
        made = rules(variant, **{name: value})
        assert made[name] == value
        assert getattr(made, name) == value
        assert (made == rules(variant)) == (value == default)


@pytest.mark.parametrize(("variant", "name"), ROWS)
def test_a_bad_value_is_named_with_what_is_allowed(variant: str, name: str) -> None:
    default, _, bad = TABLES[variant][name]
    for value in bad:
        with pytest.raises(ValueError, match=name) as caught:
            rules(variant, **{name: value})
        if name not in ("sets", "stop_at", "reward_scale"):
            assert repr(default) in str(caught.value)


@pytest.mark.parametrize("variant", TABLES)
def test_an_unknown_name_is_refused_with_the_names_there_are(variant: str) -> None:
    with pytest.raises(ValueError, match="reward_scale") as caught:
        rules(variant, min_fan=3)
    assert "min_fan" in str(caught.value)


def test_an_unknown_variant_or_preset_is_refused() -> None:
    with pytest.raises(ValueError, match="yugan"):
        rules("riichi")
    with pytest.raises(ValueError, match="literal"):
        rules("yugan", preset="loose")
    with pytest.raises(ValueError, match="none"):
        rules("hongkong", preset="literal")


def test_the_literal_preset_is_the_alternatives_together() -> None:
    made = rules("yugan", preset="literal", full_flush_factor=3)
    assert (made.basic_fan, made.seven_pairs_fan) == ((3, 3, 3), (4, 4, 8))
    assert (made.nine_one_fan, made.thirteen_orphans_fan) == ((4, 4), (4, 4))
    assert made.full_flush_factor == 3
    assert rules("yugan", preset="literal", basic_fan=(6, 3, 6)).basic_fan == (6, 3, 6)


def test_lists_stand_for_tuples() -> None:
    assert rules("yugan", basic_fan=[3, 3, 3]) == rules("yugan", basic_fan=(3, 3, 3))


@pytest.mark.parametrize("variant", TABLES)
def test_rules_are_frozen_and_survive_pickle_and_hash(variant: str) -> None:
    made = rules(variant, reward_scale=7.5)
    with pytest.raises(AttributeError):
        made.reward_scale = 1.0  # type: ignore[misc]
    with pytest.raises(AttributeError, match="frozen"):
        del made._options
    with pytest.raises(ValueError, match="read-only"):
        made.record["sets"] = 1
    again = pickle.loads(pickle.dumps(made))
    assert again == made and hash(again) == hash(made) and again.digest == made.digest
    assert again.record.tobytes() == made.record.tobytes()
    assert hash(made) != hash(rules(variant))


def test_rules_may_be_a_mapping_or_rules_of_the_same_variant() -> None:
    made = rules("hongkong", min_faan=1)
    assert as_rules("hongkong", made) is made
    assert as_rules("hongkong", {"min_faan": 1}) == made
    assert as_rules("hongkong", None) == rules("hongkong")
    with pytest.raises(ValueError, match="hongkong"):
        as_rules("threefaan", made)
    with pytest.raises(ValueError, match="mapping"):
        as_rules("hongkong", 3)  # type: ignore[arg-type]


def number(variant: str, field: str, **options: Any) -> Any:
    return rules(variant, **options).record[0][field].item()


@pytest.mark.parametrize(
    ("variant", "wall", "copies", "bonus"),
    [
        ("yugan", 136, 136, 0),
        ("fuzhou", 128, 128, 20),
        ("hangzhou", 136, 136, 0),
        ("hongkong", 144, 144, 8),
        ("threefaan", 144, 144, 8),
    ],
)
def test_copies_fill_the_wall(variant: str, wall: int, copies: int, bonus: int) -> None:
    record = rules(variant).record[0]
    assert record["wall_size"] == wall
    assert record["copies"].sum() == copies
    assert record["copies"][record["bonus"] == 1].sum() == bonus


def test_options_reach_the_record() -> None:
    assert number("yugan", "game_rounds") == 4 and number("yugan", "game_rounds", sets=3) == 12
    assert number("fuzhou", "game_rounds", rounds=4) == 4
    assert number("hangzhou", "stop_at", stop_at=12) == 12
    assert number("hangzhou", "start_score", start_points=60) == 60
    assert number("hangzhou", "game_hands", hands_per_game=8) == 8
    assert number("hangzhou", "chi_wild", chi_wild=False) == 0
    assert number("hangzhou", "pairs_float", pairs_bao_tou=False) == 0
    assert number("hongkong", "minimum", min_faan=1) == 1
    assert number("hongkong", "wall_size", bonus_tiles=False) == 136
    assert number("hongkong", "live_end", bonus_tiles=False) == 136
    assert rules("hongkong", bonus_tiles=False).record[0]["copies"].sum() == 136
    assert number("hongkong", "keeps_on_draw", dealer_keeps_on_draw=False) == 0
    assert [number("hongkong", "max_continuations", max_continuations=k) for k in (None, 3, 5)] == [0, 3, 5]
    assert [number("hongkong", "game_rounds", game_length=g) for g in ("full", "east")] == [4, 1]
    assert [number("threefaan", "deal_moves", rotate_dealer=r) for r in (False, True)] == [DEAL_FIXED, DEAL_ROTATES]
    assert number("threefaan", "reward_scale", reward_scale=2) == 2.0


def test_the_wild_of_each_mode() -> None:
    assert number("hangzhou", "flip") == FLIP_STACK and number("hangzhou", "fixed_wild") == -1
    assert number("hangzhou", "dice") == 1 and number("hangzhou", "flip_is_wild") == 1
    fixed = {"wild_mode": "fixed"}
    assert number("hangzhou", "flip", **fixed) == FLIP_NONE and number("hangzhou", "fixed_wild", **fixed) == 33
    assert number("hangzhou", "dice", **fixed) == 0 and number("hangzhou", "flip_is_wild", **fixed) == 0
    assert number("yugan", "flip") == FLIP_STACK and number("yugan", "dice") == 2
    assert number("fuzhou", "flip") == FLIP_TAIL and number("fuzhou", "dice") == 0


def test_how_the_deal_moves() -> None:
    moves = {variant: number(variant, "deal_moves") for variant in BY_NAME}
    assert moves == {
        "yugan": DEAL_KEPT,
        "fuzhou": DEAL_KEPT,
        "hangzhou": DEAL_TO_WINNER,
        "hongkong": DEAL_KEPT,
        "threefaan": DEAL_FIXED,
    }
    assert [number(variant, "keeps_on_draw") for variant in BY_NAME] == [0, 1, 1, 1, 0]


@pytest.mark.parametrize("variant", ("yugan", "fuzhou", "hangzhou", "hongkong", "threefaan"))
def test_a_whole_reward_scale_makes_the_same_rules_as_a_float(variant: str) -> None:
    whole, real = rules(variant, reward_scale=5), rules(variant, reward_scale=5.0)
    assert (whole, hash(whole), whole.digest, repr(whole)) == (real, hash(real), real.digest, repr(real))
