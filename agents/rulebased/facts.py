"""What a hand may pay and how long it may last: the facts about table and melds that `value` and `guard` weigh."""

from __future__ import annotations

from agents.protocol import Array
from agents.rulebased.view import LAYOUT
from mjenv.core.layout import Record
from mjenv.core.tiles import HAND_KINDS
from mjenv.jit import jit
from mjenv.variants import REGISTRY

YUGAN, FUZHOU, HANGZHOU, HONGKONG, THREEFAAN = (
    [variant.name for variant in REGISTRY].index(name)
    for name in ("yugan", "fuzhou", "hangzhou", "hongkong", "threefaan")
)
"""`rules["variant"]` of each variant."""

_MAJOR, _MINOR = LAYOUT.plane("major_wild"), LAYOUT.plane("minor_wild")
_THROWN = LAYOUT.scalar("own_thrown_wilds")
_PENG, _GANG, _ADDED, _CONCEALED, _BONUS, _DRAWN = (
    LAYOUT.plane(name)
    for name in ("own_peng", "own_gang", "own_added_gang", "own_concealed_gang", "own_bonus", "drawn")
)
_LEFT, _STREAK, _GANG_RUN, _REPLACED, _FLOATS, _DEALER, _WIND, _FLOWERS = (
    LAYOUT.scalar(name)
    for name in (
        "left",
        "streak",
        "gang_run",
        "replacement_turn",
        "own_floats",
        "own_is_dealer",
        "round_wind_E",
        "own_f1",
    )
)


@jit
def read_facts(planes: Array, scalars: Array, view: Record) -> None:
    """Add to a view what `read_view` leaves out; `planes` uint8 [C, 34], `scalars` float32 [K]."""
    triplets, opened, closed, hidden, bonus, drawn = 0, 0, 0, 0, 0, -1
    view["major"], view["minor"] = -1, -1
    for kind in range(HAND_KINDS):
        gangs = int(planes[_GANG, kind]) + int(planes[_ADDED, kind])
        opened += gangs
        closed += int(planes[_CONCEALED, kind])
        if gangs or planes[_CONCEALED, kind] or planes[_PENG, kind]:
            triplets |= 1 << kind
        hidden += int(view["unseen"][kind])
        bonus += int(planes[_BONUS, kind])
        if planes[_DRAWN, kind]:
            drawn = kind
        if planes[_MAJOR, kind]:
            view["major"] = kind
        if planes[_MINOR, kind]:
            view["minor"] = kind
    view["triplets"], view["open_gangs"], view["closed_gangs"] = triplets, opened, closed
    view["claimed"] = int(view["melds"]) - closed
    view["hidden"], view["drawn"] = max(1, hidden), drawn
    view["turns"] = (int(128 * scalars[_LEFT] + 0.5) + 3) // 4
    flowers = 0
    for place in range(8):
        if scalars[_FLOWERS + place] > 0:
            flowers |= 1 << place
            bonus += 1
    view["flowers"], view["bonus"] = flowers, bonus
    for place in range(4):
        if scalars[_DEALER + place] > 0:
            view["seat_wind"] = (4 - place) & 3
        if scalars[_WIND + place] > 0:
            view["round_wind"] = place
    view["streak"] = int(16 * scalars[_STREAK] + 0.5)
    view["gang_run"] = int(4 * scalars[_GANG_RUN] + 0.5)
    view["replaced"] = 1 if scalars[_REPLACED] > 0 else 0
    view["floats"] = int(4 * scalars[_FLOATS] + 0.5)
    view["thrown"] = int(4 * scalars[_THROWN] + 0.5)
