"""Fuzhou: sixteen tiles, golds that are never discarded, bonus tiles, and one special added after doubling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mjenv.core.layout import Record
from mjenv.core.patterns import count_melds, is_full_flush, is_own_win, survey
from mjenv.core.payments import pay_all
from mjenv.core.rules import DEAL_KEPT, FLIP_TAIL, N_OPTIONS, Option, positive_number
from mjenv.core.shapes import STANDARD, makes
from mjenv.core.table import DISCARDED, MELD_ADDED, MELD_CONCEALED, MELD_GANG, ROB_GOLD, THREE_GOLDS
from mjenv.core.tiles import EAST, HONORS, KINDS, NAMES, RED
from mjenv.core.variant import Variant, copies
from mjenv.core.wins import add_item, add_line, clear_items, finish, meld_tiles, reject, sum_items
from mjenv.jit import jit

ITEMS = (
    "base",
    "dealer_streak",
    "bonus_tiles",
    "golds",
    "exposed_gangs",
    "concealed_gangs",
    "doubled",
    "three_golds",
    "full_flush",
    "gold_pair",
    "rob_gold",
    "ping_hu",
)
BASE, DEALER_STREAK, BONUS_TILES, GOLDS, EXPOSED, CONCEALED, DOUBLED = range(7)
SPECIAL_THREE_GOLDS, SPECIAL_FULL_FLUSH, SPECIAL_GOLD_PAIR, SPECIAL_ROB_GOLD, SPECIAL_PING_HU = range(7, 12)

EXPOSED_POINTS, CONCEALED_POINTS, STREAK_POINTS, ROBBED_COUNTS, THREE_GOLDS_FLAT, SPECIAL_POINTS = range(6)
"""Places in `rules["option"]`; from SPECIAL_POINTS on the points of the five specials."""

LIVE_GOLDS = 3

OPTIONS = (
    Option("exposed_gang_points", 1, (1, 2), doc="points of a gang claimed or added"),
    Option("concealed_gang_points", 2, (2, 4), doc="points of a concealed gang"),
    Option("gold_pair_points", 50, (50, 30, 60), doc="points of a pair of golds"),
    Option("full_flush_points", 100, (100, 60, 240), doc="points of a full flush"),
    Option("streak_points", 1, (1, 0), doc="points for every time the dealer kept the deal"),
    Option("robbed_gold_counts", True, (True, False), doc="the robbed gold counts among the golds"),
    Option("three_golds_flat", False, (False, True), doc="three golds pay their points and nothing else"),
    Option("rounds", 1, (1, 4), doc="rounds in a game"),
    positive_number("reward_scale", 20.0),
)


def numbers(options: Mapping[str, Any]) -> dict[str, Any]:
    """The `RULES` fields of these options."""
    bonus = [int(EAST <= kind <= RED) for kind in range(KINDS)]
    special = [
        options["exposed_gang_points"],
        options["concealed_gang_points"],
        options["streak_points"],
        int(options["robbed_gold_counts"]),
        int(options["three_golds_flat"]),
        *(30, options["full_flush_points"], options["gold_pair_points"], 30, 15),
    ]
    return {
        "wall_size": 128,
        "copies": copies("ESWNC"),
        "bonus": bonus,
        "sets": 5,
        "deal_rounds": 4,
        "live_end": 112,
        "flip": FLIP_TAIL,
        "fixed_wild": -1,
        "flip_is_wild": 1,
        "wild_locked": 1,
        "forms": STANDARD,
        "hu_on_discard": 1,
        "claims_on_last": 1,
        "gang_reserve": 4,
        "draw_only_at": 4,
        "bar_called": 1,
        "keep_hu": 1,
        "three_wilds_win": 1,
        "rob_gold": 1,
        "deal_moves": DEAL_KEPT,
        "keeps_on_draw": 1,
        "game_rounds": options["rounds"],
        "reward_scale": options["reward_scale"],
        "option": special + [0] * (N_OPTIONS - len(special)),
    }


@jit
def count_bonus(win: Record) -> int:
    """The winner's exposed bonus tiles."""
    total = 0
    for kind in range(EAST, RED + 1):
        total += int(win["bonus"][kind])
    return total


