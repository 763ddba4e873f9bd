"""Logs: what they say about known hands, that they replay, and that any edit is found."""

from __future__ import annotations

import copy
import gzip
import itertools
import json
import re

import numpy as np
import pytest

import mjenv
from mjenv.core.actions import HU, PASS
from mjenv.core.tiles import format_tiles, parse_tiles
from mjenv.log import TYPES, LogMismatch, LogWriter, format_line, read_log, write_log
from mjenv.replay import replay

VARIANTS = ("yugan", "fuzhou", "hangzhou", "hongkong", "threefaan")
CLAIMS = slice(34, HU)
RULES = {"hongkong": {"min_faan": 0}, "threefaan": {"min_faan": 1}}
"""Rules under which hands are won soon."""
FIELDS = {
    "start_hand": "format agents game hand wall_given variant rules seed dealer round_wind streak scores wall hands",
    "indicator": "tile wilds",
    "bonus": "seat tile",
    "draw": "seat tile from",
    "discard": "seat tile drawn wild",
    "chi": "seat from_seat tile tiles",
    "peng": "seat from_seat tile tiles",
    "gang": "seat kind tile",
    "pass": "seat offered",
    "outranked": "seat claim",
    "hu": "seat source tile given_up from_seat hand melds items total payments",
    "end_hand": "reason payments scores next_dealer next_streak",
}
OPTIONAL = {"dead_tiles", "roll", "float", "from_seat", "tiles"}


def choose(env, rng, eager):
    """Win if possible, claim with probability `eager`, else discard towards a win."""
    observation = env.observe(env.agent_selection)
    mask = observation["action_mask"]
    if mask[HU]:
        return HU
    claims = np.flatnonzero(mask[CLAIMS]) + CLAIMS.start
    if len(claims) and rng.random() < eager:
        return int(rng.choice(claims))
    if mask[PASS]:
        return PASS
    names = [plane.name for plane in env.observation_layout.planes]
    shanten = observation["observation"][names.index("discard_shanten")].astype(int)
    shanten[mask[:34] == 0] = 99
    return int(rng.choice(np.flatnonzero(shanten == shanten.min())))


def play(variant, seed, hands, eager=0.5, options=None, **settings):
    """The log of an episode of at most `hands` hands."""
    rng = np.random.default_rng(seed)
    settings = {"episode": "game", "max_hands": hands, **settings}
    env = mjenv.raw_env(variant, observation="features", log=True, **settings)
    env.reset(seed=seed, options=options)
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        env.step(choose(env, rng, eager))
    return env.log


@pytest.fixture(scope="module")
def logs():
    """Two episodes of every variant, one of them full of claims."""
    return {
        variant: play(variant, 3, 5, 0.7, rules=RULES.get(variant)) + play(variant, 4, 5, 0.1, rules=RULES.get(variant))
        for variant in VARIANTS
    }


def write(tmp_path, events, name="log.jsonl"):
    path = tmp_path / name
    write_log(path, events)
    return path


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines()


def rewrite(path, lines):
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_log_replays(variant, logs, tmp_path):
    done = replay(write(tmp_path, logs[variant]))
    ends = [event for event in logs[variant] if event["type"] == "end_hand"]
    assert (done.games, done.hands, done.lines) == (2, len(ends), len(logs[variant]))
    assert done.wins == sum(end["reason"] == "hu" for end in ends) > 0
    assert done.draws == len(ends) - done.wins
    assert done.variants == (variant,)


@pytest.mark.parametrize("variant", VARIANTS)
def test_lines_have_the_fields_of_the_contract_in_order(variant, logs):
    for event in logs[variant]:
        assert next(iter(event)) == "type"
        names = [name for name in event if name not in OPTIONAL]
        wanted = ["type", *FIELDS[event["type"]].split()]
        assert names == [name for name in wanted if name not in OPTIONAL]
        assert ("float" in event) == (event["type"] == "discard" and variant == "hangzhou")
        assert ("roll" in event) == (event["type"] == "indicator" and variant in ("yugan", "hangzhou"))
        assert ("dead_tiles" in event) == (event["type"] == "start_hand" and variant == "fuzhou")
        assert json.loads(format_line(event)) == event


