"""Recipes of constructed wins for the three variants with wilds."""

from __future__ import annotations

from random import Random
from typing import Any

from .build import (
    ALL,
    OUTER,
    Draft,
    Plan,
    Retry,
    Supply,
    chained,
    choose_opening,
    choose_source,
    four_gangs,
    frame,
    pairs,
    put_wilds,
    standard,
    theme,
)
from .notation import HONORS, NAMES, RED, SUITED, WHITE, WINDS
from .yugan import minor_of

Win = dict[str, Any]
Options = dict[str, Any]


# --- Yugan ------------------------------------------------------------------------------------------------------------


def scattered(rng: Random, supply: Supply, all_honors: bool) -> Draft:
    """Thirteen orphans as Yugan has them."""
    suited: list[int] = []
    for kind in rng.sample(list(SUITED), 27):
        if supply.left[kind] and all(kind // 9 != other // 9 or abs(kind - other) >= 3 for other in suited):
            suited.append(kind)
    honors = [kind for kind in HONORS if supply.left[kind]]
    if not all_honors:
        honors = rng.sample(honors, rng.randint(5, len(honors)))
    kinds = (honors + suited)[:14]
    if len(kinds) < 14:
        raise Retry
    return Draft(kinds)


def nine_one(rng: Random, supply: Supply, all_honors: bool) -> Draft:
    """Terminals and honors in any grouping, some as melds."""
    draft = Draft()
    for kind in rng.sample(OUTER, rng.choice([0, 0, 1, 2, 3])):
        if supply.left[kind] >= 3:
            names = ["gang", "concealed_gang", "peng"] if supply.left[kind] == 4 else ["peng"]
            name = rng.choice(names)
            draft.melds.append((name, supply.take(kind, 3 if name == "peng" else 4)))
    size = 14 - 3 * len(draft.melds)
    if all_honors:
        shown = {kind for _, tiles in draft.melds for kind in tiles}
        draft.concealed += [tile for kind in HONORS if kind not in shown for tile in supply.take(kind)]
    while len(draft.concealed) < size:
        draft.concealed += supply.take(rng.choice([kind for kind in OUTER if supply.left[kind]]))
    if len(draft.concealed) > size:
        raise Retry
    return draft


def yugan_draft(rng: Random, supply: Supply, spirits: tuple[int, int]) -> Draft:
    """A complete hand without wilds (Spirits as themselves, if at all)."""
    plain = [kind for kind in ALL if kind not in spirits or rng.random() < 0.15]
    recipe = rng.choices(
        ["standard", "pairs", "nine_one", "scattered", "chained", "spirit_meld", "gangs"], [10, 5, 3, 3, 1, 3, 1]
    )[0]
    if recipe == "standard":
        return standard(rng, supply, Plan(kinds=theme(rng, plain), runs=rng.choice([0.3, 0.7])))
    if recipe == "pairs":
        return pairs(rng, supply, theme(rng, plain))
    if recipe == "nine_one":
        return nine_one(rng, supply, rng.random() < 0.4)
    if recipe == "scattered":
        return scattered(rng, supply, rng.random() < 0.5)
    if recipe == "chained":
        rest = standard(rng, supply, Plan(sets=2, kinds=plain, melds=(0,)))
        return Draft(rest.concealed + chained(rng, supply, 1), [], rest.eye)
    if recipe == "gangs":
        return four_gangs(rng, supply, plain, rng.randint(1, 4), ("gang", "concealed_gang"))
    kind = rng.choice(spirits)
    forced = ("triplet" if rng.random() < 0.6 else "run", kind)
    return standard(rng, supply, Plan(kinds=plain, forced=(forced,), melds=(1, 2, 3, 4), gangs=0.4))


def yugan(rng: Random, _options: Options) -> Win:
    """One constructed win of Yugan."""
    indicator = rng.choice(ALL)
    spirits = (indicator, minor_of(indicator))
    supply = Supply(ALL, indicator)
    draft = yugan_draft(rng, supply, spirits)
    pool = [kind for kind in spirits for _ in range(supply.left[kind])]
    rng.shuffle(pool)
    count = rng.choices(range(8), [25, 22, 18, 10, 8, 6, 4, 3])[0]
    places: list[int] = []
    binding = indicator in pool and rng.random() < 0.35
    if binding and count:
        pool.remove(indicator)
        pool.insert(0, indicator)
        places = list(draft.eye or (0, 1))
        rng.shuffle(places)
        places = places[: rng.choice([1, 1, 2])]
    put_wilds(rng, draft, pool[:count], places)
    eye = [draft.concealed[place] for place in draft.eye or (0, 1)]
    held = [kind for kind in draft.concealed if kind in spirits]
    winning = rng.choice(eye) if binding else rng.choice(held) if held and rng.random() < 0.2 else None
    win = frame(rng, draft, winning)
    choose_source(rng, win, draft, ("self_draw", "discard", "replacement", "robbed_gang"))
    choose_opening(rng, win, 0.15)
    win["indicator"] = NAMES[indicator]
    win["others_hold_wild"] = rng.random() < 0.5
    on_spirit = win["from_seat"] is not None and NAMES.index(win["winning_tile"]) in spirits
    budget = 7 - len(held) - sum(4 for name, kinds in draft.melds if name == "concealed_gang" and kinds[0] in spirits)
    budget += on_spirit
    thrown = [0, 0, 0, 0]
    if on_spirit and win["source"] == "discard":
        thrown[win["from_seat"]] += 1
    for _ in range(rng.choice([0, 0, 1, 2, 3, 7])):
        if sum(thrown) < budget:
            thrown[rng.randrange(4)] += 1
    win["thrown_wilds"] = tuple(thrown)
    return win


# --- Fuzhou -----------------------------------------------------------------------------------------------------------


def junk(rng: Random, supply: Supply, size: int) -> list[int]:
    """Tiles that need not fit together."""
    pool = [kind for kind, left in supply.left.items() for _ in range(left)]
    tiles = rng.sample(pool, size)
    for kind in tiles:
        supply.take(kind)
    return tiles


def fuzhou_three_golds(rng: Random, supply: Supply, gold: int) -> Win:
    """Three golds and any other tiles."""
    golds = supply.take(gold, 3)
    del supply.left[gold]
    melds = standard(rng, supply, Plan(kinds=list(supply.left), melds=(0, 0, 5))).melds[: rng.choice([0, 0, 1, 3])]
    draft = Draft(golds, melds)
    dealt = not melds and rng.random() < 0.5
    win = frame(rng, Draft([gold]))
    size = 16 if dealt and win["seat"] != win["dealer"] else 17
    draft.concealed += junk(rng, supply, size - 3 - 3 * len(melds))
    framed = frame(rng, draft)
    win.update({name: framed[name] for name in ("concealed", "winning_tile", "melds")})
    win.update(source="three_golds", opening="dealt" if dealt else None)
    if rng.random() < 0.4:
        win["winning_tile"] = rng.choice([None, "1m", "9s"])
    return win


def fuzhou_shape(rng: Random, supply: Supply, gold: int) -> Win:
    """Five sets and a pair with up to three golds, or four with the robbed one."""
    plain = [kind for kind in SUITED if kind != gold]
    robbing = rng.random() < 0.25
    melds = (0,) if robbing else (0, 0, 1, 2, 3, 4, 5)
    plan = Plan(sets=5, kinds=theme(rng, plain), runs=rng.choice([0.5, 0.8]), melds=melds)
    if rng.random() < 0.1:
        plan.kinds, plan.runs = plain, 0.1
    draft = standard(rng, supply, plan)
    golds = rng.choices([0, 1, 2, 3], [4, 3, 3, 1])[0] + robbing
    places = [0, 1] if golds == 2 and rng.random() < 0.5 else []
    put_wilds(rng, draft, [gold] * golds, places)
    win = frame(rng, draft, gold if robbing else None)
    choose_source(rng, win, draft, ("self_draw", "discard", "replacement"))
    if win["source"] == "discard" and win["winning_tile"] == NAMES[gold] and rng.random() < 0.9:
        win.update(source="self_draw", from_seat=None)
    choose_opening(rng, win, 0.15)
    if robbing:
        win.update(source="rob_gold", from_seat=None, opening=rng.choice([None, "dealt"]))
    return win


def fuzhou(rng: Random, _options: Options) -> Win:
    """One constructed win of Fuzhou."""
    gold = rng.choice(list(SUITED))
    supply = Supply(SUITED, gold)
    win = fuzhou_three_golds(rng, supply, gold) if rng.random() < 0.12 else fuzhou_shape(rng, supply, gold)
    win["indicator"] = NAMES[gold]
    bonus = [kind for kind in (*WINDS, RED) for _ in range(4)]
    chosen = rng.sample(bonus, rng.choice([0, 0, 0, 1, 2, 3, 5, 8]))
    win["bonus"] = "".join(NAMES[kind] for kind in chosen)
    win["streak"] = rng.choice([0, 0, 1, 2, 5])
    return win


# --- Hangzhou ---------------------------------------------------------------------------------------------------------


def hangzhou_draft(rng: Random, supply: Supply, wild: int, live: int) -> tuple[Draft, int | None]:
    """A complete hand and, where the recipe has one in mind, its winning tile."""
    plain = [kind for kind in ALL if kind != wild or rng.random() < 0.1]
    recipe = rng.choices(
        ["sets", "waiting_sets", "pairs", "waiting_pairs", "chained", "gangs", "wild_quad"], [5, 7, 4, 4, 2, 5, 1]
    )[0]
    runs = rng.choice([0.2, 0.7])
    if recipe == "sets":
        draft = standard(rng, supply, Plan(kinds=theme(rng, plain), runs=runs))
    elif recipe == "pairs":
        draft = pairs(rng, supply, theme(rng, plain), rng.choice([0, 1, 2, 3]))
    elif recipe == "chained":
        blocks = rng.choice([1, 2])
        rest = standard(rng, supply, Plan(sets=4 - 2 * blocks, kinds=plain, melds=(0,)))
        draft = Draft(rest.concealed + chained(rng, supply, blocks))
    elif recipe == "wild_quad":
        draft = pairs(rng, supply, [kind for kind in plain if kind != wild], rng.choice([0, 1, 2]), 5)
        draft.concealed += supply.take(wild, live) + junk(rng, supply, 4 - live)
        return draft, None
    elif recipe == "gangs":
        names = ("gang", "concealed_gang")
        draft = four_gangs(rng, supply, [kind for kind in plain if kind != wild], rng.choice([1, 2, 3, 4, 4]), names)
    else:
        if recipe == "waiting_sets":
            draft = standard(rng, supply, Plan(kinds=theme(rng, plain), runs=runs))
            del draft.concealed[:2]
        else:
            draft = pairs(rng, supply, theme(rng, plain), rng.choice([0, 0, 1, 2, 3]), 6)
        more = rng.choices([0, 1, 2, 3], [6, 3, 2, 1])[0]
        put_wilds(rng, draft, [wild] * min(more, supply.left[wild] - 1))
        draft.concealed += [wild]
        winning = junk(rng, supply, 1)[0] if rng.random() < 0.8 else wild
        draft.concealed.append(winning)
        return draft, winning
    wilds = rng.choices(range(5), [5, 4, 3, 2, 1])[0]
    put_wilds(rng, draft, [wild] * min(wilds, supply.left[wild]))
    return draft, None


def hangzhou(rng: Random, options: Options) -> Win:
    """One constructed win of Hangzhou."""
    flip = options["wild_mode"] == "flip"
    wild = rng.choice(ALL) if flip else WHITE
    live = 3 if flip else 4
    draft, winning = hangzhou_draft(rng, Supply(ALL, wild if flip else None), wild, live)
    win = frame(rng, draft, winning)
    if draft.gangs() and rng.random() < 0.75:
        win.update(source="replacement", gang_run=rng.randint(1, draft.gangs()))
    choose_opening(rng, win, 0.15)
    shown = draft.concealed.count(wild) + sum(kinds.count(wild) for _, kinds in draft.melds)
    if winning is not None and win.get("opening") is None and rng.random() < 0.6:
        room = max(0, min(3, live - shown))
        win["floats"] = rng.choice([rng.randint(0, room), room])
    if flip:
        win["indicator"] = NAMES[wild]
    win["streak"] = rng.choice([0, 0, 1, 2, 4])
    return win
