"""The fields of one win, and the errors that the common rules list under "Checking a Win"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .notation import Impossible, read_tile, read_tiles

DEFAULTS: dict[str, Any] = {
    "seat": 0,
    "concealed": "",
    "winning_tile": None,
    "melds": (),
    "source": "self_draw",
    "from_seat": None,
    "dealer": 0,
    "streak": 0,
    "round_wind": "E",
    "indicator": None,
    "bonus": "",
    "thrown_wilds": (0, 0, 0, 0),
    "others_hold_wild": False,
    "gang_run": 0,
    "floats": 0,
    "last_tile": False,
    "opening": None,
}

FROM_ANOTHER = ("discard", "robbed_gang")
OWN = ("self_draw", "replacement")
GANGS = ("gang", "concealed_gang")
CLAIMED = ("chi", "peng", "gang")


class NotAWin(Exception):
    """The tiles complete nothing."""


class BelowMinimum(Exception):
    """The hand is complete but short of the minimum."""


@dataclass
class Meld:
    """An open or declared set: its name and its tiles."""

    name: str
    kinds: list[int]


@dataclass
class Hand:
    """A `Win` with its texts read; tiles are kinds."""

    seat: int
    concealed: list[int]
    winning: int | None
    melds: list[Meld]
    source: str
    from_seat: int | None
    dealer: int
    streak: int
    round_wind: int
    indicator: int | None
    bonus: list[int]
    thrown: list[Any]
    others_hold_wild: bool
    gang_run: int
    floats: int
    last_tile: bool
    opening: str | None

    @property
    def own(self) -> bool:
        """Won on a tile that the winner drew."""
        return self.source in OWN

    @property
    def from_another(self) -> bool:
        """Won on a discard or on a robbed gang."""
        return self.source in FROM_ANOTHER

    @property
    def all_kinds(self) -> list[int]:
        """Every tile of the winner: concealed and melded."""
        return self.concealed + [kind for meld in self.melds for kind in meld.kinds]

    @property
    def before_win(self) -> list[int]:
        """The concealed tiles without the winning tile."""
        rest = list(self.concealed)
        rest.remove(self.winning)  # type: ignore[arg-type]
        return rest

    @property
    def has_claimed(self) -> bool:
        """True if a meld was claimed from another seat."""
        return any(meld.name in CLAIMED for meld in self.melds)

    def gangs(self, *names: str) -> int:
        """How many melds are gangs of the given names."""
        return sum(meld.name in (names or GANGS) for meld in self.melds)


def read_meld(text: object) -> Meld:
    """A meld such as `chi 123m`, checked to be what its name says."""
    if not isinstance(text, str) or text.count(" ") != 1:
        raise Impossible(f"cannot read meld {text!r}")
    name, tiles = text.split(" ")
    kinds = read_tiles(tiles)
    if name == "chi":
        low = min(kinds, default=99)
        right = sorted(kinds) == [low, low + 1, low + 2] and low < 27 and low % 9 <= 6
    else:
        size = {"peng": 3, "gang": 4, "concealed_gang": 4}.get(name)
        right = len(kinds) == size and len(set(kinds)) == 1
    if not right:
        raise Impossible(f"not a meld: {text!r}")
    return Meld(name, kinds)


def is_seat(value: object) -> bool:
    """True for the seats 0 to 3."""
    return isinstance(value, int) and 0 <= value <= 3


def read_hand(win: Mapping[str, Any], *, winning: bool = True, indicator: bool = False, bonus: bool = False) -> Hand:
    """Read the fields that the variant uses and check the plain ranges."""
    unknown = set(win) - set(DEFAULTS)
    assert not unknown, unknown
    field = {**DEFAULTS, **win}
    if not is_seat(field["seat"]) or not is_seat(field["dealer"]):
        raise Impossible("seats are 0 to 3")
    if field["from_seat"] is not None and not is_seat(field["from_seat"]):
        raise Impossible("from_seat is 0 to 3")
    if field["streak"] < 0:
        raise Impossible("streak is negative")
    if field["round_wind"] not in ("E", "S", "W", "N"):
        raise Impossible("no such round wind")
    return Hand(
        seat=field["seat"],
        concealed=read_tiles(field["concealed"]),
        winning=read_tile(field["winning_tile"]) if winning else None,
        melds=[read_meld(text) for text in field["melds"]],
        source=field["source"],
        from_seat=field["from_seat"],
        dealer=field["dealer"],
        streak=field["streak"],
        round_wind=read_tile(field["round_wind"]),
        indicator=read_tile(field["indicator"]) if indicator else None,
        bonus=read_tiles(field["bonus"]) if bonus else [],
        thrown=list(field["thrown_wilds"]),
        others_hold_wild=field["others_hold_wild"],
        gang_run=field["gang_run"],
        floats=field["floats"],
        last_tile=field["last_tile"],
        opening=field["opening"],
    )


def check_tiles(hand: Hand, *, kinds: Iterable[int], size: int, flipped: int | None = None) -> None:
    """Tiles of the variant, the right number of them, at most four of a kind."""
    if not set(hand.all_kinds) <= set(kinds):
        raise Impossible("no such tile in a hand of this variant")
    if len(hand.concealed) + 3 * len(hand.melds) != size:
        raise Impossible("wrong number of tiles")
    lying = Counter(hand.all_kinds)
    if flipped is not None:
        lying[flipped] += 1
    if max(lying.values()) > 4:
        raise Impossible("five of a kind")


def check_winning_tile(hand: Hand) -> None:
    """The winning tile lies among the concealed tiles."""
    if hand.winning not in hand.concealed:
        raise Impossible("the winning tile is not among the concealed tiles")


def check_bonus(hand: Hand, kinds: Iterable[int], copies: int) -> None:
    """Bonus tiles of the variant, no more than exist."""
    if not set(hand.bonus) <= set(kinds):
        raise Impossible("not a bonus tile of this variant")
    if any(count > copies for count in Counter(hand.bonus).values()):
        raise Impossible("too many copies of a bonus tile")


def check_source(hand: Hand, sources: Iterable[str]) -> None:
    """The source exists in the variant and fits the other fields."""
    if hand.source not in sources:
        raise Impossible("no such source in this variant")
    if hand.from_another and hand.from_seat in (None, hand.seat):
        raise Impossible("the tile must come from another seat")
    if not hand.from_another and hand.from_seat is not None:
        raise Impossible("nobody gave this tile")
    if hand.source == "replacement" and hand.gangs() == 0:
        raise Impossible("a replacement needs a gang")
    if hand.source == "robbed_gang" and hand.all_kinds.count(hand.winning) > 1:  # type: ignore[arg-type]
        raise Impossible("the robbed seat holds the other three")


def check_opening(hand: Hand, *, also_dealt: Iterable[str] = ()) -> None:
    """The opening fits seat, source and melds; `also_dealt` are sources open to any seat on the dealt tiles."""
    if hand.opening is None:
        return
    is_dealer = hand.seat == hand.dealer
    if hand.opening == "dealt":
        fits = (is_dealer and hand.source == "self_draw") or hand.source in also_dealt
    elif hand.opening == "first_discard":
        fits = not is_dealer and hand.source == "discard" and hand.from_seat == hand.dealer
    elif hand.opening == "first_draw":
        fits = not is_dealer and hand.source == "self_draw"
    else:
        fits = False
    if not fits or hand.melds:
        raise Impossible("the opening does not fit")


def seat_number(hand: Hand) -> int:
    """0 for the dealer (East), 1 South, 2 West, 3 North."""
    return (hand.seat - hand.dealer) % 4


def pay_all(seat: int, amount: int) -> list[int]:
    """Each of the three others pays `amount`."""
    return [3 * amount if other == seat else -amount for other in range(4)]


def pay_alone(seat: int, payer: int, amount: int) -> list[int]:
    """One seat pays `amount` alone."""
    return [amount if other == seat else -amount if other == payer else 0 for other in range(4)]
