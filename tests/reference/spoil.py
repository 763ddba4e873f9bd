"""Near-misses and impossible inputs made out of a constructed win by changing one thing."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from .build import other_seat
from .notation import NAMES, read_tiles, write_tiles

Win = dict[str, Any]
Spoiler = Callable[[Random, Win], None]

WRONG_MELDS = (
    "chi 124m",
    "chi 891p",
    "chi EEE",
    "chi ESW",
    "peng 112m",
    "peng 1111m",
    "gang 555s",
    "kong 2222p",
    "777p",
)
SOURCES = ("self_draw", "discard", "replacement", "robbed_gang", "rob_gold", "three_golds", "stolen")


def other_tile(rng: Random, win: Win) -> None:
    """One concealed tile becomes another."""
    kinds = read_tiles(win["concealed"])
    kinds[rng.randrange(len(kinds))] = rng.randrange(34)
    win["concealed"] = write_tiles(kinds)


def near_tile(rng: Random, win: Win) -> None:
    """One concealed tile moves by one kind, the winning tile perhaps with it."""
    kinds = read_tiles(win["concealed"])
    place = rng.randrange(len(kinds))
    old = NAMES[kinds[place]]
    kinds[place] = min(33, max(0, kinds[place] + rng.choice([-1, 1])))
    win["concealed"] = write_tiles(kinds)
    if win["winning_tile"] == old:
        win["winning_tile"] = NAMES[kinds[place]]


def more_tiles(rng: Random, win: Win) -> None:
    """One tile more or less, or a bonus tile among them."""
    kinds = read_tiles(win["concealed"])
    win["concealed"] = write_tiles(rng.choice([kinds[1:], [*kinds, rng.randrange(34)], [*kinds[1:], 34], kinds[3:]]))


def five_alike(rng: Random, win: Win) -> None:
    """A tile of the hand in as many copies as fit."""
    kinds = read_tiles(win["concealed"])
    copies = rng.choice([4, 5])
    win["concealed"] = write_tiles(([rng.choice(kinds)] * copies + kinds)[: len(kinds)])


def flipped_inside(rng: Random, win: Win) -> None:
    """The flipped tile is a kind that the hand holds."""
    if win.get("indicator"):
        win["indicator"] = NAMES[rng.choice(read_tiles(win["concealed"]))]


def unreadable(rng: Random, win: Win) -> None:
    """Text that is not notation."""
    name = rng.choice(["concealed", "winning_tile"])
    if name == "concealed":
        win[name] = win[name] + rng.choice(["x", "5", "f5", "0m"])
    elif win["source"] != "three_golds":
        win[name] = rng.choice(["x", "m", None, "11m", ""])


def winning_elsewhere(rng: Random, win: Win) -> None:
    """A winning tile that may not be in the hand."""
    win["winning_tile"] = NAMES[rng.randrange(34)]


def wrong_meld(rng: Random, win: Win) -> None:
    """A meld that is not one."""
    melds = list(win["melds"])
    if melds:
        melds[rng.randrange(len(melds))] = rng.choice(WRONG_MELDS)
    else:
        melds = [rng.choice(["chi 123m", "peng 111p", *WRONG_MELDS])]
        win["concealed"] = write_tiles(read_tiles(win["concealed"])[3:])
    win["melds"] = tuple(melds)


def renamed_meld(rng: Random, win: Win) -> None:
    """A meld under another name."""
    melds = list(win["melds"])
    if melds:
        place = rng.randrange(len(melds))
        melds[place] = rng.choice(["chi", "peng", "gang", "concealed_gang"]) + " " + melds[place].split(" ")[1]
    win["melds"] = tuple(melds)


def other_source(rng: Random, win: Win) -> None:
    """Any source, with or without somebody it came from."""
    win["source"] = rng.choice(SOURCES)
    win["from_seat"] = rng.choice([None, win["seat"], other_seat(rng, win["seat"])])
    if win["winning_tile"] is None:
        win["winning_tile"] = "1m"


def fitting_source(rng: Random, win: Win) -> None:
    """Any source with the payer it needs, whatever the tiles."""
    win["source"] = rng.choice(SOURCES)
    taken = win["source"] in ("discard", "robbed_gang")
    win["from_seat"] = other_seat(rng, win["seat"]) if taken else None
    if win["winning_tile"] is None:
        win["winning_tile"] = "1m"


def wrong_seat(rng: Random, win: Win) -> None:
    """A seat that does not exist."""
    win[rng.choice(["seat", "dealer", "from_seat"])] = rng.choice([4, -1, 7])


def any_opening(rng: Random, win: Win) -> None:
    """Any opening, fitting or not."""
    win["opening"] = rng.choice(["dealt", "first_discard", "first_draw", "first_draw", "heavenly"])


def negative_streak(_rng: Random, win: Win) -> None:
    """A deal kept less than never."""
    win["streak"] = -1


def any_bonus(rng: Random, win: Win) -> None:
    """Bonus tiles of any variant, perhaps too many of them."""
    win["bonus"] += rng.choice(["f1", "f1f1", "E", "EEEEE", "F", "P", "1m", "g5", "C", "g4g4"])


def any_indicator(rng: Random, win: Win) -> None:
    """No flipped tile, or one that is not in every variant (where a tile is flipped at all)."""
    if win.get("indicator"):
        win["indicator"] = rng.choice([None, "f1", "E", "P", "55m", "5p", "q"])


def any_throws(rng: Random, win: Win) -> None:
    """Counts of thrown Spirits that may be too few, too many, or none."""
    win["thrown_wilds"] = rng.choice([(0, 0, 0), (0, 0, 0, -1), (7, 0, 0, 0), (2, 2, 2, 2), (0, 0, 0, 0), (1, 1, 2, 0)])


def any_floats(rng: Random, win: Win) -> None:
    """Any float count and run of gangs."""
    if rng.random() < 0.5:
        win["floats"] = rng.choice([1, 1, 2, 3, 4, -1])
    else:
        win["gang_run"] = rng.choice([0, 1, 2, 3, 5])


def robbed_at_the_end(rng: Random, win: Win) -> None:
    """A robbed gang with an empty wall."""
    win.update(source="robbed_gang", from_seat=other_seat(rng, win["seat"]), last_tile=True)


def any_round_wind(rng: Random, win: Win) -> None:
    """A round wind that may not exist."""
    win["round_wind"] = rng.choice(["S", "N", "C", "e", ""])


def noise(rng: Random, win: Win) -> None:
    """Fields that some variants use and others ignore."""
    win.update(floats=0, gang_run=0, others_hold_wild=rng.random() < 0.5, last_tile=rng.random() < 0.5)


COMMON: tuple[Spoiler, ...] = (
    *(other_tile, near_tile, near_tile, near_tile, more_tiles, five_alike, unreadable, winning_elsewhere),
    *(wrong_meld, renamed_meld, other_source, fitting_source, wrong_seat, noise),
)
SPECIAL: dict[str, tuple[Spoiler, ...]] = {
    "yugan": (any_indicator, flipped_inside, any_throws, any_throws),
    "fuzhou": (any_indicator, flipped_inside, any_bonus, any_opening, negative_streak),
    "hangzhou": (any_indicator, flipped_inside, any_floats, any_floats, any_opening, negative_streak),
    "hongkong": (any_bonus, robbed_at_the_end, any_round_wind, any_opening),
    "threefaan": (any_bonus, robbed_at_the_end, any_round_wind),
}


def spoil(rng: Random, variant: str, win: Win) -> None:
    """Change one thing; the result may still be a win."""
    rng.choice(COMMON + SPECIAL[variant])(rng, win)
