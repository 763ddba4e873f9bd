"""Hands for learning: who sits where, what the learner saw and did, and what it was paid.

An iteration plays one hand on every table to its end, so no value has to be guessed for hands that were cut off. A
seat's trajectory is its own decisions; its next state is its own next decision, and payments land on the last decision
of the seat that received or made them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from agents.asking import ask
from agents.keys import decision_keys
from agents.network import Advisor, Policy
from agents.protocol import Agent
from experiments.ledger import Ledger
from mjenv import hands
from mjenv.core.engine import Engine
from mjenv.core.rules import Rules
from mjenv.core.tiles import HAND_KINDS

Array = np.ndarray[Any, Any]

LEARNER = -1
"""In a seating, whoever is not the learner is a place in the list of rivals."""
HIDDEN = 3 * (HAND_KINDS + 1)
"""What an oracle sees besides: the tiles of the seats to the right, across and left, and their shanten."""


@dataclass
class Decisions:
    """The M decisions of the learner in one iteration, in the order they were taken."""

    planes: Tensor
    """uint8 [M, 34, channels]"""
    numbers: Tensor
    """float32 [M, length]"""
    mask: Tensor
    """bool [M, 75]"""
    advice: Tensor
    """int64 [M]: what the teacher would do"""
    hidden: Tensor
    """float32 [M, HIDDEN], or [M, 0] where the critic is no oracle"""
    actions: Tensor
    """int64 [M]"""
    log_probs: Tensor
    """float32 [M]: of the actions, when they were taken"""
    values: Array
    """float32 [M]"""
    following: Array
    """int64 [M]: place of the same seat's next decision in the same hand, or -1"""
    payoff: Array
    """float32 [M]: points / reward_scale of the seat between this decision and its next"""
    starts: list[int]
    """place of the first decision of each step of the tables, and M"""
    won: float
    """share of the hands that somebody won"""


class Critic(nn.Module):
    """The value of a position, from the policy's trunk and, for an oracle, from what the seat cannot see."""

    def __init__(self, width: int, oracle: bool) -> None:
        super().__init__()
        self.oracle = oracle
        last = nn.Linear(128, 1)
        nn.init.orthogonal_(last.weight, 0.01)
        self.layers = nn.Sequential(nn.Linear(width + oracle * HIDDEN, 128), nn.ReLU(), last)

    def forward(self, trunk: Tensor, hidden: Tensor) -> Tensor:
        """float32 [n] from the trunk [n, width] and `Decisions.hidden`."""
        values: Tensor = self.layers(torch.cat((trunk, hidden), 1)).squeeze(1)
        return values


def see_hidden(engine: Engine, rows: Array, seats: Array) -> Array:
    """float32 [n, HIDDEN]: what the other seats hold, and how far they are from a complete hand."""
    tables, at = engine.tables, rows[:, None]
    others = (seats[:, None] + np.arange(1, 4)) & 3
    tiles = tables["hand"][at, others, :HAND_KINDS].reshape(len(rows), -1)
    real = tables["real"][at, others, :HAND_KINDS].reshape(-1, HAND_KINDS)
    wilds, melds = tables["wilds"][at, others].reshape(-1), tables["n_melds"][at, others].reshape(-1)
    shanten = hands.shanten(real, wilds, melds, sets=int(engine.rules.record[0]["sets"])).reshape(len(rows), 3)
    return np.concatenate((tiles * np.float32(0.25), shanten * np.float32(0.25)), axis=1, dtype=np.float32)


class Clock:
    """Seconds spent by name."""

    def __init__(self) -> None:
        self.seconds = {"engine": 0.0, "inference": 0.0, "learning": 0.0}

    @contextmanager
    def spend(self, name: str) -> Iterator[None]:
        """Book the time inside the block."""
        start = time.perf_counter()
        yield
        self.seconds[name] += time.perf_counter() - start


