"""No seat sees what is hidden: re-deal it, and nothing that the seat sees may change."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from envs.test_aec import act, assert_same, is_over, start
from properties.play import VARIANTS, count_tiles
from scenarios.table import Game

import mjenv
from mjenv.core.table import PHASE_CALLED, PHASE_OWN
from mjenv.envs.aec import AGENTS, MahjongEnv


def positions(env: MahjongEnv, steps: int, every: int, seed: int) -> Iterator[int]:
    """Play on at random; stop at every `every`-th decision, and at every decision that is no plain discard."""
    rng = np.random.default_rng(seed)
    for number in range(steps):
        if is_over(env):
            env.reset()
        if number % every == 0 or env.infos[env.agent_selection]["decision"] != "discard":
            yield number
        act(env, rng)


@pytest.mark.parametrize("observation", ["planes", "features"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_redealt_hidden_tiles_change_nothing_that_a_seat_sees(variant: str, observation: str) -> None:
    env = start(variant, 21, observation=observation)
    changed = 0
    for number in positions(env, 500, 9, 3):
        agent = env.agent_selection
        before = env.snapshot()
        copy = env.determinize(agent, number)
        assert env.snapshot() == before
        assert copy.agent_selection == agent
        assert copy.infos[agent] == env.infos[agent]
        assert_same(copy.observe(agent), env.observe(agent))
        counts = count_tiles(env.rules, copy.table)
        np.testing.assert_array_equal(counts[0], env.rules.record[0]["copies"])
        changed += bool((copy.table["hand"] != env.table["hand"]).any())
        np.testing.assert_array_equal(copy.table["held"], env.table["held"])
        if env.table["phase"][0] in (PHASE_OWN, PHASE_CALLED):
            for other in AGENTS:
                world = env.determinize(other, number)
                assert_same(world.observe(other), env.observe(other))
    assert changed > 30


@pytest.mark.parametrize("variant", VARIANTS)
def test_redealt_worlds_play_on_to_their_end(variant: str) -> None:
    env = start(variant, 22)
    rng = np.random.default_rng(4)
    for number in positions(env, 300, 25, 5):
        world = env.determinize(AGENTS[number % 4], number)
        while not is_over(world):
            counts = count_tiles(world.rules, world.table)
            np.testing.assert_array_equal(counts[0], world.rules.record[0]["copies"])
            act(world, rng)
        assert sum(world.rewards.values()) == pytest.approx(0)


def test_redealing_is_reproducible_and_differs_by_seed() -> None:
    env = start("hongkong", 2)
    one, same, other = (env.determinize("player_0", seed).snapshot() for seed in (1, 1, 2))
    assert one == same
    assert one != other


@pytest.mark.parametrize("variant", VARIANTS)
def test_second_asked_seat_cannot_tell_what_the_first_answered(variant: str) -> None:
    env = start(variant, 23)
    rng = np.random.default_rng(6)
    compared = 0
    for _ in range(6000):
        if is_over(env):
            env.reset()
        decision = env.infos[env.agent_selection]["decision"]
        if decision == "claim":
            first = env.agent_selection
            before = env.snapshot()
            views = []
            for action in np.flatnonzero(env.observe(first)["action_mask"]):
                env.step(int(action))
                is_window = not is_over(env) and env.infos[env.agent_selection]["decision"] == "claim"
                if is_window and env.table["asked"][0] & (1 << AGENTS.index(first)):
                    views.append((env.agent_selection, env.observe(env.agent_selection)))
                env.restore(before)
            for agent, view in views[1:]:
                assert agent == views[0][0]
                assert_same(view, views[0][1])
                compared += 1
        act(env, rng)
    assert compared > 0


@pytest.mark.parametrize("hand", ["123456789m123p9s9s", "1133m5577p1144s9s9s"])
def test_a_seat_that_has_floated_is_redealt_a_bao_tou_hand(hand: str) -> None:
    game = Game("hangzhou", hands=[hand, "", "", ""], flip="9s")
    game.do(0, "discard 9s")
    env = game.env
    hands = set()
    for seed in range(40):
        world = env.determinize(env.agent_selection, seed)
        assert world.table["floats"][0].tolist() == [1, 0, 0, 0]
        counts = world.table["real"][0, :1, :34]
        wilds = world.table["wilds"][0, :1]
        assert wilds[0] in (1, 2)
        waits = mjenv.hands.waits(counts, wilds, forms=("standard", "seven_pairs_any"))
        np.testing.assert_array_equal(waits[0], counts[0] < 4)
        np.testing.assert_array_equal(count_tiles(env.rules, world.table)[0], env.rules.record[0]["copies"])
        hands.add(counts.tobytes())
    assert len(hands) > 30
