"""The game log: what a table's events say, one JSON object a line, and the files that hold them."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import itertools
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, TypeAlias

from mjenv import variants
from mjenv.core.actions import (
    CHI_HIGH,
    CHI_LOW,
    GANG,
    HU,
    OFFER_CHI,
    OFFER_GANG,
    OFFER_HU,
    OFFER_PENG,
    PENG,
)
from mjenv.core.layout import Record
from mjenv.core.rules import Rules
from mjenv.core.table import EVENTS, MELD_ADDED, MELD_CONCEALED, MELD_GANG, REASON_HU, SOURCES
from mjenv.core.tiles import NAMES, WINDS, format_tiles, kinds_of
from mjenv.core.wall import dealt_count, dealt_index
from mjenv.plain import plain
from mjenv.scoring import melds_text, settlement_of

FORMAT = 1
"""The version of the table of line types and fields."""

Event: TypeAlias = dict[str, Any]

GANG_KINDS = {MELD_GANG: "exposed", MELD_CONCEALED: "concealed", MELD_ADDED: "added"}
OFFER_NAMES = ((OFFER_HU, "hu"), (OFFER_GANG, "gang"), (OFFER_PENG, "peng"), (OFFER_CHI, "chi"))
CLAIM_NAMES = {HU: "hu", GANG: "gang", PENG: "peng", **dict.fromkeys(range(CHI_LOW, CHI_HIGH + 1), "chi")}


class LogMismatch(ValueError):
    """A log that cannot be read, or in which a line disagrees with the engine; names the line and the field."""

    def __init__(self, line: int, field: str | None, problem: str) -> None:
        super().__init__(f"line {line}, {field}: {problem}" if field else f"line {line}: {problem}")
        self.line = line
        self.field = field
        self.problem = problem


def start_events(rules: Rules, table: Record, agents: Sequence[str] | None = None) -> list[Event]:
    """The lines of a hand up to its first decision; `table` is one record that was just dealt."""
    return [_describe_start(rules, table, agents), *step_events(rules, table)]


def step_events(rules: Rules, table: Record) -> list[Event]:
    """The lines of the last step of one table record, up to the end of the hand if it ended it."""
    writers = [_WRITERS[name] for name in EVENTS]
    rows = table["event"][: int(table["n_events"])].tolist()
    return [writers[kind](rules, table, seat, tile, detail) for kind, seat, tile, detail in rows]


def _dealt_tiles(rules: Record, table: Record, seat: int) -> str:
    place = (seat - int(table["dealer"])) & 3
    indices = (plain(dealt_index)(rules, place, number) for number in range(plain(dealt_count)(rules, place)))
    return format_tiles(int(table["wall"][index]) for index in indices)


def _names(kinds: Iterable[int]) -> list[str]:
    return [NAMES[kind] for kind in kinds]


def _as_json(value: Any) -> Any:
    return [_as_json(item) for item in value] if isinstance(value, tuple) else value


def _describe_start(rules: Rules, table: Record, agents: Sequence[str] | None) -> Event:
    numbers = rules.record[0]
    size, live_end = int(numbers["wall_size"]), int(numbers["live_end"])
    wall = _names(table["wall"][:size].tolist())
    event: Event = {
        "type": "start_hand",
        "format": FORMAT,
        "agents": None if agents is None else list(agents),
        "game": int(table["game"]),
        "hand": int(table["hand_number"]),
        "wall_given": bool(table["wall_given"] or table["roll_given"]),
        "variant": rules.variant,
        "rules": {name: _as_json(value) for name, value in rules.options.items()},
        "seed": int(table["seed"]),
        "dealer": int(table["dealer"]),
        "round_wind": WINDS[int(table["round_wind"])],
        "streak": int(table["streak"]),
        "scores": table["scores"].tolist(),
        "wall": wall,
        "hands": [_dealt_tiles(numbers, table, seat) for seat in range(4)],
    }
    if live_end < size:
        event["dead_tiles"] = wall[live_end:]
    return event


def _describe_indicator(rules: Rules, table: Record, seat: int, tile: int, decides: int) -> Event:
    wilds = [int(table[name]) for name in ("major", "minor") if decides and table[name] >= 0]
    event: Event = {"type": "indicator", "tile": NAMES[tile], "wilds": _names(wilds)}
    if rules.record[0]["dice"]:
        event["roll"] = int(table["roll"])
    return event


def _describe_bonus(rules: Rules, table: Record, seat: int, tile: int, detail: int) -> Event:
    return {"type": "bonus", "seat": seat, "tile": NAMES[tile]}


def _describe_draw(rules: Rules, table: Record, seat: int, tile: int, from_tail: int) -> Event:
    return {"type": "draw", "seat": seat, "tile": NAMES[tile], "from": "tail" if from_tail else "wall"}


def _describe_discard(rules: Rules, table: Record, seat: int, tile: int, detail: int) -> Event:
    event: Event = {
        "type": "discard",
        "seat": seat,
        "tile": NAMES[tile],
        "drawn": bool(detail & 1),
        "wild": bool(detail & 2),
    }
    if rules.record[0]["max_floats"]:
        event["float"] = detail >> 2
    return event


def run_text(tile: int, position: int) -> str:
    """The run in which `tile` stands at `position`, 0 for the lowest."""
    return format_tiles(range(tile - position, tile - position + 3))


def _describe_chi(rules: Rules, table: Record, seat: int, tile: int, position: int) -> Event:
    return {
        "type": "chi",
        "seat": seat,
        "from_seat": (seat - 1) & 3,
        "tile": NAMES[tile],
        "tiles": run_text(tile, position),
    }


def _describe_peng(rules: Rules, table: Record, seat: int, tile: int, discarder: int) -> Event:
    return {
        "type": "peng",
        "seat": seat,
        "from_seat": discarder,
        "tile": NAMES[tile],
        "tiles": format_tiles([tile] * 3),
    }


def _describe_gang(rules: Rules, table: Record, seat: int, tile: int, meld: int) -> Event:
    event: Event = {"type": "gang", "seat": seat, "kind": GANG_KINDS[meld], "tile": NAMES[tile]}
    if meld == MELD_GANG:
        event["from_seat"] = int(table["last_discarder"])
    return event


def _describe_pass(rules: Rules, table: Record, seat: int, tile: int, offers: int) -> Event:
    return {"type": "pass", "seat": seat, "offered": [name for bits, name in OFFER_NAMES if offers & bits]}


def _describe_outranked(rules: Rules, table: Record, seat: int, tile: int, action: int) -> Event:
    event: Event = {"type": "outranked", "seat": seat, "claim": CLAIM_NAMES[action]}
    if event["claim"] == "chi":
        event["tiles"] = run_text(tile, action - CHI_LOW)
    return event


def _tile_or_none(kind: int) -> str | None:
    return NAMES[kind] if kind >= 0 else None


def _describe_hu(rules: Rules, table: Record, seat: int, tile: int, detail: int) -> Event:
    win = table["win"]
    settlement = settlement_of(variants.find(rules.variant), win)
    from_seat = int(win["from_seat"])
    return {
        "type": "hu",
        "seat": seat,
        "source": SOURCES[int(win["source"])],
        "tile": _tile_or_none(int(win["tile"])),
        "given_up": _tile_or_none(int(win["given_up"])),
        "from_seat": from_seat if from_seat >= 0 else None,
        "hand": format_tiles(kinds_of(win["hand"].tolist())),
        "melds": list(melds_text(win)),
        "items": [list(item) for item in settlement.items],
        "total": settlement.total,
        "payments": list(settlement.payments),
    }


def _describe_end(rules: Rules, table: Record, seat: int, tile: int, reason: int) -> Event:
    return {
        "type": "end_hand",
        "reason": "hu" if reason == REASON_HU else "draw",
        "payments": table["points"].tolist(),
        "scores": table["scores"].tolist(),
        "next_dealer": int(table["next_dealer"]),
        "next_streak": int(table["next_streak"]),
    }


_WRITERS: dict[str, Callable[[Rules, Record, int, int, int], Event]] = {
    "indicator": _describe_indicator,
    "bonus": _describe_bonus,
    "draw": _describe_draw,
    "discard": _describe_discard,
    "chi": _describe_chi,
    "peng": _describe_peng,
    "gang": _describe_gang,
    "pass": _describe_pass,
    "outranked": _describe_outranked,
    "hu": _describe_hu,
    "end_hand": _describe_end,
}
TYPES = ("start_hand", *EVENTS)


_ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)


def format_line(event: Event) -> str:
    """The one spelling of an event in a file, without its line end."""
    return _ENCODER.encode(event)


def digest_of(lines: Iterable[str]) -> str:
    """Sixteen hex digits over the lines of one hand."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