def test_the_logs_hold_every_line_type(logs):
    assert {event["type"] for log in logs.values() for event in log} == set(TYPES)


@pytest.mark.parametrize("variant", VARIANTS)
def test_hands_are_dealt_from_the_wall_in_order(variant, logs):
    start = logs[variant][0]
    rounds = 4 if variant == "fuzhou" else 3
    first, dealer = start["wall"][: 16 * rounds + 5], start["dealer"]
    for place in range(4):
        dealt = [tile for turn in range(rounds) for tile in first[16 * turn + 4 * place :][:4]]
        singles = {"fuzhou": [[64], [], [], []], "hongkong": [[48, 49], [50], [51], [52]]}
        dealt += [first[index] for index in singles.get(variant, [[48, 52], [49], [50], [51]])[place]]
        assert start["hands"][(dealer + place) % 4] == format_tiles(parse_tiles("".join(dealt)))
    if variant == "fuzhou":
        assert start["dead_tiles"] == start["wall"][112:]


@pytest.mark.parametrize("variant", VARIANTS)
def test_draws_follow_the_wall_from_both_ends(variant, logs):
    wall = head = tail = flipped = None
    for event in logs[variant]:
        if event["type"] == "start_hand":
            wall, flipped = event["wall"], None
            head, tail = (65, 111) if variant == "fuzhou" else (53, len(wall) - 1)
        elif event["type"] == "indicator":
            flipped = tail if variant == "fuzhou" else len(wall) - 2 * event["roll"]
            assert wall[flipped] == event["tile"]
            tail -= variant == "fuzhou"
        elif event["type"] == "draw":
            tail -= tail == flipped
            assert event["tile"] == wall[head if event["from"] == "wall" else tail]
            head, tail = (head + 1, tail) if event["from"] == "wall" else (head, tail - 1)


@pytest.mark.parametrize("variant", VARIANTS)
def test_discards_say_what_was_drawn_and_what_is_wild(variant, logs):
    drawn, wilds, has_bonus = None, [], variant not in ("yugan", "hangzhou")
    for event in logs[variant]:
        if event["type"] == "start_hand":
            wilds, drawn, is_open = [], event["wall"][52], False
        elif event["type"] == "indicator":
            wilds = event["wilds"]
        elif event["type"] == "draw":
            drawn = event["tile"]
        elif event["type"] in ("chi", "peng"):
            drawn = None
        elif event["type"] == "discard":
            assert event["wild"] == (event["tile"] in wilds)
            if is_open or not has_bonus:
                assert event["drawn"] == (event["tile"] == drawn)
            is_open = True


@pytest.mark.parametrize("variant", VARIANTS)
def test_hands_of_an_episode_connect(variant, logs):
    end = None
    for event in logs[variant]:
        if event["type"] == "start_hand" and event["hand"] > 0:
            assert (event["dealer"], event["streak"]) == (end["next_dealer"], end["next_streak"])
            assert event["scores"] == end["scores"]
        elif event["type"] == "end_hand":
            end = event
            assert sum(end["payments"]) == 0


def test_an_answer_that_was_outranked_is_logged_before_the_one_that_won(logs):
    log = [event for variant in VARIANTS for event in logs[variant]]
    rank = {"hu": 3, "gang": 2, "peng": 2, "chi": 1}
    seen = 0
    for place, event in enumerate(log):
        if event["type"] == "outranked":
            winner = next(later for later in log[place:] if later["type"] not in ("pass", "outranked"))
            assert rank[event["claim"]] <= rank[winner["type"]]
            assert ("tiles" in event) == (event["claim"] == "chi")
            seen += 1
    assert seen > 0


def test_names_are_in_the_log_if_known(tmp_path):
    events = play("hangzhou", 1, 1)
    named = [{**event, "agents": ["a", "b", "c", "d"]} if "agents" in event else event for event in events]
    assert replay(write(tmp_path, named)).hands == 1


