"""A yardstick that variants share: what the cheapest win brings."""

from __future__ import annotations

from typing import Any

from mjenv.core.rules import Rules
from mjenv.scoring import BelowMinimum, Win, score_win

_PLAIN: dict[str, Any] = {"concealed": "123m456p789s234mEE", "winning_tile": "9s", "dealer": 0, "seat": 1}
_CLAIMED: dict[str, Any] = {**_PLAIN, "source": "discard", "from_seat": 2}

_CHICKEN: dict[str, Any] = {**_CLAIMED, "concealed": "456p789s234mCC", "melds": ("peng 111m",)}

# No, one and two bonus tiles of the seat, a half flush: 0, 1, 2 and 3 faan. The cheapest that may be declared counts.
_BY_FAAN = (
    {**_CHICKEN, "bonus": "f1"},
    {**_CHICKEN, "bonus": "f2"},
    {**_CHICKEN, "bonus": "f2g2"},
    {**_CLAIMED, "concealed": "456s789s234sNN", "melds": ("peng WWW",), "bonus": "f1"},
)
_CHEAPEST: dict[str, tuple[dict[str, Any], ...]] = {
    "yugan": (
        {**_CLAIMED, "concealed": "123m456p789s23mEEP", "indicator": "F", "others_hold_wild": True},
        {**_CLAIMED, "indicator": "5s"},
    ),
    "fuzhou": ({**_CLAIMED, "concealed": "123m456p789s234m567p99s", "indicator": "1p", "bonus": "E"},),
    "hangzhou": ({**_PLAIN, "seat": 0, "indicator": "5s"}, {**_PLAIN, "indicator": "5s"}),
    "hongkong": _BY_FAAN,
    "threefaan": _BY_FAAN,
}


def smallest_win(rules: Rules) -> int:
    """Points that the cheapest win under these rules brings its winner."""
    found = []
    for win in _CHEAPEST[rules.variant]:
        try:
            settlement = score_win(rules.variant, Win(**win), rules)
        except BelowMinimum:
            continue
        found.append(settlement.payments[win["seat"]])
    return min(found)
