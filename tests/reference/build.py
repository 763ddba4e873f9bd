"""Building blocks for constructed wins: a supply of tiles, drafts of complete hands, and the fields around them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from .hand import DEFAULTS
from .notation import NAMES, TERMINALS, write_tiles

Set = tuple[str, int]
ALL = tuple(range(34))
OUTER = TERMINALS + tuple(range(27, 34))


class Retry(Exception):
    """This attempt ran out of tiles; another one will do."""


class Supply:
    """The copies of each kind that have not been used yet."""

    def __init__(self, kinds: Iterable[int] = ALL, flipped: int | None = None) -> None:
        self.left = dict.fromkeys(kinds, 4)
        if flipped is not None:
            self.left[flipped] -= 1

    def take(self, kind: int, count: int = 1) -> list[int]:
        """Take copies of a kind, or `Retry`."""
        if self.left.get(kind, 0) < count:
            raise Retry
        self.left[kind] -= count
        return [kind] * count

    def take_run(self, kind: int) -> list[int]:
        """Take the run that starts with a kind, or `Retry`."""
        if kind >= 27 or kind % 9 > 6:
            raise Retry
        return [tile for step in range(3) for tile in self.take(kind + step)]


@dataclass
class Draft:
    """A complete hand in the making; `eye` is the place of the pair within `concealed`, if it has one."""

    concealed: list[int] = field(default_factory=list)
    melds: list[tuple[str, list[int]]] = field(default_factory=list)
    eye: tuple[int, int] | None = None

    def gangs(self) -> int:
        """How many melds are gangs."""
        return sum(name.endswith("gang") for name, _ in self.melds)


@dataclass
class Plan:
    """What a standard hand is to be made of."""

    sets: int = 4
    kinds: Sequence[int] = ALL
    runs: float = 0.6
    forced: Sequence[Set] = ()
    eyes: Sequence[int] | None = None
    melds: Sequence[int] = (0, 0, 1, 2, 3, 4)
    gangs: float = 0.25
    meld_names: Sequence[str] = ("chi", "peng", "gang", "concealed_gang")


def random_set(rng: Random, plan: Plan) -> Set:
    """A run or a triplet of the plan's kinds."""
    kind = rng.choice(list(plan.kinds))
    return ("run", kind) if rng.random() < plan.runs else ("triplet", kind)


def lay(rng: Random, supply: Supply, plan: Plan, wanted: Sequence[Set]) -> list[tuple[str, list[int]]]:
    """Take the wanted sets, then random ones, from the supply."""
    groups = []
    for name, kind in wanted:
        groups.append((name, supply.take_run(kind) if name == "run" else supply.take(kind, 3)))
    for _ in range(400):
        if len(groups) == plan.sets:
            return groups
        name, kind = random_set(rng, plan)
        tiles = [kind, kind + 1, kind + 2] if name == "run" else [kind] * 3
        if not set(tiles) <= set(plan.kinds) or (name == "run" and (kind >= 27 or kind % 9 > 6)):
            continue
        try:
            groups.append((name, supply.take_run(kind) if name == "run" else supply.take(kind, 3)))
        except Retry:
            continue
    raise Retry


def standard(rng: Random, supply: Supply, plan: Plan) -> Draft:
    """A hand of sets and a pair, some of the sets as melds."""
    groups = lay(rng, supply, plan, plan.forced)
    eyes = [kind for kind in (plan.eyes or plan.kinds) if supply.left.get(kind, 0) >= 2]
    if not eyes:
        raise Retry
    eye = supply.take(rng.choice(eyes), 2)
    draft = Draft(eye, [], (0, 1))
    rng.shuffle(groups)
    melds = rng.choice(list(plan.melds))
    for index, (name, tiles) in enumerate(groups):
        names = ["chi"] if name == "run" else ["peng"]
        if name == "triplet" and rng.random() < plan.gangs and supply.left.get(tiles[0], 0):
            names = ["gang", "concealed_gang"]
        names = [choice for choice in names if choice in plan.meld_names]
        if index < melds and names:
            chosen = rng.choice(names)
            draft.melds.append((chosen, tiles + supply.take(tiles[0]) if "gang" in chosen else tiles))
        else:
            draft.concealed += tiles
    return draft


def four_gangs(rng: Random, supply: Supply, kinds: Sequence[int], count: int, names: Sequence[str]) -> Draft:
    """A hand with `count` gangs among its four sets."""
    quads = rng.sample(list(kinds), count)
    melds = [(rng.choice(list(names)), supply.take(kind, 4)) for kind in quads]
    rest = standard(rng, supply, Plan(sets=4 - count, melds=(0, 1)))
    return Draft(rest.concealed, melds + rest.melds, rest.eye)