@jit
def find_special(rules: Record, win: Record, n_sets: int, lut: Any) -> int:
    """The item of the highest special, the upper one on equal points, or -1; the robbed gold is not a live one."""
    golds = int(win["wilds"])
    is_robbed = win["source"] == ROB_GOLD
    if golds - (1 if is_robbed else 0) >= LIVE_GOLDS:
        return SPECIAL_THREE_GOLDS
    best, best_points = -1, 0
    for item in range(SPECIAL_FULL_FLUSH, SPECIAL_PING_HU + 1):
        points = int(rules["option"][SPECIAL_POINTS + item - SPECIAL_THREE_GOLDS])
        if points <= best_points:
            continue
        if item == SPECIAL_FULL_FLUSH:
            applies = is_full_flush(survey(win)[0])
        elif item == SPECIAL_GOLD_PAIR:
            applies = golds == 2 and makes(win["key"], n_sets, 0, lut)
        elif item == SPECIAL_ROB_GOLD:
            applies = is_robbed
        else:
            applies = count_bonus(win) + count_melds(win, MELD_GANG, MELD_CONCEALED) == 0
        if applies:
            best, best_points = item, points
    return best


@jit
def worth(rules: Record, win: Record, lut: Any) -> int:
    """Score: the lines, doubled once if self-drawn or with a special, and the special."""
    golds = int(win["wilds"])
    n_sets = int(rules["sets"]) - int(win["n_melds"])
    if win["source"] == THREE_GOLDS:
        if golds < LIVE_GOLDS:
            return reject(win)
    elif not makes(win["key"], n_sets, 1, lut):
        return reject(win)
    special = find_special(rules, win, n_sets, lut)
    points = 0 if special < 0 else int(rules["option"][SPECIAL_POINTS + special - SPECIAL_THREE_GOLDS])
    clear_items(win)
    if special == SPECIAL_THREE_GOLDS and rules["option"][THREE_GOLDS_FLAT] != 0:
        add_item(win, special, points)
        return finish(win, points)
    add_item(win, BASE, 1)
    if win["seat"] == win["dealer"]:
        add_line(win, DEALER_STREAK, int(win["streak"]) * int(rules["option"][STREAK_POINTS]))
    add_line(win, BONUS_TILES, count_bonus(win))
    if win["source"] == ROB_GOLD and rules["option"][ROBBED_COUNTS] == 0:
        golds -= 1
    add_line(win, GOLDS, golds)
    add_line(win, EXPOSED, count_melds(win, MELD_GANG, MELD_ADDED) * int(rules["option"][EXPOSED_POINTS]))
    add_line(win, CONCEALED, count_melds(win, MELD_CONCEALED, MELD_CONCEALED) * int(rules["option"][CONCEALED_POINTS]))
    total = sum_items(win)
    if special >= 0 or is_own_win(win):
        add_item(win, DOUBLED, 2)
        total *= 2
    if special >= 0:
        add_item(win, special, points)
    return finish(win, total + points)


@jit
def settle(rules: Record, win: Record, lut: Any) -> None:
    """Score: each of the three others pays the result, also on a discard."""
    pay_all(win, int(win["total"]))


def check(rules: Record, win: Record) -> None:
    """The variant's own `ValueError`s ("Checks")."""
    gold = int(win["major"])
    if gold >= HONORS:
        raise ValueError(f"the gold {NAMES[gold]} is not suited: the flipped tile that counts is one of 1m-9s")
    if any(gold in tiles for tiles in meld_tiles(win)):
        raise ValueError(f"a gold ({NAMES[gold]}) cannot lie in a meld: golds stay concealed")
    if win["source"] == DISCARDED and int(win["tile"]) == gold:
        raise ValueError(f"a gold ({NAMES[gold]}) is never discarded, so it cannot be won from a discard")
    if win["source"] == ROB_GOLD:
        if int(win["tile"]) != gold:
            raise ValueError(f"the robbed gold is the winning tile: use winning_tile={NAMES[gold]!r}")
        if win["n_melds"] > 0:
            raise ValueError("the gold is robbed before the first turn: leave melds empty")


VARIANT = Variant(
    name="fuzhou",
    title="Fuzhou",
    summary="Sixteen tiles and five sets; golds are wild and never leave the hand; specials are worth most.",
    gym_name="mjenv/Fuzhou-v0",
    options=OPTIONS,
    items=ITEMS,
    sources=("self_draw", "discard", "replacement", "rob_gold", "three_golds"),
    numbers=numbers,
    worth=worth,
    settle=settle,
    check=check,
)
