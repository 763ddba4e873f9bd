"""No seat sees what is hidden: re-deal it, and nothing that the seat sees may change."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from envs.test_aec import act, assert_same, is_over, start
from properties.play import VARIANTS, count_tiles
from scenarios.table import Game

import mjenv
from agents import Agent, make
from mjenv.core.table import PHASE_CALLED, PHASE_OWN
from mjenv.envs.aec import AGENTS, MahjongEnv
from mjenv.envs.bao_tou import draw_bao_tou


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


@pytest.mark.parametrize("mode", ["flip", "fixed"])
def test_floats_can_be_redealt_for_every_seat_at_every_decision_after_them(mode: str) -> None:
    rules = mjenv.rules("hangzhou", wild_mode=mode)
    greedy = make("greedy", "hangzhou", rules)
    kinds = set()
    for seed in range(45):
        env = mjenv.raw_env("hangzhou", rules=rules, observation="features")
        env.reset(seed=seed)
        while not is_over(env):
            floats, turn = env.table["floats"][0], int(env.table["turn"][0])
            for number, agent in enumerate(AGENTS if floats.any() else ()):
                world = env.determinize(agent, number)
                np.testing.assert_array_equal(count_tiles(rules, world.table)[0], rules.record[0]["copies"])
                if env.infos[env.agent_selection]["decision"] != "claim":
                    # In a window that nobody can use in the re-dealt world, play has gone on to the next draw.
                    np.testing.assert_array_equal(world.table["hand"].sum(axis=2), env.table["held"])
                kinds.add((bool(floats[turn]), int(env.table["n_melds"][0][floats > 0].max())))
            env.step(_hoard(env, greedy))
    assert {own_turn for own_turn, _ in kinds} == {True, False}
    assert max(melds for _, melds in kinds) >= 2


def _hoard(env: MahjongEnv, player: Agent) -> int:
    """Float where that is open, never win unless there is nothing else, else play as `player` does."""
    seen = env.observe(env.agent_selection)
    mask = seen["action_mask"].astype(bool)
    if env.infos[env.agent_selection]["decision"] == "float":
        return int(env.table["major"][0])
    mask[73] &= mask.sum() == 1
    batch = seen["observation"][None], seen["scalars"][None], mask[None]
    return int(player.act(*batch, np.zeros(1, np.uint64))[0])


@pytest.mark.parametrize("seats", [(0,), (0, 1)])
def test_short_hands_and_two_floats_redeal(seats: tuple[int, ...]) -> None:
    """Seats that hold melds already, or that share the live wilds: every re-dealt hand is bao-tou and of its size."""
    rules = mjenv.rules("hangzhou", wild_mode="fixed").record[0]
    rng = np.random.default_rng(3)
    for n_melds in range(5):
        for _ in range(50):
            unseen = np.full(34, 4)
            for place in range(len(seats)):
                most = int(unseen[33]) - (len(seats) - 1 - place)
                counts = draw_bao_tou(rules, n_melds, unseen, 33, most, np.zeros(34, np.int64), rng)
                assert counts.sum() == 3 * (4 - n_melds) + 1
                unseen -= counts
                assert (unseen >= 0).all()
                wilds, counts[33] = int(counts[33]), 0
                waits = mjenv.hands.waits(counts[None], wilds, n_melds, forms=("standard", "seven_pairs_any"))
                np.testing.assert_array_equal(waits[0], counts < 4)


def test_a_called_hand_keeps_the_tiles_that_it_called_with() -> None:
    rules = mjenv.rules("hangzhou").record[0]
    rng = np.random.default_rng(4)
    used = np.zeros(34, np.int64)
    used[[3, 5]] = 1
    for _ in range(100):
        unseen = np.full(34, 2) + used
        counts = draw_bao_tou(rules, 1, unseen, 26, 2, used, rng)
        assert counts.sum() == 10
        assert (counts >= used).all() and (counts <= unseen).all()
