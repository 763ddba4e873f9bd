"""What a discard may cost: which rival may be ready, in which suit it collects, and what its win would take."""

from __future__ import annotations

import numpy as np

from agents.protocol import Array
from agents.rulebased.faan import pay_discard
from agents.rulebased.facts import HONGKONG, THREEFAAN
from agents.rulebased.view import LAYOUT
from mjenv.core.layout import Record
from mjenv.core.tiles import HAND_KINDS
from mjenv.jit import jit

_MELDS, _MELD_PLANES = LAYOUT.plane("own_chi_low"), LAYOUT.plane("right_chi_low") - LAYOUT.plane("own_chi_low")
_FACES = 7
_DISCARDS, _LAST = LAYOUT.plane("own_discard_1"), LAYOUT.plane("last_discard")

COLLECTS, AVOIDS = 2.0, 0.55
"""How much likelier a suit is to be waited in for each meld of it, and for each discard of it."""
HONOR_SHARE = 0.7
"""How likely honors are waited for, against one suit."""
RANK_SHARE = np.array([0.14, 0.18, 0.24, 0.26, 0.26, 0.26, 0.24, 0.18, 0.14])
"""float64 [9]: how often a hand that waits in a suit wins on each rank."""
HONOR_WAIT = 0.15
"""How often a hand that waits for an honor wins on a certain one that has not been shown."""
OWN_DISCARD, FRESH_DISCARD = 0.15, 0.4
"""What is left of the danger of a kind that the rival itself, or somebody just now, has discarded."""
MELD_READY = 0.02
"""How much likelier each meld makes a rival ready, late in the hand."""
PLAIN_FAAN, FLUSH_FAAN = 4, 8


@jit
def pays_alone(rules: Record) -> bool:
    """Whether the discarder alone pays for a win on a discard."""
    return int(rules["variant"]) == HONGKONG or int(rules["variant"]) == THREEFAAN


@jit
def _threat(rules: Record, share: float) -> float:
    """What a rival's win on a discard takes from the discarder, if it collects this share of its tiles in the suit."""
    flush = min(1.0, max(0.0, (share - 0.45) * 2.5))
    return (1.0 - flush) * pay_discard(rules, PLAIN_FAAN) + flush * pay_discard(rules, FLUSH_FAAN)


@jit
def _add_rival(planes: Array, rules: Record, view: Record, place: int, late: float, ready: float) -> None:
    """Add what discards cost if the rival `place` seats on is ready."""
    weights, melds = view["weights"], 0
    for suit in range(4):
        weights[suit] = 1.0 if suit < 3 else HONOR_SHARE
    thrown = 0
    for kind in range(HAND_KINDS):
        suit = min(kind // 9, 3)
        for face in range(_FACES):
            count = int(planes[_MELDS + _MELD_PLANES * place + face, kind])
            melds += count
            weights[suit] += count * COLLECTS
        for copy in range(4):
            if planes[_DISCARDS + 4 * place + copy, kind]:
                thrown |= 1 << kind
                weights[suit] *= AVOIDS if suit < 3 else 1.0
    total = weights[0] + weights[1] + weights[2] + weights[3]
    chance = min(0.9, late * (ready + MELD_READY * melds))
    for kind in range(HAND_KINDS):
        suit = min(kind // 9, 3)
        share = weights[suit] / total
        if suit < 3:
            waits = float(RANK_SHARE[kind % 9])
        else:
            waits = HONOR_WAIT * min(2, int(view["unseen"][kind])) / 2.0
        if thrown >> kind & 1:
            waits *= OWN_DISCARD
        if planes[_LAST, kind]:
            waits *= FRESH_DISCARD
        view["danger"][kind] += chance * share * waits * _threat(rules, share)


@jit
def read_danger(planes: Array, rules: Record, view: Record, late: float, ready: float) -> None:
    """Set `view["danger"]`: points that discarding each kind may cost, 0 where all three pay alike.

    `late` 0-1 says how far the hand is on its way to where rivals are ready with probability `ready`.
    """
    for kind in range(HAND_KINDS):
        view["danger"][kind] = 0.0
    if pays_alone(rules):
        for place in range(1, 4):
            _add_rival(planes, rules, view, place, late, ready)
