"""Plays a log back through the engine and compares every line with the one that the engine writes."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from mjenv import variants
from mjenv.core.actions import CHI_HIGH, CHI_LOW, GANG, HU, OWN_GANG, PASS, PENG, action_name
from mjenv.core.engine import MAX_SEED, Engine
from mjenv.core.rules import Rules
from mjenv.core.table import PHASE_CALLED, PHASE_HAND_OVER, PHASE_OWN
from mjenv.core.tiles import HAND_KINDS, WINDS, kind_of
from mjenv.log import (
    FORMAT,
    Event,
    LogMismatch,
    digest_of,
    format_line,
    parse_line,
    read_lines,
    run_text,
    start_events,
    step_events,
)

_ROW = np.zeros(1, np.int64)
_CLAIMS = ("hu", "gang", "peng", "chi")


@dataclass
class Replayed:
    """What a log that agrees with the engine holds."""

    lines: int = 0
    games: int = 0
    hands: int = 0
    wins: int = 0
    draws: int = 0
    decisions: int = 0
    variants: tuple[str, ...] = ()


def replay(path: str | Path) -> Replayed:
    """Play every hand of a log file again.

    Raises `LogMismatch` naming the first line and field that is not what the engine writes, or that cannot be read.
    """
    lines = _Lines(path)
    player = _Player(lines)
    while lines.peek() is not None:
        player.play_hand()
    if not player.done.hands:
        raise LogMismatch(1, None, "the log holds no hand")
    player.done.lines = lines.number
    return player.done


class _Lines:
    """The events of a file in order, with a look ahead."""

    def __init__(self, path: str | Path) -> None:
        self._source: Iterator[tuple[int, str]] = read_lines(path)
        self._ahead: deque[tuple[int, Event]] = deque()
        self.number = 0
        """Number of the last line taken."""

    def peek(self, distance: int = 0) -> Event | None:
        """The event `distance` lines after the next one, or None behind the end."""
        while len(self._ahead) <= distance:
            line = next(self._source, None)
            if line is None:
                return None
            self._ahead.append((line[0], parse_line(*line)))
        return self._ahead[distance][1]

    def need(self, distance: int = 0) -> Event:
        """As `peek`, but `LogMismatch` behind the end."""
        event = self.peek(distance)
        if event is None:
            raise LogMismatch(self.number + 1 + distance, None, "the log is cut off in the middle of a hand")
        return event

    def take(self) -> Event:
        """The next event, which is then behind; `LogMismatch` if the log ends here."""
        event = self.need()
        self.number = self._ahead.popleft()[0]
        return event

    def refuse(self, distance: int, field: str, problem: str) -> NoReturn:
        """Raise `LogMismatch` for the event `distance` lines after the next one."""
        raise LogMismatch(self.number + 1 + distance, field, problem)


class _Player:
    """One table on which hand after hand is played as the lines say."""

    def __init__(self, lines: _Lines) -> None:
        self.done = Replayed()
        self._lines = lines
        self._engine: Engine | None = None
        self._agents: list[str] | None = None
        self._hand: list[str] = []

    def play_hand(self) -> None:
        """Play from a start_hand line to its end_hand line."""
        start = self._lines.peek() or {}
        _check_start(self._lines, start)
        engine = self._begin(start) if start["hand"] == 0 else self._go_on(start)
        rules, table = engine.rules, engine.tables[0]
        self._hand = []
        self._match(start_events(rules, table, self._agents))
        while table["seat"] >= 0:
            action = _read_action(self._lines, engine)
            engine.step(np.array([action]), 0, 1, autoreset=False, pause=True)
            self.done.decisions += 1
            self._match(step_events(rules, table))
        self.done.hands += 1

    def _begin(self, start: Event) -> Engine:
        """Deal the first hand of an episode."""
        rules = _read_rules(self._lines, start)
        if self._engine is None or self._engine.rules != rules:
            self._engine = Engine(rules, 1, episode="game", max_hands=0, view="planes")
        self._agents = start["agents"]
        options = _read_options(self._lines, rules, start)
        self._deal(start, options)
        drawn_otherwise = self._wall() != start["wall"] and not start["wall_given"]
        if drawn_otherwise:
            # A dealer that was drawn by lot moved the generator on before the shuffle.
            self._deal(start, {**options, "dealer": "random"})
            if self._wall() != start["wall"] or self._engine.tables["dealer"][0] != start["dealer"]:
                self._deal(start, options)
        self.done.games += 1
        if rules.variant not in self.done.variants:
            self.done.variants += (rules.variant,)
        return self._engine

    def _wall(self) -> list[str]:
        assert self._engine is not None
        wall: list[str] = start_events(self._engine.rules, self._engine.tables[0])[0]["wall"]
        return wall

    def _deal(self, start: Event, options: Mapping[str, Any]) -> None:
        assert self._engine is not None
        try:
            self._engine.start(_ROW, np.array([start["seed"]]), np.array([start["game"]]), options)
        except ValueError as error:
            name = str(error).split()[0]
            self._lines.refuse(0, name if name in start else "wall", str(error))

    def _go_on(self, start: Event) -> Engine:
        """Deal the next hand of the episode on the table."""
        if self._engine is None:
            self._lines.refuse(0, "hand", f"expected 0, found {start['hand']}: the hands before it are missing")
        if self._engine.tables["phase"][0] != PHASE_HAND_OVER:
            self._lines.refuse(0, "hand", f"expected 0, found {start['hand']}: the game was over with the hand before")
        self._engine.resume(_ROW)
        return self._engine

    def _match(self, expected: list[Event]) -> None:
        """Compare the next lines with the events that the engine wrote."""
        for event in expected:
            found = self._lines.take()
            is_end = event["type"] == "end_hand"
            has_digest = is_end and list(found)[-1] == "digest"
            digest = found.pop("digest") if has_digest else None
            line = format_line(event)
            if line != format_line(found):
                _compare(self._lines.number, event, found)
            self._hand.append(line)
            if has_digest and digest != digest_of(self._hand):
                problem = f"expected {digest_of(self._hand)!r}, found {digest!r}: a line of this hand was edited"
                raise LogMismatch(self._lines.number, "digest", problem)
            self.done.wins += is_end and event["reason"] == "hu"
            self.done.draws += is_end and event["reason"] == "draw"


def _is_whole(low: int, high: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and low <= value <= high


def _are_names(value: Any) -> bool:
    return value is None or (
        isinstance(value, list) and len(value) == 4 and all(isinstance(name, str) for name in value)
    )


_START: dict[str, tuple[Callable[[Any], bool], str]] = {
    "format": (_is_whole(FORMAT, FORMAT), f"{FORMAT}, the version that this program reads"),
    "agents": (_are_names, "null or four names"),
    "game": (_is_whole(0, MAX_SEED), "a whole number from 0"),
    "hand": (_is_whole(0, MAX_SEED), "a whole number from 0"),
    "wall_given": (lambda value: isinstance(value, bool), "true or false"),
    "variant": (lambda value: isinstance(value, str), "the name of a variant"),
    "rules": (lambda value: isinstance(value, dict), "an object of options"),
    "seed": (_is_whole(0, MAX_SEED), "a whole number from 0"),
    "dealer": (_is_whole(0, 3), "a seat from 0 to 3"),
    "round_wind": (lambda value: isinstance(value, str) and value in tuple(WINDS), "E, S, W or N"),
    "streak": (_is_whole(0, 65535), "a whole number from 0 to 65535"),
    "scores": (lambda value: isinstance(value, list), "four whole numbers"),
    "wall": (lambda value: isinstance(value, list), "a list of tiles"),
}


def _check_start(lines: _Lines, start: Event) -> None:
    """Refuse a start_hand line from which no hand can be dealt."""
    if start["type"] != "start_hand":
        lines.refuse(0, "type", f"expected 'start_hand', found {start['type']!r}")
    for name, (accepts, wanted) in _START.items():
        if name not in start:
            lines.refuse(0, name, "is missing")
        if not accepts(start[name]):
            lines.refuse(0, name, f"expected {wanted}, found {_shorten(start[name])}")


def _read_rules(lines: _Lines, start: Event) -> Rules:
    options = {name: tuple(value) if isinstance(value, list) else value for name, value in start["rules"].items()}
    try:
        variants.find(start["variant"])
    except ValueError as error:
        lines.refuse(0, "variant", str(error))
    try:
        return variants.as_rules(start["variant"], options)
    except (ValueError, TypeError) as error:
        lines.refuse(0, "rules", str(error))


def _read_options(lines: _Lines, rules: Rules, start: Event) -> dict[str, Any]:
    """The reset options of an episode's first hand."""
    options = {name: start[name] for name in ("dealer", "streak", "round_wind", "scores")}
    if start["wall_given"]:
        options["wall"] = start["wall"]
        distance, dice = 1, int(rules.record[0]["dice"])
        while (event := lines.peek(distance)) is not None and event["type"] in ("bonus", "draw", "indicator"):
            if event["type"] == "indicator" and dice:
                options["roll"] = _read_roll(lines, distance, event, dice)
            distance += 1
    return options


