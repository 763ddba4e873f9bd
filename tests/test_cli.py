"""The command line: what each command answers, and that bad input ends with one line and exit code 2."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys

import pytest

from mjenv.cli import main
from mjenv.cli.play import find_move, tell
from mjenv.cli.shared import parse_value, print_table
from mjenv.core.batch import SHOWN
from mjenv.core.table import TABLE
from mjenv.log import read_log

COMMANDS = ["variants", "hand", "score", "play", "simulate", "replay", "train", "evaluate", "league", "bench", "cache"]
VARIANTS = ["yugan", "fuzhou", "hangzhou", "hongkong", "threefaan"]


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command in this process: exit code, stdout, stderr (but for the notice that the engine compiles)."""

    def run(*arguments, typed=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, re.sub(r"mjenv: compiling .*\n", "", captured.err)

    return run


def answer(run, *arguments):
    """The JSON object that a command prints, and nothing else."""
    code, out, err = run(*arguments, "--json")
    assert (code, err) == (0, "")
    assert out.count("\n") == 1
    return json.loads(out)


def test_help_lists_every_command_and_imports_nothing_heavy():
    command = [sys.executable, "-X", "importtime", "-m", "mjenv", "--help"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert all(f" {name} " in done.stdout for name in COMMANDS)
    for heavy in ("numba", "torch", "gymnasium", "pettingzoo", "numpy"):
        assert f" {heavy}\n" not in done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(run, name):
    code, out, _ = run(name, "--help")
    assert code == 0
    assert f"Usage: mjenv {name}" in " ".join(out.split())


def test_no_command_shows_the_help_and_version_the_version(run):
    import mjenv

    assert "Usage: mjenv" in run()[1]
    assert run("--version")[1] == f"mjenv {mjenv.__version__}\n"


def test_variants(run):
    listed = answer(run, "variants")
    assert [entry["variant"] for entry in listed] == VARIANTS
    yugan = listed[0]
    assert yugan["gymnasium"] == "mjenv/Yugan-v0"
    assert yugan["presets"]["literal"]["basic_fan"] == [3, 3, 3]
    assert {"name": "sets", "default": 1, "use": "a whole number from 1 to 60", "doc": yugan["options"][8]["doc"]} in (
        yugan["options"]
    )
    text = run("variants")[1]
    assert "fuzhou: Fuzhou." in text
    assert "min_faan = 3" in text


def test_hand_of_thirteen(run):
    found = answer(run, "hand", "hongkong", "123m456p789s1122s")
    assert (found["shanten"], found["complete"]) == (0, False)
    assert found["forms"] == ["standard", "seven_pairs", "thirteen_orphans"]
    assert found["waits"] == ["1s", "2s"]
    assert found["useful"] == {"1s": 2, "2s": 2}
    assert run("hand", "hongkong", "123m456p789s1122s")[1].splitlines()[1] == "waits: 1s 2s (4 tiles)"


def test_hand_of_fourteen_lists_discards_best_first(run):
    found = answer(run, "hand", "hongkong", "123m456p789s1122sE")
    assert found["discards"][0] == {"tile": "E", "shanten": 0, "tiles": 4, "useful": {"1s": 2, "2s": 2}}
    assert answer(run, "hand", "hongkong", "123m456p789s11222s")["complete"] is True


def test_hand_with_wilds_and_melds_and_forms_of_the_variant(run):
    assert answer(run, "hand", "hangzhou", "123m456p789s112s", "--wilds", 1)["waits"] == ["1s", "2s", "3s", "4s"]
    assert answer(run, "hand", "hangzhou", "11m22p", "--melds", 3)["waits"] == ["1m", "2p"]
    assert answer(run, "hand", "fuzhou", "123m456p789s123m1122s")["forms"] == ["standard"]
    assert answer(run, "hand", "hangzhou", "1111m2222p33s456s")["shanten"] == 1
    assert answer(run, "hand", "yugan", "147m258p369sESWN")["shanten"] == 0


SCORED = (
    *("score", "hongkong", "--concealed", "345s678sNNN99s", "--winning-tile", "9s", "--meld", "peng 222s"),
    *("--source", "discard", "--from-seat", "0", "--seat", "1", "--bonus", "f1"),
)


def test_score(run):
    assert answer(run, *SCORED) == {"items": [["half_flush", 3]], "total": 3, "payments": [-8, 8, 0, 0]}
    assert run(*SCORED)[1].splitlines()[-1] == "payments -8 +8 +0 +0"
    capped = answer(run, *SCORED, "--rule", "min_faan=0", "--rule", "bonus_tiles=true")
    assert capped["total"] == 3


def test_score_takes_every_field(run):
    found = answer(
        run,
        *("score", "yugan", "--concealed", "123m456m789m11p567p", "--winning-tile", "7p", "--indicator", "3p"),
        *("--source", "discard", "--from-seat", 2, "--thrown-wilds", "0,1,0,2", "--others-hold-wild"),
    )
    assert found["payments"] == [6 + 12 + 24, -12, -6, -24]
    found = answer(
        run,
        *("score", "hangzhou", "--concealed", "123m456m789m11p567p", "--winning-tile", "7p", "--indicator", "E"),
        *("--streak", 2, "--dealer", 0, "--rule", "streak_factors=1,2,4"),
    )
    assert found == {"items": [["plain_win", 1], ["streak", 4]], "total": 4, "payments": [12, -4, -4, -4]}


def test_simulate_and_replay(run, tmp_path):
    log = tmp_path / "log.jsonl.gz"
    found = answer(run, "simulate", "hangzhou", "--games", 6, "--seed", 3, "--agents", "greedy", "--log", log)
    assert (found["games"], found["hands"], found["agents"]) == (6, 6, ["greedy"] * 4)
    assert sum(found["points"]) == 0
    events = read_log(log)
    starts = [event for event in events if event["type"] == "start_hand"]
    assert [(start["game"], start["hand"], start["seed"]) for start in starts] == [(game, 0, 3) for game in range(6)]
    assert starts[0]["agents"] == ["greedy"] * 4
    ends = [event for event in events if event["type"] == "end_hand"]
    assert [sum(end["payments"][seat] for end in ends) for seat in range(4)] == found["points"]
    assert found["draws"] == sum(end["reason"] == "draw" for end in ends)
    assert sum(found["wins"]) == 6 - found["draws"] == sum(found["wins_by_source"].values())
    replayed = answer(run, "replay", log)
    assert replayed == {
        "file": str(log),
        "agrees": True,
        "lines": len(events),
        "games": 6,
        "hands": 6,
        "wins": sum(found["wins"]),
        "draws": found["draws"],
        "decisions": found["decisions"],
        "variants": ["hangzhou"],
    }


def test_the_first_games_of_a_seed_are_the_same_however_many_are_played(run, tmp_path):
    one, three = tmp_path / "one", tmp_path / "three"
    for path, games in ((one, 1), (three, 3)):
        assert (
            run("simulate", "yugan", "--games", games, "--agents", "greedy,random,random,greedy", "--log", path)[0] == 0
        )
    assert three.read_bytes().startswith(one.read_bytes())


def test_simulate_plays_longer_episodes_under_other_rules(run):
    found = answer(
        run, "simulate", "threefaan", "--games", 2, "--episode", "round", "--rule", "min_faan=0", "--agents", "greedy"
    )
    assert found["hands"] == 8
    cut = answer(run, "simulate", "hongkong", "--games", 1, "--episode", "game", "--max-hands", 3)
    assert cut["hands"] == 3


def test_simulate_prints_a_table(run):
    code, out, _ = run("simulate", "fuzhou", "--games", 2, "--agents", "greedy")
    lines = out.splitlines()
    assert code == 0
    assert lines[0].split() == ["seat", "agent", "points", "per", "hand", "wins"]
    assert [line.split()[:2] for line in lines[1:5]] == [[str(seat), "greedy"] for seat in range(4)]
    assert lines[5].startswith("2 hands, ")


def test_evaluate(run, tmp_path):
    log = tmp_path / "log.jsonl"
    found = answer(run, "evaluate", "hangzhou", "greedy", "--vs", "random", "--blocks", 3, "--seed", 1, "--log", log)
    assert (found["agent"], found["versus"], found["blocks"], found["games"]) == ("greedy", "random", 3, 12)
    assert found["low"] <= found["points_per_hand"] <= found["high"]
    assert answer(run, "replay", log)["games"] == 12
    text = run("evaluate", "hangzhou", "greedy", "--vs", "random", "--blocks", 3, "--seed", 1)[1]
    assert text.startswith(f"greedy against three of random at hangzhou: {found['points_per_hand']:+.3f} points")
    lines = {line.split("  ")[0]: line for line in text.splitlines()}
    hero, rival = (entry["win_rate"]["value"] for entry in found["agents"])
    assert re.search(f"{hero:.3f} ± .* {rival:.3f} ±", lines["win rate"])
    assert "win rate discard" not in lines and "rank 1" not in lines


def test_evaluate_in_other_seatings(run, tmp_path):
    usual = ("evaluate", "yugan", "greedy", "--blocks", 2, "--seed", 1)
    four = answer(run, *usual, "--vs", "random,random,greedy", "--seatings", "balanced", "--out", tmp_path)
    assert (four["games"], four["versus"], len(four["tests"])) == (8, ["random", "random", "greedy"], 6)
    assert (tmp_path / "evaluation.json").exists()
    pairs = answer(run, *usual, "--vs", "random", "--seatings", "2v2", "--until-ci", 1e6)
    assert (pairs["games"], pairs["stopping"]["reached"]) == (12, True)
    assert "reached" in run(*usual, "--vs", "random", "--until-ci", 1e6)[1]


def test_a_crash_says_where_finished_blocks_are_kept(run, tmp_path, monkeypatch, capsys):
    from experiments import blocks, runs

    def play(match, first, count, **settings):
        if first:
            raise RuntimeError("the machine is on fire")
        return blocks.play_blocks(match, first, count, **settings)

    monkeypatch.setattr(runs, "CHUNK", 2)
    monkeypatch.setattr(runs, "play_blocks", play)
    usual = ["evaluate", "hangzhou", "random", "--blocks", "4", "--workers", "1", "--out", str(tmp_path)]
    with pytest.raises(RuntimeError, match="on fire"):
        main(usual)
    assert f"finished blocks are in {tmp_path}: the same command goes on from there" in capsys.readouterr().err
    monkeypatch.undo()
    assert answer(run, *usual)["blocks"] == 4


def test_league(run, tmp_path):
    usual = ("league", "hangzhou", "--agents", "random,greedy", "--blocks", 3, "--seed", 1, "--out", tmp_path)
    found = answer(run, *usual)
    assert [entry["agent"] for entry in found["ratings"]] == ["greedy", "random"]
    lines = run(*usual)[1].splitlines()
    cell = next(cell for cell in found["table"] if cell["agent"] == "greedy")
    assert lines[0].startswith("hangzhou: points per hand of the row against the column, 3 blocks a pair (2v2)")
    assert f"{cell['points_per_hand']:+.3f} ± " in next(line for line in lines if line.startswith("greedy"))


def test_train_hands_its_options_on(run, monkeypatch, tmp_path):
    training = pytest.importorskip("experiments.train")
    seen = []

    def learn(args):
        print("a line for people")
        seen.append(args)
        return {"decisions": 10}

    monkeypatch.setattr(training, "run", learn)
    options = (
        "--decisions",
        10,
        "--out",
        tmp_path,
        "--seed",
        4,
        "--resume",
        "--rule",
        "seven_pairs_factor=4",
        "--json",
    )
    assert run("train", "hangzhou", *options) == (0, '{"decisions": 10}\n', "a line for people\n")
    assert (seen[0].variant, seen[0].out, seen[0].decisions, seen[0].seed) == ("hangzhou", str(tmp_path), 10, 4)
    assert (seen[0].minutes, seen[0].resume, seen[0].device) == (None, True, "cpu")
    assert seen[0].rules["seven_pairs_factor"] == 4


def test_play_to_the_end_of_a_hand(run):
    code, out, _ = run("play", "hangzhou", "--seed", 5, "--agents", "random", typed="1\n" * 200)
    assert code == 0
    assert out.startswith("hangzhou, seed 5. seat 0: you, seat 1: random, seat 2: random, seat 3: random\n")
    assert "Hand 1: seat 0 deals, round E." in out
    assert "Seat 0 to discard" in out
    assert out.splitlines()[-1].startswith("points ")


def test_play_reads_tiles_numbers_and_nonsense_and_quits(run):
    first = run("play", "yugan", "--seed", 3, typed="q\n")
    assert first[0] == 0
    assert first[1].splitlines()[-1] == "You left the table."
    assert "5) 2p" in first[1]
    code, out, _ = run("play", "yugan", "--seed", 3, typed="9z\n99\n2p\n")
    assert code == 0
    assert out.count("is none of the moves above") == 2
    assert "You: discard 2p." in out
    assert "You: discard 2p." in run("play", "yugan", "--seed", 3, typed="5\n")[1]


def test_play_shows_only_what_the_seat_may_know(run):
    _, out, _ = run("play", "hongkong", "--seed", 1, "--seat", 2, typed="1\n1\n1\n")
    assert "seat 2: you" in out
    others = [line for line in out.splitlines() if line.startswith("Seat ") and " draw" in line]
    assert others == []
    assert out.count("13 tiles") >= 3


def test_play_goes_on_to_the_next_hand(run):
    _, out, _ = run("play", "threefaan", "--episode", "round", "--seed", 1, "--agents", "random", typed="1\n" * 400)
    assert "Enter for the next hand" in out
    assert "Hand 2: seat 0 deals" in out


def test_play_explains_its_answers(run):
    _, out, _ = run("play", "yugan", "--seed", 3, typed="help\nq\n")
    assert "discard 5p" in out and "none of the moves" not in out
    assert out.count("5) 2p") == 2


def test_find_move_takes_numbers_names_and_single_beginnings():
    moves = {4: "5m*", 30: "N", 34: "chi 345m", 35: "chi 456m", 37: "peng", 74: "pass"}
    assert [find_move(text, moves) for text in ("1", "6", "7", "0")] == [4, 74, None, None]
    assert [find_move(text, moves) for text in ("5m", "5m*", "n", "peng", "PASS")] == [4, 4, 30, 37, 74]
    assert [find_move(text, moves) for text in ("discard N", "Discard  5m*", "discard", "discard E")] == [
        30,
        4,
        None,
        None,
    ]
    assert [find_move(text, moves) for text in ("chi", "chi 456m", "", "hu")] == [None, 35, None, None]
    assert find_move("chi", {35: "chi 456m", 74: "pass"}) == 35


def test_tell_leaves_out_what_a_seat_may_not_know():
    draw = {"type": "draw", "seat": 1, "tile": "5p", "from": "wall"}
    assert (tell(draw, 1, True), tell(draw, 0, True)) == ("You draw 5p.", None)
    gang = {"type": "gang", "seat": 1, "kind": "concealed", "tile": "5p"}
    assert tell(gang, 0, True) == "Seat 1: concealed gang."
    assert tell(gang, 0, False) == tell(gang, 1, True).replace("You", "Seat 1") == "Seat 1: concealed gang of 5p."
    assert tell({"type": "pass", "seat": 1, "offered": ["hu"]}, 0, True) is None
    assert tell({"type": "outranked", "seat": 1, "claim": "hu"}, 0, True) is None


def test_bench(run):
    found = answer(run, "bench", "--variant", "hangzhou", "--games", 8, "--repeats", 1, "--seconds", 0.01, "--no-start")
    rows = {"batch", "batch_mask", "batch_features", "batch_many", "one_game", "aec_raw", "aec_wrapped", "greedy"}
    assert rows < set(found["hangzhou"])
    measured = [row for part in (found["hangzhou"], found["hands"]) for row in part.values() if isinstance(row, dict)]
    assert all(0 < row["low"] <= row["per_second"] <= row["high"] for row in measured)
    assert {f"is_win/{kind}" for kind in ("random", "near", "one suit")} < set(found["hands"])
    assert found["bytes_per_game"]["together"] == TABLE.itemsize + SHOWN.itemsize <= 8192
    assert found["machine"]["cores"] == os.cpu_count()


def test_cache_shows_and_clears(run, tmp_path, monkeypatch):
    monkeypatch.setenv("MJENV_CACHE_DIR", str(tmp_path))
    (tmp_path / "hands-0.npy").write_bytes(b"12345")
    assert answer(run, "cache") == {"folder": str(tmp_path), "files": 1, "bytes": 5, "compiled": False}
    (tmp_path / "notes.txt").write_bytes(b"mine")
    assert answer(run, "cache", "--clear")["files"] == 1
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


BAD = {
    "unknown command": ("riichi",),
    "missing argument": ("hand",),
    "unknown option": ("hand", "yugan", "1m", "--foo"),
    "unknown variant": ("hand", "riichi", "1m"),
    "broken tiles": ("hand", "yugan", "12x"),
    "five of a kind": ("hand", "yugan", "11111m123p123s44p"),
    "wrong number of tiles": ("hand", "yugan", "123m"),
    "no such tile in the variant": ("hand", "fuzhou", "123m456p789s123m112sF"),
    "no number": ("hand", "yugan", "123m", "--wilds", "x"),
    "not a win": ("score", "hongkong", "--concealed", "124m456m789p11s234s", "--winning-tile", "9p"),
    "below the minimum": (
        "score",
        "hongkong",
        "--concealed",
        "123m456m789p11s234s",
        "--winning-tile",
        "9p",
        "--bonus",
        "f2",
    ),
    "broken throws": ("score", "yugan", "--concealed", "1m", "--thrown-wilds", "a"),
    "unknown meld": ("score", "yugan", "--concealed", "1m", "--meld", "kan 1111m"),
    "unknown rule": ("simulate", "yugan", "--rule", "foo=1"),
    "bad rule value": ("simulate", "yugan", "--rule", "sets=0"),
    "rule without a value": ("simulate", "yugan", "--rule", "sets"),
    "rule twice": ("simulate", "yugan", "--rule", "sets=1", "--rule", "sets=2"),
    "unknown agent": ("simulate", "yugan", "--agents", "foo"),
    "two agents": ("simulate", "yugan", "--agents", "greedy,random"),
    "unknown module": ("simulate", "yugan", "--agents", "no.such:Thing"),
    "no games": ("simulate", "yugan", "--games", "0"),
    "unknown episode": ("simulate", "yugan", "--episode", "week"),
    "unknown episode to play": ("play", "yugan", "--episode", "week"),
    "negative seed to play": ("play", "yugan", "--seed", "-1"),
    "wilds where there are none": ("hand", "hongkong", "123m456p789s112s", "--wilds", "1"),
    "no name for the log": ("simulate", "yugan", "--games", "1", "--log", ""),
    "negative seed": ("simulate", "yugan", "--seed", "-1"),
    "no folder for the log": ("simulate", "yugan", "--games", "1", "--log", "/no/such/folder/log"),
    "no log": ("replay", "/no/such/log"),
    "one block": ("evaluate", "yugan", "greedy", "--blocks", "1"),
    "unknown device": ("simulate", "yugan", "--games", "1", "--device", "tpu"),
    "unknown device of an evaluation": ("evaluate", "yugan", "greedy", "--device", "tpu"),
    "two opponents": ("evaluate", "yugan", "greedy", "--vs", "random,greedy"),
    "unknown opponent": ("evaluate", "yugan", "greedy", "--vs", "best"),
    "unknown seatings": ("evaluate", "yugan", "greedy", "--vs", "random", "--seatings", "3v1"),
    "no width": ("evaluate", "yugan", "greedy", "--vs", "random", "--until-ci", "0"),
    "no folder for the log of an evaluation": ("evaluate", "yugan", "greedy", "--log", "/no/such/folder/log"),
    "a league of one": ("league", "yugan", "--agents", "greedy", "--out", "/tmp/never"),
    "unknown agent in a league": ("league", "yugan", "--agents", "greedy,best", "--out", "/tmp/never"),
    "seat five": ("play", "yugan", "--seat", "5"),
    "no length": ("train", "hangzhou", "--out", "/tmp/never"),
    "no checkpoint": ("evaluate", "hangzhou", "checkpoint:/no/such/folder"),
}


@pytest.mark.parametrize("arguments", BAD.values(), ids=BAD)
def test_bad_input_ends_with_one_line_and_exit_code_2(run, arguments):
    code, out, err = run(*arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("mjenv: ") and err.count("\n") == 1 and len(err) > 20


def test_a_log_that_cannot_be_written_is_named_as_the_user_named_it(run):
    err = run(*BAD["no folder for the log"])[2]
    assert err == "mjenv: /no/such/folder/log: No such file or directory\n"
    assert "is a folder: name a file" in run(*BAD["no name for the log"])[2]


def test_the_one_hand_of_the_command_line_has_no_number(run):
    assert run(*BAD["wrong number of tiles"])[2].startswith("mjenv: with 0 of 4 sets on the table")


def test_a_mismatch_names_line_and_field(run, tmp_path):
    log = tmp_path / "log"
    assert run("simulate", "yugan", "--games", 1, "--log", log)[0] == 0
    lines = log.read_text().splitlines(keepends=True)
    lines[1] = lines[1].replace('"roll":', '"roll":1')
    log.write_text("".join(lines))
    code, _, err = run("replay", log)
    assert code == 2
    assert err.startswith("mjenv: line 2, ")


def test_a_missing_extra_is_named(run, monkeypatch):
    for name in ("torch", "experiments.train", "agents.network"):
        monkeypatch.setitem(sys.modules, name, None) if name == "torch" else monkeypatch.delitem(
            sys.modules, name, False
        )
    code, _, err = run("train", "hangzhou", "--minutes", 1, "--out", "/tmp/never")
    assert (code, err) == (2, "mjenv: this needs torch: pip install 'mjenv[torch]'\n")


def test_the_extra_of_statistics_is_named(run, monkeypatch, tmp_path):
    for name in [name for name in sys.modules if name.startswith("experiments")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "choix", None)
    code, _, err = run("league", "yugan", "--agents", "greedy,random", "--out", tmp_path)
    assert (code, err) == (2, "mjenv: this needs choix: pip install 'mjenv[stats]'\n")
    monkeypatch.setitem(sys.modules, "scipy", None)
    for name in [name for name in sys.modules if name.startswith("experiments")]:
        monkeypatch.delitem(sys.modules, name)
    code, _, err = run("evaluate", "yugan", "greedy")
    assert (code, err) == (2, "mjenv: this needs scipy: pip install 'mjenv[stats]'\n")


def test_errors_of_our_own_keep_their_traceback(monkeypatch):
    def fail(*_):
        raise KeyError("ours")

    monkeypatch.setattr("mjenv.replay.replay", fail)
    with pytest.raises(KeyError):
        main(["replay", "x"])


def test_values_are_read_as_python_would():
    texts = ["3", "0.5", "true", "False", "none", "3,3,3", "(1, 2)", "full", "-1"]
    assert [parse_value(text) for text in texts] == [3, 0.5, True, False, None, (3, 3, 3), (1, 2), "full", -1]


def test_tables_are_plain_columns_outside_a_terminal(capsys):
    print_table(("name", "n"), [("a", 5), ("long", 12)])
    assert capsys.readouterr().out == "name   n\na      5\nlong  12\n"


@pytest.mark.parametrize("answer", ["²", "9" * 5000])
def test_an_odd_number_is_no_move(answer: str) -> None:
    assert find_move(answer, {3: "4m", 74: "pass"}) is None


def test_a_kind_is_never_counted_round(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hand", "yugan", "1m" * 257 + "23m456p789sEEEC"]) == 2
    assert "1m" in capsys.readouterr().err
