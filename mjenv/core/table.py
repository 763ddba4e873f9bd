"""One game as one record (`TABLE`), and one win as another (`WIN`) inside it."""

from __future__ import annotations

from mjenv.core.layout import Field, record_dtype
from mjenv.core.tiles import ROW

MAX_MELDS = 5
MAX_ITEMS = 24
MAX_EVENTS = 96
BONUS_ROW = 48
WALL_ROW = 144

# What a seat is doing. PHASE_HAND_OVER waits for the next hand, PHASE_OVER for a reset.
PHASE_OVER, PHASE_OWN, PHASE_CALLED, PHASE_CLAIM, PHASE_ROB, PHASE_OPENING, PHASE_DRAW_ONLY, PHASE_HAND_OVER = range(8)

# What a table does next on its own; a step runs these until a seat must decide (`advance`). Flat rather than nested
# calls: each compiled function contains all it calls, so nesting multiplies compile time.
TODO_NONE, TODO_TURN, TODO_DRAW, TODO_REPLACE, TODO_CLAIMS, TODO_ROB, TODO_ASK = range(7)
TODO_DRAW_ONLY, TODO_ASK_DRAWN, TODO_OPENING, TODO_WIN, TODO_DRAWN_HAND = range(7, 12)

DECISIONS = ("discard", "float", "claim", "rob", "opening", "draw_only")
DECIDE_NONE = -1
DECIDE_DISCARD, DECIDE_FLOAT, DECIDE_CLAIM, DECIDE_ROB, DECIDE_OPENING, DECIDE_DRAW_ONLY = range(6)

MELD_CHI, MELD_PENG, MELD_GANG, MELD_ADDED, MELD_CONCEALED = 1, 2, 3, 4, 5

SOURCES = ("self_draw", "discard", "replacement", "robbed_gang", "rob_gold", "three_golds")
SELF_DRAW, DISCARDED, REPLACEMENT, ROBBED_GANG, ROB_GOLD, THREE_GOLDS = range(6)

OPENINGS = (None, "dealt", "first_discard", "first_draw")
OPENING_NONE, OPENING_DEALT, OPENING_FIRST_DISCARD, OPENING_FIRST_DRAW = range(4)

DRAWN_DEAL, DRAWN_HEAD, DRAWN_TAIL = range(3)

# Whether one more tile, whatever it is, may complete a hand of 3n+1 tiles. Most hands are far from it, and then no
# discard and no draw needs a win check.
OUTLOOK_UNKNOWN, OUTLOOK_FAR, OUTLOOK_NEAR = range(3)

EPISODES = ("hand", "round", "game")
EPISODE_HAND, EPISODE_ROUND, EPISODE_GAME = range(3)

MAX_STREAK = 65535
GOING, TERMINATED, TRUNCATED = 0, 1, 2
REASON_NONE, REASON_HU, REASON_DRAW = 0, 1, 2

EVENTS = ("indicator", "bonus", "draw", "discard", "chi", "peng", "gang", "pass", "outranked", "hu", "end_hand")
(
    EVENT_INDICATOR,
    EVENT_BONUS,
    EVENT_DRAW,
    EVENT_DISCARD,
    EVENT_CHI,
    EVENT_PENG,
    EVENT_GANG,
    EVENT_PASS,
    EVENT_OUTRANKED,
    EVENT_HU,
    EVENT_END,
) = range(11)

