"""Rules shared by the variants (rules/common.md), one test per sentence that random play seldom reaches."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from scenarios.table import Game

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
