"""Speed, value and guard, position by position; and what holds for every rule-based player in any position."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scenarios.answers import answer
from scenarios.table import Game

import mjenv
from agents import make
from agents.keys import decision_keys
from agents.registry import RULE_BASED
from experiments import evaluate
from mjenv.core.actions import HU

VARIANTS = ("yugan", "fuzhou", "hangzhou", "hongkong", "threefaan")
ROOT = Path(__file__).parents[2]


def deal(variant: str, hand: str, **settings: str) -> Game:
    """The dealer, seat 0, decides with these tiles."""
    return Game(variant, hands=[hand, "", "", ""], **settings)


def offered(variant: str, own: str, thrown: str, **settings: str) -> Game:
    """Seat 1, with these thirteen tiles, is asked about the dealer's first discard."""
    return Game(variant, hands=[thrown, own, "", ""], **settings).do(0, f"discard {thrown}")


def test_speed_takes_a_gang_that_costs_nothing_for_the_draw() -> None:
    game = offered("hangzhou", "333456m789p45sEE", "3m", flip="9s")
    assert (answer(game, "greedy"), answer(game, "speed")) == ("pass", "gang")


def test_speed_claims_with_a_ready_hand_what_leaves_it_ready_for_every_tile() -> None:
    game = offered("hangzhou", "123456m78p9sEEEN", "9p", flip="9s")
    assert answer(game, "speed") == "chi high"


def test_speed_does_not_claim_with_a_hand_that_gets_no_nearer() -> None:
    assert answer(offered("hangzhou", "1123m456m789m45pE", "3m", flip="9s"), "speed") == "pass"


def test_speed_takes_every_win() -> None:
    assert answer(deal("hangzhou", "123456789m123p9s9s", flip="9s"), "speed") == "hu"


def test_value_floats_a_spare_wild_instead_of_winning() -> None:
    game = deal("hangzhou", "123456789m123p9s9s", flip="9s")
    assert "hu" in game.legal(0)
    assert answer(game, "value") == "discard 9s"


def test_value_waits_for_pairs_that_every_tile_completes() -> None:
    game = deal("hangzhou", "1133m5577p11448s9s", flip="9s")
    assert "hu" in game.legal(0)
    assert answer(game, "value") == "discard 8s"


def test_value_takes_the_win_that_waiting_would_not_improve() -> None:
    assert answer(deal("hangzhou", "123456789m12p9sEE", flip="9s"), "value") == "hu"


def test_value_breaks_a_run_outside_its_suit_for_a_half_flush() -> None:
    game = deal("hongkong", "1245679mEENN45pC")
    assert answer(game, "speed") == "discard 1m"
    assert answer(game, "value") == "discard 4p"


def test_value_does_not_claim_outside_its_suit() -> None:
    game = offered("hongkong", "1245679mEENN45p", "3p")
    assert (answer(game, "speed"), answer(game, "value")) == ("chi low", "pass")


def test_value_keeps_nearly_all_orphans() -> None:
    assert answer(deal("threefaan", "19m19p19sESWNC2m5p5p"), "value") in ("discard 2m", "discard 5p")


def test_value_gives_up_a_cheap_win_for_the_pair_of_golds() -> None:
    game = deal("fuzhou", "123456789m123p45p1s9s9s", flip="9s").do(0, "pass")
    assert "hu" in game.legal(0)
    assert answer(game, "greedy") == "hu"
    assert answer(game, "value") == "discard 1s"


def test_value_wins_on_three_golds() -> None:
    game = deal("fuzhou", "1245789m1378p48s9s9s9s", flip="9s").do(0, "pass")
    assert answer(game, "value") == "hu"


def test_value_waits_for_a_pair_with_a_major_spirit() -> None:
    game = deal("yugan", "E4s123456789m123p", flip="4s")
    assert "hu" in game.legal(0)
    assert (answer(game, "speed"), answer(game, "value")) == ("hu", "discard E")


@pytest.mark.parametrize("name", ["value", "guard"])
def test_a_poor_hand_keeps_its_spirits(name: str) -> None:
    game = deal("yugan", "147m258p369sESW4s5s", flip="4s")
    assert answer(game, name) not in ("discard 4s", "discard 5s")


