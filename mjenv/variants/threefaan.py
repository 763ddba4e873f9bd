"""Three-faan table, 144 tiles: a short list of faan, limit hands at the cap, payments of two to the power of faan."""

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
from mjenv.core.rules import DEAL_FIXED, DEAL_ROTATES, N_OPTIONS, Option, positive_number
from mjenv.core.shapes import SEVEN_PAIRS, STANDARD, THIRTEEN_ORPHANS, is_seven_pairs, is_thirteen_orphans, makes
from mjenv.core.table import MELD_ADDED, MELD_CHI, MELD_CONCEALED, MELD_GANG, ROBBED_GANG
from mjenv.core.tiles import EAST, PLANTS, WINDS
from mjenv.core.variant import Variant, copies
from mjenv.core.wins import add_item, add_line, clear_items, finish, reject, sum_items
from mjenv.jit import jit

FAAN_ITEMS = (
    "all_chows",
    "all_pungs",
    "seven_pairs",
    "half_flush",
    "full_flush",
    "dragon_triplets",
    "little_three_dragons",
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
CHOWS, PUNGS, PAIRS, HALF_FLUSH, FULL_FLUSH, DRAGONS, LITTLE_DRAGONS, SEAT_WIND, ROUND_WIND, OWN, CONCEALED = range(11)
REPLACED, SEAT_FLOWER, CHICKEN = 11, 15, 20

LIMIT_ITEMS = (
    "thirteen_orphans",
    "all_honors",
    "all_terminals",
    "big_three_dragons",
    "big_four_winds",
    "four_gangs",
    "nine_gates",
    "four_concealed_pungs",
)
ORPHANS, ALL_HONORS, ALL_TERMINALS, BIG_DRAGONS, BIG_WINDS, FOUR_GANGS, NINE_GATES, CONCEALED_PUNGS = range(21, 29)

CAP, ON_DISCARD_ONLY, PAIRS_CONCEALED, PURE_GATES = range(4)
"""Places in `rules["option"]`."""

OPTIONS = (
    Option("min_faan", 3, (3, 0, 1, 2), doc="least faan that may be declared"),
    Option("cap_faan", 13, (13, 8, 10), doc="most faan that count"),
    Option("rotate_dealer", False, (False, True), doc="the deal moves one seat to the right after every hand"),
    Option("concealed_on_discard_only", False, (False, True), doc="concealed_hand only when not an own win"),
    Option("seven_pairs_concealed", True, (True, False), doc="concealed_hand also counts with seven_pairs"),
    Option("nine_gates_pure", False, (False, True), doc="nine gates only if they waited on all nine kinds"),
    positive_number("reward_scale", 64.0),
)


def numbers(options: Mapping[str, Any]) -> dict[str, Any]:
    """The `RULES` fields of these options."""
    names = ("cap_faan", "concealed_on_discard_only", "seven_pairs_concealed", "nine_gates_pure")
    special = [int(options[name]) for name in names]
    return {
        "wall_size": 144,
        "copies": copies(bonus=True),
        "bonus": [0] * PLANTS + [1] * 8,
        "sets": 4,
        "deal_rounds": 3,
        "singles": 1,
        "live_end": 144,
        "fixed_wild": -1,
        "chi_wild": 1,
        "forms": STANDARD | SEVEN_PAIRS | THIRTEEN_ORPHANS,
        "hu_on_discard": 1,
        "rob_gang": 1,
        "minimum": options["min_faan"],
        "claims_on_last": 1,
        "draw_only_at": -1,
        "deal_moves": DEAL_ROTATES if options["rotate_dealer"] else DEAL_FIXED,
        "round_hands": 4,
        "game_rounds": 1,
        "reward_scale": options["reward_scale"],
        "option": special + [0] * (N_OPTIONS - len(special)),
    }


@jit
def find_limit(rules: Record, win: Record, kinds: int, triplets: int, pairs: int, is_orphans: bool) -> int:
    """The first limit hand that applies to a complete hand, or -1."""
    if is_orphans:
        return ORPHANS
    if kinds & HONOR_SET == kinds:
        return ALL_HONORS
    if kinds & (HONOR_SET | INNER_SET) == 0:
        return ALL_TERMINALS
    if triplets & DRAGON_SET == DRAGON_SET:
        return BIG_DRAGONS
    if triplets & WIND_SET == WIND_SET:
        return BIG_WINDS
    if count_melds(win, MELD_GANG, MELD_CONCEALED) == 4:
        return FOUR_GANGS
    if is_nine_gates(win, kinds, rules["option"][PURE_GATES] != 0):
        return NINE_GATES
    is_concealed = count_melds(win, MELD_CHI, MELD_ADDED) == 0
    return CONCEALED_PUNGS if is_concealed and is_own_win(win) and is_all_triplets(triplets, pairs) else -1


@jit
def add_shape(win: Record, triplets: int, pairs: int, is_pairs: bool) -> None:
    """Append the item of the best grouping: no hand is both pungs and pairs, and chows are worth less than either."""
    is_pungs = is_all_triplets(triplets, pairs)
    is_chows = not is_pairs and not is_pungs and has_runs_and_eye(win, ~HONOR_SET)
    add_line(win, CHOWS, 1 if is_chows else 0)
    add_line(win, PUNGS, 3 if is_pungs else 0)
    add_line(win, PAIRS, 4 if is_pairs else 0)


@jit
def add_honors(win: Record, triplets: int, pairs: int) -> None:
    """Append the items of dragons and winds; East is the round wind."""
    dragons = count_bits(triplets & DRAGON_SET)
    is_little = dragons == 2 and pairs & DRAGON_SET > 0
    winds = triplets >> EAST
    add_line(win, DRAGONS, 0 if is_little else dragons)
    add_line(win, LITTLE_DRAGONS, 5 if is_little else 0)
    add_line(win, SEAT_WIND, winds >> find_own_wind(win) & 1)
    add_line(win, ROUND_WIND, winds & 1)


@jit
def is_concealed_hand(rules: Record, win: Record, is_pairs: bool) -> bool:
    """Whether `concealed_hand` counts: no claimed meld, and what the options ask."""
    if count_melds(win, MELD_CHI, MELD_ADDED) > 0 or (is_pairs and rules["option"][PAIRS_CONCEALED] == 0):
        return False
    return rules["option"][ON_DISCARD_ONLY] == 0 or not is_own_win(win)


@jit
def worth(rules: Record, win: Record, lut: Any) -> int:
    """Faan: the one limit hand, or the sum of the items of the best grouping up to the cap."""
    n_melds = int(win["n_melds"])
    is_pairs = n_melds == 0 and is_seven_pairs(win["row"], win["row_words"], 0)
    is_orphans = n_melds == 0 and is_thirteen_orphans(win["row"], 0)
    if not (is_pairs or is_orphans or makes(win["key"], int(rules["sets"]) - n_melds, 1, lut)):
        return reject(win)
    clear_items(win)
    kinds, triplets, pairs = survey(win)
    cap = int(rules["option"][CAP])
    limit = find_limit(rules, win, kinds, triplets, pairs, is_orphans)
    if limit >= 0:
        add_item(win, limit, cap)
        return finish(win, cap)
    add_shape(win, triplets, pairs, is_pairs)
    add_flush(win, HALF_FLUSH, kinds)
    add_honors(win, triplets, pairs)
    add_line(win, OWN, 1 if is_own_win(win) else 0)
    add_line(win, CONCEALED, 1 if is_concealed_hand(rules, win, is_pairs) else 0)
    add_circumstances(win, REPLACED)
    add_flowers(win, SEAT_FLOWER, 2)
    if win["n_items"] == 0:
        add_item(win, CHICKEN, 0)
    return finish(win, min(sum_items(win), cap))


@jit
def settle(rules: Record, win: Record, lut: Any) -> None:
    """Payment: B = 2^total from each seat for an own win, else 3B from the discarder or robbed seat alone."""
    base = 1 << int(win["total"])
    if is_own_win(win):
        pay_all(win, base)
    else:
        pay_alone(win, 3 * base)


def check(rules: Record, win: Record) -> None:
    """The variant's own `ValueError`s ("`ValueError` in addition")."""
    if win["source"] == ROBBED_GANG and win["last_tile"]:
        raise ValueError("robbed_gang with last_tile: a gang needs a replacement, so the wall was not empty")
    if win["round_wind"] != 0:
        raise ValueError(f"round_wind={WINDS[int(win['round_wind'])]!r}: the round wind is 'E' in every deal")


VARIANT = Variant(
    name="threefaan",
    title="Three-faan table",
    summary="No wilds; a short list of faan, a minimum of three, payments of two to the power of faan.",
    gym_name="mjenv/ThreeFaan-v0",
    options=OPTIONS,
    items=FAAN_ITEMS + LIMIT_ITEMS,
    sources=("self_draw", "discard", "replacement", "robbed_gang"),
    numbers=numbers,
    worth=worth,
    settle=settle,
    check=check,
)
