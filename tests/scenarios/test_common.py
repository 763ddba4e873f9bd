"""Rules shared by the variants (rules/common.md), one test per sentence that random play seldom reaches."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from scenarios.table import ACTIONS, Game, stacked_wall

import mjenv
from mjenv.core.tiles import NAMES

VARIANTS = ("yugan", "fuzhou", "hangzhou", "hongkong", "threefaan")
ROBBING = ("yugan", "hongkong", "threefaan")
FLIP: dict[str, Any] = {"yugan": "1s", "fuzhou": "1s", "hangzhou": "1s", "hongkong": None, "threefaan": None}
PLAIN = {"min_faan": 0, "bonus_tiles": False}
WAITS_5P = "123456789m46p99s"


def rules_for(variant: str) -> dict[str, Any]:
    """Rules without flowers or minimum where they can be left out."""
    return {"hongkong": PLAIN, "threefaan": {"min_faan": 0}}.get(variant, {})


def added_gang(variant: str, hands: dict[int, str], tail: str = "", **settings: Any) -> Game:
    """Seat 1 has taken peng of 5p from the dealer, drawn the fourth, and is about to decide about it."""
    seats = ["NNF5p", "55pEWF", "", ""]
    for seat, hand in hands.items():
        seats[seat] = hand
    game = Game(variant, hands=seats, draws="WSC5p", tail=tail, flip=FLIP[variant], **settings)
    game.play("0 discard 5p", "1 peng").pass_all().play("1 discard E").pass_all()
    return game.idle(3)


# --- Robbing a gang ---

ROBBED = {
    # No Spirit: 6 from everybody.
    "yugan": ({"basic_win": 6}, 6, [-6, -6, -6, 18]),
    # 1 + 1 + 1 + 1 = 4 faan are 16 units, and the robbed seat alone pays.
    "hongkong": ({"common_hand": 1, "concealed_hand": 1, "robbed_gang": 1, "no_flowers": 1}, 4, [0, -16, 0, 16]),
    # 4 faan: B = 16, and the robbed seat pays 3B.
    "threefaan": ({"all_chows": 1, "concealed_hand": 1, "robbed_gang": 1, "no_flowers": 1}, 4, [0, -48, 0, 48]),
}


@pytest.mark.parametrize("variant", ROBBING)
def test_an_added_gang_may_be_robbed_and_the_meld_stays_a_peng(variant: str) -> None:
    items, total, payments = ROBBED[variant]
    game = added_gang(variant, {3: WAITS_5P})
    game.do(1, "own gang 5p")
    assert game.decision() == "rob"
    assert game.legal(3) == ["hu", "pass"]
    game.do(3, "hu")
    game.assert_won(
        3, "robbed_gang", items, total, payments, tile="5p", from_seat=1, hand="123456789m456p99s", melds=[]
    )
    assert game.melds(1) == ["peng 555p"]
    assert [line["type"] for line in game.log[-3:]] == ["gang", "hu", "end_hand"]
    assert game.lines("gang")[-1] == {"type": "gang", "seat": 1, "kind": "added", "tile": "5p"}


@pytest.mark.parametrize("variant", ROBBING)
def test_with_no_taker_the_gang_stands_and_the_replacement_is_drawn(variant: str) -> None:
    game = added_gang(variant, {3: WAITS_5P}, tail="P")
    game.play("1 own gang 5p", "3 pass")
    assert game.melds(1) == ["gang 5555p"]
    assert [line["type"] for line in game.log[-3:]] == ["gang", "pass", "draw"]
    assert game.log[-2] == {"type": "pass", "seat": 3, "offered": ["hu"]}
    assert game.log[-1] == {"type": "draw", "seat": 1, "tile": "P", "from": "tail"}
    assert game.decision() == "discard"
    assert "discard P" in game.legal(1)


@pytest.mark.parametrize("variant", ROBBING)
@pytest.mark.parametrize(("answers", "winner"), [(("hu", "hu"), 2), (("pass", "hu"), 3), (("hu", "pass"), 2)])
def test_the_nearest_robber_after_the_declaring_seat_wins(variant: str, answers: tuple[str, str], winner: int) -> None:
    game = added_gang(variant, {2: "123456789s46p88m", 3: "123456789m46p88s"})
    game.do(1, "own gang 5p").do(2, answers[0]).do(3, answers[1])
    line = game.lines("hu")[-1]
    assert (line["seat"], line["source"], line["from_seat"]) == (winner, "robbed_gang", 1)
    outranked = [{"type": "outranked", "seat": 3, "claim": "hu"}] if answers == ("hu", "hu") else []
    assert game.lines("outranked")[-1:] == outranked


@pytest.mark.parametrize("variant", ROBBING)
def test_robbers_do_not_see_each_others_answers(variant: str) -> None:
    seen = set()
    for answer in ("hu", "pass"):
        game = added_gang(variant, {2: "123456789s46p88m", 3: "123456789m46p88s"}).do(1, "own gang 5p").do(2, answer)
        seen.add(game.sees(3))
    assert len(seen) == 1


@pytest.mark.parametrize("variant", ROBBING)
def test_a_seat_that_cannot_win_on_the_added_tile_is_not_asked(variant: str) -> None:
    game = added_gang(variant, {}, tail="P")
    game.do(1, "own gang 5p")
    assert game.decision() == "discard"
    assert game.log[-1]["type"] == "draw"


@pytest.mark.parametrize("variant", ROBBING)
def test_a_concealed_gang_cannot_be_robbed(variant: str) -> None:
    game = Game(variant, hands=("5555p", "", "", WAITS_5P), tail="P", flip=FLIP[variant])
    game.do(0, "own gang 5p")
    assert game.to_act() == 0
    assert game.log[-1] == {"type": "draw", "seat": 0, "tile": "P", "from": "tail"}


@pytest.mark.parametrize("variant", ROBBING)
def test_a_gang_claimed_from_a_discard_cannot_be_robbed(variant: str) -> None:
    game = Game(variant, hands=("5p", "555p", "", WAITS_5P), tail="P", flip=FLIP[variant])
    game.play("0 discard 5p", "1 gang", "3 pass")
    assert game.to_act() == 1
    assert game.decision() == "discard"
    assert game.melds(1) == ["gang 5555p"]


@pytest.mark.parametrize("variant", ["fuzhou", "hangzhou"])
def test_fuzhou_and_hangzhou_know_no_robbing_of_gangs(variant: str) -> None:
    waits = "123456789m46p99s" if variant == "hangzhou" else "123456789m46p999s88s"
    game = added_gang_in_one_suit(variant, waits)
    game.do(1, "own gang 5p")
    assert game.to_act() == 1
    assert game.log[-1]["type"] == "draw"


def added_gang_in_one_suit(variant: str, waits: str) -> Game:
    """As `added_gang`, with tiles that Fuzhou has too."""
    game = Game(variant, hands=("1m5p", "55p9p", "", waits), draws="1m4m7m5p", flip="1s")
    game.pass_all().play("0 discard 5p", "1 peng").pass_all().play("1 discard 9p").pass_all()
    return game.idle(3)


# --- Claims ---


def claim_window(gang_seat: int) -> Game:
    """The dealer throws 5p; seat 1 may win or chi, `gang_seat` may gang or peng, the third other seat may win."""
    hands = ["5p", "123456789m46p99s", "", ""]
    hands[gang_seat] = "555p147mESWN"
    hands[5 - gang_seat] = "123456789s46p99m"
    game = Game("hongkong", rules=PLAIN, hands=hands)
    return game.do(0, "discard 5p")


STRENGTH = {"pass": 0, "chi middle": 1, "peng": 2, "gang": 2, "hu": 3}


@pytest.mark.parametrize("gang_seat", [2, 3])
@pytest.mark.parametrize(
    ("first", "caller", "other"), list(product(("pass", "chi middle", "hu"), ("pass", "peng", "gang"), ("pass", "hu")))
)
def test_hu_beats_gang_and_peng_which_beat_chi_and_the_nearest_wins_between_equals(
    gang_seat: int, first: str, caller: str, other: str
) -> None:
    game = claim_window(gang_seat)
    answers = {1: first, gang_seat: caller, 5 - gang_seat: other}
    for seat in (1, 2, 3):
        assert game.decision() == "claim"
        game.do(seat, answers[seat])
    winner = max((1, 2, 3), key=lambda seat: (STRENGTH[answers[seat]], -seat))
    start = next(number for number, line in enumerate(game.log) if line["type"] == "discard")
    expected: list[dict[str, Any]] = []
    offered = {1: ["hu", "chi"], gang_seat: ["gang", "peng"], 5 - gang_seat: ["hu"]}
    for seat in (1, 2, 3):
        if answers[seat] == "pass":
            expected.append({"type": "pass", "seat": seat, "offered": offered[seat]})
        elif seat != winner:
            claim = answers[seat].split()[0]
            expected.append({"type": "outranked", "seat": seat, "claim": claim})
            if claim == "chi":
                expected[-1]["tiles"] = "456p"
    got = game.log[start + 1 : start + 1 + len(expected)]
    assert got == expected
    resolved = game.log[start + 1 + len(expected)]
    if answers[winner] == "pass":
        assert resolved["type"] == "draw" and resolved["seat"] == 1
    else:
        assert (resolved["type"], resolved["seat"]) == (answers[winner].split()[0], winner)


def test_one_discard_has_one_winner_and_it_is_the_nearest() -> None:
    game = claim_window(2).play("1 hu", "2 pass", "3 hu")
    # The dealer's first discard: an earthly hand, 10 faan are 128 units from the discarder.
    game.assert_won(1, "discard", {"earthly_hand": 10}, 10, [-128, 128, 0, 0], tile="5p", from_seat=0)
    assert game.lines("outranked") == [{"type": "outranked", "seat": 3, "claim": "hu"}]


def test_no_answer_is_visible_before_all_are_in() -> None:
    seen_by_second, seen_by_third = set(), set()
    for answer in ("pass", "chi middle", "hu"):
        game = claim_window(2).do(1, answer)
        seen_by_second.add(game.sees(2))
        for second in ("pass", "peng", "gang"):
            game = claim_window(2).do(1, answer).do(2, second)
            seen_by_third.add(game.sees(3))
            assert not game.observe(1)["action_mask"].any()
    assert len(seen_by_second) == len(seen_by_third) == 1


def test_the_options_of_another_seat_change_nothing_that_a_seat_observes() -> None:
    views = []
    for first in ("123456789m46p99s", "147m258sESWNCFP"):
        game = Game("hongkong", rules=PLAIN, hands=("5p19s19m19p", first, "555p147mESWN", ""))
        game.do(0, "discard 5p")
        if first.endswith("99s"):
            assert game.to_act() == 1
            game.do(1, "pass")
        views.append((game.legal(2), game.sees(2)))
    assert views[0] == views[1]


def test_a_seat_is_asked_exactly_once_with_all_of_its_options_together() -> None:
    game = Game("hongkong", rules=PLAIN, hands=("5p", "3455567p123789m", "", ""))
    game.do(0, "discard 5p")
    assert game.legal(1) == ["chi low", "chi middle", "chi high", "peng", "gang", "hu", "pass"]
    game.do(1, "pass")
    assert game.lines("pass") == [{"type": "pass", "seat": 1, "offered": ["hu", "gang", "peng", "chi"]}]
    assert (game.to_act(), game.decision()) == (1, "discard")


@pytest.mark.parametrize(("action", "tiles"), [("chi low", "567p"), ("chi middle", "456p"), ("chi high", "345p")])
def test_chi_low_middle_and_high_name_the_place_of_the_claimed_tile(action: str, tiles: str) -> None:
    game = Game("hongkong", rules=PLAIN, hands=("5p", "3467p", "", "")).play("0 discard 5p", f"1 {action}")
    assert game.lines("chi") == [{"type": "chi", "seat": 1, "from_seat": 0, "tile": "5p", "tiles": tiles}]
    assert game.melds(1) == [f"chi {tiles}"]


def test_a_seat_whose_only_action_is_pass_is_never_asked() -> None:
    game = Game("hongkong", rules=PLAIN, hands=("5p19s19m19p", "147m258sESWNCFP", "", "")).do(0, "discard 5p")
    assert game.lines("pass") == []
    assert (game.to_act(), game.decision()) == (1, "discard")


@pytest.mark.parametrize("variant", VARIANTS)
def test_only_the_seat_before_yours_may_be_chied_from(variant: str) -> None:
    game = Game(variant, rules=rules_for(variant), hands=("5p", "", "46p", "46p"), flip=FLIP[variant])
    game.pass_all().do(0, "discard 5p")
    if game.to_act() == 1 and game.decision() == "claim":
        assert "chi middle" not in game.legal(1)
        game.do(1, "pass")
    assert (game.to_act(), game.decision()) == (1, "discard")


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("call", "thrown"), [("peng", "5p"), ("chi middle", "6m")])
def test_no_gang_follows_an_own_chi_or_peng_before_the_next_own_turn(variant: str, call: str, thrown: str) -> None:
    hands = ("5p6m2m", "55p57m3333s9m", "", "")
    game = Game(variant, rules=rules_for(variant), hands=hands, draws="1m4m7m9p", flip=FLIP[variant])
    game.pass_all().play(f"0 discard {thrown}", f"1 {call}")
    game.pass_all()
    assert all(name.startswith("discard") for name in game.legal(1))
    game.do(1, "discard 9m").pass_all().idle(3)
    assert "own gang 3s" in game.legal(1)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_fourth_tile_may_be_added_to_a_peng_whenever_it_was_drawn(variant: str) -> None:
    game = Game(
        variant,
        rules=rules_for(variant),
        hands=("5p2m", "55p19m", "", ""),
        draws="1m4m7m5p" + "1m4m7m9p",
        flip=FLIP[variant],
    )
    game.pass_all().play("0 discard 5p", "1 peng").pass_all().play("1 discard 1m").pass_all().idle(3)
    assert "own gang 5p" in game.legal(1)
    game.do(1, "discard 9m").pass_all().idle(3)
    game.do(1, "own gang 5p").pass_all()
    assert game.melds(1) == ["gang 5555p"]
    assert game.lines("gang")[-1]["kind"] == "added"


@pytest.mark.parametrize("variant", VARIANTS)
def test_four_dealt_tiles_are_a_concealed_gang_on_any_own_turn(variant: str) -> None:
    game = Game(variant, rules=rules_for(variant), hands=("", "8888s", "", ""), draws="1p4m7m1m4p", flip=FLIP[variant])
    game.pass_all().throw_drawn().pass_all()
    assert "own gang 8s" in game.legal(1)
    game.idle(4)
    game.do(1, "own gang 8s")
    assert game.lines("gang")[-1] == {"type": "gang", "seat": 1, "kind": "concealed", "tile": "8s"}
    assert game.lines("draw")[-1]["from"] == "tail"


@pytest.mark.parametrize("variant", VARIANTS)
def test_several_gangs_may_follow_one_another_before_one_discard(variant: str) -> None:
    tail = "8s9m" + "4m2p"
    hands = ("1111m3333p888s9p", "", "", "")
    settings: dict[str, Any] = {"flip": FLIP[variant], "tail": tail}
    game = Game(variant, rules=rules_for(variant), hands=hands, **settings).pass_all()
    game.play("0 own gang 1m", "0 own gang 8s", "0 own gang 3p")
    assert game.melds(0) == ["concealed_gang 1111m", "concealed_gang 8888s", "concealed_gang 3333p"]
    assert [line["tile"] for line in game.lines("draw")] == ["8s", "9m", "4m"]
    assert {line["from"] for line in game.lines("draw")} == {"tail"}
    assert game.legal(0)[0].startswith("discard")


def test_a_gang_claimed_from_a_discard_takes_a_replacement_and_may_be_followed_by_another() -> None:
    game = Game("hongkong", rules=PLAIN, hands=("5p", "555p8888s", "", ""), tail="1m4m")
    game.play("0 discard 5p", "1 gang", "1 own gang 8s", "1 discard 4m")
    assert game.melds(1) == ["gang 5555p", "concealed_gang 8888s"]
    assert game.lines("gang")[0] == {"type": "gang", "seat": 1, "kind": "exposed", "tile": "5p", "from_seat": 0}


def test_passing_a_win_never_locks_anything() -> None:
    hands = ("5p", "123456789m46p99s", "", "")
    game = Game("hongkong", rules=PLAIN, hands=hands, draws="1m5pSW5p")
    game.play("0 discard 5p", "1 pass").throw_drawn()
    game.play("2 discard 5p")
    assert game.legal(1) == ["hu", "pass"]
    game.do(1, "pass").idle(2)
    assert "hu" in game.legal(1)


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
