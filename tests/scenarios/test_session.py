"""Between hands: the end of a hand, dealer, session and reset options (rules/common.md), one test per sentence."""

from __future__ import annotations

from typing import Any

import pytest
from scenarios.table import ACTIONS, Game, stacked_wall
from scenarios.test_common import FLIP, VARIANTS

import mjenv
from mjenv.core.tiles import NAMES

# --- The end of a hand, the dealer, the session ---

COMPLETE = {"fuzhou": "123456789m123456p9s"}
USUAL = "123456789m123p9s"


def finished(variant: str, result: str, **settings: Any) -> Game:
    """A first hand with dealer 2 and streak 1 that ends as `result`: dealer, other (seat 0 wins) or drawn."""
    rules = settings.pop("rules", {})
    hands = ["", "", "", ""]
    winning = COMPLETE.get(variant, USUAL)
    draws = ""
    if result == "dealer":
        hands[2] = winning + "9s"
    if result == "other":
        hands[0] = winning
        draws = "1m9s"
    flip = "1s" if FLIP[variant] else None
    options = {"streak": 1}
    game = Game(
        variant,
        rules=rules,
        episode="game",
        max_hands=2,
        dealer=2,
        options=options,
        hands=hands,
        draws=draws,
        flip=flip,
    )
    while not game.lines("end_hand"):
        legal = game.legal(int(game.to_act() or 0))
        if "hu" in legal and result != "drawn":
            game.do(int(game.to_act() or 0), "hu")
        elif "pass" in legal:
            game.do(int(game.to_act() or 0), "pass")
        else:
            game.throw_drawn()
    return game


NEXT_DEALER = [
    # variant, rules, result, next dealer, next streak
    ("yugan", {}, "dealer", 2, 2),
    ("yugan", {}, "other", 3, 0),
    ("yugan", {}, "drawn", 3, 0),
    ("fuzhou", {}, "dealer", 2, 2),
    ("fuzhou", {}, "other", 3, 0),
    ("fuzhou", {}, "drawn", 2, 2),
    ("hangzhou", {}, "dealer", 2, 2),
    ("hangzhou", {}, "other", 0, 0),
    ("hangzhou", {}, "drawn", 2, 2),
    ("hongkong", {}, "dealer", 2, 2),
    ("hongkong", {}, "other", 3, 0),
    ("hongkong", {}, "drawn", 2, 2),
    ("hongkong", {"dealer_keeps_on_draw": False}, "dealer", 2, 2),
    ("hongkong", {"dealer_keeps_on_draw": False}, "drawn", 3, 0),
    ("threefaan", {}, "dealer", 2, 0),
    ("threefaan", {}, "other", 2, 0),
    ("threefaan", {}, "drawn", 2, 0),
    ("threefaan", {"rotate_dealer": True}, "dealer", 3, 0),
    ("threefaan", {"rotate_dealer": True}, "other", 3, 0),
    ("threefaan", {"rotate_dealer": True}, "drawn", 3, 0),
]


@pytest.mark.parametrize(("variant", "rules", "result", "dealer", "streak"), NEXT_DEALER)
def test_who_deals_next(variant: str, rules: dict[str, Any], result: str, dealer: int, streak: int) -> None:
    game = finished(variant, result, rules=rules)
    end = game.lines("end_hand")[0]
    assert end["reason"] == ("draw" if result == "drawn" else "hu")
    if result != "drawn":
        assert game.lines("hu")[0]["seat"] == (2 if result == "dealer" else 0)
    assert (end["next_dealer"], end["next_streak"]) == (dealer, streak)
    start = game.lines("start_hand")[1]
    assert (start["dealer"], start["streak"], start["hand"]) == (dealer, streak, 1)
    assert start["scores"] == end["scores"]
    assert sum(end["payments"]) == 0
    assert game.points() == end["payments"]


@pytest.mark.parametrize("variant", ["fuzhou", "hangzhou", "hongkong"])
def test_the_longest_streak_that_reset_takes_can_be_kept_once_more(variant: str) -> None:
    flip = "1s" if FLIP[variant] else None
    hands = (COMPLETE.get(variant, USUAL) + "9s", "", "", "")
    game = Game(variant, episode="round", max_hands=2, options={"streak": 65535}, hands=hands, flip=flip)
    game.do(0, "hu")
    assert game.lines("start_hand")[1]["streak"] >= 65535
    assert game.lines("start_hand")[1]["round_wind"] == "E"


@pytest.mark.parametrize("variant", VARIANTS)
def test_max_hands_truncates_an_episode_that_would_go_on(variant: str) -> None:
    game = finished(variant, "drawn")
    while not game.over:
        idle(game)
    assert len(game.lines("end_hand")) == 2
    assert all(game.env.truncations.values())
    assert not any(game.env.terminations.values())


