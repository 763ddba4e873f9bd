"""Batches of games played at random, and what must be true of every table at every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import mjenv
from mjenv.core.rules import Rules
from mjenv.core.table import MELD_CHI, MELD_PENG
from mjenv.envs.vector import VectorEnv

VARIANTS = ("yugan", "fuzhou", "hangzhou", "hongkong", "threefaan")


def choose(mask: np.ndarray, rng: np.random.Generator, calls: float = 1.0) -> np.ndarray:
    """A random legal action a row; actions other than discards and pass weigh `calls` times as much."""
    weight = np.ones(75)
    weight[34:74] = calls
    return (rng.random(mask.shape) ** (1.0 / weight) * mask).argmax(axis=1)


def run(games: VectorEnv, steps: int, seed: int, calls: float = 1.0) -> Iterator[np.ndarray]:
    """Step a batch with random actions, yielding the actions of each step after it was taken."""
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        actions = choose(games.action_mask, rng, calls)
        games.step(actions)
        yield actions


def count_tiles(rules: Rules, tables: np.ndarray) -> np.ndarray:
    """int64 [N, 42]: how often each kind lies anywhere on or under each table."""
    record = rules.record[0]
    counts = np.zeros((len(tables), 42), np.int64)
    rows = np.arange(len(tables))
    counts[:, :34] += tables["hand"][:, :, :34].sum(axis=1, dtype=np.int64)
    claimed = (
        np.unpackbits(tables["claimed"][:, :, :34], axis=1)
        .reshape(len(tables), 4, 8, 34)
        .sum(axis=(1, 2), dtype=np.int64)
    )
    counts[:, :34] += tables["n_discarded"][:, :, :34].sum(axis=1, dtype=np.int64) - claimed
    counts += tables["bonus"][:, :, :42].sum(axis=1, dtype=np.int64)
    counts[:, :34] += tables["turned_up"][:, :34]
    for seat in range(4):
        for number in range(5):
            there = tables["n_melds"][:, seat] > number
            meld, tile = tables["meld_type"][:, seat, number], tables["meld_tile"][:, seat, number].astype(int)
            for step in range(3):
                np.add.at(counts, (rows, np.minimum(tile + step, 41)), there & (meld == MELD_CHI))
            size = np.where(meld == MELD_PENG, 3, 4) * (meld != MELD_CHI)
            np.add.at(counts, (rows, tile), size * there)
    flipped = tables["indicator"] >= 0
    np.add.at(counts, (rows[flipped], tables["indicator"][flipped].astype(int)), 1)
    index = np.arange(int(record["wall_size"]))
    undrawn = (index >= tables["head"][:, None]) & (index <= tables["tail"][:, None].astype(int))
    lying = (undrawn | (index >= int(record["live_end"]))) & (index != tables["flip"][:, None])
    for kind in range(42):
        counts[:, kind] += (lying & (tables["wall"][:, : len(index)] == kind)).sum(axis=1)
    return counts


def check_tables(games: VectorEnv) -> None:
    """Tiles conserved, hand sizes right, payments and rewards sum to zero, a live game has a legal action."""
    tables, rules = games._engine.tables, games.rules
    live = games.seat >= 0
    won = tables["reason"] == 1
    counts = count_tiles(rules, tables[~won])
    np.testing.assert_array_equal(counts, np.broadcast_to(rules.record[0]["copies"], counts.shape))
    assert games.action_mask[live].any(axis=1).all()
    assert not games.action_mask[~live].any()
    np.testing.assert_array_equal(games.points.sum(axis=1), 0)
    np.testing.assert_allclose(games.reward.sum(axis=1), 0, atol=1e-4)
    held = tables["hand"].sum(axis=2, dtype=int)
    np.testing.assert_array_equal(held, tables["held"])
    np.testing.assert_array_equal(tables["wilds"], (tables["hand"] * tables["is_wild"][:, None, :]).sum(axis=2))
    np.testing.assert_array_equal(tables["hand"], tables["real"] + tables["hand"] * tables["is_wild"][:, None, :])
    size = 3 * int(rules.record[0]["sets"]) + 1 - 3 * tables["n_melds"]
    drawing_only = (tables["left"] <= int(rules.record[0]["draw_only_at"]))[:, None]
    assert ((held == size) | (held == size + 1) | drawing_only).all()


def make(variant: str, num_envs: int, **settings: Any) -> VectorEnv:
    """A batch that plays hands unless told otherwise."""
    return mjenv.vector(variant, num_envs, **settings)
