"""What the arena counts about each seat, told once more from the log of the same games by another way of counting."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import mjenv
from agents.arena import play_games
from agents.watch import TALLY
from mjenv import hands
from mjenv.core.shapes import FORM_NAMES
from mjenv.core.tiles import kind_of, parse_tiles

VARIANTS = ("yugan", "fuzhou", "hangzhou", "hongkong", "threefaan")
BONUS = {"fuzhou": parse_tiles("ESWNC"), "hongkong": range(34, 42), "threefaan": range(34, 42)}


class Retold:
    """One hand, from its log lines: hands, what nobody has drawn, and the tally of each seat."""

    def __init__(self, variant: str) -> None:
        self.variant = variant
        self.record = mjenv.rules(variant).record[0]
        self.tally = np.zeros((4, len(TALLY)))
        self.bonus = set(BONUS.get(variant, ()))

    def add(self, seat: int, name: str, amount: float = 1) -> None:
        self.tally[seat, TALLY.index(name)] += amount

    def tell(self, lines: list[dict[str, Any]]) -> np.ndarray:
        start = lines[0]
        self.hands = [Counter(parse_tiles(text)) for text in start["hands"]]
        self.melds: list[list[tuple[str, int]]] = [[], [], [], []]
        self.wilds: set[int] = set()
        self.undrawn = Counter(map(kind_of, start["wall"]))
        for hand in self.hands:
            self.undrawn -= hand
        for hand in self.hands:
            for kind in self.bonus & set(hand):
                del hand[kind]
        self.discards = [0] * 4
        opening = ("indicator", "bonus", "draw")
        first = next(place for place, line in enumerate(lines) if place and line["type"] not in opening)
        for line in lines[1:first]:
            self.open(line)
        for seat in range(4):
            self.add(seat, "hands")
            self.add(seat, "wilds_dealt", sum(self.hands[seat][kind] for kind in self.wilds))
            self.add(seat, "shanten_dealt", self.shanten(seat))
        for place in range(first, len(lines)):
            self.event(lines, place)
        return self.tally

    def open(self, line: dict[str, Any]) -> None:
        """A tile turned up, a bonus tile or its replacement before the first decision."""
        tile = kind_of(line["tile"])
        if line["type"] == "indicator":
            self.undrawn[tile] -= 1
            self.wilds = set(map(kind_of, line["wilds"]))
        elif line["type"] == "bonus":
            self.add(line["seat"], "bonus")
        else:
            self.undrawn[tile] -= 1
            if tile not in self.bonus:
                self.hands[line["seat"]][tile] += 1

    def shanten(self, seat: int, more: int | None = None) -> int:
        counts = np.zeros((1, 34), np.uint8)
        held = self.hands[seat] + Counter([] if more is None else [more])
        for kind, count in held.items():
            if kind not in self.wilds:
                counts[0, kind] = count
        wilds = sum(held[kind] for kind in self.wilds)
        names = [name for bit, name in enumerate(FORM_NAMES) if int(self.record["forms"]) >> bit & 1]
        if any(sort == "chi" or (tile < 27 and 0 < tile % 9 < 8) for sort, tile in self.melds[seat]):
            names = [name for name in names if name != "nine_one"]
        sets, melds = int(self.record["sets"]), len(self.melds[seat])
        return int(hands.shanten(counts, wilds, melds, sets=sets, forms=names)[0])

    def draw(self, seat: int, tile: int) -> None:
        """The luck of a draw, by trying every tile that might have come."""
        before, total = self.shanten(seat), sum(self.undrawn.values())
        column = ("luck_wait", "luck_near", "luck_far")[min(before, 2)]
        for kind, count in (+self.undrawn).items():
            is_bonus = kind in self.bonus
            came = (kind == tile) - count / total
            if is_bonus:
                self.add(seat, "luck_bonus", came)
                continue
            if self.shanten(seat, kind) < before:
                self.add(seat, column, came)
            if kind in self.wilds:
                self.add(seat, "luck_wild", came)
                self.add(seat, "wilds_drawn", kind == tile)
        self.undrawn[tile] -= 1
        if tile not in self.bonus:
            self.hands[seat][tile] += 1

    def event(self, lines: list[dict[str, Any]], place: int) -> None:
        line = lines[place]
        kind, seat = line["type"], line.get("seat", -1)
        tile = kind_of(line["tile"]) if line.get("tile") else -1
        if kind == "draw":
            self.draw(seat, tile)
        elif kind == "bonus":
            self.add(seat, "bonus")
        elif kind == "discard":
            self.hands[seat][tile] -= 1
            self.discards[seat] += 1
            self.add(seat, "wilds_thrown", line["wild"])
            self.add(seat, "floats", line.get("float", 0) > 0)
            if self.discards[seat] == 5:
                self.add(seat, "reached_turn_5")
                self.add(seat, "shanten_turn_5", self.shanten(seat))
        elif kind in ("chi", "peng"):
            self.add(seat, kind)
            self.hands[seat] -= Counter(parse_tiles(line["tiles"])) - Counter([tile])
            self.melds[seat].append((kind, tile))
        elif kind == "gang":
            self.add(seat, "gang" if line["kind"] == "exposed" else "own_gang")
            is_added = line["kind"] == "added"
            self.hands[seat][tile] -= {"exposed": 3, "concealed": 4, "added": 1}[line["kind"]]
            if not is_added:
                self.melds[seat].append((kind, tile))
        elif kind == "hu":
            self.win(line)
        elif kind == "end_hand":
            winner = lines[place - 1]["seat"] if line["reason"] == "hu" else None
            for each in range(4):
                self.add(each, "drawn_hands", line["reason"] == "draw")
                self.add(each, "shanten_end", -1 if each == winner else self.shanten(each))

    def win(self, line: dict[str, Any]) -> None:
        seat, payer, paid = line["seat"], line["from_seat"], line["payments"]
        self.add(seat, "win_total", line["total"])
        self.add(seat, "win_points", paid[seat])
        if line["source"] in ("discard", "robbed_gang"):
            others = [paid[other] for other in range(4) if other not in (seat, payer)]
            self.add(payer, "deal_ins")
            self.add(payer, "deal_in_points", -paid[payer])
            self.add(payer, "deal_in_extra", sum(others) / 2 - paid[payer])
        thrown_by = self.tally[:, TALLY.index("wilds_thrown")]
        if self.variant == "yugan":
            for loser in set(range(4)) - {seat}:
                self.add(loser, "thrown_cost", line["total"] * (2 ** thrown_by[loser] - 1))
        real = line["source"] in ("discard", "robbed_gang")
        held = Counter(parse_tiles(line["hand"])) - Counter([kind_of(line["tile"])] if real else [])
        self.add(seat, "wilds_used", sum(held[kind] for kind in self.wilds))
        if self.variant == "hangzhou":
            factor = dict(line["items"])
            self.add(seat, "floats_paid", any("float" in name for name in factor))


@pytest.mark.parametrize("variant", VARIANTS)
def test_tallies_are_what_the_log_tells(variant: str) -> None:
    games: dict[int, list[dict[str, Any]]] = {}
    seats = ["greedy", "random", "greedy", "random"]
    found = play_games(variant, seats, 5, seed=4, tally=True, log=games.__setitem__).tally
    for number, lines in games.items():
        told = Retold(variant).tell(lines)
        for place, name in enumerate(TALLY):
            np.testing.assert_allclose(found[number, :, place], told[:, place], atol=1e-9, err_msg=f"{number} {name}")


def test_tallies_do_not_depend_on_the_batch_and_cover_every_hand_of_a_game() -> None:
    settings: dict[str, Any] = {"seed": 2, "episode": "game", "max_hands": 3, "tally": True}
    whole = play_games("hangzhou", ["greedy"] * 4, 6, batch_size=6, **settings)
    parts = play_games("hangzhou", ["greedy"] * 4, 6, batch_size=2, **settings)
    np.testing.assert_allclose(whole.tally, parts.tally, atol=1e-9)
    assert (whole.tally[:, :, TALLY.index("hands")] == 3).all()
    assert play_games("hangzhou", ["greedy"] * 4, 2, seed=2).tally.shape == (0, 4, len(TALLY))


@pytest.mark.parametrize("variant", ["fuzhou", "yugan"])
def test_luck_has_mean_zero_whatever_is_played(variant: str) -> None:
    tally = play_games(variant, ["random"] * 4, 3000, seed=9, tally=True).tally
    luck = tally[:, :, [place for place, name in enumerate(TALLY) if name.startswith("luck_")]].sum(axis=1)
    error = luck.std(axis=0) / np.sqrt(len(luck))
    assert (np.abs(luck.mean(axis=0)) <= 3.5 * error).all()
