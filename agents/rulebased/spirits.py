"""Yugan's Spirits: what holding them pays, and what throwing one may cost."""

from __future__ import annotations

from agents.protocol import Array
from agents.rulebased.view import LAYOUT
from mjenv.core.layout import Record
from mjenv.core.tiles import HAND_KINDS, HONORS
from mjenv.jit import jit
from mjenv.variants.yugan import OVERSOUL_FROM

_CHI, _MELD_PLANES = LAYOUT.plane("own_chi_low"), LAYOUT.plane("right_chi_low") - LAYOUT.plane("own_chi_low")
_PENG, _GANG, _ADDED, _CONCEALED = (
    LAYOUT.plane(f"own_{name}") - _CHI for name in ("peng", "gang", "added_gang", "concealed_gang")
)
_THROWN, _HELD, _CLOSED = (LAYOUT.scalar(f"own_{name}") for name in ("thrown_wilds", "held", "concealed_gangs"))

OTHERS_HOLD = 39
"""Concealed tiles of the three others, about."""
RIVAL_TOTAL = 8.0
"""The total of a usual win: 7.9 and 8.2 in 1,500 hands of `value` against `speed` and against itself. What a single
payment takes off a plan is fitted (`Habits.loss`); this is for payments that throws multiply."""
RIVAL_BASE, SPIRIT_SHARE = 6.0, 2.0
"""The same as `guard` guesses it: what shows no Spirit, and what each point of spirit bonus that a rival may hold adds;
more than one, as those who hold Spirits win, and the bonus grows faster than their number."""
HASTE = 0.15
"""How much more often each meld of a rival lets it win than a rival without."""


@jit
def oversoul(spirits: int) -> int:
    """What a spirit bonus becomes."""
    return spirits * (spirits - 3) if spirits >= OVERSOUL_FROM else spirits


@jit
def spirit_points(view: Record, kind: int) -> int:
    """The raw spirit bonus of a tile: 2 for the Major, 1 for the Minor."""
    return 2 if kind == view["major"] else 1 if kind == view["minor"] else 0


@jit
def unseen_spirits(view: Record) -> tuple[int, int]:
    """How many Spirits this seat cannot see, and their raw bonus."""
    if view["major"] < 0:
        return 0, 0
    majors, minors = int(view["unseen"][int(view["major"])]), int(view["unseen"][int(view["minor"])])
    return majors + minors, 2 * majors + minors


@jit
def spirit_bonus(view: Record) -> float:
    """Expected bonus of the own Spirits: doubled if no rival shows one and all that are unseen lie in the wall."""
    raw = int(view["spirits"])
    if raw == 0:
        return 0.0
    unseen, _ = unseen_spirits(view)
    hidden = float(view["hidden"])
    alone = 0.0 if view["rival_shows"] else max(0.0, (hidden - OTHERS_HOLD) / hidden) ** unseen
    return (1.0 - alone) * oversoul(raw) + alone * oversoul(2 * raw)


@jit
def count_melded(planes: Array, place: int, kind: int) -> int:
    """Tiles of a kind in the melds, as far as seen, of the seat `place` seats on."""
    first, tiles = _CHI + _MELD_PLANES * place, 0
    if kind < HONORS:
        for low in range(kind - kind % 9 + max(0, kind % 9 - 2), kind + 1):
            tiles += int(planes[first, low]) + int(planes[first + 1, low]) + int(planes[first + 2, low])
    gangs = int(planes[first + _GANG, kind]) + int(planes[first + _ADDED, kind]) + int(planes[first + _CONCEALED, kind])
    return tiles + 3 * int(planes[first + _PENG, kind]) + 4 * gangs


@jit
def melded_spirits(planes: Array, view: Record, place: int) -> int:
    """The raw bonus of the Spirits in the melds of the seat `place` seats on."""
    if view["major"] < 0:
        return 0
    return 2 * count_melded(planes, place, int(view["major"])) + count_melded(planes, place, int(view["minor"]))


@jit
def read_spirits(planes: Array, scalars: Array, view: Record) -> None:
    """Set the own raw bonus, whether a rival shows a Spirit, and how many usual payments a win brings."""
    raw = melded_spirits(planes, view, 0)
    for kind in range(HAND_KINDS):
        if view["is_wild"][kind]:
            raw += int(view["hand"][kind]) * spirit_points(view, kind)
    payers, shows = 0, 0
    for place in range(1, 4):
        payers += 1 << int(4 * scalars[_THROWN + place] + 0.5)
        shows |= 1 if melded_spirits(planes, view, place) else 0
    view["spirits"], view["payers"], view["rival_shows"] = raw, payers, shows


@jit
def guess_rival(planes: Array, scalars: Array, view: Record, place: int) -> tuple[float, float]:
    """How often the rival `place` seats on wins, against 1 without melds, and the total of its win."""
    first = _CHI + _MELD_PLANES * place
    closed = int(4 * scalars[_CLOSED + place] + 0.5)
    melds, opened = closed, 0
    for kind in range(HAND_KINDS):
        gangs = int(planes[first + _GANG, kind]) + int(planes[first + _ADDED, kind])
        opened += gangs
        melds += gangs + int(planes[first + _PENG, kind])
        for way in range(3):
            melds += int(planes[first + way, kind])
    _, raw = unseen_spirits(view)
    held = 16.0 * scalars[_HELD + place] * raw / float(view["hidden"])
    return 1.0 + HASTE * melds, RIVAL_BASE + opened + 2 * closed + melded_spirits(
        planes, view, place
    ) + SPIRIT_SHARE * held


@jit
def price_throw(planes: Array, scalars: Array, view: Record, ends: Array, watch: bool) -> None:
    """Set `view["danger"]`: for Spirits what throwing one more is expected to cost, for other kinds 0.

    One more throw doubles what this seat pays, so it adds 2^thrown times the total of a rival's win, if a rival wins
    (`ends` float [TURNS], by own draws left). `watch`: judge the rivals by what they show, not by the usual.
    """
    turns = min(int(view["turns"]), len(ends) - 1)
    chance, total = float(ends[turns]), RIVAL_TOTAL
    if watch:
        often, points = 0.0, 0.0
        for place in range(1, 4):
            weight, worth = guess_rival(planes, scalars, view, place)
            often, points = often + weight, points + weight * worth
        chance, total = 1.0 - (1.0 - chance) ** (often / 3.0), points / often
    view["rival_total"] = total
    for kind in range(HAND_KINDS):
        view["danger"][kind] = chance * total * (1 << int(view["thrown"])) if view["is_wild"][kind] else 0.0


@jit
def doubled_loss(view: Record) -> float:
    """What the own throws add to what a rival's win costs."""
    return float(view["rival_total"]) * ((1 << int(view["thrown"])) - 1)
