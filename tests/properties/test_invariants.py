"""What holds at every step of every game, whoever plays."""

from __future__ import annotations

import numpy as np
import pytest
from properties.play import VARIANTS, check_tables, run

import mjenv
from mjenv import hands
from mjenv.core.shapes import FORM_NAMES
from mjenv.core.table import OUTLOOK_FAR


@pytest.mark.parametrize("calls", [1.0, 8.0], ids=["random", "call-happy"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_tiles_and_points_are_conserved_and_hands_end(variant: str, calls: float) -> None:
    games = mjenv.vector(variant, 256, seed=11)
    hands = wins = 0
    for step, _ in enumerate(run(games, 700, 1, calls)):
        if step % 7 == 0:
            check_tables(games)
        hands += int(games.done.sum())
        wins += int((games.points != 0).any(axis=1).sum())
    assert hands > 1000
    assert 0 < wins <= hands


@pytest.mark.parametrize("episode", ["round", "game"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_rounds_and_games_run_to_their_end(variant: str, episode: str) -> None:
    games = mjenv.vector(variant, 64, seed=3, episode=episode, max_hands=9)
    before = games.scores.copy()
    ended = 0
    for _ in run(games, 1500, 2, 8.0):
        check_tables(games)
        going = ~games.done
        np.testing.assert_array_equal(games.scores[going] - before[going], games.points[going])
        before = games._engine.tables["scores"].copy()
        ended += int(games.done.sum())
    assert ended > 0


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_hand_that_is_known_to_be_far_is_completed_by_no_tile(variant: str) -> None:
    games = mjenv.vector(variant, 256, seed=5)
    rules, known = games.rules.record[0], 0
    forms = [name for bit, name in enumerate(FORM_NAMES) if int(rules["forms"]) >> bit & 1]
    for step, _ in enumerate(run(games, 150, 4)):
        tables = games._engine.tables
        if step % 5 or not (tables["outlook"] == OUTLOOK_FAR).any():
            continue
        far = (tables["outlook"] == OUTLOOK_FAR) & (tables["held"] % 3 == 1) & (tables["n_melds"] == 0)
        real, wilds = tables["real"][far][:, :34], tables["wilds"][far].astype(int)
        known += len(real)
        with_wild = hands.is_win(real, wilds + 1, sets=int(rules["sets"]), forms=forms)
        assert not with_wild.any()
        for kind in range(34):
            drawn = real.copy()
            drawn[:, kind] += 1
            fits = drawn[:, kind] <= 4
            assert not hands.is_win(drawn[fits], wilds[fits], sets=int(rules["sets"]), forms=forms).any()
    assert known > 1000 or not rules["hu_on_discard"]
