"""The table as a picture."""

from __future__ import annotations

import numpy as np

from mjenv.core.layout import Array, Record
from mjenv.core.rules import Rules
from mjenv.render_text import table_text


def draw_table(rules: Rules, table: Record, width: int) -> Array:
    """The table's text on green, uint8 [H, W, 3]."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (width, width * 3 // 4), (24, 92, 60))
    ImageDraw.Draw(image).multiline_text((16, 16), table_text(rules, table), fill=(255, 255, 255))
    return np.asarray(image, np.uint8).copy()