def _read_roll(lines: _Lines, distance: int, indicator: Event, dice: int) -> int:
    """The sum of the dice that an indicator line tells of."""
    if "roll" not in indicator:
        lines.refuse(distance, "roll", "is missing")
    roll: int = indicator["roll"]
    if not _is_whole(dice, 6 * dice)(roll):
        lines.refuse(distance, "roll", f"expected a whole number from {dice} to {6 * dice}, found {_shorten(roll)}")
    return roll


def _read_action(lines: _Lines, engine: Engine) -> int:
    """The action of the seat to act, from the lines that follow; `LogMismatch` if they name none that is legal."""
    table = engine.tables[0]
    is_own = int(table["phase"]) in (PHASE_OWN, PHASE_CALLED)
    distance, field, action = _find_own_action(lines) if is_own else _find_answer(lines, engine)
    if not engine.mask[0, action]:
        legal = ", ".join(action_name(int(other)) for other in np.flatnonzero(engine.mask[0]))
        problem = f"seat {int(table['seat'])} cannot choose {action_name(action)} here: legal are {legal}"
        lines.refuse(distance, field, problem)
    return action


def _find_own_action(lines: _Lines) -> tuple[int, str, int]:
    """Where the next line is, the field that decides, and the discard, gang or hu that it tells of."""
    event = lines.need()
    if event["type"] == "hu":
        return 0, "type", HU
    if event["type"] not in ("discard", "gang"):
        lines.refuse(0, "type", f"expected 'discard', 'gang' or 'hu', found {event['type']!r}")
    tile = event.get("tile")
    try:
        kind = kind_of(tile) if isinstance(tile, str) else -1
    except ValueError:
        kind = -1
    if not 0 <= kind < HAND_KINDS:
        lines.refuse(0, "tile", f"expected a tile of the hand, found {_shorten(tile)}")
    return 0, "tile", kind if event["type"] == "discard" else OWN_GANG + kind


