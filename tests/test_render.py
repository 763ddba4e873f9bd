"""The table as text and as a picture: what it shows, and what a seat's view leaves out."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import mjenv
from mjenv.core.actions import HU
from mjenv.core.table import REASON_HU, SOURCES
from mjenv.core.tiles import HAND_KINDS, NAMES, kinds_of
from mjenv.render import table_image, table_text

VARIANTS = ("yugan", "fuzhou", "hangzhou", "hongkong", "threefaan")


def play(variant, decisions, seed=1, last_claim=HU - 1, **settings):
    """An environment after so many decisions of players who claim whatever they may, up to action `last_claim`."""
    env = mjenv.raw_env(variant, **settings)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(decisions):
        if any(env.terminations.values()):
            break
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        claims = legal[(legal >= 34) & (legal <= last_claim)]
        env.step(int(rng.choice(claims if len(claims) else legal)))
    return env


def lines_of_seat(text, seat):
    """The lines about one seat, by their first word; the hand as a list of tiles."""
    lines = text.splitlines()
    start = next(number for number, line in enumerate(lines) if line[2:].startswith(f"seat {seat} "))
    block = [lines[start]]
    for line in lines[start + 1 :]:
        if not line.startswith("    "):
            break
        block.append(line)
    return {line.split()[0].strip(">"): line.split()[1:] for line in block[1:]}, block[0]


def starred(table, kinds):
    return [NAMES[kind] + ("*" if table["is_wild"][kind] else "") for kind in kinds]


@pytest.mark.parametrize("variant", VARIANTS)
def test_text_shows_every_hand_with_wilds_marked(variant):
    env = play(variant, 40)
    table = env.table[0]
    text = table_text(env.rules, table)
    for seat in range(4):
        parts, head = lines_of_seat(text, seat)
        hand = [tile for tile in parts["hand"] if tile != "+"]
        has_won = int(table["seat"]) < 0 and table["win"]["seat"] == seat
        held = table["win"]["hand"] if has_won else table["hand"][seat]
        assert sorted(hand) == sorted(starred(table, kinds_of(held.tolist())))
        assert f"seat {seat} {'ESWN'[(seat - int(table['dealer'])) % 4]}, {int(table['scores'][seat])} points" in head
        assert head.startswith(">") == (seat == int(table["seat"]))
        assert len([tile for tile in parts["discards"] if tile != "-"]) == table["n_discarded"][seat].sum()
        claimed = sum(tile.startswith("(") for tile in parts["discards"])
        assert claimed == sum(int(bits).bit_count() for bits in table["claimed"][seat])
    assert f"{int(table['left'])} tiles left" in text.splitlines()[0]


def test_text_marks_the_wilds_in_its_first_line():
    env = play("yugan", 0)
    table = env.table[0]
    major, minor = NAMES[int(table["major"])], NAMES[int(table["minor"])]
    assert f"flipped {major} | wild {major}* {minor}*" in table_text(env.rules, table)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_seat_sees_its_own_tiles_only(variant):
    env = play(variant, 12, seed=3)
    table = env.table[0]
    for seat in range(4):
        text = table_text(env.rules, table, seat=seat)
        for other in range(4):
            parts, head = lines_of_seat(text, other)
            if other == seat:
                assert "you" in head
                assert len([tile for tile in parts["hand"] if tile != "+"]) == table["held"][seat]
            else:
                assert parts["hand"] == [str(int(table["held"][other])), "tiles"]


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_seats_view_does_not_change_when_hidden_tiles_are_dealt_anew(variant):
    for decisions in range(1, 12):
        env = play(variant, decisions, seed=3)
        seat = int(env.table[0]["seat"])
        other = env.determinize(env.agent_selection, seed=decisions)
        assert (env.table[0]["hand"] != other.table[0]["hand"]).any()
        before, after = (table_text(game.rules, game.table[0], seat=seat) for game in (env, other))
        assert before == after


def test_a_hidden_gang_is_shown_to_its_owner_only():
    for seed in range(200):
        env = play("yugan", 60, seed=seed)
        gangs = np.argwhere(env.table[0]["meld_type"] == 5)
        if len(gangs) and not any(env.terminations.values()):
            break
    owner = int(gangs[0][0])
    name = NAMES[int(env.table[0]["meld_tile"][tuple(gangs[0])])]
    face = " ".join(starred(env.table[0], [NAMES.index(name)] * 4))
    assert f"[concealed gang {face}]" in table_text(env.rules, env.table[0])
    assert f"[concealed gang {face}]" in table_text(env.rules, env.table[0], seat=owner)
    assert "[concealed gang ## ## ## ##]" in table_text(env.rules, env.table[0], seat=(owner + 1) % 4)


def test_waiting_seats_do_not_see_who_is_asked():
    env = play("hongkong", 0)
    while env.infos[env.agent_selection]["decision"] != "claim":
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
    table = env.table[0]
    asked, tile = int(table["seat"]), NAMES[int(table["tile"])]
    text = table_text(env.rules, table, seat=asked)
    assert text.splitlines()[-1] == f"Seat {asked} may claim {tile} of seat {int(table['turn'])}"
    for seat in {0, 1, 2, 3} - {asked}:
        text = table_text(env.rules, table, seat=seat)
        assert text.splitlines()[-1] == "Waiting for the others"
        assert ">" not in text


def test_text_tells_how_a_hand_ended():
    env = play("fuzhou", 60, seed=1, last_claim=HU)
    win = env.table[0]["win"]
    winner, tile = int(win["seat"]), NAMES[int(win["tile"])]
    gained = int(env.table[0]["points"][winner])
    lines = table_text(env.rules, env.table[0], seat=(winner + 1) % 4).splitlines()
    assert lines[-3].startswith(f"Seat {winner} wins with {tile} (")
    assert lines[-2].startswith("base 1") and lines[-2].endswith(f"; total {gained // 3}")
    points = ["+" + str(gained) if seat == winner else str(-gained // 3) for seat in range(4)]
    assert lines[-1] == "points " + " ".join(points)


def test_the_winners_hand_shows_the_tile_it_was_won_with_apart():
    sources = set()
    for seed in range(8):
        env = play("fuzhou", 200, seed=seed, last_claim=HU)
        table, win = env.table[0], env.table[0]["win"]
        if table["reason"] != REASON_HU or win["tile"] < 0:
            continue
        hand = lines_of_seat(table_text(env.rules, table), int(win["seat"]))[0]["hand"]
        assert hand[-2:] == ["+", *starred(table, [int(win["tile"])])]
        assert len(hand) - 1 == 17 - 3 * win["n_melds"]
        sources.add(SOURCES[int(win["source"])])
    assert {"self_draw", "discard"} <= sources


@pytest.mark.parametrize("variant", VARIANTS)
def test_ansi_and_rgb_array_modes(variant):
    text = play(variant, 20, render_mode="ansi").render()
    assert text.splitlines()[0].startswith(mjenv.variants.find(variant).title)
    env = play(variant, 20, render_mode="rgb_array")
    image = env.render()
    assert (image.shape, image.dtype) == ((1024, 1024, 3), np.uint8)
    assert len(np.unique(image[::4, ::4].reshape(-1, 3), axis=0)) > 100


def test_human_mode_prints(capsys):
    play("hangzhou", 2, render_mode="human")
    assert capsys.readouterr().out.count("Hangzhou") == 3


@pytest.mark.parametrize("width", [320, 640])
def test_pictures_have_the_width_that_was_asked_for(width):
    env = play("fuzhou", 30)
    assert table_image(env.rules, env.table[0], width=width).shape == (width, width, 3)
    with pytest.raises(ValueError, match="at least 320"):
        table_image(env.rules, env.table[0], width=100)


def test_every_tile_has_a_face_of_its_own_and_wilds_a_golden_frame():
    from mjenv.render_faces import GOLD, draw_tile

    faces = {draw_tile(kind, 40, wild).tobytes() for kind in range(-1, 42) for wild in (False, kind >= 0)}
    assert len(faces) == 2 * 42 + 1
    for kind in range(HAND_KINDS):
        frames = [np.asarray(draw_tile(kind, 60, wild))[30, 2, :3].astype(int) for wild in (False, True)]
        assert np.abs(frames[1] - GOLD).max() < 12 < np.abs(frames[0] - GOLD).max()


def test_the_picture_changes_with_the_table():
    env = play("yugan", 30)
    before = table_image(env.rules, env.table[0])
    env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
    after = table_image(env.rules, env.table[0])
    assert (before != after).any()
    assert (after == table_image(env.rules, env.table[0])).all()


def test_the_longest_rows_stay_within_the_picture():
    env = play("fuzhou", 1)
    table = env.table[0].copy()
    table["hand"][:] = 0
    table["hand"][:, 0] = 2
    table["n_melds"] = 5
    table["meld_type"], table["meld_tile"] = 5, np.arange(1, 6)
    table["n_discarded"][:, :20] = 2
    table["order"][:, 0, :20], table["order"][:, 1, :20] = np.arange(1, 21), np.arange(21, 41)
    image = table_image(env.rules, table)
    empty = play("fuzhou", 1)
    empty.table[0]["hand"][:] = 0
    assert (image[:8] == table_image(empty.rules, empty.table[0])[:8]).all()


def test_pillow_is_imported_for_pictures_only():
    code = "import sys, mjenv.render; print('PIL' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
