"""Recipes of constructed wins for the two variants that count faan."""

from __future__ import annotations

from random import Random
from typing import Any

from .arrange import ORPHANS
from .build import (
    ALL,
    Draft,
    Plan,
    Set,
    Supply,
    chained,
    choose_opening,
    choose_source,
    four_gangs,
    frame,
    other_seat,
    pairs,
    standard,
    theme,
)
from .notation import DRAGONS, HONORS, NAMES, PLANTS, SEASONS, TERMINALS, WINDS

Win = dict[str, Any]

RECIPES = {
    "any": 8,
    "runs": 6,
    "triplets": 5,
    "concealed_triplets": 4,
    "dragons": 5,
    "winds": 4,
    "pairs": 4,
    "chained": 3,
    "threefold": 3,
    "nine_gates": 2,
    "orphans": 1,
    "all_honors": 1,
    "all_terminals": 1,
    "mixed_terminals": 2,
    "gangs": 2,
}


def honor_sets(rng: Random, kinds: tuple[int, ...], count: int) -> tuple[list[Set], list[int] | None]:
    """Triplets of `count` of the kinds, and perhaps one of the others as the only choice of eye."""
    chosen = rng.sample(kinds, count)
    rest = [kind for kind in kinds if kind not in chosen]
    eyes = [rng.choice(rest)] if rest and rng.random() < 0.6 else None
    return [("triplet", kind) for kind in chosen], eyes