def _find_answer(lines: _Lines, engine: Engine) -> tuple[int, str, int]:
    """The same for an answer: among the pass and outranked lines, or in the line behind them that takes the tile.

    A seat of which these lines say nothing passes; if that is wrong, the comparison will show it.
    """
    table = engine.tables[0]
    seat, distance, answered = int(table["seat"]), 0, []
    while (event := lines.need(distance))["type"] in ("pass", "outranked"):
        if event.get("seat") == seat:
            if event["type"] == "pass":
                return distance, "type", PASS
            claim = event.get("claim")
            if claim not in _CLAIMS:
                lines.refuse(distance, "claim", f"expected one of {', '.join(_CLAIMS)}, found {_shorten(claim)}")
            return distance, "claim", _claim_action(engine, claim, event.get("tiles"))
        answered.append(event.get("seat"))
        distance += 1
    if event["type"] not in _CLAIMS:
        return distance, "type", PASS
    action = _claim_action(engine, event["type"], event.get("tiles"))
    if event.get("seat") == seat:
        return distance, "type", action
    others = [other for other in range(4) if table["offer"][other] and other not in answered]
    # A claim of a seat that has none to make: its seat is wrong, which the comparison shows if this one claims.
    is_own = event.get("seat") not in others and engine.mask[0, action]
    return distance, "type", action if is_own else PASS


def _claim_action(engine: Engine, claim: str, tiles: Any) -> int:
    """The action of a claim by name; a chi of other tiles than may be taken is any chi, and the comparison tells."""
    if claim != "chi":
        return {"hu": HU, "gang": GANG, "peng": PENG}[claim]
    tile, mask = int(engine.tables["tile"][0]), engine.mask[0]
    legal = [action for action in range(CHI_LOW, CHI_HIGH + 1) if mask[action]] or [CHI_LOW]
    return next((action for action in legal if run_text(tile, action - CHI_LOW) == tiles), legal[0])


def _compare(number: int, expected: Event, found: Event) -> NoReturn:
    """Raise `LogMismatch` for the first field in which a line is not what the engine writes."""
    _compare_values(number, "", {"type": expected["type"]}, {"type": found["type"]})
    _compare_values(number, "", expected, found)
    raise LogMismatch(number, None, f"its fields are not in the order {', '.join(expected)}")


def _compare_values(number: int, path: str, expected: Any, found: Any) -> None:
    if isinstance(expected, dict) and isinstance(found, dict):
        for name in expected:
            if name not in found:
                raise LogMismatch(number, path + name, "is missing")
            _compare_values(number, f"{path}{name}.", expected[name], found[name])
        for name in found:
            if name not in expected:
                raise LogMismatch(number, path + name, "is unknown here")
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for position, pair in enumerate(zip(expected, found, strict=True)):
            _compare_values(number, f"{path[:-1]}[{position}].", *pair)
    elif json.dumps(expected) != json.dumps(found):
        problem = f"expected {_shorten(expected)}, found {_shorten(found)}"
        raise LogMismatch(number, path[:-1], problem)


def _shorten(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."
