"""The one table of what every plane and scalar of an observation means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mjenv.core.layout import Array
from mjenv.core.table import DECISIONS
from mjenv.core.tiles import NAMES, WINDS

LAYOUT_VERSION = 1
VIEWS = ("planes", "features", "oracle")
BATCH_VIEWS = (*VIEWS, "none")
"""`"none"`, for the batch alone, writes the mask and no observation."""
VIEW_PLANES, VIEW_FEATURES, VIEW_ORACLE, VIEW_NONE = range(4)

SCORE_UNIT = 256.0
SCORE_LIMIT = float(1 << 24)
RELATIVE = ("own", "right", "across", "left")


class Plane(NamedTuple):
    """One uint8 plane of 34 columns, a column a kind."""

    name: str
    high: int
    doc: str


class Scalar(NamedTuple):
    """One float32 scalar."""

    name: str
    low: float
    high: float
    doc: str


def _hand_planes(whose: str) -> list[Plane]:
    return [Plane(f"{whose}_hand_{n}", 1, f"{whose} seat holds at least {n} concealed") for n in range(1, 5)]


def _planes() -> list[Plane]:
    planes = _hand_planes("own")
    planes += [
        Plane("major_wild", 1, "the wild kind"),
        Plane("minor_wild", 1, "the second wild kind"),
        Plane("indicator", 1, "the flipped tile"),
        Plane("turned_up", 4, "bonus tiles turned up on the way to the flipped tile"),
        Plane("drawn", 1, "the tile just drawn, on one's own turn"),
        Plane("pending", 1, "the tile that may be claimed or robbed, if this seat is asked"),
        Plane("last_discard", 1, "the last discard of the hand"),
        Plane("barred", 1, "the kind that may not be discarded now, on one's own turn"),
        Plane("unseen", 4, "copies that this seat cannot see"),
        Plane("ones", 1, "all ones, over the 34 kinds"),
    ]
    for whose in RELATIVE:
        planes += [
            Plane(f"{whose}_chi_low", 4, "runs by their lowest kind that was claimed itself"),
            Plane(f"{whose}_chi_middle", 4, "runs by their lowest kind whose middle tile was claimed"),
            Plane(f"{whose}_chi_high", 4, "runs by their lowest kind whose highest tile was claimed"),
            Plane(f"{whose}_peng", 1, "open pengs"),
            Plane(f"{whose}_gang", 1, "gangs claimed from a discard"),
            Plane(f"{whose}_added_gang", 1, "gangs added to a peng"),
            Plane(f"{whose}_concealed_gang", 1, "concealed gangs whose face this seat may see"),
            Plane(
                f"{whose}_claimed_from", 3, "for a claimed peng or gang: steps from its owner to the seat it came from"
            ),
        ]
    for whose in RELATIVE:
        planes += [
            Plane(f"{whose}_discard_{n}", 255, f"when copy {n} was discarded: 1 for the first discard of the hand")
            for n in range(1, 5)
        ]
    planes += [Plane(f"{whose}_claimed", 15, "bit n-1: discard n of the kind was claimed") for whose in RELATIVE]
    planes += [Plane(f"{whose}_bonus", 4, "exposed bonus tiles (flowers and seasons: scalars)") for whose in RELATIVE]
    return planes


_FEATURES = [
    Plane("discard_shanten", 15, "shanten + 1 after discarding the kind, 15 where it is not held"),
    Plane("discard_useful", 255, "unseen tiles that lower the shanten after discarding the kind"),
    Plane("discard_floats", 1, "discarding the kind floats"),
]
_ORACLE = [plane for whose in RELATIVE[1:] for plane in _hand_planes(whose)] + [
    *(Plane(f"{whose}_hidden_gang", 1, "concealed gangs by kind, face down or not") for whose in RELATIVE[1:]),
    Plane("wall", 4, "tiles left in the wall, set-aside ones included"),
]


def _each_seat(name: str, high: float, doc: str, low: float = 0.0) -> list[Scalar]:
    return [Scalar(f"{whose}_{name}", low, high, doc) for whose in RELATIVE]


def _scalars() -> list[Scalar]:
    limit = SCORE_LIMIT / SCORE_UNIT
    scalars = [
        Scalar("left", 0, 1, "tiles that may still be drawn from the head / 128"),
        Scalar("replacements", 0, 1, "gang replacements left / 128"),
        Scalar("streak", 0, 4096, "hands in a row the dealer has kept the deal / 16"),
        Scalar("gang_run", 0, 2, "gangs in a row of the seat in turn / 4"),
        Scalar("replacement_turn", 0, 1, "this seat's turn began with a gang replacement"),
    ]
    scalars += _each_seat("score", limit, f"score / {SCORE_UNIT:.0f}", -limit)
    scalars += _each_seat("held", 2, "concealed tiles / 16")
    scalars += _each_seat("thrown_wilds", 8, "wilds thrown / 4")
    scalars += _each_seat("floats", 1, "float count / 4")
    scalars += _each_seat("concealed_gangs", 2, "concealed gangs / 4")
    scalars += _each_seat("is_dealer", 1, "1: deals this hand")
    scalars += _each_seat("in_turn", 1, "1: in turn, or the discarder while a tile is pending")
    scalars += _each_seat("last_discarder", 1, "1: made the last discard")
    scalars += [Scalar(f"round_wind_{wind}", 0, 1, "the round wind") for wind in WINDS]
    scalars += [Scalar(f"decides_{name}", 0, 1, "this seat decides that now") for name in DECISIONS]
    scalars += [Scalar(f"{whose}_{NAMES[kind]}", 0, 1, "exposed") for whose in RELATIVE for kind in range(34, 42)]
    return scalars


_CLAIMS = ("chi_low", "chi_middle", "chi_high", "peng", "gang")
_FEATURE_SCALARS = [
    Scalar("shanten", 0, 2, "(shanten + 1) / 8 of the concealed tiles as they are"),
    *(
        Scalar(f"{claim}_shanten", 0, 2, "(shanten + 1) / 8 the claim leads to, 2 where not offered")
        for claim in _CLAIMS
    ),
]

PLANES = _planes()
SCALARS = _scalars()
PLANE = {plane.name: index for index, plane in enumerate(PLANES)}
SCALAR = {scalar.name: index for index, scalar in enumerate(SCALARS)}


@dataclass(frozen=True)
class ObservationLayout:
    """Entry by entry, what the `observation` (uint8 [C, 34]) and `scalars` (float32 [K]) of one view hold."""

    view: str
    version: int
    planes: tuple[Plane, ...]
    scalars: tuple[Scalar, ...]

    def plane(self, name: str) -> int:
        """The index of a plane; `KeyError` if the view has none of that name."""
        return {plane.name: index for index, plane in enumerate(self.planes)}[name]

    def scalar(self, name: str) -> int:
        """The index of a scalar; `KeyError` if the view has none of that name."""
        return {scalar.name: index for index, scalar in enumerate(self.scalars)}[name]

    def plane_high(self) -> Array:
        """uint8 [C]: the highest value of each plane."""
        return np.array([plane.high for plane in self.planes], np.uint8)

    def scalar_bounds(self) -> tuple[Array, Array]:
        """Two float32 [K]: the lowest and the highest value of each scalar."""
        low = np.array([scalar.low for scalar in self.scalars], np.float32)
        return low, np.array([scalar.high for scalar in self.scalars], np.float32)


def observation_layout(view: str) -> ObservationLayout:
    """The layout of a view; `ValueError` unless it is one of `BATCH_VIEWS`."""
    if not isinstance(view, str) or view not in BATCH_VIEWS:
        raise ValueError(f"unknown observation {view!r}: use {', '.join(map(repr, BATCH_VIEWS))}")
    planes, scalars = ([], []) if view == "none" else (list(PLANES), list(SCALARS))
    if view == "features":
        planes, scalars = planes + _FEATURES, scalars + _FEATURE_SCALARS
    if view == "oracle":
        planes = planes + _ORACLE
    return ObservationLayout(view, LAYOUT_VERSION, tuple(planes), tuple(scalars))
