"""Tell a win again from the lines of its log alone, as a player who kept notes would describe it to `score_win`."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

import mjenv
from mjenv.core.tiles import NAMES, parse_tiles

Line = dict[str, Any]


class _Notes:
    """What a hand's lines say: where every tile went and how often things happened."""

    def __init__(self, lines: list[Line]) -> None:
        self.start = lines[0]
        self.dealer = int(self.start["dealer"])
        self.hands = [Counter(NAMES[kind] for kind in parse_tiles(hand)) for hand in self.start["hands"]]
        self.melds: list[list[list[str]]] = [[], [], [], []]
        self.bonus: list[list[str]] = [[], [], [], []]
        fixed = self.start["rules"].get("wild_mode") == "fixed"
        self.wilds: list[str] = ["P"] if fixed else []
        self.indicator: str | None = None
        self.thrown = [0, 0, 0, 0]
        self.floats = [0, 0, 0, 0]
        self.own_draws = [0, 0, 0, 0]
        self.gang_run = 0
        self.discards = 0
        self.taken = 0
        for line in lines:
            write = getattr(self, "_" + line["type"], None)
            if write is not None:
                write(line)

    def _indicator(self, line: Line) -> None:
        self.indicator, self.wilds = line["tile"], line["wilds"]
        self.taken += "roll" not in line

    def _bonus(self, line: Line) -> None:
        self.bonus[line["seat"]].append(line["tile"])
        self.hands[line["seat"]][line["tile"]] -= 1

    def _draw(self, line: Line) -> None:
        self.hands[line["seat"]][line["tile"]] += 1
        self.taken += 1
        if line["from"] == "wall":
            self.gang_run = 0
            self.own_draws[line["seat"]] += 1

    def _discard(self, line: Line) -> None:
        self.hands[line["seat"]][line["tile"]] -= 1
        self.thrown[line["seat"]] += line["tile"] in self.wilds
        self.floats[line["seat"]] = line.get("float", 0)
        self.discards += 1
        self.gang_run = 0

    def _chi(self, line: Line) -> None:
        tiles = [NAMES[kind] for kind in parse_tiles(line["tiles"])]
        self._lay(line["seat"], tiles, line["tile"])

    _peng = _chi

    def _gang(self, line: Line) -> None:
        seat, tile = line["seat"], line["tile"]
        self.gang_run += 1
        if line["kind"] == "added":
            self.hands[seat][tile] -= 1
            next(meld for meld in self.melds[seat] if meld == [tile] * 3).append(tile)
        else:
            self._lay(seat, [tile] * 4, tile if line["kind"] == "exposed" else None)
        if self.floats[seat] and not self._is_bao_tou(seat):
            self.floats[seat] = 0

    def _is_bao_tou(self, seat: int) -> bool:
        """Whether a hand with melds wins with an honor that it lacks, which a wild must then pair."""
        hand = self.hands[seat]
        counts = [0 if name in self.wilds else hand[name] for name in NAMES[:34]]
        lacking = next(kind for kind in range(27, 34) if not hand[NAMES[kind]] and NAMES[kind] not in self.wilds)
        counts[lacking] += 1
        wilds = sum(hand[name] for name in self.wilds)
        return bool(mjenv.hands.is_win(np.array([counts], np.uint8), [wilds], [len(self.melds[seat])])[0])

    def _lay(self, seat: int, tiles: list[str], claimed: str | None) -> None:
        self.melds[seat].append(tiles)
        self.hands[seat].subtract(tiles)
        if claimed is not None:
            self.hands[seat][claimed] += 1

    def holds_wild(self, seat: int) -> bool:
        held = set(+self.hands[seat]) | {tile for meld in self.melds[seat] for tile in meld}
        return bool(held & set(self.wilds))


def retell(variant: str, lines: list[Line]) -> mjenv.Win:
    """The win that ends these lines, one hand from `start_hand` to `end_hand`."""
    hu = next(line for line in lines if line["type"] == "hu")
    notes = _Notes(lines)
    seat, source = hu["seat"], hu["source"]
    if source == "robbed_gang":
        # The fourth tile is the robber's.
        next(meld for meld in notes.melds[hu["from_seat"]] if meld == [hu["tile"]] * 4).pop()
    undealt = {"fuzhou": 128 - 65 - 16}.get(variant, len(notes.start["wall"]) - 53)
    opening = None
    if not hu["melds"]:
        if seat == notes.dealer and source == "self_draw" and not notes.discards and not notes.own_draws[seat]:
            opening = "dealt"
        elif seat != notes.dealer and source == "discard" and notes.discards == 1:
            opening = "first_discard"
        elif seat != notes.dealer and source == "self_draw" and notes.own_draws[seat] == 1:
            opening = "first_draw"
        elif source == "three_golds" and hu["tile"] is None:
            opening = "dealt"
    return mjenv.Win(
        seat=seat,
        concealed=hu["hand"],
        winning_tile=hu["tile"],
        melds=tuple(hu["melds"]),
        source=source,
        from_seat=hu["from_seat"],
        dealer=notes.dealer,
        streak=notes.start["streak"],
        round_wind=notes.start["round_wind"],
        indicator=notes.indicator,
        bonus="".join(notes.bonus[seat]),
        thrown_wilds=(notes.thrown[0], notes.thrown[1], notes.thrown[2], notes.thrown[3]),
        others_hold_wild=any(notes.holds_wild(other) for other in range(4) if other != seat),
        gang_run=notes.gang_run if source == "replacement" else 0,
        floats=notes.floats[seat],
        last_tile=variant in ("hongkong", "threefaan") and notes.taken == undealt,
        opening=opening,
    )
