"""Endless random play through every interface, and hands to ask about, for whoever measures.

Every iterator yields (decisions, hands that ended and were counted whole); choosing the random action is part of it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

import mjenv
from agents.keys import mix, pick_into
from agents.protocol import Array
from agents.registry import make

Play = Iterator[tuple[int, int]]
HAND_KINDS = ("random", "near", "one suit")
"""14 of 136 tiles; a complete hand in half of which one tile is exchanged; 14 tiles of one suit."""
MOST_WILDS = 4
KEYS_AHEAD = 4096
"""Random numbers drawn at once, so that a batch of one spends its time on the game."""


def step_batch(variant: str, games: int, observation: str = "planes", threads: int = 1) -> Iterator[Any]:
    """Play on all rows, the random choice in a kernel of its own; yields the batch after every step."""
    env = mjenv.vector(variant, games, observation=observation, threads=threads)
    steps = max(1, KEYS_AHEAD // games)
    keys = mix(np.arange(steps * games)).reshape(steps, games)
    actions = np.zeros(games, np.int64)
    while True:
        for step in range(steps):
            pick_into(env.action_mask, keys[step], actions)
            env.step(actions)
            yield env
        keys = mix(keys)


def play_batch(variant: str, games: int, observation: str = "planes", threads: int = 1) -> Play:
    """Steps of a batch."""
    for _ in step_batch(variant, games, observation, threads):
        yield games, 0


def play_one(variant: str) -> Play:
    """The batch of one, hand by hand."""
    decisions = 0
    for env in step_batch(variant, 1):
        decisions += 1
        if env.done[0]:
            yield decisions, 1
            decisions = 0


def play_aec(env: Any) -> Play:
    """PettingZoo's loop: `agent_iter`, `last`, `step`."""
    rng = random.Random(0)
    env.reset(seed=0)
    while True:
        decisions = 0
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(rng.random() * len(legal))]))
            decisions += 1
        yield decisions, 1
        env.reset()


def play_agent(variant: str, name: str, games: int) -> Play:
    """Steps of a batch in which one agent plays all seats."""
    agent = make(name, variant, mjenv.rules(variant))
    env = mjenv.vector(variant, games, observation=agent.observation)
    keys = mix(np.arange(games))
    while True:
        env.step(agent.act(env.observation, env.scalars, env.action_mask, keys))
        keys = mix(keys)
        yield games, 0


def deal_hands(kind: str, count: int, seed: int = 0) -> tuple[Array, Array]:
    """uint8 [count, 34] and int64 [count]: tiles of 14-tile hands and 0-4 wilds, which replace as many of the tiles."""
    rng = np.random.default_rng(seed)
    counts = _deal_near(count, rng) if kind == "near" else _deal_random(count, 34 if kind == "random" else 9, rng)
    wilds = rng.integers(0, MOST_WILDS + 1, count)
    rows = np.arange(count)
    for number in range(MOST_WILDS):
        lost = (rng.random((count, 34)) * counts).argmax(axis=1)
        counts[rows, lost] -= number < wilds
    return counts, wilds


def _deal_random(count: int, kinds: int, rng: np.random.Generator) -> Array:
    order = rng.random((count, 4 * kinds)).argpartition(14, axis=1)[:, :14] // 4
    counts: Array = np.zeros((count, 34), np.uint8)
    np.add.at(counts, (np.arange(count)[:, None], order), 1)
    return counts


def _deal_near(count: int, rng: np.random.Generator) -> Array:
    counts: Array = np.zeros((count, 34), np.uint8)
    rows: Array = np.arange(count)
    todo: Array = np.ones(count, np.bool_)
    while todo.any():
        made = np.zeros((count, 34), np.uint8)
        made[rows, rng.integers(34, size=count)] += 2
        for _ in range(4):
            is_run, low = rng.random(count) < 0.5, 9 * rng.integers(3, size=count) + rng.integers(7, size=count)
            for step in range(3):
                made[rows, low + step] += is_run
            made[rows, rng.integers(34, size=count)] += np.where(is_run, 0, 3).astype(np.uint8)
        counts[todo] = made[todo]
        todo = np.asarray((counts > 4).any(axis=1))
    exchanged = rows[rng.random(count) < 0.5]
    held = counts[exchanged]
    counts[exchanged, (rng.random(held.shape) * held).argmax(axis=1)] -= 1
    free = counts[exchanged] < 4
    counts[exchanged, (rng.random(held.shape) * free).argmax(axis=1)] += 1
    return counts
