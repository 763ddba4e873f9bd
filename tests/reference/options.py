"""The Options tables of the rules files (defaults first), the presets, and the names of all score items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

VALUES: dict[str, dict[str, list[Any]]] = {
    "yugan": {
        "basic_fan": [(6, 3, 6), (3, 3, 3)],
        "seven_pairs_fan": [(8, 4, 8), (4, 4, 8)],
        "nine_one_fan": [(8, 4), (4, 4)],
        "thirteen_orphans_fan": [(8, 4), (4, 4)],
        "full_flush_factor": [2, 3, 4],
        "all_honors_factor": [2, 3],
        "exposed_gang_fan": [1, 2],
        "concealed_gang_fan": [2, 1, 4],
        "sets": [1, 2],
        "reward_scale": [20.0, 10.0],
    },
    "fuzhou": {
        "exposed_gang_points": [1, 2],
        "concealed_gang_points": [2, 4],
        "gold_pair_points": [50, 30, 60],
        "full_flush_points": [100, 60, 240],
        "streak_points": [1, 0],
        "robbed_gold_counts": [True, False],
        "three_golds_flat": [False, True],
        "rounds": [1, 4],
        "reward_scale": [20.0, 10.0],
    },
    "hangzhou": {
        "wild_mode": ["flip", "fixed"],
        "seven_pairs_factor": [2, 1, 4],
        "pairs_bao_tou": [True, False],
        "streak_factors": [(1, 4, 8), (1, 2, 4), (1, 1, 1)],
        "streak_for_non_dealer": [True, False],
        "chi_wild": [True, False],
        "stop_at": [20, 12, 40],
        "start_points": [50, 40, 60],
        "hands_per_game": [16, 8, 32],
        "reward_scale": [8.0, 4.0],
    },
    "hongkong": {
        "min_faan": [3, 0, 1, 2],
        "limit_faan": [10, 8, 13],
        "bonus_tiles": [True, False],
        "dealer_keeps_on_draw": [True, False],
        "max_continuations": [None, 3, 5],
        "game_length": ["full", "east"],
        "pao": [False, True],
        "nine_gates_pure": [True, False],
        "seven_pairs_concealed": [False, True],
        "reward_scale": [32.0, 16.0],
    },
    "threefaan": {
        "min_faan": [3, 0, 1, 2],
        "cap_faan": [13, 8, 10],
        "rotate_dealer": [False, True],
        "concealed_on_discard_only": [False, True],
        "seven_pairs_concealed": [True, False],
        "nine_gates_pure": [False, True],
        "reward_scale": [64.0, 32.0],
    },
}

LITERAL = {
    "basic_fan": (3, 3, 3),
    "seven_pairs_fan": (4, 4, 8),
    "nine_one_fan": (4, 4),
    "thirteen_orphans_fan": (4, 4),
}
PRESETS: dict[str, dict[str, dict[str, Any]]] = {"yugan": {"literal": LITERAL}}

FLOWER_ITEMS = ["seat_flower", "seat_season", "all_flowers", "all_seasons", "no_flowers", "chicken_hand"]
CIRCUMSTANCES = ["self_draw", "concealed_hand", "gang_replacement", "robbed_gang", "last_draw", "last_discard"]

ITEMS: dict[str, list[str]] = {
    "yugan": [
        *("basic_win", "spirit_basic_win", "bound_basic_win"),
        *("seven_pairs", "spirit_seven_pairs", "bound_seven_pairs"),
        *("nine_one", "spirit_nine_one", "thirteen_orphans", "spirit_thirteen_orphans"),
        *("major_spirits", "minor_spirits", "indomitable", "oversoul", "exposed_gangs", "concealed_gangs"),
        *("full_flush", "all_honors"),
    ],
    "fuzhou": [
        *("base", "dealer_streak", "bonus_tiles", "golds", "exposed_gangs", "concealed_gangs", "doubled"),
        *("three_golds", "full_flush", "gold_pair", "rob_gold", "ping_hu"),
    ],
    "hangzhou": [
        *("plain_win", "seven_pairs"),
        *("deluxe_seven_pairs", "double_deluxe_seven_pairs", "triple_deluxe_seven_pairs"),
        *("bao_tou", "float", "double_float", "triple_float"),
        *("gang_flower", "double_gang", "triple_gang", "quadruple_gang", "streak"),
    ],
    "hongkong": [
        *("great_four_winds", "all_honors", "all_terminals", "thirteen_orphans", "nine_gates", "eighteen_arhats"),
        *("heavenly_hand", "earthly_hand", "hand_of_man"),
        *("common_hand", "all_triplets", "all_concealed_triplets", "seven_pairs", "mixed_terminals"),
        *("half_flush", "full_flush", "dragon_triplets", "small_three_dragons", "great_three_dragons"),
        *("small_four_winds", "seat_wind", "round_wind", *CIRCUMSTANCES, *FLOWER_ITEMS),
    ],
    "threefaan": [
        *("thirteen_orphans", "all_honors", "all_terminals", "big_three_dragons", "big_four_winds", "four_gangs"),
        *("nine_gates", "four_concealed_pungs"),
        *("all_chows", "all_pungs", "seven_pairs", "half_flush", "full_flush", "dragon_triplets"),
        *("little_three_dragons", "seat_wind", "round_wind", *CIRCUMSTANCES, *FLOWER_ITEMS),
    ],
}
"""In the order in which they stand in the rules files; limit hands first."""


def full_options(variant: str, overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Defaults, changed by a preset, changed by single options."""
    options = {name: values[0] for name, values in VALUES[variant].items()}
    rest = dict(overrides)
    preset = rest.pop("preset", None)
    if preset is not None:
        options.update(PRESETS[variant][preset])
    assert set(rest) <= set(options), rest
    options.update(rest)
    return options
