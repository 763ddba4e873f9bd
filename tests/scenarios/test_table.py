"""The helper itself: a stacked wall is whole, lies as asked, and refuses what cannot be."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from scenarios.table import Game, stacked_wall

from mjenv.core.tiles import NAMES, format_tiles, parse_tiles

SIZES = {"yugan": 136, "fuzhou": 128, "hangzhou": 136, "hongkong": 144, "threefaan": 144}


@pytest.mark.parametrize("variant", SIZES)
@pytest.mark.parametrize("dealer", range(4))
def test_a_stacked_wall_holds_every_tile_once_and_deals_as_asked(variant: str, dealer: int) -> None:
    size = 16 if variant == "fuzhou" else 13
    hand = format_tiles((parse_tiles("1119m159s159p2468m2s") + parse_tiles("3s"))[:size])
    flip: Any = "5p" if variant in ("yugan", "fuzhou", "hangzhou") else None
    hands = ["", "", "", ""]
    hands[(dealer + 1) % 4] = hand
    wall = stacked_wall(variant, dealer=dealer, hands=hands, draws="7s8s", tail="9s", flip=flip)
    counts = Counter(wall)
    copies = {kind: 4 if kind < 34 else 1 for kind in range(42)}
    if variant == "fuzhou":
        copies = {kind: 4 for kind in range(32)}
    elif variant in ("yugan", "hangzhou"):
        copies = {kind: 4 for kind in range(34)}
    assert counts == copies
    assert len(wall) == SIZES[variant]
    game = Game(variant, dealer=dealer, hands=hands, draws="7s8s", tail="9s", flip=flip)
    assert game.hand((dealer + 1) % 4) == hand
    assert game.log[0]["wall"] == [NAMES[kind] for kind in wall]
    assert game.to_act() == dealer


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hands": ("11111m", "", "", "")}, "no 1m is left"),
        ({"hands": ("123456789m123456p", "", "", "")}, "15 tiles, but 14 are dealt"),
        ({"hands": ("111m", "", "", ""), "draws": "11m"}, "draws: no 1m is left"),
        ({"dead": "1m"}, "only Fuzhou"),
        ({"flip": "1m"}, "nothing is flipped"),
        ({"hands": ("8x", "", "", "")}, "cannot read"),
    ],
)
def test_what_cannot_be_stacked_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        stacked_wall("hongkong", {"bonus_tiles": False}, **settings)


def test_fuzhou_wants_a_replacement_for_every_dealt_bonus_tile() -> None:
    with pytest.raises(ValueError, match="2 dealt bonus tiles have no replacement"):
        stacked_wall("fuzhou", hands=("EE", "", "", ""), flip="5p")


def test_a_move_by_the_wrong_seat_or_outside_the_mask_is_told() -> None:
    game = Game("hongkong", hands=("1m", "", "", ""))
    with pytest.raises(AssertionError, match="seat 0 is to act, not 1"):
        game.do(1, "discard 1m")
    with pytest.raises(AssertionError, match="legal are"):
        game.do(0, "own gang 1m")