def pairs(rng: Random, supply: Supply, kinds: Sequence[int], quads: int = 0, count: int = 7) -> Draft:
    """Pairs of different kinds, or with some kinds twice."""
    able = [kind for kind in kinds if supply.left.get(kind, 0) >= 2]
    fourfold = [kind for kind in able if supply.left[kind] == 4]
    if len(fourfold) < quads or len(able) < count:
        raise Retry
    double = rng.sample(fourfold, quads)
    single = rng.sample([kind for kind in able if kind not in double], count - 2 * quads)
    concealed = [tile for kind in double for tile in supply.take(kind, 4)]
    concealed += [tile for kind in single for tile in supply.take(kind, 2)]
    return Draft(concealed)


def put_wilds(rng: Random, draft: Draft, wilds: Sequence[int], first: Sequence[int] = ()) -> None:
    """Replace concealed tiles by wilds, the places in `first` before all others."""
    places = [place for place in range(len(draft.concealed)) if place not in first]
    rng.shuffle(places)
    for place, wild in zip([*first, *places], wilds, strict=False):
        draft.concealed[place] = wild


def theme(rng: Random, kinds: Sequence[int] = ALL) -> list[int]:
    """All kinds, one suit, one suit and honors, terminals and honors, or two suits."""
    suit = rng.randrange(3)
    choices = [
        list(kinds),
        list(kinds),
        [kind for kind in kinds if kind < 27 and kind // 9 == suit],
        [kind for kind in kinds if kind >= 27 or kind // 9 == suit],
        [kind for kind in kinds if kind < 27 and kind // 9 != suit],
        [kind for kind in kinds if kind in OUTER],
    ]
    return rng.choices(choices, [4, 4, 3, 3, 2, 1])[0]


def chained(rng: Random, supply: Supply, blocks: int) -> list[int]:
    """Ambiguous tiles of one suit: three neighbours, each as often as the next (twice or three times)."""
    suit = rng.randrange(3)
    tiles: list[int] = []
    for _ in range(blocks):
        start = suit * 9 + rng.randrange(7)
        for _ in range(2):
            tiles += supply.take_run(start)
    return tiles


def meld_text(meld: tuple[str, list[int]]) -> str:
    """A meld as `Win` writes it."""
    return f"{meld[0]} {write_tiles(meld[1])}"


def other_seat(rng: Random, seat: int) -> int:
    """One of the three other seats."""
    return (seat + rng.randrange(1, 4)) % 4


def frame(rng: Random, draft: Draft, winning: int | None = None) -> dict[str, Any]:
    """The fields every variant has: tiles, winning tile, melds, seat and dealer; self-drawn."""
    seat = rng.randrange(4)
    return {
        "seat": seat,
        "dealer": seat if rng.random() < 0.35 else rng.randrange(4),
        "concealed": text_of(rng, draft.concealed),
        "winning_tile": NAMES[rng.choice(draft.concealed) if winning is None else winning],
        "melds": tuple(meld_text(meld) for meld in draft.melds),
        "source": "self_draw",
        "from_seat": None,
    }


def text_of(rng: Random, kinds: Sequence[int]) -> str:
    """Compact notation, now and then tile by tile in any order."""
    if rng.random() < 0.9:
        return write_tiles(kinds)
    return "".join(NAMES[kind] for kind in rng.sample(list(kinds), len(kinds)))


def choose_source(rng: Random, win: dict[str, Any], draft: Draft, sources: Sequence[str]) -> None:
    """A source that the tiles allow, with its payer."""
    possible = [source for source in sources if source in ("self_draw", "discard")]
    kind = NAMES.index(win["winning_tile"])
    if "replacement" in sources and draft.gangs():
        possible += ["replacement"] * 2
    everything = draft.concealed + [tile for _, tiles in draft.melds for tile in tiles]
    if "robbed_gang" in sources and everything.count(kind) == 1:
        possible += ["robbed_gang"] * 2
    win["source"] = rng.choice(possible)
    if win["source"] in ("discard", "robbed_gang"):
        win["from_seat"] = other_seat(rng, win["seat"])


def choose_opening(rng: Random, win: dict[str, Any], share: float) -> None:
    """Now and then an opening win, where seat, source and melds allow one."""
    if win["melds"] or rng.random() >= share:
        return
    is_dealer = win["seat"] == win["dealer"]
    if win["source"] == "self_draw":
        win["opening"] = "dealt" if is_dealer else "first_draw"
    elif win["source"] == "discard" and not is_dealer:
        win["opening"] = "first_discard"
        win["from_seat"] = win["dealer"]


def trimmed(rng: Random, win: dict[str, Any]) -> dict[str, Any]:
    """Fields at their defaults left out, now and then written."""
    return {name: value for name, value in win.items() if value != DEFAULTS[name] or rng.random() < 0.2}