SPOILERS = {
    bool: lambda value: not value,
    int: lambda value: value + 1,
    float: lambda value: value + 1.0,
    str: lambda value: value[:-1] + ("x" if value[-1:] != "x" else "y"),
    type(None): lambda value: 0,
    list: lambda value: [*value[:-1], SPOILERS[type(value[-1])](value[-1])] if value else ["x"],
    dict: lambda value: {**value, next(iter(value)): "x"},
}
OTHER_VALUES = {
    "tile": "1p",
    "from": "tail",
    "seat": 2,
    "from_seat": 3,
    "offered": ["chi"],
    "tiles": "123m",
    "round_wind": "S",
    "variant": "hangzhou",
    "agents": ["a", "b", "c", "d"],
}


def spoil(event, name):
    """Two changed copies of an event: a value of the same type, and one that would be possible elsewhere."""
    yield {**event, name: SPOILERS[type(event[name])](event[name])}
    if name in OTHER_VALUES and event[name] != OTHER_VALUES[name]:
        yield {**event, name: OTHER_VALUES[name]}


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_change_of_any_field_of_any_line_type_is_found(variant, logs, tmp_path):
    for kind, hand in find_hands(logs[variant]).items():
        path = write(tmp_path, hand)
        lines = lines_of(path)
        number = next(number for number, event in enumerate(hand) if event["type"] == kind)
        event = json.loads(lines[number])
        for name in event:
            for changed in (*spoil(event, name), {key: value for key, value in event.items() if key != name}):
                if "digest" in changed or name != "digest":
                    rewrite(path, [*lines[:number], format_line(changed), *lines[number + 1 :]])
                    assert re.match(r"line \d+", str(mismatch(path)))


def find_hands(log):
    """For each line type the shortest first hand of an episode in which it occurs."""
    starts = [number for number, event in enumerate(log) if event["type"] == "start_hand"]
    hands = [log[low:high] for low, high in itertools.pairwise([*starts, len(log)])]
    hands = sorted((hand for hand in hands if hand[0]["hand"] == 0), key=len, reverse=True)
    return {event["type"]: hand for hand in hands for event in hand}


def first_hand(log):
    """The events up to the first end_hand."""
    return log[: next(number for number, event in enumerate(log) if event["type"] == "end_hand") + 1]


def hand_end(lines, count):
    """The number of lines that the first `count` hands take."""
    ends = [number for number, line in enumerate(lines) if '"type":"end_hand"' in line]
    return ends[count - 1] + 1


def test_every_rules_option_is_covered(logs, tmp_path):
    path = write(tmp_path, logs["hangzhou"])
    lines = lines_of(path)
    start = json.loads(lines[0])
    for name, other in (("reward_scale", 9.0), ("hands_per_game", 8), ("pairs_bao_tou", False), ("stop_at", 21)):
        changed = copy.deepcopy(start)
        changed["rules"][name] = other
        rewrite(path, [format_line(changed), *lines[1:]])
        with pytest.raises(LogMismatch):
            replay(path)


def mismatch(path):
    with pytest.raises(LogMismatch) as error:
        replay(path)
    return error.value


@pytest.mark.parametrize(
    ("variant", "name", "value", "field"),
    [
        ("hongkong", "discard", {"tile": "f1"}, "tile"),
        ("hongkong", "draw", {"seat": 9}, "seat"),
        ("yugan", "discard", {"wild": 1}, "wild"),
        ("hongkong", "end_hand", {"scores": [1, 2, 3, 4]}, "scores[0]"),
        ("hangzhou", "hu", {"total": 77}, "total"),
        ("fuzhou", "pass", {"offered": []}, "offered"),
        ("hongkong", "start_hand", {"seed": 5}, "wall[0]"),
        ("hongkong", "start_hand", {"seed": -5}, "seed"),
        ("yugan", "start_hand", {"round_wind": "S"}, "round_wind"),
        ("yugan", "start_hand", {"variant": "riichi"}, "variant"),
        ("yugan", "start_hand", {"rules": {"sets": 0}}, "rules"),
        ("yugan", "start_hand", {"format": 2}, "format"),
        ("yugan", "start_hand", {"hand": 1}, "hand"),
    ],
)
def test_the_error_names_line_and_field(variant, name, value, field, logs, tmp_path):
    events = list(logs[variant])
    number = next(number for number, event in enumerate(events) if event["type"] == name)
    events[number] = {**events[number], **value}
    error = mismatch(write(tmp_path, events))
    assert (error.line, error.field) == (number + 1, field)
    assert str(error).startswith(f"line {number + 1}, {field}: ")


