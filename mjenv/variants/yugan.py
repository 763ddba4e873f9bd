"""Yugan Flying Treasure: two wild kinds, a bonus for holding them, and payments that double for every one thrown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mjenv.core.layout import Record
from mjenv.core.patterns import HONOR_SET, INNER_SET, count_held, count_melds, is_full_flush, is_own_win, survey
from mjenv.core.payments import pay_by_throws
from mjenv.core.rules import DEAL_KEPT, FLIP_STACK, N_OPTIONS, Option, positive_number, whole_number
from mjenv.core.shapes import (
    NINE_ONE,
    POWER,
    SEVEN_PAIRS,
    STANDARD,
    SUIT_OF,
    THIRTEEN_SCATTERED,
    is_seven_pairs,
    is_thirteen_scattered,
    makes,
)
from mjenv.core.table import DISCARDED, MELD_ADDED, MELD_CONCEALED, MELD_GANG, ROBBED_GANG
from mjenv.core.tiles import HAND_KINDS, HONORS, NAMES
from mjenv.core.variant import Variant, copies
from mjenv.core.wins import add_item, add_line, clear_items, reject
from mjenv.jit import jit

ITEMS = (
    "basic_win",
    "spirit_basic_win",
    "bound_basic_win",
    "seven_pairs",
    "spirit_seven_pairs",
    "bound_seven_pairs",
    "nine_one",
    "spirit_nine_one",
    "thirteen_orphans",
    "spirit_thirteen_orphans",
    "major_spirits",
    "minor_spirits",
    "indomitable",
    "oversoul",
    "exposed_gangs",
    "concealed_gangs",
    "full_flush",
    "all_honors",
)
BASIC, PAIRS, NINE, ORPHANS = 0, 3, 6, 8
MAJORS, MINORS, INDOMITABLE, OVERSOUL, EXPOSED, CONCEALED, FULL_FLUSH, ALL_HONORS = range(10, 18)

FLUSH_FACTOR, HONORS_FACTOR, EXPOSED_FAN, CONCEALED_FAN = 10, 11, 12, 13
"""Places in `rules["option"]`; places 0-9 are the fans of the first ten items."""

SPIRITS_IN_PLAY = 7
OVERSOUL_FROM = 5

OPTIONS = (
    Option("basic_fan", (6, 3, 6), ((6, 3, 6), (3, 3, 3)), doc="basic win without Spirit, with one, bound"),
    Option("seven_pairs_fan", (8, 4, 8), ((8, 4, 8), (4, 4, 8)), doc="seven pairs without Spirit, with one, bound"),
    Option("nine_one_fan", (8, 4), ((8, 4), (4, 4)), doc="nine-one without and with a Spirit"),
    Option("thirteen_orphans_fan", (8, 4), ((8, 4), (4, 4)), doc="thirteen orphans without and with a Spirit"),
    Option("full_flush_factor", 2, (2, 3, 4), doc="factor of a full flush"),
    Option("all_honors_factor", 2, (2, 3), doc="factor of all seven honors"),
    Option("exposed_gang_fan", 1, (1, 2), doc="fan of a gang claimed or added"),
    Option("concealed_gang_fan", 2, (2, 1, 4), doc="fan of a concealed gang"),
    whole_number("sets", 1, 1, 60, "sets of four rounds in a game"),
    positive_number("reward_scale", 20.0),
)
LITERAL = {
    "basic_fan": (3, 3, 3),
    "seven_pairs_fan": (4, 4, 8),
    "nine_one_fan": (4, 4),
    "thirteen_orphans_fan": (4, 4),
}


def numbers(options: Mapping[str, Any]) -> dict[str, Any]:
    """The `RULES` fields of these options."""
    special = [
        *options["basic_fan"],
        *options["seven_pairs_fan"],
        *options["nine_one_fan"],
        *options["thirteen_orphans_fan"],
        options["full_flush_factor"],
        options["all_honors_factor"],
        options["exposed_gang_fan"],
        options["concealed_gang_fan"],
    ]
    return {
        "wall_size": 136,
        "copies": copies(),
        "sets": 4,
        "deal_rounds": 3,
        "singles": 1,
        "live_end": 136,
        "flip": FLIP_STACK,
        "dice": 2,
        "dead_wall": 1,
        "fixed_wild": -1,
        "flip_is_wild": 1,
        "next_is_wild": 1,
        "chi_wild": 1,
        "forms": STANDARD | SEVEN_PAIRS | NINE_ONE | THIRTEEN_SCATTERED,
        "hu_on_discard": 1,
        "rob_gang": 1,
        "claims_on_last": 1,
        "draw_only_at": -1,
        "hidden_gangs": 1,
        "deal_moves": DEAL_KEPT,
        "game_rounds": 4 * options["sets"],
        "reward_scale": options["reward_scale"],
        "option": special + [0] * (N_OPTIONS - len(special)),
    }


@jit
def makes_without(win: Record, kind: int, n_sets: int, lut: Any) -> bool:
    """Whether the concealed tiles without one of `kind` and one wild are all sets: the two were the head."""
    win["key"][SUIT_OF[kind]] -= POWER[kind]
    made = makes(win["key"], n_sets, 0, lut)
    win["key"][SUIT_OF[kind]] += POWER[kind]
    return made


@jit
def is_basic_bound(win: Record, n_sets: int, lut: Any) -> bool:
    """Whether a complete basic win can have a head of the winning tile and a Major (Spirit status).

    A winning tile that is real needs a wild partner: a Major, or any wild if the tile itself is the Major. A Major
    drawn by the winner takes any partner, a Minor drawn by the winner a Major, both wild.
    """
    tile, major, minor, wilds = int(win["tile"]), int(win["major"]), int(win["minor"]), int(win["wilds"])
    from_other = not is_own_win(win)
    if from_other or (tile != major and tile != minor):
        partners = wilds if tile == major else int(win["hand"][major])
        return partners > 0 and makes_without(win, tile, n_sets, lut)
    if wilds >= 2 and win["hand"][major] > 0 and makes(win["key"], n_sets, 0, lut):
        return True
    if tile == major:
        for kind in range(HAND_KINDS):
            if win["row"][kind] > 0 and makes_without(win, kind, n_sets, lut):
                return True
    return False


@jit
def is_pairs_bound(win: Record) -> bool:
    """The same for complete seven pairs: a real winning tile must be single, a drawn Minor needs a pair of wilds."""
    tile, major, minor, wilds = int(win["tile"]), int(win["major"]), int(win["minor"]), int(win["wilds"])
    if tile == major:
        return True
    if win["hand"][major] == 0:
        return False
    if not is_own_win(win) or tile != minor:
        return int(win["row"][tile]) == 1
    singles = 0
    for kind in range(HAND_KINDS):
        singles += 1 if win["row"][kind] == 1 else 0
    return wilds - singles >= 2


@jit
def choose_base(rules: Record, first: int, status: int, bound: bool) -> int:
    """The item of a shape whose three items start at `first`: by status, or bound where that is not worse."""
    if bound and rules["option"][first + 2] >= rules["option"][first + status]:
        return first + 2
    return first + status


@jit
def has_all_honors(win: Record, kinds: int) -> bool:
    """Whether all seven honors are physically in the hand or melds, a concealed Spirit by its own face."""
    for kind in range(HONORS, HAND_KINDS):
        if win["hand"][kind] > 0:
            kinds |= 1 << kind
    return kinds & HONOR_SET == HONOR_SET


@jit
def add_spirits(rules: Record, win: Record, majors: int, minors: int) -> int:
    """Append the spirit and gang items; their sum."""
    raw = 2 * majors + minors
    again = raw if win["others_hold_wild"] == 0 else 0
    bonus = raw + again
    oversoul = bonus * (bonus - 4) if bonus >= OVERSOUL_FROM else 0
    exposed = count_melds(win, MELD_GANG, MELD_ADDED) * int(rules["option"][EXPOSED_FAN])
    concealed = count_melds(win, MELD_CONCEALED, MELD_CONCEALED) * int(rules["option"][CONCEALED_FAN])
    add_line(win, MAJORS, 2 * majors)
    add_line(win, MINORS, minors)
    add_line(win, INDOMITABLE, again)
    add_line(win, OVERSOUL, oversoul)
    add_line(win, EXPOSED, exposed)
    add_line(win, CONCEALED, concealed)
    return bonus + oversoul + exposed + concealed


@jit
def offer(rules: Record, win: Record, base: int, extra: int, factor: int) -> None:
    """Let the first item be `base` if its total beats the best so far; on a tie the earlier one stays."""
    fan = int(rules["option"][base])
    total = (fan + extra) * factor
    if total > int(win["total"]):
        win["item"][0], win["value"][0], win["total"] = base, fan, total


@jit
def worth(rules: Record, win: Record, lut: Any) -> int:
    """Score: (base + spirit bonus + gang bonus) x full flush x all honors, the best shape, the upper one on a tie."""
    n_melds, wilds, major = int(win["n_melds"]), int(win["wilds"]), int(win["major"])
    n_sets = int(rules["sets"]) - n_melds
    kinds = survey(win)[0]
    majors, minors = count_held(win, major), count_held(win, int(win["minor"]))
    status = 1 if majors + minors > 0 else 0
    flush = int(rules["option"][FLUSH_FACTOR]) if is_full_flush(kinds) else 1
    honors = int(rules["option"][HONORS_FACTOR]) if has_all_honors(win, kinds) else 1
    clear_items(win)
    add_item(win, BASIC, 0)
    win["total"] = -1
    extra = add_spirits(rules, win, majors, minors)
    if makes(win["key"], n_sets, 1, lut):
        offer(rules, win, choose_base(rules, BASIC, status, is_basic_bound(win, n_sets, lut)), extra, flush)
    if n_melds == 0 and is_seven_pairs(win["row"], win["row_words"], wilds):
        offer(rules, win, choose_base(rules, PAIRS, status, is_pairs_bound(win)), extra, flush)
    if kinds & INNER_SET == 0:
        offer(rules, win, NINE + status, extra, honors)
    if n_melds == 0 and is_thirteen_scattered(win["row"], win["key"], wilds, lut):
        offer(rules, win, ORPHANS + status, extra, honors)
    total = int(win["total"])
    if total < 0:
        return reject(win)
    if win["item"][0] < NINE:
        add_line(win, FULL_FLUSH, flush if flush > 1 else 0)
    else:
        add_line(win, ALL_HONORS, honors if honors > 1 else 0)
    return total


@jit
def settle(rules: Record, win: Record, lut: Any) -> None:
    """Score: every loser pays the total, doubled for each Spirit that it threw."""
    pay_by_throws(win, int(win["total"]))


def check(rules: Record, win: Record) -> None:
    """The variant's own `ValueError`s ("`ValueError` in addition")."""
    tile, major, minor = int(win["tile"]), int(win["major"]), int(win["minor"])
    from_other = int(win["source"]) in (DISCARDED, ROBBED_GANG)
    is_spirit = tile in (major, minor)
    if win["source"] == DISCARDED and is_spirit and win["thrown"][int(win["from_seat"])] == 0:
        raise ValueError(f"a Spirit ({NAMES[tile]}) won from a discard was thrown: count it in thrown_wilds")
    if win["source"] == ROBBED_GANG and tile == major:
        raise ValueError(f"a Major ({NAMES[tile]}) cannot be robbed: with the flipped tile that would be five")
    spirits = int(win["hand"][major]) + int(win["hand"][minor]) - int(from_other and is_spirit)
    for number in range(int(win["n_melds"])):
        if win["meld_type"][number] == MELD_CONCEALED and int(win["meld_tile"][number]) in (major, minor):
            spirits += 4
    thrown = int(win["thrown"].sum())
    if thrown + spirits > SPIRITS_IN_PLAY:
        raise ValueError(f"{thrown} thrown Spirits and {spirits} held ones are more than the {SPIRITS_IN_PLAY} in play")


VARIANT = Variant(
    name="yugan",
    title="Yugan Flying Treasure",
    summary="Two wild kinds, a bonus for every one held, and payments that double for every one thrown.",
    gym_name="mjenv/Yugan-v0",
    options=OPTIONS,
    items=ITEMS,
    sources=("self_draw", "discard", "replacement", "robbed_gang"),
    numbers=numbers,
    worth=worth,
    settle=settle,
    check=check,
    presets={"literal": LITERAL},
)