def idle(game: Game) -> None:
    """One decision of somebody who never wants anything."""
    mask = game.env.observe(game.env.agent_selection)["action_mask"]
    drawn = int(game.env.unwrapped.table["drawn"][0])
    if mask[ACTIONS["pass"]]:
        game.env.step(ACTIONS["pass"])
    elif drawn >= 0 and mask[drawn]:
        game.env.step(drawn)
    else:
        game.env.step(int(mask.argmax()))


def dealers(game: Game) -> list[int]:
    return [line["dealer"] for line in game.lines("start_hand")]


def unplayed(variant: str, **settings: Any) -> Game:
    """An episode in which nobody ever wins."""
    game = Game(variant, flip="1s" if FLIP[variant] else None, **settings)
    while not game.over:
        idle(game)
    assert all(game.env.terminations.values())
    assert all(line["reason"] == "draw" for line in game.lines("end_hand"))
    return game


@pytest.mark.parametrize("variant", VARIANTS)
def test_an_episode_of_one_hand_ends_with_the_hand(variant: str) -> None:
    game = unplayed(variant)
    assert len(game.lines("start_hand")) == len(game.lines("end_hand")) == 1


def test_a_round_ends_when_the_deal_has_left_all_four_seats() -> None:
    assert dealers(unplayed("yugan", episode="round", dealer=2)) == [2, 3, 0, 1]
    rules = {"dealer_keeps_on_draw": False}
    assert dealers(unplayed("hongkong", episode="round", dealer=1, rules=rules)) == [1, 2, 3, 0]


def test_a_hangzhou_round_is_four_hands_and_its_game_is_hands_per_game() -> None:
    assert dealers(unplayed("hangzhou", episode="round")) == [0] * 4
    assert len(dealers(unplayed("hangzhou", episode="game", rules={"hands_per_game": 8}))) == 8


@pytest.mark.parametrize("episode", ["round", "game"])
def test_a_threefaan_round_and_game_are_four_deals(episode: str) -> None:
    assert dealers(unplayed("threefaan", episode=episode, dealer=3)) == [3, 3, 3, 3]
    game = unplayed("threefaan", episode=episode, dealer=3, rules={"rotate_dealer": True})
    assert dealers(game) == [3, 0, 1, 2]


def test_a_yugan_game_is_sets_times_four_rounds() -> None:
    assert dealers(unplayed("yugan", episode="game")) == [0, 1, 2, 3] * 4


def greedy(game: Game) -> None:
    """One decision of somebody who wins whenever possible, never calls, and keeps the shanten low."""
    agent = game.env.agent_selection
    seen = game.env.observe(agent)
    mask = seen["action_mask"]
    if mask[ACTIONS["hu"]] or mask[ACTIONS["pass"]]:
        game.env.step(ACTIONS["hu"] if mask[ACTIONS["hu"]] else ACTIONS["pass"])
        return
    table = game.env.unwrapped.table[0]
    seat = int(agent[-1])
    choices = [kind for kind in range(34) if mask[kind]]
    counts = table["real"][seat, :34][None].repeat(len(choices), axis=0)
    for row, kind in enumerate(choices):
        counts[row, kind] -= 1
    n = len(choices)
    shanten = mjenv.hands.shanten(counts, [int(table["wilds"][seat])] * n, [int(table["n_melds"][seat])] * n, sets=5)
    game.env.step(choices[int(shanten.argmin())])