def test_guard_keeps_the_suit_that_a_rival_collects() -> None:
    """Seat 1 has melded 222m, 555m and 888m and thrown no character; the dealer holds a lone 9m."""
    game = Game(
        "hongkong",
        hands=["258m6m1469p1s79sSWC", "22m55m88m1379p4sEN", "", ""],
        draws="1p2p3s4s",
    )
    for kind, thrown in (("2m", "N"), ("5m", "E"), ("8m", "4s")):
        game.do(0, f"discard {kind}").pass_to(1).do(1, "peng").do(1, f"discard {thrown}").pass_all()
        if kind != "8m":
            game.idle(2).pass_all()
    while game.left() > 70 or game.to_act() != 0:
        if game.to_act() == 0 and game.decision() == "discard":
            game.do(0, answer(game, "guard"))
        elif game.decision() == "discard":
            game.throw_drawn()
        else:
            game.do(game.to_act() or 0, "pass")
    assert game.hand(0) == "9m19p1237799sSSWC"
    assert (answer(game, "value"), answer(game, "guard")) == ("discard 9m", "discard 1p")


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", RULE_BASED)
def test_actions_are_legal_and_do_not_depend_on_the_batch(variant: str, name: str) -> None:
    games, steps = 48, 110
    env = mjenv.vector(variant, games, seed=6)
    player, dice = make(name, variant), make("random", variant)
    for step in range(steps):
        seen = env.observation, env.scalars, env.action_mask
        keys = decision_keys(2, np.arange(games), step, env.seat)
        actions = player.act(*seen, keys)
        assert env.action_mask[np.arange(games), actions].all()
        if step % 10 == 0:
            ones = [slice(row, row + 1) for row in range(games)]
            alone = [player.act(*(part[one] for part in seen), keys[one])[0] for one in ones]
            assert np.array_equal(actions, alone)
        env.step(np.where(keys % 5 == 0, dice.act(*seen, keys), actions))


@pytest.mark.parametrize("variant", ["fuzhou", "hangzhou"])
def test_guard_is_value_where_no_discard_costs_more(variant: str) -> None:
    env = mjenv.vector(variant, 64, seed=8)
    value, guard = make("value", variant), make("guard", variant)
    keys = np.zeros(64, np.uint64)
    for _ in range(100):
        seen = env.observation, env.scalars, env.action_mask
        actions = value.act(*seen, keys)
        assert np.array_equal(actions, guard.act(*seen, keys))
        env.step(actions)


PLAIN = """
import sys
import numpy as np
from agents import make
for variant in sys.argv[2:]:
    states = np.load(f"{sys.argv[1]}/{variant}.npz")
    seen = states["planes"], states["scalars"], states["mask"]
    for name in ("greedy", "speed", "value", "guard"):
        wrong = np.flatnonzero(make(name, variant).act(*seen, seen[0]) != states[name])
        assert not wrong.size, (variant, name, wrong, states[name][wrong])
print("agreed")
"""


def test_compiled_players_decide_as_plain_python_does(tmp_path: Path) -> None:
    for variant in VARIANTS:
        env = mjenv.vector(variant, 12, seed=5)
        players = {name: make(name, variant) for name in RULE_BASED}
        keys, states = np.zeros(12, np.uint64), []
        for step in range(90):
            seen = env.observation, env.scalars, env.action_mask
            answers = {name: player.act(*seen, keys) for name, player in players.items()}
            if step % 30 == 29:
                states.append({"planes": seen[0], "scalars": seen[1], "mask": seen[2], **answers})
                states[-1] = {key: part.copy() for key, part in states[-1].items()}
            env.step(answers["value"])
        joined = {key: np.concatenate([state[key] for state in states]) for key in states[0]}
        np.savez(tmp_path / f"{variant}.npz", **joined)
    done = subprocess.run(
        [sys.executable, "-c", PLAIN, str(tmp_path), *VARIANTS],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "agreed\n", done.stderr


@pytest.mark.parametrize(
    ("variant", "better", "worse", "blocks"),
    [("hangzhou", "speed", "random", 60), ("hongkong", "value", "speed", 120), ("hangzhou", "value", "greedy", 400)],
)
def test_the_ladder_rises(variant: str, better: str, worse: str, blocks: int) -> None:
    assert evaluate.run(variant, better, worse, blocks, seed=1)["low"] > 0


def test_a_win_that_is_no_claim_is_taken() -> None:
    """Robbing the gold before the first turn, and the draws after the last discard, leave nothing to wait for."""
    game = deal("fuzhou", "123456789m123p45p1s9s9s", flip="9s")
    assert game.decision() == "opening"
    assert answer(game, "value") == "hu"
    assert mjenv.action_name(HU) == "hu"