class Tables:
    """The tables of a run: plays one hand on each of them, with the learner and its rivals in the seats given."""

    def __init__(self, rules: Rules, num_envs: int, view: str, teacher: str, clock: Clock) -> None:
        self.engine = Engine(rules, num_envs, episode="hand", max_hands=0, view=view)
        self.teacher = Advisor(teacher, rules)
        self.clock = clock

    def play(
        self,
        policy: Policy,
        critic: Critic,
        seating: Array,
        rivals: Sequence[Agent],
        follows: Array,
        advised: bool,
        seed: int,
        device: str,
    ) -> Decisions:
        """Play games 0, 1, … of `seed`, one on each table.

        seating: int [N, 4], LEARNER or a place in `rivals`; follows: bool [N], tables where the learner does what the
        teacher says. Everywhere else its actions are drawn from the policy, which is told the advice if `advised`.
        """
        engine, n = self.engine, len(seating)
        rng = np.random.default_rng(seed)
        with self.clock.spend("engine"):
            engine.start(engine.rows, np.full(n, seed), engine.rows)
        ledger = Ledger(n)
        kept: list[tuple[Tensor, ...]] = []
        starts, actions, won = [0], np.zeros(n, np.int64), 0
        while (rows := np.flatnonzero(engine.out.seat >= 0)).size:
            with self.clock.spend("inference"):
                seats = engine.out.seat[rows].astype(np.int64)
                who = seating[rows, seats]
                mine = who == LEARNER
                if mine.any():
                    kept.append(self._decide(policy, critic, rows[mine], seats[mine], follows, advised, rng, device))
                    actions[rows[mine]] = kept[-1][5].numpy()
                    ledger.decide(rows[mine], seats[mine])
                starts.append(ledger.count)
                for place, rival in enumerate(rivals):
                    theirs = rows[who == place]
                    if theirs.size:
                        actions[theirs] = self._ask(rival, theirs)
            with self.clock.spend("engine"):
                bad = engine.step(actions, 0, n, autoreset=False, pause=False)
            if bad >= 0:
                raise RuntimeError(f"action {actions[bad]} on table {bad} is illegal")
            ledger.pay(engine.out.reward)
            won += int(((engine.out.done > 0) & (engine.out.points != 0).any(axis=1))[rows].sum())
        joined = [torch.cat(parts) for parts in zip(*kept, strict=True)]
        planes, numbers, mask, advice, hidden, chosen, log_probs, values = joined
        following, payoff = ledger.close()
        return Decisions(
            planes,
            numbers,
            mask,
            advice,
            hidden,
            chosen,
            log_probs,
            values.numpy(),
            following,
            payoff,
            starts,
            won / n,
        )

    def _ask(self, rival: Agent, rows: Array) -> Array:
        tables = self.engine.tables
        keys = decision_keys(
            tables["seed"][rows], tables["game"][rows], tables["decisions"][rows], tables["seat"][rows]
        )
        return ask(rival, self.engine, rows, keys)

    def _decide(
        self,
        policy: Policy,
        critic: Critic,
        rows: Array,
        seats: Array,
        follows: Array,
        advised: bool,
        rng: np.random.Generator,
        device: str,
    ) -> tuple[Tensor, ...]:
        """What the learner sees and does on these rows: the fields of `Decisions` down to `values`."""
        out = self.engine.out
        observation, scalars, legal = out.observation[rows], out.scalars[rows], out.mask[rows].astype(np.bool_)
        advice = torch.from_numpy(self.teacher.advise(observation, scalars, legal))
        planes = torch.from_numpy(policy.reader.planes(observation))
        numbers = torch.from_numpy(policy.reader.numbers(observation, scalars))
        mask = torch.from_numpy(legal)
        hidden = torch.from_numpy(
            see_hidden(self.engine, rows, seats) if critic.oracle else np.zeros((len(rows), 0), np.float32)
        )
        inputs = [part.to(device) for part in (planes, numbers, mask, advice, hidden)]
        with torch.inference_mode():
            log_probs, trunk = policy(*inputs[:3], inputs[3] if advised else None)
            values = critic(trunk, inputs[4]).cpu()
        log_probs = log_probs.cpu()
        noise = torch.from_numpy(rng.gumbel(size=tuple(mask.shape)).astype(np.float32))
        actions = (log_probs + noise).argmax(1)
        actions = torch.where(torch.from_numpy(follows[rows]), advice, actions)
        taken = log_probs.gather(1, actions[:, None]).squeeze(1)
        return planes, numbers, mask, advice, hidden, actions, taken, values


def estimate_advantages(
    values: Array, payoff: Array, following: Array, starts: list[int], gamma: float, gae_lambda: float
) -> Array:
    """float32 [M]: generalised advantages along each seat's own decisions (arguments as in `Decisions`)."""
    advantages = np.zeros(len(values), np.float32)
    for low, high in zip(starts[-2::-1], starts[:0:-1], strict=True):
        after = following[low:high]
        goes_on = after >= 0
        next_value = np.where(goes_on, values[after], 0)
        next_advantage = np.where(goes_on, advantages[after], 0)
        delta = payoff[low:high] + gamma * next_value - values[low:high]
        advantages[low:high] = delta + gamma * gae_lambda * next_advantage
    return advantages