@pytest.mark.parametrize(
    ("kind", "name"), [("chi", "seat"), ("chi", "tiles"), ("peng", "seat"), ("peng", "tiles"), ("hu", "seat")]
)
def test_a_wrong_seat_or_wrong_tiles_of_a_claim_are_named(kind, name, logs, tmp_path):
    events = logs["fuzhou"]
    place = next(
        number
        for number, event in enumerate(events)
        if event["type"] == kind and (kind != "hu" or event["source"] == "discard")
    )
    wrong_values = {"seat": {0, 1, 2, 3}, "tiles": {"123m", 5}}[name] - {events[place][name]}
    for wrong in wrong_values:
        error = mismatch(write(tmp_path, [*events[:place], {**events[place], name: wrong}, *events[place + 1 :]]))
        assert (error.line, error.field) == (place + 1, name)


def test_a_wrong_claim_of_an_outranked_answer_is_named(logs, tmp_path):
    events = next(log for log in logs.values() if any(event["type"] == "outranked" for event in log))
    place = next(number for number, event in enumerate(events) if event["type"] == "outranked")
    error = mismatch(write(tmp_path, [*events[:place], {**events[place], "claim": "kan"}, *events[place + 1 :]]))
    assert str(error) == f'line {place + 1}, claim: expected one of hu, gang, peng, chi, found "kan"'


@pytest.mark.parametrize("roll", [1, 13, "7", None])
def test_a_bad_roll_is_named_at_the_line_that_holds_it(roll, tmp_path):
    events = play("yugan", 1, 1, options={"roll": 7})
    assert events[1]["type"] == "indicator"
    events[1]["roll"] = roll
    error = mismatch(write(tmp_path, events))
    assert (error.line, error.field) == (2, "roll")
    assert "expected a whole number from 2 to 12" in str(error)
    del events[1]["roll"]
    assert str(mismatch(write(tmp_path, events))) == "line 2, roll: is missing"


@pytest.mark.parametrize("name", ["log.jsonl", "log.jsonl.gz"])
def test_a_line_that_is_not_utf_8_is_named(name, logs, tmp_path):
    path = write(tmp_path, logs["hongkong"], name)
    opener = gzip.open if name.endswith(".gz") else open
    with opener(path, "rb") as file:
        lines = file.readlines()
    lines[69] = lines[69][:10] + b"\xff" + lines[69][11:]
    with opener(path, "wb") as file:
        file.writelines(lines)
    with pytest.raises(LogMismatch, match=r"^line 70: is not UTF-8 from its byte 11 on"):
        read_log(path)


def test_a_changed_byte_anywhere_is_found(logs, tmp_path):
    path = write(tmp_path, first_hand(logs["yugan"]))
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for place in rng.choice(len(whole) - 1, 250, replace=False):
        other = whole[place] ^ int(rng.integers(1, 128))
        path.write_bytes(whole[:place] + bytes([other]) + whole[place + 1 :])
        mismatch(path)