def threefold(rng: Random, supply: Supply) -> Draft:
    """Three neighbours three times each, which are runs or triplets, and a pair with one more set."""
    start = rng.randrange(3) * 9 + rng.randrange(7)
    tiles = [tile for _ in range(3) for tile in supply.take_run(start)]
    near = [kind for kind in ALL if kind // 9 == start // 9 or kind >= 27]
    rest = standard(rng, supply, Plan(sets=1, kinds=near, melds=(0, 0, 1), runs=0.4))
    return Draft(rest.concealed + tiles, rest.melds)


def nine_gates(rng: Random, supply: Supply) -> tuple[Draft, int]:
    """The nine gates and one more tile of the suit, mostly the winning one."""
    suit = rng.randrange(3)
    gates = [suit * 9 + rank for rank in (0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8)]
    extra = suit * 9 + rng.randrange(9)
    for kind in [*gates, extra]:
        supply.take(kind)
    concealed = [*gates, extra]
    return Draft(concealed), extra if rng.random() < 0.6 else rng.choice(concealed)


def faan_draft(rng: Random, supply: Supply) -> tuple[Draft, int | None]:
    """A complete hand and, for nine gates, its winning tile."""
    recipe = rng.choices(list(RECIPES), list(RECIPES.values()))[0]
    kinds = theme(rng)
    if recipe == "runs":
        suited = [kind for kind in kinds if kind < 27] if max(kinds) < 27 else list(range(27))
        return standard(rng, supply, Plan(kinds=suited, runs=1.0, eyes=rng.choice([None, HONORS]))), None
    if recipe == "triplets":
        return standard(rng, supply, Plan(kinds=kinds, runs=0.0)), None
    if recipe == "concealed_triplets":
        plan = Plan(kinds=kinds, runs=0.0, melds=(0, 0, 1, 2), gangs=1.0, meld_names=("concealed_gang",))
        return standard(rng, supply, plan), None
    if recipe == "dragons":
        forced, eyes = honor_sets(rng, DRAGONS, rng.choice([1, 1, 2, 2, 3]))
        return standard(rng, supply, Plan(kinds=kinds, forced=forced, eyes=eyes)), None
    if recipe == "winds":
        forced, eyes = honor_sets(rng, WINDS, rng.choice([1, 1, 2, 3, 3, 4]))
        return standard(rng, supply, Plan(kinds=kinds, forced=forced, eyes=eyes)), None
    if recipe == "pairs":
        return pairs(rng, supply, kinds), None
    if recipe == "chained":
        blocks = rng.choice([1, 2, 2])
        rest = standard(rng, supply, Plan(sets=4 - 2 * blocks, kinds=kinds, melds=(0, 0, 1)))
        return Draft(rest.concealed + chained(rng, supply, blocks), rest.melds), None
    if recipe == "threefold":
        return threefold(rng, supply), None
    if recipe == "nine_gates":
        return nine_gates(rng, supply)
    if recipe == "orphans":
        return Draft([*ORPHANS, rng.choice(ORPHANS)]), None
    if recipe == "all_honors" and rng.random() < 0.3:
        return pairs(rng, supply, HONORS), None
    if recipe in ("all_honors", "all_terminals", "mixed_terminals"):
        outer = {"all_honors": HONORS, "all_terminals": TERMINALS, "mixed_terminals": ORPHANS}[recipe]
        return standard(rng, supply, Plan(kinds=outer, runs=0.0)), None
    if recipe == "gangs":
        names = rng.choice([("gang", "concealed_gang"), ("concealed_gang",)])
        return four_gangs(rng, supply, kinds, rng.choice([1, 2, 3, 4, 4]), names), None
    return standard(rng, supply, Plan(kinds=kinds)), None


def bonus_text(rng: Random) -> str:
    """None, some, one whole group, or all of the bonus tiles."""
    groups = [*PLANTS, *SEASONS]
    whole = list(rng.choice([PLANTS, SEASONS]))
    some = rng.sample(groups, rng.randint(1, 4))
    mixed = whole + [kind for kind in groups if kind not in whole and rng.random() < 0.4]
    chosen = rng.choices([[], some, whole, mixed, groups], [5, 8, 1, 2, 1])[0]
    return "".join(NAMES[kind] for kind in rng.sample(chosen, len(chosen)))


def faan(rng: Random, openings: float) -> Win:
    """One constructed win without the fields in which the two variants differ."""
    draft, winning = faan_draft(rng, Supply(ALL))
    win = frame(rng, draft, winning)
    choose_source(rng, win, draft, ("self_draw", "discard", "replacement", "robbed_gang"))
    choose_opening(rng, win, openings)
    win["bonus"] = bonus_text(rng)
    win["last_tile"] = win["source"] != "robbed_gang" and "opening" not in win and rng.random() < 0.2
    win["streak"] = rng.choice([0, 0, 1, 3])
    return win


def worthless(rng: Random) -> Win:
    """A hand that scores nothing, or nearly: claimed melds, mixed sets, somebody else's flower."""
    forced: list[Set] = [("run", 9 * suit + rng.randrange(7)) for suit in (0, 1)]
    forced.append(("triplet", rng.randrange(27)))
    plan = Plan(kinds=list(range(27)), forced=forced, melds=(1, 2, 3, 4), gangs=0.1, meld_names=("chi", "peng", "gang"))
    draft = standard(rng, Supply(ALL), plan)
    win = frame(rng, draft)
    number = (win["seat"] - win["dealer"]) % 4
    flowers = [kind for kind in (*PLANTS, *SEASONS) if kind not in (PLANTS[number], SEASONS[number])]
    win["bonus"] = "".join(NAMES[kind] for kind in rng.sample(flowers, rng.randint(1, 2)))
    win.update(source="discard", from_seat=other_seat(rng, win["seat"]))
    return win


def worthless_share(options: dict[str, Any]) -> float:
    """How often a worthless hand is tried: more often where it may win."""
    return 0.2 if options["min_faan"] == 0 else 0.04


def hongkong(rng: Random, options: dict[str, Any]) -> Win:
    """One constructed win of Hong Kong."""
    win = worthless(rng) if rng.random() < worthless_share(options) else faan(rng, 0.15)
    win["round_wind"] = rng.choice("ESWN")
    if not options["bonus_tiles"] and rng.random() < 0.95:
        win["bonus"] = ""
    return win


def threefaan(rng: Random, options: dict[str, Any]) -> Win:
    """One constructed win of the three-faan table."""
    return worthless(rng) if rng.random() < worthless_share(options) else faan(rng, 0.08)