class LineMaker:
    """Turns the events of whole hands into the lines of a file.

    In a file `end_hand` has one more field, `digest`, over the hand's lines before it and its own other fields: an
    edit of something that no replay can recompute, such as a name, is found by it.
    """

    def __init__(self) -> None:
        self._hand: list[str] = []

    def add(self, event: Event) -> str:
        """The line of the next event."""
        line = format_line(event)
        self._hand.append(line)
        if event["type"] != "end_hand":
            return line
        line = format_line({**event, "digest": digest_of(self._hand)})
        self._hand = []
        return line


class LogWriter:
    """Writes the games of many tables to one file in the order of their numbers, whatever order they end in.

    Until `close` the file has a temporary name, so that a file under its own name is complete. Names that end with
    .gz are compressed.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(os.path.realpath(path))
        if self.path.exists() and not self.path.is_file():
            found = "a folder" if self.path.is_dir() else "no file"
            raise ValueError(f"{str(path)!r} is {found}: name a file that the log may be written to")
        self._part = self.path.with_name(f".{self.path.name}.{os.getpid()}.part")
        try:
            opener: Any = gzip.open if self.path.suffix == ".gz" else open
            self._file: IO[str] = opener(self._part, "wt", encoding="utf-8", newline="\n")
        except OSError as error:
            error.filename = str(self.path)
            raise
        self._waiting: dict[int, list[Event]] = {}
        self._next = 0

    def add(self, number: int, events: Sequence[Event]) -> None:
        """Hand in all events of game `number`; the games are numbered 0, 1, 2 … without a gap."""
        self._waiting[number] = list(events)
        while self._next in self._waiting:
            maker = LineMaker()
            try:
                self._file.writelines(maker.add(event) + "\n" for event in self._waiting.pop(self._next))
            except OSError as error:
                error.filename = str(self.path)
                raise
            self._next += 1

    def close(self) -> None:
        """Finish the file and give it its name."""
        try:
            self._file.close()
            if self._waiting:
                raise ValueError(f"game {self._next} of the log was never handed in")
            os.replace(self._part, self.path)
        except BaseException as error:
            self._part.unlink(missing_ok=True)
            if isinstance(error, OSError):
                error.filename = str(self.path)
            raise

    def discard(self) -> None:
        """Drop everything."""
        with contextlib.suppress(OSError):  # of a full disk: what is not yet written is not wanted
            self._file.close()
        self._part.unlink(missing_ok=True)

    def __enter__(self) -> LogWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()


def write_log(path: str | Path, events: Sequence[Event]) -> None:
    """Write events to a file at once: it appears complete or not at all."""
    with LogWriter(path) as writer:
        writer.add(0, events)


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """The numbered lines of a file, without their ends; `LogMismatch` where the file cannot be read."""
    with gzip.open(path) if Path(path).suffix == ".gz" else open(path, "rb") as file:
        for number in itertools.count(1):
            try:
                line = file.readline().decode()
            except UnicodeDecodeError as error:
                problem = f"is not UTF-8 from its byte {error.start + 1} on: the log is damaged"
                raise LogMismatch(number, None, problem) from None
            except (EOFError, OSError, zlib.error) as error:
                raise LogMismatch(number, None, f"the file is damaged from here on ({error})") from None
            if not line:
                return
            if not line.endswith(("\n", "}")):
                raise LogMismatch(number, None, "the log is cut off in the middle of this line")
            yield number, line.removesuffix("\n")


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is written twice")
    return dict(pairs)


def parse_line(number: int, line: str) -> Event:
    """The event of one line; `LogMismatch` unless it is spelled as `json.dumps` spells it, and of a known type."""
    try:
        event = json.loads(line, object_pairs_hook=_read_object, parse_constant=_refuse_constant)
    except ValueError as error:
        raise LogMismatch(number, None, f"is not JSON ({error}): the log is cut or edited") from None
    except RecursionError:
        raise LogMismatch(number, None, "is nested too deeply for a log line") from None
    if not isinstance(event, dict):
        raise LogMismatch(number, None, f"is not a JSON object but {line[:40]!r}")
    if line != format_line(event) and line not in (json.dumps(event), json.dumps(event, ensure_ascii=False)):
        raise LogMismatch(number, None, "is not spelled as this program writes it: the log was edited")
    if event.get("type") not in TYPES:
        raise LogMismatch(number, "type", f"{event.get('type')!r} is not one of {', '.join(TYPES)}")
    return event


def read_log(path: str | Path) -> list[Event]:
    """All events of a file; `LogMismatch` names the first line that cannot be read."""
    return [parse_line(number, line) for number, line in read_lines(path)]
