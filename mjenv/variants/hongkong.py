"""Hong Kong Old Style: faan from shape, suit, honors, circumstances and flowers, limit hands, a minimum and a cap."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mjenv.core.layout import Record
from mjenv.core.patterns import (
    HONOR_BIT,
    add_circumstances,
    add_flowers,
    count_concealed_gangs,
    count_exposed_gangs,
    count_triplets,
    find_suits,
    has_claimed_meld,
    has_inner_tile,
    has_pair,
    has_triplet,
    is_all_runs,
    is_all_triplets,
    is_nine_gates,
    is_one_suit,
    is_own_win,
)
from mjenv.core.payments import pay_all, pay_alone
from mjenv.core.rules import DEAL_KEPT, N_OPTIONS, Option, positive_number
from mjenv.core.shapes import SEVEN_PAIRS, STANDARD, THIRTEEN_ORPHANS, is_seven_pairs, is_thirteen_orphans, makes
from mjenv.core.table import OPENING_NONE, ROBBED_GANG
from mjenv.core.tiles import EAST, NORTH, PLANTS, RED, WHITE
from mjenv.core.variant import Variant, copies
from mjenv.core.wins import add_item, clear_items, finish, reject, sum_items
from mjenv.jit import jit

FAAN_ITEMS = (
    "common_hand",
    "all_triplets",
    "all_concealed_triplets",
    "seven_pairs",
    "mixed_terminals",
    "half_flush",
    "full_flush",
    "dragon_triplets",
    "small_three_dragons",
    "great_three_dragons",
    "small_four_winds",
    "seat_wind",
    "round_wind",
    "self_draw",
    "concealed_hand",
    "gang_replacement",
    "robbed_gang",
    "last_draw",
    "last_discard",
    "seat_flower",
    "seat_season",
    "all_flowers",
    "all_seasons",
    "no_flowers",
    "chicken_hand",
)
COMMON, TRIPLETS, CONCEALED_TRIPLETS, PAIRS, MIXED, HALF_FLUSH, FULL_FLUSH = range(7)
DRAGONS, SMALL_DRAGONS, GREAT_DRAGONS, SMALL_WINDS, SEAT_WIND, ROUND_WIND = range(7, 13)
OWN, CONCEALED, REPLACED, SEAT_FLOWER, CHICKEN = 13, 14, 15, 19, 24

LIMIT_ITEMS = (
    "great_four_winds",
    "all_honors",
    "all_terminals",
    "thirteen_orphans",
    "nine_gates",
    "eighteen_arhats",
    "heavenly_hand",
    "earthly_hand",
    "hand_of_man",
)
GREAT_WINDS, ALL_HONORS, ALL_TERMINALS, ORPHANS, NINE_GATES, ARHATS, HEAVENLY = range(25, 32)
"""The limit hands; HEAVENLY is followed by the other two openings, in the order of OPENINGS."""

LIMIT, FLOWERS, PAO, PURE_GATES, PAIRS_CONCEALED = range(5)
"""Places in `rules["option"]`."""

OPTIONS = (
    Option("min_faan", 3, (3, 0, 1, 2), doc="least faan that may be declared"),
    Option("limit_faan", 10, (10, 8, 13), doc="most faan that count"),
    Option("bonus_tiles", True, (True, False), doc="play with flowers and seasons"),
    Option("dealer_keeps_on_draw", True, (True, False), doc="the dealer keeps the deal after a drawn hand"),
    Option("max_continuations", None, (None, 3, 5), doc="times a dealer may keep the deal"),
    Option("game_length", "full", ("full", "east"), doc="four rounds, or the East round only"),
    Option("pao", False, (False, True), doc="a limit hand won from another is paid by that seat for all three"),
    Option("nine_gates_pure", True, (True, False), doc="nine gates wait on all nine kinds"),
    Option("seven_pairs_concealed", False, (False, True), doc="concealed_hand also counts with seven_pairs"),
    positive_number("reward_scale", 32.0),
)


def numbers(options: Mapping[str, Any]) -> dict[str, Any]:
    """The `RULES` fields of these options."""
    flowers = options["bonus_tiles"]
    names = ("limit_faan", "bonus_tiles", "pao", "nine_gates_pure", "seven_pairs_concealed")
    special = [int(options[name]) for name in names]
    wall_size = 144 if flowers else 136
    return {
        "wall_size": wall_size,
        "copies": copies(bonus=flowers),
        "bonus": [0] * PLANTS + [int(flowers)] * 8,
        "sets": 4,
        "deal_rounds": 3,
        "singles": 1,
        "dealer_takes_two": 1,
        "live_end": wall_size,
        "fixed_wild": -1,
        "chi_wild": 1,
        "forms": STANDARD | SEVEN_PAIRS | THIRTEEN_ORPHANS,
        "hu_on_discard": 1,
        "rob_gang": 1,
        "minimum": options["min_faan"],
        "claims_on_last": 1,
        "draw_only_at": -1,
        "deal_moves": DEAL_KEPT,
        "keeps_on_draw": options["dealer_keeps_on_draw"],
        "max_continuations": options["max_continuations"] or 0,
        "wind_moves": 1,
        "game_rounds": 1 if options["game_length"] == "east" else 4,
        "start_score": 400,
        "reward_scale": options["reward_scale"],
        "option": special + [0] * (N_OPTIONS - len(special)),
    }


@jit
def find_limit(rules: Record, win: Record, is_standard: bool, is_orphans: bool) -> int:
    """The first limit hand that applies to a complete hand, or -1."""
    suits = find_suits(win)
    if is_standard and count_triplets(win, EAST, NORTH) == 4:
        return GREAT_WINDS
    if suits == HONOR_BIT:
        return ALL_HONORS
    if suits & HONOR_BIT == 0 and not has_inner_tile(win):
        return ALL_TERMINALS
    if is_orphans:
        return ORPHANS
    if is_nine_gates(win, rules["option"][PURE_GATES] != 0):
        return NINE_GATES
    if count_exposed_gangs(win) + count_concealed_gangs(win) == 4:
        return ARHATS
    if win["opening"] != OPENING_NONE:
        return HEAVENLY + int(win["opening"]) - 1
    return -1


@jit
def is_common(win: Record) -> bool:
    """Four runs and an eye that is neither a dragon nor the own seat wind."""
    own_wind = EAST + ((int(win["seat"]) - int(win["dealer"])) & 3)
    for eye in range(RED):
        if win["row"][eye] >= 2 and eye != own_wind and is_all_runs(win, eye):
            return True
    return False


@jit
def add_shape(win: Record, is_pairs: bool) -> None:
    """Append the item of the best grouping: no hand is both triplets and pairs, and runs are worth less than either."""
    if is_pairs:
        add_item(win, PAIRS, 4)
    elif is_all_triplets(win):
        is_mixed = not has_inner_tile(win)
        completes_eye = win["row"][int(win["tile"])] == 2
        if not has_claimed_meld(win) and (is_own_win(win) or completes_eye):
            add_item(win, CONCEALED_TRIPLETS, 8)
            if is_mixed:
                add_item(win, MIXED, 1)
        elif is_mixed:
            add_item(win, MIXED, 4)
        else:
            add_item(win, TRIPLETS, 3)
    elif is_common(win):
        add_item(win, COMMON, 1)


@jit
def add_honors(win: Record) -> None:
    """Append the items of dragons and winds."""
    dragons = count_triplets(win, RED, WHITE)
    if dragons == 3:
        add_item(win, GREAT_DRAGONS, 8)
    elif dragons == 2 and has_pair(win, RED, WHITE):
        add_item(win, SMALL_DRAGONS, 5)
    elif dragons > 0:
        add_item(win, DRAGONS, dragons)
    if count_triplets(win, EAST, NORTH) == 3 and has_pair(win, EAST, NORTH):
        add_item(win, SMALL_WINDS, 6)
        return
    if has_triplet(win, EAST + ((int(win["seat"]) - int(win["dealer"])) & 3)):
        add_item(win, SEAT_WIND, 1)
    if has_triplet(win, EAST + int(win["round_wind"])):
        add_item(win, ROUND_WIND, 1)


@jit
def is_concealed(rules: Record, win: Record, is_pairs: bool) -> bool:
    """Whether `concealed_hand` counts on a win from another: no claimed meld, no item that contains it."""
    if has_claimed_meld(win) or (is_pairs and rules["option"][PAIRS_CONCEALED] == 0):
        return False
    return win["n_items"] == 0 or win["item"][0] != CONCEALED_TRIPLETS


@jit
def worth(rules: Record, win: Record, lut: Any) -> int:
    """Faan: the one limit hand, or the sum of the items of the best grouping up to the limit."""
    n_melds = int(win["n_melds"])
    is_standard = makes(win["key"], int(rules["sets"]) - n_melds, 1, lut)
    is_pairs = n_melds == 0 and is_seven_pairs(win["row"], win["row_words"], 0)
    is_orphans = n_melds == 0 and is_thirteen_orphans(win["row"], 0)
    if not (is_standard or is_pairs or is_orphans):
        return reject(win)
    clear_items(win)
    most = int(rules["option"][LIMIT])
    limit = find_limit(rules, win, is_standard, is_orphans)
    if limit >= 0:
        add_item(win, limit, most)
        return finish(win, most)
    add_shape(win, is_pairs)
    suits = find_suits(win)
    if is_one_suit(suits):
        if suits & HONOR_BIT:
            add_item(win, HALF_FLUSH, 3)
        else:
            add_item(win, FULL_FLUSH, 7)
    add_honors(win)
    if is_own_win(win):
        add_item(win, OWN, 1)
    elif is_concealed(rules, win, is_pairs):
        add_item(win, CONCEALED, 1)
    add_circumstances(win, REPLACED)
    if rules["option"][FLOWERS] != 0:
        add_flowers(win, SEAT_FLOWER, 3)
    if win["n_items"] == 0:
        add_item(win, CHICKEN, 0)
    return finish(win, min(sum_items(win), most))


@jit
def faan_value(faan: int) -> int:
    """Payment: V in units; 2^f up to four faan, then doubling every two faan, odd ones the mean of their neighbours."""
    if faan <= 4:
        return 1 << faan
    half = 1 << (faan // 2 + 2)
    return half + half // 2 if faan % 2 == 1 else half


@jit
def settle(rules: Record, win: Record, lut: Any) -> None:
    """Payment: every seat pays V for an own win, else the discarder or robbed seat alone; pao triples a limit hand."""
    value = faan_value(int(win["total"]))
    if is_own_win(win):
        pay_all(win, value)
    elif rules["option"][PAO] != 0 and win["item"][0] >= GREAT_WINDS:
        pay_alone(win, 3 * value)
    else:
        pay_alone(win, value)


def check(rules: Record, win: Record) -> None:
    """The variant's own `ValueError`s ("`ValueError` in addition")."""
    if win["source"] == ROBBED_GANG and win["last_tile"]:
        raise ValueError("robbed_gang with last_tile: a gang needs a replacement, so the wall was not empty")


VARIANT = Variant(
    name="hongkong",
    title="Hong Kong Old Style",
    summary="No wilds; faan for shape, suit and honors, a minimum to declare, the discarder pays.",
    gym_name="mjenv/HongKong-v0",
    options=OPTIONS,
    items=FAAN_ITEMS + LIMIT_ITEMS,
    sources=("self_draw", "discard", "replacement", "robbed_gang"),
    numbers=numbers,
    worth=worth,
    settle=settle,
    check=check,
)
