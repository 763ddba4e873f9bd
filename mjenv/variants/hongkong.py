"""Hong Kong Old Style: faan from shape, suit, honors, circumstances and flowers, limit hands, a minimum and a cap."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mjenv.core.layout import Record
from mjenv.core.patterns import (
    DRAGON_SET,
    HONOR_SET,
    INNER_SET,
    WIND_SET,
    add_circumstances,
    add_flowers,
    add_flush,
    count_bits,
    count_melds,
    find_own_wind,
    has_runs_and_eye,
    is_all_triplets,
    is_nine_gates,
    is_own_win,
    survey,
)
from mjenv.core.payments import pay_all, pay_alone
from mjenv.core.rules import DEAL_KEPT, N_OPTIONS, Option, positive_number
from mjenv.core.shapes import SEVEN_PAIRS, STANDARD, THIRTEEN_ORPHANS, is_seven_pairs, is_thirteen_orphans, makes
from mjenv.core.table import MELD_ADDED, MELD_CHI, MELD_CONCEALED, MELD_GANG, OPENING_NONE, ROBBED_GANG
from mjenv.core.tiles import EAST, PLANTS
from mjenv.core.variant import Variant, copies
from mjenv.core.wins import add_item, add_line, clear_items, finish, reject, sum_items
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
def find_limit(rules: Record, win: Record, kinds: int, triplets: int, is_orphans: bool) -> int:
    """The first limit hand that applies to a complete hand, or -1."""
    if triplets & WIND_SET == WIND_SET:
        return GREAT_WINDS
    if kinds & HONOR_SET == kinds:
        return ALL_HONORS
    if kinds & (HONOR_SET | INNER_SET) == 0:
        return ALL_TERMINALS
    if is_orphans:
        return ORPHANS
    if is_nine_gates(win, kinds, rules["option"][PURE_GATES] != 0):
        return NINE_GATES
    if count_melds(win, MELD_GANG, MELD_CONCEALED) == 4:
        return ARHATS
    opening = int(win["opening"])
    return -1 if opening == OPENING_NONE else HEAVENLY + opening - 1


@jit
def find_shape(win: Record, kinds: int, triplets: int, pairs: int, is_pairs: bool, is_claimed: bool) -> int:
    """The item of the best grouping, or -1: no hand is both triplets and pairs, and runs are worth less than either."""
    if is_pairs:
        return PAIRS
    if is_all_triplets(triplets, pairs):
        if not is_claimed and (is_own_win(win) or pairs >> int(win["tile"]) & 1):
            return CONCEALED_TRIPLETS
        return TRIPLETS if kinds & INNER_SET else MIXED
    eyes = ~(DRAGON_SET | 1 << (EAST + find_own_wind(win)))
    return COMMON if has_runs_and_eye(win, eyes) else -1


@jit
def add_shape(win: Record, shape: int, kinds: int) -> None:
    """Append the item of the grouping; all concealed triplets leave mixed terminals worth 1."""
    add_line(win, COMMON, 1 if shape == COMMON else 0)
    add_line(win, TRIPLETS, 3 if shape == TRIPLETS else 0)
    add_line(win, PAIRS, 4 if shape == PAIRS else 0)
    add_line(win, MIXED, 4 if shape == MIXED else 0)
    if shape == CONCEALED_TRIPLETS:
        add_line(win, shape, 8)
        add_line(win, MIXED, 0 if kinds & INNER_SET else 1)


@jit
def add_honors(win: Record, triplets: int, pairs: int) -> None:
    """Append the items of dragons and winds."""
    dragons = count_bits(triplets & DRAGON_SET)
    is_small = dragons == 2 and pairs & DRAGON_SET > 0
    add_line(win, DRAGONS, 0 if is_small or dragons == 3 else dragons)
    add_line(win, SMALL_DRAGONS, 5 if is_small else 0)
    add_line(win, GREAT_DRAGONS, 8 if dragons == 3 else 0)
    if count_bits(triplets & WIND_SET) == 3 and pairs & WIND_SET > 0:
        add_line(win, SMALL_WINDS, 6)
    else:
        winds = triplets >> EAST
        add_line(win, SEAT_WIND, winds >> find_own_wind(win) & 1)
        add_line(win, ROUND_WIND, winds >> int(win["round_wind"]) & 1)


@jit
def worth(rules: Record, win: Record, lut: Any) -> int:
    """Faan: the one limit hand, or the sum of the items of the best grouping up to the limit."""
    n_melds = int(win["n_melds"])
    is_pairs = n_melds == 0 and is_seven_pairs(win["row"], win["row_words"], 0)
    is_orphans = n_melds == 0 and is_thirteen_orphans(win["row"], 0)
    if not (is_pairs or is_orphans or makes(win["key"], int(rules["sets"]) - n_melds, 1, lut)):
        return reject(win)
    clear_items(win)
    kinds, triplets, pairs = survey(win)
    most = int(rules["option"][LIMIT])
    limit = find_limit(rules, win, kinds, triplets, is_orphans)
    if limit >= 0:
        add_item(win, limit, most)
        return finish(win, most)
    is_claimed = count_melds(win, MELD_CHI, MELD_ADDED) > 0
    shape = find_shape(win, kinds, triplets, pairs, is_pairs, is_claimed)
    add_shape(win, shape, kinds)
    add_flush(win, HALF_FLUSH, kinds)
    add_honors(win, triplets, pairs)
    is_own = is_own_win(win)
    contains_concealed = shape == CONCEALED_TRIPLETS or (is_pairs and rules["option"][PAIRS_CONCEALED] == 0)
    add_line(win, OWN, 1 if is_own else 0)
    add_line(win, CONCEALED, 0 if is_own or is_claimed or contains_concealed else 1)
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
