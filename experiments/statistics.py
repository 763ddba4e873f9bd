"""Statistics over duplicate blocks: intervals, tests, stopping, and what luck explains.

A block is the unit everywhere: its games share a deal, so they are not independent of each other; blocks are. All
intervals are 95 %.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Array = NDArray[Any]

CONFIDENCE = 0.95
RESAMPLES = 2000
MOST_FOR_BCA = 2000
"""Up to so many blocks the bootstrap corrects for skewness (BCa), which costs their square; beyond, percentiles."""

TIGHTEST_AT = 1024
"""The number of blocks at which the confidence sequence is tightest; far from it, it is little wider."""

FOLDS = 5


class Interval(NamedTuple):
    """An estimate and its 95 % interval."""

    value: float
    low: float
    high: float


def half_width(found: Interval) -> float:
    """What stands after ±."""
    return (found.high - found.low) / 2


def check_blocks(count: int) -> None:
    """`ValueError` for fewer blocks than an interval needs."""
    if count < 2:
        raise ValueError(f"an interval needs at least 2 blocks, not {count}")


def _around(value: float, error: float, blocks: int) -> Interval:
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, blocks - 1)) * error
    return Interval(value, value - half, value + half)


def interval(values: Array) -> Interval:
    """Mean of float [blocks], with Student's t interval."""
    check_blocks(len(values))
    return _around(float(np.mean(values)), float(np.std(values, ddof=1)) / math.sqrt(len(values)), len(values))


def ratio_interval(above: Array, below: Array) -> Interval | None:
    """The ratio of two sums over blocks (float [blocks] each), with the interval of a ratio estimate; None for x / 0.

    Linearised: a block's residual is what it has above the line beyond ratio times what it has below.
    """
    check_blocks(len(above))
    total = float(below.sum())
    if total == 0:
        return None
    value = float(above.sum()) / total
    blocks = len(above)
    residuals = above - value * below
    error = math.sqrt(blocks / (blocks - 1) * float(residuals @ residuals)) / total
    return _around(value, error, blocks)


def bootstrap_interval(values: Array, seed: int) -> Interval:
    """Mean of float [blocks], with a bootstrap interval that follows from the seed."""
    check_blocks(len(values))
    mean = float(np.mean(values))
    if np.ptp(values) == 0:
        return Interval(mean, mean, mean)
    found = stats.bootstrap(
        (values,),
        np.mean,
        confidence_level=CONFIDENCE,
        n_resamples=RESAMPLES,
        batch=max(1, 4_000_000 // len(values)),
        method="BCa" if len(values) <= MOST_FOR_BCA else "percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Interval(mean, float(found.low), float(found.high))


def confidence_sequence(values: Array) -> Interval:
    """Mean of float [blocks] with an interval that may be looked at after every block.

    The asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (Annals of Statistics, 2024):
    with 95 % the intervals of all looks together hold the mean, so one may stop when one of them is narrow enough. It
    is about 1.6 times as wide as the t interval of a number of blocks fixed beforehand.
    """
    check_blocks(len(values))
    blocks, alpha = len(values), 1 - CONFIDENCE
    scale = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / TIGHTEST_AT
    spread = blocks * scale + 1
    factor = math.sqrt(2 * spread / (blocks * blocks * scale) * math.log(math.sqrt(spread) / alpha))
    mean, half = float(np.mean(values)), factor * float(np.std(values, ddof=1))
    return Interval(mean, mean - half, mean + half)


class Comparison(NamedTuple):
    """Is the mean of paired differences zero?"""

    difference: Interval
    p_t: float
    """paired t test"""
    p_wilcoxon: float
    """Wilcoxon's signed-rank test: about typical blocks, so a few huge hands cannot sway it"""


def compare(differences: Array) -> Comparison:
    """Test float [blocks], the difference of two agents in each block."""
    found = interval(differences)
    if np.ptp(differences) == 0:
        p = 1.0 if found.value == 0 else 0.0
        return Comparison(found, p, p)
    p_t = float(stats.ttest_1samp(differences, 0.0).pvalue)
    return Comparison(found, p_t, float(stats.wilcoxon(differences).pvalue))


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values corrected for how many they are (Holm's step-down)."""
    order = np.argsort(p_values)
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order.tolist()):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted


def variance_ratio(block_means: Array, single_variance: float, games: int) -> float | None:
    """How many games on independent deals tell as much as one game of these blocks of `games` games.

    single_variance: of one game's score. None where the block means do not vary.
    """
    variance = float(np.var(block_means, ddof=1))
    return single_variance / games / variance if variance > 0 else None


def adjust_for_luck(values: Array, luck: Array) -> Array:
    """The values float [blocks] less what `luck` float [blocks, F] explains; every column of it must have mean zero.

    The coefficients for each fifth of the blocks are fitted by least squares on the other four, so that they do not
    depend on the blocks they adjust: the mean stays unbiased.
    """
    luck = luck[:, np.ptp(luck, axis=0) > 0]
    fold = np.arange(len(values)) % FOLDS
    adjusted = np.array(values, np.float64)
    if luck.shape[1] == 0 or len(values) < FOLDS * (luck.shape[1] + 2):
        return adjusted
    for number in range(FOLDS):
        others = fold != number
        design = np.column_stack((np.ones(others.sum()), luck[others]))
        weights = np.linalg.lstsq(design, values[others], rcond=None)[0][1:]
        adjusted[~others] -= luck[~others] @ weights
    return adjusted