_WIN_FIELDS = (
    Field("hand", "u1", (ROW,), "concealed tiles by kind, wilds and the winning tile included"),
    Field("row", "u1", (ROW,), "the same without the tiles that are wild; a tile from another seat is itself"),
    Field("key", "i4", (4,), "suit keys of `row`"),
    Field("wilds", "u1", (), "concealed tiles that are wild"),
    Field("meld_type", "u1", (MAX_MELDS,), "MELD_... of each meld"),
    Field("meld_tile", "u1", (MAX_MELDS,), "kind of each meld, the lowest of a chi"),
    Field("n_melds", "u1", (), "melds on the table"),
    Field("seat", "i1", (), "the winner"),
    Field("source", "u1", (), "index in SOURCES"),
    Field("from_seat", "i1", (), "who discarded or was robbed, or -1"),
    Field("tile", "i1", (), "the winning tile's kind, or -1"),
    Field("given_up", "i1", (), "the kind that a dealer who robs the gold gives up, or -1"),
    Field("dealer", "i1", (), "the dealer's seat"),
    Field("streak", "u2", (), "hands in a row that the dealer has kept the deal"),
    Field("round_wind", "u1", (), "0-3 for E S W N"),
    Field("indicator", "i1", (), "the flipped kind, or -1"),
    Field("major", "i1", (), "the wild kind, or -1"),
    Field("minor", "i1", (), "the second wild kind, or -1"),
    Field("bonus", "u1", (BONUS_ROW,), "the winner's exposed bonus tiles by kind"),
    Field("thrown", "u1", (4,), "wilds that each seat has thrown"),
    Field("others_hold_wild", "u1", (), "1: another seat has a wild kind in its concealed tiles or melds"),
    Field("gang_run", "u1", (), "gangs in a row that led to the winning draw"),
    Field("floats", "u1", (), "the winner's float count"),
    Field("last_tile", "u1", (), "1: nothing is left to draw"),
    Field("opening", "u1", (), "index in OPENINGS"),
    Field("n_items", "u1", (), "items of the settlement"),
    Field("item", "u1", (MAX_ITEMS,), "index of each item in the variant's item names"),
    Field("value", "i4", (MAX_ITEMS,), "value of each item"),
    Field("total", "i4", (), "faan, multiplier or points; -1: not a win"),
    Field("payments", "i4", (4,), "points each seat receives, sum zero"),
)
WIN = record_dtype(_WIN_FIELDS, {"row_words": "row", "hand_words": "hand"})

