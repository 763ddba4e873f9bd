"""The `mahjong` package: hand arithmetic only."""

from __future__ import annotations

from mahjong.agari import Agari
from mahjong.shanten import Shanten

LANGUAGE = "Python"
PACKAGES = ("mahjong",)
GAMES: dict[str, tuple[str, None]] = {}
HANDS = {
    "Agari, Shanten": (
        "one call a hand",
        list,
        lambda hands: [Agari.is_agari(hand) for hand in hands],
        lambda hands: [Shanten.calculate_shanten(hand) for hand in hands],
    )
}
