"""What is reported of each agent: measures as ratios of two sums, and the ones that a variant has."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from experiments.blocks import COLUMN, RANKS, Array, Match, points_per_hand
from experiments.statistics import Interval, interval, ratio_interval
from experiments.units import smallest_win
from mjenv.core.rules import FLIP_NONE, Rules
from mjenv.core.table import SOURCES
from mjenv.variants import find

__all__ = ["MEASURES", "measure", "smallest_win"]

WINS = tuple(f"win_{source}" for source in SOURCES)
CALLS = ("chi", "peng", "gang")

MEASURES: dict[str, tuple[tuple[str, ...], tuple[str, ...], str]] = {
    "win_rate": (WINS, ("hands",), "share of hands won"),
    **{
        f"win_rate_{source}": ((f"win_{source}",), ("hands",), f"… by {source.replace('_', ' ')}") for source in SOURCES
    },
    "win_total": (("win_total",), WINS, "mean count of a win: faan, fan, multiplier or points before the payments"),
    "win_points": (("win_points",), WINS, "mean points that a win brings"),
    "deal_in_rate": (("deal_ins",), ("hands",), "share of hands lost on one's own discard or added gang"),
    "deal_in_cost": (
        ("deal_in_points",),
        ("deal_ins",),
        "mean points paid for it, where the discarder pays more than others",
    ),
    "draw_rate": (("drawn_hands",), ("hands",), "share of hands that nobody won"),
    "decisions_per_hand": (("decisions",), ("hands",), "decisions in a hand"),
    "calls_per_hand": (CALLS, ("hands",), "claimed melds in a hand"),
    "own_gangs_per_hand": (("own_gang",), ("hands",), "concealed and added gangs in a hand"),
    "wilds_dealt": (("wilds_dealt",), ("hands",), "wilds in the dealt hand"),
    "wilds_drawn": (("wilds_drawn",), ("hands",), "wilds drawn later in the hand"),
    "wilds_used": (("wilds_used",), WINS, "wilds in a winning hand"),
    "wilds_thrown": (("wilds_thrown",), ("hands",), "wilds discarded in a hand"),
    "thrown_cost": (("thrown_cost",), ("hands",), "points a hand that throwing wilds cost"),
    "floats": (("floats",), ("hands",), "floats tried in a hand"),
    "floats_paid": (("floats_paid",), ("hands",), "share of hands won after a float"),
    "bonus_tiles": (("bonus",), ("hands",), "bonus tiles exposed in a hand"),
    "shanten_dealt": (("shanten_dealt",), ("hands",), "shanten of the dealt hand"),
    "shanten_turn_5": (
        ("shanten_turn_5",),
        ("reached_turn_5",),
        "shanten after one's fifth discard, in hands that last so long",
    ),
    "shanten_end": (("shanten_end",), ("hands",), "shanten at the end of the hand, -1 for the winner"),
    **{rank: ((rank,), ("seats",), f"share of games ended in place {rank[-1]}, ties shared") for rank in RANKS},
    "mean_rank": (RANKS, ("seats",), "mean place"),
}
"""Name: columns above and below the line, and what it says."""

POINTS = {
    "points_per_hand": "points won or lost in a hand, the mean of block means",
    "smallest_wins_per_hand": "the same as a multiple of what the cheapest win under these rules brings",
}
MAY_BE_NEGATIVE = ("thrown_cost", "shanten_dealt", "shanten_turn_5", "shanten_end")
"""The intervals of all others end at 0."""


def applies(name: str, rules: Rules, episode: str) -> bool:
    """Whether a measure says something under these rules and in games of this length."""
    record, sources = rules.record[0], find(rules.variant).sources
    if name.startswith("win_rate_"):
        return name.removeprefix("win_rate_") in sources
    if name.startswith("deal_in"):
        return "discard" in sources
    if name.startswith("wilds") or name == "thrown_cost":
        has_wilds = bool(record["flip_is_wild"] and record["flip"] != FLIP_NONE) or int(record["fixed_wild"]) >= 0
        return has_wilds and not (record["wild_locked"] and name in ("wilds_thrown", "thrown_cost"))
    if name.startswith("floats"):
        return bool(record["max_floats"])
    if name == "bonus_tiles":
        return bool(record["bonus"].any())
    return "rank" not in name or episode != "hand"


def measure(match: Match, sums: Array) -> dict[str, dict[str, float] | None]:
    """Every measure of one agent over float64 [blocks, columns]; None where it does not apply or nothing was seen."""
    found: dict[str, dict[str, float] | None] = {}
    points = interval(points_per_hand(sums))
    found["points_per_hand"] = points._asdict()
    unit = smallest_win(match.rules)
    found["smallest_wins_per_hand"] = Interval(*(end / unit for end in points))._asdict()
    for name, value in _ratios(match, sums):
        if value and name not in MAY_BE_NEGATIVE:
            value = value._replace(low=max(value.low, 0.0))
        found[name] = value._asdict() if value else None
    return found


def _ratios(match: Match, sums: Array) -> Iterator[tuple[str, Interval | None]]:
    for name, (above, below, _) in MEASURES.items():
        if not applies(name, match.rules, match.episode) or (
            name == "deal_in_cost" and not sums[:, COLUMN["deal_in_extra"]].sum() > 0
        ):
            yield name, None
            continue
        weights = np.arange(1, 5) if name == "mean_rank" else np.ones(len(above))
        total = sums[:, [COLUMN[column] for column in above]] @ weights
        yield name, ratio_interval(total, sums[:, [COLUMN[column] for column in below]].sum(axis=1))


def label(name: str) -> str:
    """A measure's name for people."""
    return name.replace("_", " ")
