"""Win check, shanten and waits for batches of hands, with wilds (win forms as in rules/common.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mjenv.core import shanten as _shanten
from mjenv.core import shapes as _shapes
from mjenv.core.suits import load
from mjenv.core.tiles import HAND_KINDS, NAMES

__all__ = ["is_win", "shanten", "waits"]

Array = NDArray[Any]


def is_win(
    counts: ArrayLike,
    wilds: ArrayLike = 0,
    melds: ArrayLike = 0,
    *,
    sets: int = 4,
    forms: Sequence[str] = ("standard",),
) -> NDArray[np.bool_]:
    """Which hands are complete in at least one of the asked forms.

    counts: uint8 [N, 34], concealed tiles without wilds; wilds, melds: int [N] or one number for all; sets: 4 or 5.
    Returns bool [N].
    """
    batch = _read(counts, wilds, melds, sets, forms)
    out = np.zeros(len(batch[0]), np.bool_)
    _check(_shapes.check_wins(*batch, np.zeros(1, _shapes.SCRATCH), load(), out), batch)
    return out


def shanten(
    counts: ArrayLike,
    wilds: ArrayLike = 0,
    melds: ArrayLike = 0,
    *,
    sets: int = 4,
    forms: Sequence[str] = ("standard",),
) -> NDArray[np.int8]:
    """How many real tiles each hand still needs, less one: -1 is complete, 99 means that melds rule every form out.

    Arguments as in `is_win`; returns int8 [N].
    """
    batch = _read(counts, wilds, melds, sets, forms)
    out = np.zeros(len(batch[0]), np.int8)
    _check(_shanten.measure_hands(*batch, np.zeros(1, _shapes.SCRATCH), load(), out), batch)
    return out


def waits(
    counts: ArrayLike,
    wilds: ArrayLike = 0,
    melds: ArrayLike = 0,
    *,
    sets: int = 4,
    forms: Sequence[str] = ("standard",),
) -> NDArray[np.bool_]:
    """Which kinds, drawn as real tiles, complete each hand; all false for hands of 3n+2 tiles.

    Arguments as in `is_win`; returns bool [N, 34].
    """
    batch = _read(counts, wilds, melds, sets, forms)
    out = np.zeros((len(batch[0]), HAND_KINDS), np.bool_)
    _check(_shanten.mark_waits(*batch, np.zeros(1, _shapes.SCRATCH), load(), out), batch)
    return out


def _read(
    counts: ArrayLike, wilds: ArrayLike, melds: ArrayLike, sets: int, forms: Sequence[str]
) -> tuple[Array, Array, Array, int, int]:
    """The arguments as the kernels take them; `ValueError` on what is no batch of hands."""
    if not isinstance(sets, int | np.integer) or sets not in (4, 5):
        raise ValueError(f"sets must be 4 or 5, not {sets!r}")
    mask = _read_forms(forms, sets)
    tiles = _read_counts(counts)
    wild_counts = _read_numbers(wilds, len(tiles), "wilds")
    meld_counts = _read_numbers(melds, len(tiles), "melds")
    return tiles, wild_counts, meld_counts, int(sets), mask


def _check(result: tuple[int, int], batch: tuple[Array, Array, Array, int, int]) -> None:
    """Raise `ValueError` if a kernel stopped at a hand that is none."""
    hand, fault = result
    if fault:
        counts, wilds, melds, sets, _ = batch
        raise ValueError(_explain(hand, fault, counts, wilds, melds, sets))


def _read_forms(forms: Sequence[str], sets: int) -> int:
    """The bit mask of the named forms."""
    if not isinstance(forms, str | Sequence):
        raise ValueError(f"forms must be names among {', '.join(_shapes.FORM_NAMES)}, not {forms!r}")
    names = (forms,) if isinstance(forms, str) else tuple(forms)
    mask = 0
    for name in names:
        if name not in _shapes.FORM_NAMES:
            raise ValueError(f"unknown form {name!r}: choose from {', '.join(_shapes.FORM_NAMES)}")
        mask |= 1 << _shapes.FORM_NAMES.index(name)
    if sets == 5 and mask & ~_shapes.STANDARD:
        raise ValueError(f"with sets=5 the only form is 'standard', not {', '.join(map(repr, names))}")
    return mask


def _read_counts(counts: ArrayLike) -> Array:
    """uint8 [N, 34], contiguous; numbers that do not fit become 255, which is reported as above four."""
    array = np.asarray(counts)
    if array.ndim != 2 or array.shape[1] != HAND_KINDS:
        raise ValueError(f"counts must have shape [N, {HAND_KINDS}], not {list(array.shape)}")
    if array.dtype.kind not in "iu":
        raise ValueError(f"counts must be whole numbers, not {array.dtype}")
    if array.dtype != np.uint8:
        array = np.where((array < 0) | (array > 255), 255, array)
    return np.ascontiguousarray(array, np.uint8)


def _read_numbers(numbers: ArrayLike, hands: int, name: str) -> Array:
    """int64 [N] from one number or one for each hand."""
    array = np.asarray(numbers)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} must be whole numbers, not {array.dtype}")
    if array.shape not in ((), (hands,)):
        raise ValueError(f"{name} must be one number or have shape [{hands}], not {list(array.shape)}")
    return np.ascontiguousarray(np.broadcast_to(array, (hands,)), np.int64)


def _explain(hand: int, fault: int, counts: Array, wilds: Array, melds: Array, sets: int) -> str:
    """What is wrong with a hand that `find_fault` stopped at; where there are several, it is named by its number."""
    which = f"hand {hand}: " if len(counts) > 1 else ""
    if fault == _shapes.FAULT_COUNT:
        kind = int(np.argmax(counts[hand] > 4))
        return f"{which}every count must be 0 to 4, but that of {NAMES[kind]} is not"
    if fault == _shapes.FAULT_WILDS:
        return f"{which}wilds must not be negative, but is {wilds[hand]}"
    if fault == _shapes.FAULT_MELDS:
        return f"{which}melds must be 0 to {sets}, but is {melds[hand]}"
    size = 3 * (sets - int(melds[hand]))
    total = int(counts[hand].sum()) + int(wilds[hand])
    return (
        f"{which}with {melds[hand]} of {sets} sets on the table the concealed tiles and wilds must be "
        f"{size + 1} or {size + 2}, not {total}"
    )
