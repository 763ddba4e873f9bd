"""Greedy's decisions once more, in NumPy on the `"features"` view: what the compiled player must agree with."""

from __future__ import annotations

import numpy as np

from agents.protocol import Array
from mjenv import hands
from mjenv.core.actions import CHI_LOW, GANG, HU, OWN_GANG, PASS, PENG
from mjenv.core.channels import observation_layout
from mjenv.core.tiles import HAND_KINDS

_LAYOUT = observation_layout("features")
_HAND = slice(_LAYOUT.plane("own_hand_1"), _LAYOUT.plane("own_hand_4") + 1)
_WILD = [_LAYOUT.plane("major_wild"), _LAYOUT.plane("minor_wild")]
_MELDS = slice(_LAYOUT.plane("own_chi_low"), _LAYOUT.plane("own_concealed_gang") + 1)
_PENG_LIES = _LAYOUT.plane("own_peng")
_SHANTEN, _USEFUL = _LAYOUT.plane("discard_shanten"), _LAYOUT.plane("discard_useful")
_FLOATS = _LAYOUT.plane("discard_floats")
_SHANTEN_NOW = _LAYOUT.scalar("shanten")
_CLAIM_SHANTEN = slice(_LAYOUT.scalar("chi_low_shanten"), _LAYOUT.scalar("gang_shanten") + 1)

_CLAIMS = np.array([GANG, PENG, CHI_LOW, CHI_LOW + 1, CHI_LOW + 2])
"""In the order in which equally good claims are preferred."""

_NEVER = 1 << 20


def _is_wild(observation: Array) -> Array:
    """bool [n, 34]: the kinds that are wild now."""
    return np.asarray(observation[:, _WILD].any(axis=1))


def choose_discards(observation: Array, mask: Array) -> Array:
    """int64 [n]: the legal discard of lowest shanten, then most useful unseen tiles, then lowest index.

    A wild is a candidate only where throwing it floats, or where nothing else may be thrown. 0 without a legal discard.
    """
    legal = mask[:, :HAND_KINDS]
    kept = _is_wild(observation) & (observation[:, _FLOATS] == 0)
    cost = observation[:, _SHANTEN].astype(np.int64) * 256 + (255 - observation[:, _USEFUL].astype(np.int64))
    cost = np.where(legal, cost + np.where(kept, _NEVER, 0), 2 * _NEVER)
    return np.asarray(np.argmin(cost, axis=1), np.int64)


def choose_claims(scalars: Array, mask: Array) -> Array:
    """int64 [n]: the legal claim that leads to the lowest shanten, if that is lower than the present one, else pass.

    Equal claims: gang before peng before chi (the claimed tile lowest, middle, highest).
    """
    after = np.where(mask[:, _CLAIMS], scalars[:, _CLAIM_SHANTEN][:, _CLAIMS - CHI_LOW], np.inf)
    best = np.argmin(after, axis=1)
    helps = after[np.arange(len(best)), best] < scalars[:, _SHANTEN_NOW]
    chosen: Array = np.where(helps, _CLAIMS[best], PASS)
    return chosen


def choose_own_gangs(observation: Array, mask: Array, sets: int) -> Array:
    """int64 [n]: the lowest own gang that keeps the hand as near to complete as the best discard would, or -1.

    Compared is the shanten of what stays concealed, before the replacement is drawn. Adding to a peng leaves the same
    tiles as discarding that tile, so its plane tells; a concealed gang takes four tiles away and lays one more set.
    Wilds are never laid down.
    """
    chosen = np.full(len(mask), -1, np.int64)
    offered = mask[:, OWN_GANG:HU] & ~_is_wild(observation)
    rows = np.flatnonzero(offered.any(axis=1))
    if not len(rows):
        return chosen
    offered, seen = offered[rows], observation[rows]
    after = seen[:, _SHANTEN].astype(np.int64) - 1
    limit = np.where(mask[rows, :HAND_KINDS], after, _NEVER).min(axis=1)
    row, kind = np.nonzero(offered & (seen[:, _PENG_LIES] == 0))
    after[row, kind] = _shanten_without_four(seen[row], kind, sets)
    keeps = offered & (after <= limit[:, None])
    chosen[rows] = np.where(keeps.any(axis=1), OWN_GANG + keeps.argmax(axis=1), -1)
    return chosen


def _shanten_without_four(observation: Array, kinds: Array, sets: int) -> Array:
    """int64 [n]: standard shanten of the concealed tiles after a concealed gang of `kinds` (int [n])."""
    if not len(kinds):
        return np.zeros(0, np.int64)
    counts = observation[:, _HAND].sum(axis=1).astype(np.int64)
    counts[np.arange(len(kinds)), kinds] -= 4
    wild = _is_wild(observation)
    melds = observation[:, _MELDS].sum(axis=(1, 2)).astype(np.int64) + 1
    wilds = (counts * wild).sum(axis=1)
    return hands.shanten(np.where(wild, 0, counts), wilds, melds, sets=sets).astype(np.int64)


def answer(observation: Array, scalars: Array, mask: Array, sets: int) -> Array:
    """int64 [n]: greedy's action in each row of a `"features"` view; `sets` make a hand."""
    gangs = choose_own_gangs(observation, mask, sets)
    own = np.where(gangs >= 0, gangs, choose_discards(observation, mask))
    actions = np.where(mask[:, :HAND_KINDS].any(axis=1), own, choose_claims(scalars, mask))
    chosen: Array = np.where(mask[:, HU], HU, actions)
    return chosen.astype(np.int64)
