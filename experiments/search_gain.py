"""What search adds to a policy, in points per hand, known far better than from the results of the same hands.

`python -m experiments.search_gain hangzhou --policy value --deals 100`: the searching player sits in each seat of every
deal, against three of its policy. Playing on as it does instead of as its policy does earns the sum, over the decisions
on which the two differ, of what its action earns more when the policy plays on from there (the performance difference
of two policies). That is measured at the table as it is, rivals' hands and all; only the order of the wall, which
nobody's play can depend on, is drawn anew many times.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from agents.arena import play_games
from agents.keys import salted
from agents.registry import make
from agents.rollout import ROLLOUTS, RolloutPlayer, Search
from experiments.runs import write_file
from experiments.statistics import interval
from mjenv.core.rules import Rules
from mjenv.envs.determinize import hidden_slots
from mjenv.variants import as_rules, find

Array = NDArray[Any]

WALLS = 128
"""Orders of the wall in which both actions are played out."""
CHUNK = 8
"""Deals that are played together; results are written after each chunk."""
RESULTS = Path(__file__).parent / "results" / "rollout"
_SALT = 0x6A1


class Witness:
    """A searching player that notes what each of its own decisions gains over those of its policy."""

    def __init__(self, rules: Rules, player: RolloutPlayer) -> None:
        self.name, self.observation = player.name, player.observation
        self._rules, self._player = rules, player
        self.gains: dict[tuple[int, int], float] = {}
        """Points gained by game and seat."""
        self.searched = self.differing = self.rollouts = 0
        """Decisions with a choice, those on which player and policy differ, and hands played out by the searches."""
        self.seconds = 0.0
        """Processor time of the searches."""

    def act(self, observation: Array, scalars: Array, mask: Array, keys: Array) -> Array:
        """Not to be called: it searches."""
        raise NotImplementedError

    def search(self, tables: Array, keys: Array) -> Array:
        """What the searching player chooses."""
        begin = time.process_time()
        found = self._player.look(tables, keys)
        self.seconds += time.process_time() - begin
        for place, entry in enumerate(found):
            self.searched += len(entry.actions) > 1
            self.rollouts += int(entry.counts.sum())
            if entry.best != entry.actions[0]:
                self.differing += 1
                who = int(tables["game"][place]), int(tables["seat"][place])
                gain = self._gain(tables[place : place + 1], keys[place : place + 1], entry)
                self.gains[who] = self.gains.get(who, 0.0) + gain
        return np.array([entry.best for entry in found], np.int64)

    def _gain(self, table: Array, key: Array, found: Search) -> float:
        """What the action found earns more than the policy's own at this very table, over orders of its wall."""
        keys = salted(salted(key, _SALT), np.arange(WALLS))
        worlds = np.repeat(table, WALLS)
        slots = hidden_slots(self._rules.record[0], table[0])
        for world, seed in zip(worlds, keys.tolist(), strict=True):
            world["wall"][slots] = np.random.default_rng(seed).permutation(world["wall"][slots])
        actions = np.repeat([found.best, int(found.actions[0])], WALLS)
        points = self._player.play_out(np.tile(worlds, 2), np.tile(keys, 2), actions)[:, int(table["seat"][0])]
        return float(points[:WALLS].mean() - points[WALLS:].mean())


def measure(
    variant: Annotated[str, typer.Argument(help="The variant.")],
    policy: Annotated[str, typer.Option(help="The policy that searches, and its three rivals.")] = "value",
    deals: Annotated[int, typer.Option(min=2, help="Deals, each played with the searching player in every seat.")] = 64,
    seed: Annotated[int, typer.Option(min=0, help="The seed of all deals.")] = 101,
    rollouts: Annotated[int, typer.Option(help="Hands played out for a decision at most.")] = ROLLOUTS,
    out: Annotated[Path, typer.Option(help="The folder for the results.")] = RESULTS,
) -> None:
    """Measure what search adds to a policy, and write it into a file named by both."""
    rules = as_rules(find(variant).name, None)
    agent = make(policy, rules.variant, rules)
    witness = Witness(rules, RolloutPlayer(rules, agent, rollouts=rollouts))
    gains, points = np.zeros(0), np.zeros(0)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"{rules.variant}-{policy.replace(':', '-').replace('/', '-')}.json"
    for first in range(0, deals, CHUNK):
        numbers = np.repeat(np.arange(first, min(first + CHUNK, deals)), 4)
        own = np.tile(np.arange(4), len(numbers) // 4)
        seats = [[witness if place == seat else agent for place in range(4)] for seat in own.tolist()]
        results = play_games(rules.variant, seats, numbers, seed=seed, rules=rules)
        gained = [witness.gains.get(place, 0.0) for place in zip(numbers.tolist(), own.tolist(), strict=True)]
        gains = np.append(gains, np.reshape(gained, (-1, 4)).mean(axis=1))
        points = np.append(points, results.points[np.arange(len(own)), own].reshape(-1, 4).mean(axis=1))
        if len(gains) < 2:
            continue
        found = _summarise(rules, policy, seed, rollouts, witness, gains, points)
        write_file(path, (json.dumps(found, indent=1) + "\n").encode())
        typer.echo(
            f"{rules.variant}: {found['gain']:+.3f} ({found['low']:+.3f} to {found['high']:+.3f}) points per hand "
            f"in {found['hands']} hands, {found['milliseconds_per_decision']:.0f} ms a decision"
        )


def _summarise(
    rules: Rules, policy: str, seed: int, rollouts: int, witness: Witness, gains: Array, points: Array
) -> dict[str, Any]:
    """All results over deals, float64 [deals] each, as JSON values."""
    gain, plain = interval(gains), interval(points)
    hands = 4 * len(gains)
    return {
        "variant": rules.variant,
        "policy": policy,
        "gain": gain.value,
        "low": gain.low,
        "high": gain.high,
        "points_per_hand": {"value": plain.value, "low": plain.low, "high": plain.high},
        "hands": hands,
        "decisions_per_hand": witness.searched / hands,
        "differing_per_hand": witness.differing / hands,
        "rollouts_per_decision": witness.rollouts / witness.searched,
        "milliseconds_per_decision": 1000 * witness.seconds / witness.searched,
        "rollouts": rollouts,
        "walls": WALLS,
        "seed": seed,
        "rules_digest": rules.digest,
    }


if __name__ == "__main__":
    typer.run(measure)
