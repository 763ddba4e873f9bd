"""Hangzhou, flip wildcard: wins by self-draw only, factors for bao-tou, floats, gangs and streaks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mjenv.core import suits
from mjenv.core.layout import Array, Record
from mjenv.core.payments import pay_dealer_double
from mjenv.core.rules import DEAL_TO_WINNER, FLIP_NONE, FLIP_STACK, N_OPTIONS, Option, positive_number, whole_number
from mjenv.core.shapes import POWER, SEVEN_PAIRS_ANY, STANDARD, SUIT_OF, is_seven_pairs_any, makes
from mjenv.core.table import OPENING_DEALT, OPENING_NONE, REPLACEMENT
from mjenv.core.tiles import HAND_KINDS, WHITE
from mjenv.core.variant import Variant, copies
from mjenv.core.wins import add_item, clear_items, finish, meld_tiles, reject
from mjenv.jit import jit, kernel

ITEMS = (
    "plain_win",
    "seven_pairs",
    "deluxe_seven_pairs",
    "double_deluxe_seven_pairs",
    "triple_deluxe_seven_pairs",
    "bao_tou",
    "float",
    "double_float",
    "triple_float",
    "gang_flower",
    "double_gang",
    "triple_gang",
    "quadruple_gang",
    "streak",
)
PLAIN_WIN, SEVEN_PAIRS, BAO_TOU, GANG_FLOWER, STREAK = 0, 1, 5, 9, 13

PAIRS_FACTOR, STREAK_FACTOR, STREAK_FOR_NON_DEALER = 0, 1, 4
"""Places in `rules["option"]`; the streak factor takes three."""

FAMILY_SETS, FAMILY_PAIRS = 1, 2
LIVE_FLIPPED, LIVE_FIXED = 3, 4

OPTIONS = (
    Option("wild_mode", "flip", ("flip", "fixed"), doc="a kind turned up each hand is wild, or always P"),
    Option("seven_pairs_factor", 2, (2, 1, 4), doc="factor of seven pairs; deluxe hands double it"),
    Option("pairs_bao_tou", True, (True, False), doc="six pairs and a wild are bao-tou and may float"),
    Option("streak_factors", (1, 4, 8), ((1, 4, 8), (1, 2, 4), (1, 1, 1)), doc="factors for streak 0, 1, 2 and more"),
    Option("streak_for_non_dealer", True, (True, False), doc="the streak multiplies the wins of other seats too"),
    Option("chi_wild", True, (True, False), doc="a discarded wild can be taken by chi"),
    whole_number("stop_at", 20, 12, 40, "the hand is drawn once the wall is down to so many tiles"),
    Option("start_points", 50, (50, 40, 60), doc="points everyone starts with"),
    Option("hands_per_game", 16, (16, 8, 32), doc="hands in a game"),
    positive_number("reward_scale", 8.0),
)


def numbers(options: Mapping[str, Any]) -> dict[str, Any]:
    """The `RULES` fields of these options."""
    fixed = options["wild_mode"] == "fixed"
    special = [options["seven_pairs_factor"], *options["streak_factors"], int(options["streak_for_non_dealer"])]
    return {
        "wall_size": 136,
        "copies": copies(),
        "sets": 4,
        "deal_rounds": 3,
        "singles": 1,
        "live_end": 136,
        "flip": FLIP_NONE if fixed else FLIP_STACK,
        "dice": 0 if fixed else 1,
        "stop_at": options["stop_at"],
        "fixed_wild": WHITE if fixed else -1,
        "flip_is_wild": not fixed,
        "chi_wild": options["chi_wild"],
        "forms": STANDARD | SEVEN_PAIRS_ANY,
        "draw_only_at": -1,
        "max_floats": 3,
        "pairs_float": options["pairs_bao_tou"],
        "deal_moves": DEAL_TO_WINNER,
        "keeps_on_draw": 1,
        "round_hands": 4,
        "game_hands": options["hands_per_game"],
        "start_score": options["start_points"],
        "reward_scale": options["reward_scale"],
        "option": special + [0] * (N_OPTIONS - len(special)),
    }


@jit
def bao_tou_families(rules: Record, win: Record, lut: Any) -> int:
    """In which families (bits) every tile would have won: the tiles before the winning draw, less one wild, are all
    sets, or all pairs if there are no melds (Bao-tou)."""
    tile, n_melds = int(win["tile"]), int(win["n_melds"])
    drew_wild = tile == int(win["major"])
    spare = int(win["wilds"]) - (2 if drew_wild else 1)
    if spare < 0 or win["opening"] == OPENING_DEALT:
        return 0
    taken = 0 if drew_wild else 1
    win["row"][tile] -= taken
    win["key"][SUIT_OF[tile]] -= taken * POWER[tile]
    families = 0
    if makes(win["key"], int(rules["sets"]) - n_melds, 0, lut):
        families |= FAMILY_SETS
    if n_melds == 0 and rules["pairs_float"] and is_seven_pairs_any(win["row"], win["row_words"], spare):
        families |= FAMILY_PAIRS
    win["row"][tile] += taken
    win["key"][SUIT_OF[tile]] += taken * POWER[tile]
    return families


@kernel
def is_bao_tou(rules: Array, wins: Array, lut: Array) -> bool:
    """Whether `wins[0]` is bao-tou in any family."""
    return bao_tou_families(rules[0], wins[0], lut[0]) > 0


@jit
def count_fours(win: Record) -> int:
    """Kinds with four real copies in hand; four wilds count if the other ten tiles are pairs without them (Deluxe)."""
    fours, odd = 0, 0
    for kind in range(HAND_KINDS):
        held = int(win["row"][kind])
        odd += held & 1
        if held == 4:
            fours += 1
    if win["wilds"] == 4 and odd == 0:
        fours += 1
    return fours


@jit
def worth(rules: Record, win: Record, lut: Any) -> int:
    """Score: shape x wild row x gang row x streak, shape and wild row from the better family, sets on a tie."""
    n_melds = int(win["n_melds"])
    has_sets = makes(win["key"], int(rules["sets"]) - n_melds, 1, lut)
    has_pairs = n_melds == 0 and is_seven_pairs_any(win["row"], win["row_words"], int(win["wilds"]))
    if not has_sets and not has_pairs:
        return reject(win)
    families = bao_tou_families(rules, win, lut)
    floats = int(win["floats"])
    wild_factor = 2 << floats
    shape, factor, is_bao_tou, total = PLAIN_WIN, 1, False, 0
    if has_sets:
        is_bao_tou = (families & FAMILY_SETS) > 0
        total = wild_factor if is_bao_tou else 1
    if has_pairs:
        fours = count_fours(win)
        pairs_factor = int(rules["option"][PAIRS_FACTOR]) << fours
        pairs_bao_tou = (families & FAMILY_PAIRS) > 0
        pairs_total = pairs_factor * (wild_factor if pairs_bao_tou else 1)
        if pairs_total > total:
            shape, factor, is_bao_tou, total = SEVEN_PAIRS + fours, pairs_factor, pairs_bao_tou, pairs_total
    clear_items(win)
    add_item(win, shape, factor)
    if is_bao_tou:
        add_item(win, BAO_TOU + floats, wild_factor)
    gang_run = int(win["gang_run"])
    if gang_run > 0:
        add_item(win, GANG_FLOWER + gang_run - 1, 1 << gang_run)
        total <<= gang_run
    streak = int(rules["option"][STREAK_FACTOR + min(int(win["streak"]), 2)])
    if streak > 1 and (win["seat"] == win["dealer"] or rules["option"][STREAK_FOR_NON_DEALER] != 0):
        add_item(win, STREAK, streak)
        total *= streak
    return finish(win, total)


@jit
def settle(rules: Record, win: Record, lut: Any) -> None:
    """Payment: every opponent pays the total, the dealer twice."""
    pay_dealer_double(win, int(win["total"]))


def check(rules: Record, win: Record) -> None:
    """The variant's own `ValueError`s ("`ValueError` in addition")."""
    run, floats = int(win["gang_run"]), int(win["floats"])
    melds = meld_tiles(win)
    gangs = sum(len(tiles) == 4 for tiles in melds)
    if win["source"] == REPLACEMENT:
        if not 1 <= run <= gangs:
            raise ValueError(f"gang_run={run} does not fit a replacement with {gangs} gangs: use 1 to {gangs}")
    elif run:
        raise ValueError(f"gang_run={run} does not fit self_draw: only a replacement ends a run of gangs, so use 0")
    if floats > int(rules["max_floats"]):
        raise ValueError(f"floats={floats} is not possible: use 0 to {int(rules['max_floats'])}")
    if win["opening"] != OPENING_NONE and (floats or gangs):
        raise ValueError("an opening win comes before any float or gang: leave opening away, or floats and gangs")
    live = LIVE_FIXED if rules["flip"] == FLIP_NONE else LIVE_FLIPPED
    held = int(win["wilds"]) + sum(tiles.count(int(win["major"])) for tiles in melds)
    if floats + held > live:
        raise ValueError(f"{floats} floats and {held} wilds held are more than the {live} wilds in play")
    if floats and not is_bao_tou(np.asarray(rules).reshape(1), np.array(win).reshape(1), suits.load()):
        raise ValueError(f"floats={floats} needs a bao-tou hand: less one wild and the drawn tile it must be all sets")


VARIANT = Variant(
    name="hangzhou",
    title="Hangzhou",
    summary="One wild kind, wins by self-draw only; bao-tou, floats and gangs multiply.",
    gym_name="mjenv/Hangzhou-v0",
    options=OPTIONS,
    items=ITEMS,
    sources=("self_draw", "replacement"),
    numbers=numbers,
    worth=worth,
    settle=settle,
    check=check,
)
