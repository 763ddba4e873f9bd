"""The table as text and as a picture; Pillow is imported only when a picture is asked for."""

from __future__ import annotations

from mjenv.core.layout import Array, Record
from mjenv.core.rules import Rules
from mjenv.render_text import table_text

__all__ = ["table_image", "table_text"]


def table_image(rules: Rules, table: Record, width: int = 1024) -> Array:
    """The table seen from above with all hands open, uint8 [width, width, 3]."""
    from mjenv.render_image import draw_table

    return draw_table(rules, table, width)