@pytest.mark.parametrize(("episode", "rounds", "passes"), [("round", 4, 4), ("game", 1, 4), ("game", 4, 16)])
def test_a_fuzhou_round_ends_when_the_deal_has_left_all_four_seats(episode: str, rounds: int, passes: int) -> None:
    game = Game("fuzhou", episode=episode, rules={"rounds": rounds}, dealer=1, flip="1s")
    while not game.over:
        greedy(game)
    assert all(game.env.terminations.values())
    kept = [line["next_streak"] > 0 for line in game.lines("end_hand")]
    assert kept.count(False) == passes
    assert not kept[-1]
    order = [dealer for number, dealer in enumerate(dealers(game)) if number == 0 or not kept[number - 1]]
    assert order == [1, 2, 3, 0] * (passes // 4)


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize("place", range(4))
def test_the_seat_wind_counts_from_the_dealer(dealer: int, place: int) -> None:
    seat, wind = (dealer + place) % 4, "ESWN"[place]
    hands = ["", "", "", ""]
    hands[seat] = f"{wind * 3}456m789p23s88s" + ("1s" if place == 0 else "")
    draws = ("1p", "1s", "1p1s", "1p4p1s")[place]
    game = Game("threefaan", rules={"min_faan": 0}, dealer=dealer, hands=hands, draws=draws)
    for _ in range(place):
        game.throw_drawn().pass_all()
    game.do(seat, "hu")
    names = [name for name, _ in game.lines("hu")[-1]["items"] if name.endswith("_wind")]
    # East is the round wind of every deal too.
    assert names == (["seat_wind", "round_wind"] if place == 0 else ["seat_wind"])


# --- reset ---


def start(variant: str, seed: int = 3, **options: Any) -> dict[str, Any]:
    env = mjenv.raw_env(variant, log=True)
    env.reset(seed=seed, options=options)
    return dict(env.unwrapped.log[0])


@pytest.mark.parametrize("variant", VARIANTS)
def test_reset_sets_dealer_streak_and_scores(variant: str) -> None:
    line = start(variant, dealer=3, streak=2, scores=[1, 2, 3, -6])
    assert (line["dealer"], line["scores"]) == (3, [1, 2, 3, -6])
    assert line["streak"] == (0 if variant == "threefaan" else 2)
    assert line["round_wind"] == "E"
    assert [len(names_in(hand)) for hand in line["hands"]] == (
        [16, 16, 16, 17] if variant == "fuzhou" else [13, 13, 13, 14]
    )


def test_reset_sets_the_round_wind_in_hong_kong_and_nowhere_else() -> None:
    assert start("hongkong", round_wind="W")["round_wind"] == "W"
    for variant in set(VARIANTS) - {"hongkong"}:
        with pytest.raises(ValueError, match="round_wind"):
            start(variant, round_wind="S")
        assert start(variant, round_wind="E")["round_wind"] == "E"


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_random_dealer_follows_from_the_seed(variant: str) -> None:
    drawn = [start(variant, seed, dealer="random")["dealer"] for seed in range(12)]
    assert set(drawn) == {0, 1, 2, 3}
    assert [start(variant, seed, dealer="random")["dealer"] for seed in range(12)] == drawn


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_given_wall_replaces_only_the_shuffle_and_holds_for_the_first_hand(variant: str) -> None:
    flip = "1s" if FLIP[variant] else None
    wall = stacked_wall(variant, flip=flip)
    logs = []
    for given in (wall, None):
        env = mjenv.raw_env(variant, log=True, episode="game", max_hands=2)
        env.reset(seed=5, options={} if given is None else {"wall": given})
        while len([line for line in env.unwrapped.log if line["type"] == "start_hand"]) < 2:
            mask = env.observe(env.agent_selection)["action_mask"]
            env.step(ACTIONS["pass"] if mask[ACTIONS["pass"]] else int(mask[:34].argmax()))
        logs.append([line for line in env.unwrapped.log if line["type"] in ("start_hand", "indicator")])
    first, second = ([line for line in log if line["type"] == "start_hand"] for log in logs)
    assert first[0]["wall"] == [NAMES[kind] for kind in wall]
    assert first[0]["wall_given"] and not first[1]["wall_given"]
    assert first[1]["wall"] == second[1]["wall"] != second[0]["wall"]
    rolls = [[line.get("roll") for line in log if line["type"] == "indicator"][0:1] for log in logs]
    assert rolls[0] == rolls[1]


@pytest.mark.parametrize(("variant", "dice"), [("yugan", 2), ("hangzhou", 1)])
def test_a_given_roll_replaces_only_the_dice(variant: str, dice: int) -> None:
    for roll in range(dice, 6 * dice + 1):
        env = mjenv.raw_env(variant, log=True)
        env.reset(seed=5, options={"roll": roll})
        first, indicator = env.unwrapped.log[0], env.unwrapped.log[1]
        assert (indicator["type"], indicator["roll"]) == ("indicator", roll)
        assert indicator["tile"] == indicator["wilds"][0] == first["wall"][136 - 2 * roll]
        assert first["wall"] == start(variant, 5)["wall"]
    for roll in (dice - 1, 6 * dice + 1):
        with pytest.raises(ValueError, match="roll"):
            start(variant, roll=roll)


@pytest.mark.parametrize("variant", VARIANTS)
def test_tiles_48_and_52_are_the_dealers_singles_but_for_hong_kong_and_fuzhou(variant: str) -> None:
    line = start(variant, 11, dealer=1)
    wall = line["wall"]
    rounds = 4 if variant == "fuzhou" else 3
    singles = {
        "fuzhou": [[64], [], [], []],
        "hongkong": [[48, 49], [50], [51], [52]],
    }.get(variant, [[48, 52], [49], [50], [51]])
    for place in range(4):
        places = [16 * turn + 4 * place + number for turn in range(rounds) for number in range(4)] + singles[place]
        dealt = sorted(wall[index] for index in places)
        text = line["hands"][(1 + place) % 4]
        assert sorted(names_in(text)) == dealt


def names_in(text: str) -> list[str]:
    """Single tile names of compact notation."""
    names: list[str] = []
    digits = ""
    group = ""
    for symbol in text:
        if group:
            names.append(group + symbol)
            group = ""
        elif symbol in "fg":
            group = symbol
        elif symbol in "mps":
            names += [digit + symbol for digit in digits]
            digits = ""
        elif symbol.isdigit():
            digits += symbol
        else:
            names.append(symbol)
    return names