def test_a_cut_log_is_found(logs, tmp_path):
    path = write(tmp_path, logs["hongkong"])
    whole = path.read_bytes()
    for length in (0, 1, 100, len(whole) // 2, len(whole) - 2):
        path.write_bytes(whole[:length])
        mismatch(path)
    assert str(mismatch(path)) == f"line {len(logs['hongkong'])}: the log is cut off in the middle of this line"


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_log_that_is_cut_off_says_so_wherever_it_is(variant, logs, tmp_path):
    path = write(tmp_path, first_hand(logs[variant]))
    lines = lines_of(path)
    for number in range(1, len(lines)):
        rewrite(path, lines[:number])
        assert "the log is cut off in the middle of a hand" in str(mismatch(path))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "not JSON"),
        ("[1]", "not a JSON object"),
        ('{"type":"riichi"}', "'riichi' is not one of"),
        ('{"type":"draw","type":"draw"}', "written twice"),
        ('{"type":"draw","seat":NaN}', "not JSON"),
        ('{"type" : "draw"}', "not spelled"),
        ("{}", "None is not one of"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_line_that_is_no_event_is_one_clear_error(line, words, logs, tmp_path):
    path = write(tmp_path, logs["hongkong"])
    lines = lines_of(path)
    rewrite(path, [*lines[:5], line, *lines[5:]])
    error = mismatch(path)
    assert error.line == 6
    assert words in str(error)
    assert "\n" not in str(error)


def test_a_lost_a_doubled_and_a_swapped_line_are_found(logs, tmp_path):
    path = write(tmp_path, logs["yugan"])
    lines = lines_of(path)
    for number in range(0, 60):
        rewrite(path, lines[:number] + lines[number + 1 :])
        mismatch(path)
        rewrite(path, [*lines[:number], lines[number], *lines[number:]])
        mismatch(path)


def test_a_missing_hand_is_found(logs, tmp_path):
    path = write(tmp_path, logs["yugan"])
    lines = lines_of(path)
    rewrite(path, lines[: hand_end(lines, 1)] + lines[hand_end(lines, 2) :])
    assert mismatch(path).field == "hand"
    rewrite(path, lines[hand_end(lines, 1) :])
    assert mismatch(path).field == "hand"


def test_events_written_by_json_itself_replay_too(logs, tmp_path):
    path = tmp_path / "plain.jsonl"
    rewrite(path, [json.dumps(event) for event in logs["fuzhou"]])
    assert replay(path).lines == len(logs["fuzhou"])


def test_compressed_logs_replay_and_their_damage_is_found(logs, tmp_path):
    path = write(tmp_path, logs["yugan"], "log.jsonl.gz")
    plain = write(tmp_path, logs["yugan"])
    assert gzip.decompress(path.read_bytes()) == plain.read_bytes()
    assert replay(path) == replay(plain)
    whole = path.read_bytes()
    for spoiled in (whole[:-20], b"no gzip"):
        path.write_bytes(spoiled)
        assert "damaged" in str(mismatch(path))
    path.write_bytes(whole[:200] + b"x" + whole[201:])
    mismatch(path)


def test_a_given_wall_and_roll_replay(tmp_path):
    start = play("yugan", 9, 1)[0]
    for options in ({"wall": start["wall"]}, {"roll": 7}, {"wall": start["wall"], "roll": 12, "dealer": 2}):
        log = play("yugan", 1, 2, options=options)
        assert log[0]["wall_given"] is True
        assert replay(write(tmp_path, log)).hands == 2
    assert next(event for event in log if event["type"] == "indicator")["roll"] == 12


def test_other_reset_options_and_rules_replay(tmp_path):
    for options in ({"dealer": "random"}, {"dealer": 3, "streak": 2, "scores": [1, 2, 3, -6]}):
        for seed in range(3):
            assert replay(write(tmp_path, play("hangzhou", seed, 2, options=options))).hands == 2
    log = play("hongkong", 2, 3, options={"round_wind": "N"}, rules={"min_faan": 0, "bonus_tiles": False})
    assert log[0]["round_wind"] == "N"
    assert replay(write(tmp_path, log)).hands == 3
    log = play("hangzhou", 2, 2, rules={"wild_mode": "fixed"})
    assert not any(event["type"] == "indicator" for event in log)
    assert replay(write(tmp_path, log)).hands == 2


def test_a_writer_keeps_the_games_in_order(logs, tmp_path):
    path = tmp_path / "many.jsonl"
    games = [play("yugan", seed, 1) for seed in range(3)]
    with LogWriter(path) as writer:
        for number in (2, 0, 1):
            writer.add(number, games[number])
            assert not path.exists()
    found = read_log(path)
    assert [event["seed"] for event in found if event["type"] == "start_hand"] == [0, 1, 2]
    assert replay(path).games == 3


def test_a_failed_writer_leaves_no_file(tmp_path):
    with pytest.raises(RuntimeError), LogWriter(tmp_path / "log.jsonl"):
        raise RuntimeError
    with pytest.raises(ValueError, match="game 0"), LogWriter(tmp_path / "log.jsonl") as writer:
        writer.add(1, [])
    assert list(tmp_path.iterdir()) == []