_HAND_FIELDS = (
    Field("hand", "u1", (4, ROW), "concealed tiles of each seat by kind"),
    Field("real", "u1", (4, ROW), "the same without wilds"),
    Field("peng", "u1", (4, ROW), "1 where a peng lies open"),
    Field("order", "u1", (4, 4, ROW), "[seat, copy, kind]: ordinal of that discard in the hand, 0 if none"),
    Field("claimed", "u1", (4, ROW), "bit i: the seat's discard i of that kind was claimed"),
    Field("n_discarded", "u1", (4, ROW), "discards of each seat by kind"),
    Field("shown", "u1", (ROW,), "of four copies of each kind, those that everybody can see or that do not exist"),
    Field("turned_up", "u1", (ROW,), "bonus tiles turned up on the way to the flipped tile"),
    Field("is_wild", "u1", (ROW,), "1 for wild kinds"),
    Field("bonus", "u1", (4, BONUS_ROW), "exposed bonus tiles of each seat by kind"),
    Field("key", "i4", (4, 4), "suit keys of `real`"),
    Field("wilds", "u1", (4,), "wilds in the concealed tiles"),
    Field("held", "u1", (4,), "concealed tiles of each seat"),
    Field("meld_type", "u1", (4, MAX_MELDS), "MELD_... of each meld"),
    Field("meld_tile", "u1", (4, MAX_MELDS), "kind of each meld, the lowest of a chi"),
    Field("meld_claimed", "u1", (4, MAX_MELDS), "kind that was claimed for it"),
    Field("meld_from", "i1", (4, MAX_MELDS), "seat it was claimed from; the own seat if concealed"),
    Field("n_melds", "u1", (4,), "melds of each seat"),
    Field("n_concealed", "u1", (4,), "concealed gangs of each seat"),
    Field("thrown", "u1", (4,), "wilds thrown by each seat"),
    Field("floats", "u1", (4,), "float count of each seat"),
    Field("draws", "u1", (4,), "ordinary draws of each seat"),
    Field("outlook", "u1", (4,), "OUTLOOK_...: what is known of the seat's hand since it last lost a tile"),
    Field("offer", "u1", (4,), "OFFER_... bits: what each seat may claim in the open window, or hu on its own turn"),
    Field("answer", "u1", (4,), "action each seat answered"),
    Field("asked", "u1", (), "bit per seat: already asked in the open window"),
    Field("ask_first", "u1", (), "1 + the seat to ask first in the open window; 0: in seat order"),
    Field("gang_run", "u1", (), "gangs in a row of the seat in turn"),
    Field("drawn_from", "u1", (), "DRAWN_...: how the turn began"),
    Field("float_open", "u1", (), "1: throwing a wild would float"),
    Field("kept_hu", "u1", (), "1: hu on the called discard is still open"),
    Field("opening_step", "u1", (), "next question of the opening"),
    Field("discards", "u1", (), "discards of the hand so far"),
    Field("head", "u1", (), "next wall index from the head"),
    Field("tail", "u1", (), "next wall index from the tail"),
    Field("left", "u1", (), "tiles that may still be drawn from the head"),
    Field("spare", "u1", (), "gang replacements left in a dead wall"),
    Field("reason", "u1", (), "REASON_...: how the hand ended"),
)
_GAME_FIELDS = (
    Field("flip", "i2", (), "wall index of the flipped tile, or -1"),
    Field("indicator", "i1", (), "the flipped kind, or -1"),
    Field("major", "i1", (), "the wild kind, or -1"),
    Field("minor", "i1", (), "the second wild kind, or -1"),
    Field("roll", "u1", (), "sum of the dice"),
    Field("roll_given", "u1", (), "a roll to use instead of dice, or 0"),
    Field("wall_given", "u1", (), "1: use `wall` as it is"),
    Field("random_dealer", "u1", (), "1: draw the dealer of this hand"),
    Field("phase", "u1", (), "PHASE_..."),
    Field("todo", "u1", (), "TODO_...: what happens next without a decision, with the seat `turn`"),
    Field("seat", "i1", (), "the seat to decide, or -1"),
    Field("turn", "i1", (), "the seat in turn, or the discarder while a window is open"),
    Field("tile", "i1", (), "the discard or the tile that may be robbed, or -1"),
    Field("drawn", "i1", (), "the tile just drawn, or -1"),
    Field("last_discard", "i1", (), "the last discard of the hand, or -1"),
    Field("last_discarder", "i1", (), "who made it"),
    Field("barred", "i1", (), "kind that may not be discarded now, or -1"),
    Field("episode", "u1", (), "EPISODE_..."),
    Field("max_hands", "i8", (), "hands after which an episode is cut off; 0: never"),
    Field("done", "u1", (), "GOING, TERMINATED or TRUNCATED"),
    Field("seed", "i8", (), "the seed"),
    Field("game", "i8", (), "game number under that seed"),
    Field("hand_number", "i8", (), "hands begun before this one in the episode"),
    Field("decisions", "i8", (), "decisions taken in the episode"),
    Field("dealer", "i1", (), "the dealer's seat"),
    Field("round_wind", "u1", (), "0-3 for E S W N"),
    Field("streak", "u2", (), "hands in a row that the dealer has kept the deal"),
    Field("passes", "u2", (), "times the deal has moved in the episode"),
    Field("next_dealer", "i1", (), "dealer of the next hand"),
    Field("next_streak", "u2", (), "streak of the next hand"),
    Field("scores", "i4", (4,), "scores"),
    Field("points", "i4", (4,), "points of the hand that ended in the last step"),
    Field("rng", "i8", (4,), "generator state"),
    Field("n_events", "u1", (), "events of the last step"),
    Field("event", "u1", (MAX_EVENTS, 4), "events: type, seat, tile, detail"),
    Field("wall", "u1", (WALL_ROW,), "kinds in the order of the shuffled wall"),
    Field("shanten", "i1", (ROW,), "scratch of the look-ahead: shanten after each discard"),
    Field("after_draw", "u2", (ROW,), "scratch of the look-ahead: suit words after each draw"),
    Field("win", WIN, (), "the win being scored, or the last one"),
)
_ROWS = ("hand", "real", "peng", "order", "claimed", "shown", "turned_up", "is_wild", "wall", "bonus")

_HAND = record_dtype(_HAND_FIELDS, {f"{name}_words": name for name in _ROWS if name != "wall"})
HAND_WORDS = _HAND.itemsize // 8
"""The first so many 64-bit words of a table, `hand_fields`, start every hand at zero."""

TABLE = record_dtype(
    _HAND_FIELDS + _GAME_FIELDS, {f"{name}_words": name for name in _ROWS}, {"hand_fields": HAND_WORDS}
)
TABLE_DOC = {field.name: field.doc for field in _HAND_FIELDS + _GAME_FIELDS}
