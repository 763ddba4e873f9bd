"""Intervals, tests, stopping and luck, on numbers worked out by hand and on simulated data whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("scipy")

from experiments.statistics import (
    adjust_for_luck,
    bootstrap_interval,
    compare,
    confidence_sequence,
    holm,
    interval,
    ratio_interval,
    variance_ratio,
)

TRUTH = 0.3


def simulate(rng: np.random.Generator, *size: int) -> np.ndarray:
    """Points of a mahjong-like kind: mostly a small loss, at times a win, seldom a huge one; mean TRUTH."""
    kind = rng.random(size)
    points = np.where(kind < 0.75, -1.0, np.where(kind < 0.99, 3.0 * rng.exponential(size=size), 30.0))
    return points - (-0.75 + 0.24 * 3 + 0.01 * 30) + TRUTH


def test_an_interval_by_hand() -> None:
    found = interval(np.array([1.0, 2.0, 3.0, 4.0]))
    assert found.value == 2.5
    assert found.high - 2.5 == pytest.approx(3.18245 * np.sqrt(5 / 3) / 2, rel=1e-5)
    assert found.low == pytest.approx(5 - found.high)


def test_an_interval_needs_two_blocks() -> None:
    for make in (interval, confidence_sequence, lambda values: bootstrap_interval(values, 0)):
        with pytest.raises(ValueError, match="at least 2 blocks, not 1"):
            make(np.ones(1))


def test_a_ratio_by_hand() -> None:
    found = ratio_interval(np.array([1.0, 0.0, 2.0]), np.array([4.0, 4.0, 4.0]))
    assert found is not None
    plain = interval(np.array([0.25, 0.0, 0.5]))
    assert tuple(found) == pytest.approx(tuple(plain))
    assert ratio_interval(np.ones(3), np.zeros(3)) is None


def test_intervals_cover_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    samples = simulate(rng, 1500, 400)
    ends = np.array([interval(sample) for sample in samples])
    assert 0.93 < ((ends[:, 1] < TRUTH) & (ends[:, 2] > TRUTH)).mean() < 0.965
    ends = np.array([bootstrap_interval(sample, 0) for sample in samples[:150]])
    assert 0.90 <= ((ends[:, 1] < TRUTH) & (ends[:, 2] > TRUTH)).mean() < 0.99


def test_a_ratio_interval_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(2)
    tries = rng.poisson(3, (1500, 300)) + 1.0
    ends = np.array([ratio_interval(rng.binomial(row.astype(int), 0.2).astype(float), row) for row in tries])
    assert 0.935 < ((ends[:, 1] < 0.2) & (ends[:, 2] > 0.2)).mean() < 0.965


def test_stopping_when_it_looks_narrow_or_significant_keeps_the_coverage_of_a_confidence_sequence() -> None:
    rng = np.random.default_rng(3)
    caught, naive = 0, 0
    for sample in simulate(rng, 300, 5120):
        looks = [sample[:blocks] for blocks in range(256, 5121, 256)]
        sequence = [confidence_sequence(look) for look in looks]
        caught += all(found.low < TRUTH < found.high for found in sequence)
        naive += all(found.low < TRUTH < found.high for found in map(interval, looks))
    assert caught / 300 > 0.94
    assert naive / 300 < 0.88


def test_a_confidence_sequence_is_not_much_wider_than_one_look() -> None:
    sample = simulate(np.random.default_rng(4), 2048)
    once, always = interval(sample), confidence_sequence(sample)
    assert 1.3 < (always.high - always.low) / (once.high - once.low) < 1.75


def test_paired_tests_find_a_difference_and_hold_their_level() -> None:
    rng = np.random.default_rng(5)
    deal = 5 * rng.normal(size=400)
    one, other = deal + rng.normal(size=400) + 0.3, deal + rng.normal(size=400)
    found = compare(one - other)
    assert found.p_t < 1e-3 and found.p_wilcoxon < 1e-3
    p_values = np.array([compare(rng.normal(size=30))[1:] for _ in range(1000)])
    assert ((p_values < 0.05).mean(axis=0) < 0.07).all() and ((p_values < 0.05).mean(axis=0) > 0.03).all()


def test_no_difference_at_all_is_certain() -> None:
    found = compare(np.zeros(10))
    assert (tuple(found.difference), found.p_t, found.p_wilcoxon) == ((0, 0, 0), 1, 1)
    assert tuple(bootstrap_interval(np.zeros(10), 0)) == (0, 0, 0)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def test_variance_ratio_counts_games_on_independent_deals() -> None:
    rng = np.random.default_rng(6)
    deal = rng.normal(size=(40_000, 1)) * np.array([1, 1, -1, -1])
    scores = deal + rng.normal(size=(40_000, 4))
    ratio = variance_ratio(scores.mean(axis=1), float(scores.var()), 4)
    assert ratio == pytest.approx(2, rel=0.05)
    assert variance_ratio(np.zeros(5), 1.0, 4) is None


def test_luck_is_taken_out_without_bias_and_the_interval_covers() -> None:
    rng = np.random.default_rng(7)
    means, covered, narrower = [], [], []
    for _ in range(600):
        luck = rng.exponential(size=(400, 3)) - 1
        values = simulate(rng, 400) + luck @ np.array([4.0, -2.0, 0.0])
        adjusted = interval(adjust_for_luck(values, luck))
        plain = interval(values)
        means.append(adjusted.value)
        covered.append(adjusted.low < TRUTH < adjusted.high)
        narrower.append((adjusted.high - adjusted.low) / (plain.high - plain.low))
    assert abs(np.mean(means) - TRUTH) < 3.5 * np.std(means) / np.sqrt(600)
    assert 0.925 < np.mean(covered) < 0.97
    assert np.mean(narrower) < 0.75


def test_fitting_on_the_same_blocks_would_be_biased_where_luck_and_result_share_their_skew() -> None:
    """Why the coefficients come from other deals: with few blocks the usual regression estimate is off."""
    rng = np.random.default_rng(8)
    crossed, fitted = [], []
    for _ in range(4000):
        luck = rng.exponential(size=(30, 1)) - 1
        values = TRUTH + luck[:, 0] ** 2 - 1
        crossed.append(adjust_for_luck(values, luck).mean())
        design = np.column_stack((np.ones(30), luck))
        fitted.append(np.linalg.lstsq(design, values, rcond=None)[0][0])
    assert abs(np.mean(crossed) - TRUTH) < 3.5 * np.std(crossed) / np.sqrt(4000)
    assert abs(np.mean(fitted) - TRUTH) > 5 * np.std(fitted) / np.sqrt(4000)


def test_too_few_blocks_or_no_luck_leave_the_values_alone() -> None:
    values = np.arange(10.0)
    assert (adjust_for_luck(values, np.random.default_rng(9).normal(size=(10, 3))) == values).all()
    assert (adjust_for_luck(values, np.zeros((10, 3))) == values).all()
