"""Tile faces drawn with simple shapes, as no font with Chinese glyphs can be relied on."""

from __future__ import annotations

from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

from mjenv.core.tiles import HONORS, NAMES, PLANTS, RED, SEASONS, WHITE

WIDTH, HEIGHT = 120, 164
"""A face is drawn in this size and shrunk, which smooths it."""

Color = tuple[int, int, int]

IVORY, INK, EDGE = (250, 247, 236), (28, 30, 38), (150, 142, 120)
CRIMSON, LEAF, NAVY = (190, 28, 36), (18, 122, 62), (24, 62, 150)
GOLD, GLOW, BACK = (226, 164, 16), (255, 240, 188), (36, 104, 132)
PLUM, RUST = (150, 40, 130), (206, 104, 22)

_COLUMNS = (0.24, 0.5, 0.76)
_ROWS = (0.2, 0.5, 0.8)
_SPOTS: dict[int, tuple[tuple[float, float], ...]] = {
    1: ((0.5, 0.5),),
    2: ((0.5, 0.26), (0.5, 0.74)),
    3: ((0.24, 0.2), (0.5, 0.5), (0.76, 0.8)),
    4: tuple((x, y) for y in (0.26, 0.74) for x in (0.28, 0.72)),
    5: (*((x, y) for y in (0.22, 0.78) for x in (0.26, 0.74)), (0.5, 0.5)),
    6: tuple((x, y) for y in _ROWS for x in (0.3, 0.7)),
    7: ((0.22, 0.14), (0.5, 0.24), (0.78, 0.34), *((x, y) for y in (0.6, 0.86) for x in (0.3, 0.7))),
    8: tuple((x, y) for y in (0.13, 0.38, 0.63, 0.88) for x in (0.3, 0.7)),
    9: tuple((x, y) for y in _ROWS for x in _COLUMNS),
}
"""Where the dots or sticks of each rank stand, as shares of the face."""
_RED_SPOTS = {1: (0,), 3: (1,), 5: (4,), 7: (3, 4, 5, 6), 9: (3, 4, 5)}
_HONOR_COLORS = {RED: CRIMSON, RED + 1: LEAF, WHITE: NAVY}


@lru_cache(maxsize=64)
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own font in a size."""
    return ImageFont.load_default(size)


def _write(draw: ImageDraw.ImageDraw, x: float, y: float, text: str, size: int, color: Color) -> None:
    """Text centred on a point, a little bold."""
    draw.text(
        (x, y), text, fill=color, font=font(size), anchor="mm", stroke_width=max(1, size // 30), stroke_fill=color
    )


def _place(spot: tuple[float, float]) -> tuple[float, float]:
    """A share of the face as pixels, below the small rank in the corner."""
    return 12 + spot[0] * (WIDTH - 24), 34 + spot[1] * (HEIGHT - 46)


def _draw_dot(draw: ImageDraw.ImageDraw, spot: tuple[float, float], radius: float, color: Color) -> None:
    x, y = _place(spot)
    for size, fill in ((1.0, color), (0.62, IVORY), (0.34, color)):
        reach = radius * size
        draw.ellipse((x - reach, y - reach, x + reach, y + reach), fill=fill)


def _draw_stick(draw: ImageDraw.ImageDraw, spot: tuple[float, float], length: float, color: Color) -> None:
    x, y = _place(spot)
    half, thick = length / 2, 8
    draw.rounded_rectangle((x - thick, y - half, x + thick, y + half), radius=7, fill=color)
    draw.rectangle((x - thick, y - 2, x + thick, y + 1), fill=IVORY)


def _draw_suited(draw: ImageDraw.ImageDraw, kind: int) -> None:
    suit, rank = kind // 9, kind % 9 + 1
    if suit == 0:
        _write(draw, WIDTH / 2, 56, str(rank), 92, INK)
        _write(draw, WIDTH / 2, 128, "m", 58, CRIMSON)
        return
    color = NAVY if suit == 1 else LEAF
    _write(draw, 20, 22, str(rank), 34, color)
    for place, spot in enumerate(_SPOTS[rank]):
        shade = CRIMSON if place in _RED_SPOTS.get(rank, ()) else color
        if suit == 1:
            _draw_dot(draw, spot, {1: 40, 2: 24}.get(rank, 18 if rank < 8 else 14), shade)
        else:
            _draw_stick(draw, spot, {1: 92, 2: 50}.get(rank, 44 if rank < 7 else 30), shade)


def _draw_honor(draw: ImageDraw.ImageDraw, kind: int) -> None:
    if kind == WHITE:
        for inset in (16, 28):
            draw.rectangle((inset, inset, WIDTH - inset, HEIGHT - inset), outline=NAVY, width=6)
    _write(draw, WIDTH / 2, HEIGHT / 2, NAMES[kind], 60 if kind == WHITE else 104, _HONOR_COLORS.get(kind, INK))


def _draw_bonus(draw: ImageDraw.ImageDraw, kind: int) -> None:
    color = PLUM if kind < SEASONS else RUST
    for x, y in ((0, -26), (25, -8), (15, 21), (-15, 21), (-25, -8)):
        draw.ellipse((60 + x - 17, 104 + y - 17, 60 + x + 17, 104 + y + 17), fill=color)
    draw.ellipse((46, 90, 74, 118), fill=GLOW)
    _write(draw, WIDTH / 2, 34, NAMES[kind], 48, color)


@lru_cache(maxsize=1024)
def draw_tile(kind: int, width: int, is_wild: bool = False) -> Image.Image:
    """A tile `width` pixels wide, RGBA: the face of a kind, gold-framed if it is wild, or the back for kind -1."""
    image = Image.new("RGBA", (WIDTH, HEIGHT), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    fill = BACK if kind < 0 else GLOW if is_wild else IVORY
    draw.rounded_rectangle(
        (1, 1, WIDTH - 2, HEIGHT - 2),
        radius=14,
        fill=fill,
        outline=GOLD if is_wild else EDGE,
        width=11 if is_wild else 3,
    )
    if kind < 0:
        draw.rounded_rectangle((16, 16, WIDTH - 17, HEIGHT - 17), radius=8, outline=(120, 178, 200), width=5)
    elif kind < HONORS:
        _draw_suited(draw, kind)
    elif kind < PLANTS:
        _draw_honor(draw, kind)
    else:
        _draw_bonus(draw, kind)
    return image.resize((width, tile_height(width)), Image.Resampling.LANCZOS)


def tile_height(width: int) -> int:
    """The height of a tile of that width."""
    return round(width * HEIGHT / WIDTH)
