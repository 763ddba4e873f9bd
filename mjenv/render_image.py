"""The table as a picture, seen from above: seat 0 at the bottom, seat 1 on the right, and so on."""

from __future__ import annotations

import textwrap

import numpy as np
from PIL import Image, ImageDraw

from mjenv.core.layout import Array, Record
from mjenv.core.rules import Rules
from mjenv.core.table import MELD_CONCEALED, PHASE_CLAIM
from mjenv.core.tiles import HAND_KINDS, WINDS, kinds_of
from mjenv.render_faces import draw_tile, font, tile_height
from mjenv.render_text import hand_kinds, is_over, list_discards, meld_kinds, settlement_lines, show_decision
from mjenv.variants import find

WOOD, FELT, CENTER = (74, 48, 30), (22, 96, 62), (16, 78, 50)
CHALK, DIM, BRIGHT = (238, 244, 238), (170, 200, 182), (255, 214, 90)
ALARM = (255, 90, 40)
DISCARDS_A_ROW = 9
LEAST_WIDTH = 320
_FADED = [alpha * 2 // 5 for alpha in range(256)]


class _Painter:
    """Draws one table into an image of `width` x `width` pixels."""

    def __init__(self, rules: Rules, table: Record, width: int) -> None:
        self._rules, self._table, self._width = rules, table, width
        sets = int(rules.record[0]["sets"])
        self._margin = max(6, width // 64)
        self._tile = (width - 4 * self._margin) // (3 * sets + 7)
        self._gap = max(2, self._tile // 4)
        self._length = width - 2 * (self._margin + tile_height(self._tile) + self._gap)
        """Room for a hand with its melds between the hands at both sides."""
        self._small = self._tile * 4 // 5
        self._text = max(9, width // 52)
        self.image = Image.new("RGB", (width, width), WOOD)

    def paint(self) -> Image.Image:
        """The whole picture."""
        edge = self._margin // 2
        draw = ImageDraw.Draw(self.image)
        draw.rounded_rectangle((edge, edge, self._width - edge, self._width - edge), radius=2 * edge, fill=FELT)
        for seat in range(4):
            self._lay_strip(seat)
        self._paint_center()
        return self.image

    def _lay_strip(self, seat: int) -> None:
        """Put a seat's strip on its side of the table; the one at the top is turned so that it can be read."""
        strip = self._draw_strip(seat, upside_down=seat == 2)
        far, near = self._width - self._margin, self._margin
        if seat % 2:
            strip = strip.rotate(90 if seat == 1 else 270, expand=True)
        middle = (self._width - strip.width) // 2, (self._width - strip.height) // 2
        corners = {
            0: (middle[0], far - strip.height),
            1: (far - strip.width, middle[1]),
            2: (middle[0], near),
            3: (near, middle[1]),
        }
        self.image.paste(strip, corners[seat], strip)

    def _draw_strip(self, seat: int, upside_down: bool) -> Image.Image:
        """Discards, label and hand of a seat, from the middle of the table outwards."""
        discards, label, hand = self._draw_discards(seat), self._draw_label(seat), self._draw_hand(seat)
        parts = [hand, label, discards] if upside_down else [discards, label, hand]
        length = max(part.width for part in parts)
        strip = Image.new("RGBA", (length, sum(part.height for part in parts) + 2 * self._gap), (0, 0, 0, 0))
        top = 0
        for part in parts:
            strip.alpha_composite(part, ((length - part.width) // 2, top))
            top += part.height + self._gap
        return strip

    def _row(self, groups: list[list[Image.Image]]) -> Image.Image:
        """Groups of tiles side by side."""
        groups = [group for group in groups if group]
        width = sum(tile.width for group in groups for tile in group) + self._gap * max(0, len(groups) - 1)
        row = Image.new("RGBA", (max(1, width), tile_height(self._tile)), (0, 0, 0, 0))
        left = 0
        for group in groups:
            for tile in group:
                row.alpha_composite(tile, (left, 0))
                left += tile.width
            left += self._gap
        if row.width <= self._length:
            return row
        return row.resize((self._length, row.height * self._length // row.width), Image.Resampling.LANCZOS)

    def _face(self, kind: int, width: int) -> Image.Image:
        is_wild = 0 <= kind < HAND_KINDS and bool(self._table["is_wild"][kind])
        return draw_tile(kind, width, is_wild)

    def _draw_hand(self, seat: int) -> Image.Image:
        """Concealed tiles, the last one apart, then the melds; outer tiles of a concealed gang lie face down."""
        kinds, drawn = hand_kinds(self._table, seat)
        groups = [kinds, [] if drawn is None else [drawn]]
        for number in range(int(self._table["n_melds"][seat])):
            tiles = meld_kinds(self._table, seat, number)
            if self._table["meld_type"][seat, number] == MELD_CONCEALED:
                tiles[0] = tiles[3] = -1
            groups.append(tiles)
        return self._row([[self._face(kind, self._tile) for kind in group] for group in groups])

    def _draw_label(self, seat: int) -> Image.Image:
        """Seat, wind, score and what the seat threw, and its bonus tiles."""
        table = self._table
        text = f"Seat {seat}  {WINDS[(seat - int(table['dealer'])) & 3]}  {int(table['scores'][seat])}"
        text += "  dealer" if seat == int(table["dealer"]) else ""
        text += f"  threw {int(table['thrown'][seat])} wild" if table["thrown"][seat] else ""
        text += f"  floats {int(table['floats'][seat])}" if table["floats"][seat] else ""
        color = BRIGHT if seat == int(table["seat"]) else CHALK
        small = self._tile // 2
        bonus = [self._face(kind, small) for kind in kinds_of(table["bonus"][seat].tolist())]
        length = int(font(self._text).getlength(text)) + 2
        height = max(self._text * 3 // 2, tile_height(small) if bonus else 0)
        label = Image.new("RGBA", (length + (self._gap if bonus else 0) + small * len(bonus), height), (0, 0, 0, 0))
        ImageDraw.Draw(label).text((0, height / 2), text, fill=color, font=font(self._text), anchor="lm")
        for place, tile in enumerate(bonus):
            label.alpha_composite(tile, (length + self._gap + small * place, 0))
        return label

    def _draw_discards(self, seat: int) -> Image.Image:
        """Rows of discards, the claimed ones faded, the one that may be claimed now framed."""
        table, size, high = self._table, self._small, tile_height(self._small)
        discards = list_discards(table, seat)
        rows = max(3, -(-len(discards) // DISCARDS_A_ROW))
        block = Image.new("RGBA", (DISCARDS_A_ROW * size, rows * high), (0, 0, 0, 0))
        left = top = 0
        for place, (kind, is_claimed) in enumerate(discards):
            tile = self._face(kind, size)
            left, top = place % DISCARDS_A_ROW * size, place // DISCARDS_A_ROW * high
            if is_claimed:
                tile = tile.copy()
                tile.putalpha(tile.getchannel("A").point(_FADED))
            block.alpha_composite(tile, (left, top))
        if discards and int(table["phase"]) == PHASE_CLAIM and int(table["turn"]) == seat:
            frame = (left, top, left + size - 1, top + high - 1)
            ImageDraw.Draw(block).rounded_rectangle(frame, size // 8, outline=ALARM, width=max(2, size // 12))
        return block

    def _paint_center(self) -> None:
        """The flipped tile, what is wild, the tiles left, and who decides what."""
        table, middle = self._table, self._width // 2
        half = self._small * DISCARDS_A_ROW // 2
        draw = ImageDraw.Draw(self.image)
        draw.rounded_rectangle((middle - half, middle - half, middle + half, middle + half), self._gap, fill=CENTER)
        top = self._write(middle - half + self._gap, find(self._rules.variant).title, BRIGHT)
        top = self._write(top, f"round {WINDS[int(table['round_wind'])]}   hand {int(table['hand_number']) + 1}", CHALK)
        top = self._write(top, f"streak {int(table['streak'])}   {int(table['left'])} tiles left", CHALK)
        top = self._paint_flipped(top + self._gap)
        lines = settlement_lines(self._rules, table) if is_over(table) else [show_decision(table, None)]
        for text in lines:
            for line in textwrap.wrap(text, max(12, int(2 * half / (0.54 * self._text)))):
                top = self._write(top, line, BRIGHT)

    def _write(self, top: int, text: str, color: tuple[int, int, int]) -> int:
        """A line in the middle of the table; returns where the next one goes."""
        place = self._width // 2, top
        ImageDraw.Draw(self.image).text(place, text, fill=color, font=font(self._text), anchor="ma")
        return top + self._text * 4 // 3

    def _paint_flipped(self, top: int) -> int:
        """The flipped tile and the wild kinds with their captions; returns where the next line goes."""
        table, size = self._table, self._small
        groups = {
            "turned up": kinds_of(table["turned_up"].tolist()),
            "flipped": [int(table["indicator"])] if table["indicator"] >= 0 else [],
            "wild": [int(table[name]) for name in ("major", "minor") if table[name] >= 0],
        }
        groups = {name: kinds for name, kinds in groups.items() if kinds}
        if not groups:
            return top
        draw, spaced = ImageDraw.Draw(self.image), 2 * self._gap
        widths = [max(len(kinds) * size, int(font(self._text).getlength(name))) for name, kinds in groups.items()]
        left = (self._width - sum(widths) - spaced * (len(groups) - 1)) // 2
        under = top + self._text * 4 // 3
        for (name, kinds), width in zip(groups.items(), widths, strict=True):
            draw.text((left + width // 2, top), name, fill=DIM, font=font(self._text), anchor="ma")
            start = left + (width - len(kinds) * size) // 2
            for place, kind in enumerate(kinds):
                tile = self._face(kind, size)
                self.image.paste(tile, (start + place * size, under), tile)
            left += width + spaced
        return under + tile_height(size) + self._gap


def draw_table(rules: Rules, table: Record, width: int) -> Array:
    """All hands, melds, discards and scores of a table record, uint8 [width, width, 3]; wilds are framed in gold."""
    if width < LEAST_WIDTH:
        raise ValueError(f"width must be at least {LEAST_WIDTH} pixels, not {width!r}")
    return np.asarray(_Painter(rules, table, width).paint(), np.uint8).copy()
