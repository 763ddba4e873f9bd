"""State a position: a whole wall stacked from notation, and a game that is driven in words.

The places of the deal are written down here from the rules and shared with nothing in the package.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from scenarios.retell import retell

import mjenv
from mjenv.core.tiles import NAMES, format_tiles, parse_tiles

Hands = Sequence[str]
Line = dict[str, Any]

FUZHOU_BONUS = frozenset(parse_tiles("ESWNC"))
FLOWERS = frozenset(range(34, 42))
DICE = {"yugan": 2, "hangzhou": 1}
USUAL_ROLL = {"yugan": 7, "hangzhou": 1}
ACTIONS = {mjenv.action_name(action): action for action in range(75)}


class _Layout:
    """Where tiles lie in one variant's wall, for a dealer and a roll."""

    def __init__(self, variant: str, options: Mapping[str, Any], dealer: int, roll: int | None) -> None:
        self.variant = variant
        self.copies = Counter({kind: 4 for kind in range(34)})
        self.bonus: frozenset[int] = frozenset()
        if variant == "fuzhou":
            self.copies -= Counter({kind: 4 for kind in parse_tiles("FP")})
            self.bonus = FUZHOU_BONUS
        elif variant == "threefaan" or (variant == "hongkong" and options["bonus_tiles"]):
            self.copies += Counter(dict.fromkeys(FLOWERS, 1))
            self.bonus = FLOWERS
        self.size = sum(self.copies.values())
        self.flip_index: int | None = None
        if variant == "yugan" or (variant == "hangzhou" and options["wild_mode"] == "flip"):
            assert roll is not None
            self.flip_index = self.size - 2 * roll
        self.dealt = self._dealt(dealer)
        self.first = sum(map(len, self.dealt))
        self.end = 112 if variant == "fuzhou" else self.size
        self.tail = [index for index in range(self.end - 1, self.first - 1, -1) if index != self.flip_index]

    def _dealt(self, dealer: int) -> list[list[int]]:
        """Wall indices of each seat's dealt tiles, in the order dealt."""
        rounds = 4 if self.variant == "fuzhou" else 3
        seats: list[list[int]] = [[], [], [], []]
        for place in range(4):
            own = [16 * turn + 4 * place + tile for turn in range(rounds) for tile in range(4)]
            if self.variant == "fuzhou":
                own += [64] if place == 0 else []
            elif self.variant == "hongkong":
                own += [48, 49] if place == 0 else [49 + place]
            else:
                own += [48, 52] if place == 0 else [48 + place]
            seats[(dealer + place) % 4] = own
        return seats


def _next(kind: int) -> int:
    """The kind after `kind`: 1-9 of a suit, E S W N and C F P are rings (rules: Yugan, "Spirits")."""
    for ring in ("123456789m", "123456789p", "123456789s", "ESWN", "CFP"):
        kinds = parse_tiles(ring)
        if kind in kinds:
            return kinds[(kinds.index(kind) + 1) % len(kinds)]
    raise ValueError(f"no ring holds {kind}")


class _Stack:
    """A wall that is being filled; every tile is taken from one pool, so nothing can be used five times."""

    def __init__(self, layout: _Layout) -> None:
        self.layout = layout
        self.pool = Counter(layout.copies)
        self.wall: list[int] = [-1] * layout.size

    def put(self, index: int, kind: int, what: str) -> None:
        if self.wall[index] >= 0:
            raise ValueError(f"{what}: wall[{index}] is asked to be both {NAMES[self.wall[index]]} and {NAMES[kind]}")
        if self.pool[kind] <= 0:
            raise ValueError(f"{what}: no {NAMES[kind]} is left, {self.layout.copies[kind]} are used already")
        self.pool[kind] -= 1
        self.wall[index] = kind

    def put_all(self, indices: Sequence[int], kinds: Sequence[int], what: str) -> None:
        if len(kinds) > len(indices):
            raise ValueError(f"{what}: {len(kinds)} tiles do not fit into {len(indices)} places")
        for index, kind in zip(indices, kinds, strict=False):
            self.put(index, kind, what)

    def put_dull(self, indices: Sequence[int], hand: list[int], avoid: frozenset[int], shift: int) -> None:
        """Fill the places with single, unrelated tiles, and one neighbour so that they are not "scattered"."""
        for number, index in enumerate(indices):
            last = number == len(indices) - 1

            def cost(kind: int, number: int = number, last: bool = last) -> tuple[int, int]:
                near = sum(1 for other in hand if kind < 27 and other // 9 == kind // 9 and 0 < abs(other - kind) < 3)
                wanted = last and self.layout.variant == "yugan" and near == 1
                return 40 * hand.count(kind) + 5 * near + 1000 * (kind in avoid) - 20 * wanted, (kind * 5 + shift) % 34

            kind = min((kind for kind in range(42) if self.pool[kind] > 0), key=cost)
            self.put(index, kind, "filling a hand")
            hand.append(kind)

    def rest(self, avoid: frozenset[int]) -> list[int]:
        """What is left, spread out; tiles to avoid lie in the middle, which draws reach last."""
        kinds = sorted(self.pool.elements(), key=lambda kind: (kind * 11 % 34, kind))
        dull = [kind for kind in kinds if kind not in avoid]
        dull = dull[0::4] + dull[1::4] + dull[2::4] + dull[3::4]
        half = len(dull) * 3 // 4
        return dull[:half] + [kind for kind in kinds if kind in avoid] + dull[half:]


def _options(variant: str, rules: Any) -> Any:
    return rules if isinstance(rules, mjenv.Rules) else mjenv.rules(variant, **(rules or {}))


def _head_end(layout: _Layout, options: Any, tail_draws: int) -> int:
    """The wall index that the head never reaches once so many tiles were taken from the tail."""
    if layout.variant == "yugan":
        assert layout.flip_index is not None
        return layout.flip_index
    if layout.variant == "hangzhou":
        return layout.size - int(options["stop_at"]) - tail_draws
    return layout.end - tail_draws


def stacked_wall(
    variant: str,
    rules: Any = None,
    dealer: int = 0,
    hands: Hands = ("", "", "", ""),
    draws: str = "",
    tail: str = "",
    roll: int | None = None,
    flip: str | None = None,
    dead: str | None = None,
    last: str = "",
) -> list[int]:
    """A complete wall, as kinds.

    `hands` by seat, in the order dealt (the dealer's extra tile last; a shorter hand is filled up in front with dull
    tiles), `draws` from the head, `tail` from the tail: in Fuzhou first the replacements of dealt bonus tiles, then
    `flip` if given (else the flipped tile is part of `tail`), then later replacements. `dead` is what Fuzhou sets
    aside. `last` are the tiles that the head reaches last, if just the tiles of `tail` are taken from the tail.
    `ValueError` if that asks for too many tiles.
    """
    options = _options(variant, rules)
    if roll is None and variant in USUAL_ROLL:
        roll = USUAL_ROLL[variant]
    layout = _Layout(variant, options, dealer, roll)
    stack = _Stack(layout)
    texts = [parse_tiles(hand) for hand in hands]
    for seat, kinds in enumerate(texts):
        places = layout.dealt[seat]
        if len(kinds) > len(places):
            raise ValueError(f"hand of seat {seat}: {len(kinds)} tiles, but {len(places)} are dealt")
        stack.put_all(places[len(places) - len(kinds) :], kinds, f"hand of seat {seat}")
    tail_kinds = parse_tiles(tail)
    gold = _place_flip(stack, texts, tail_kinds, flip)
    stack.put_all(range(layout.first, layout.end), parse_tiles(draws), "draws")
    stack.put_all(layout.tail, tail_kinds, "tail")
    if dead is not None and variant != "fuzhou":
        raise ValueError("dead: only Fuzhou sets tiles aside")
    aside = list(range(layout.end, layout.size))
    stack.put_all(aside, parse_tiles(dead or ""), "dead")
    last_head = _head_end(layout, options, len(tail_kinds))
    last_kinds = parse_tiles(last)
    stack.put_all(range(last_head - len(last_kinds), last_head), last_kinds, "last")
    avoid = layout.bonus | gold
    for seat in range(4):
        empty = [index for index in layout.dealt[seat] if stack.wall[index] < 0]
        stack.put_dull(empty, list(texts[seat]), avoid, 9 * seat)
    for kind in sorted(gold | layout.bonus) if variant == "fuzhou" else ():
        for index in [index for index in aside if stack.wall[index] < 0][: stack.pool[kind]]:
            stack.put(index, kind, "dead")
    empty = [index for index, kind in enumerate(stack.wall) if kind < 0]
    for index, kind in zip(empty, stack.rest(avoid), strict=True):
        stack.put(index, kind, "filling the wall")
    return stack.wall


def _place_flip(stack: _Stack, hands: Sequence[Sequence[int]], tail: list[int], flip: str | None) -> frozenset[int]:
    """Put the flipped tile into the wall, or into `tail` (Fuzhou); the kinds that it makes wild."""
    layout = stack.layout
    kinds = parse_tiles(flip or "")
    if layout.variant == "fuzhou":
        waiting = sum(kind in layout.bonus for hand in hands for kind in hand)
        place = 0
        while waiting and place < len(tail):
            waiting -= tail[place] not in layout.bonus
            place += 1
        if waiting:
            raise ValueError(f"tail: {waiting} dealt bonus tiles have no replacement in it")
        tail[place:place] = kinds
        if place == len(tail):
            raise ValueError("flip: give the flipped tile as flip, or in tail after the replacements")
        while tail[place] in layout.bonus:
            place += 1
        return frozenset([tail[place]])
    if layout.flip_index is None:
        if kinds:
            raise ValueError(f"flip: nothing is flipped in {layout.variant} under these rules")
        return frozenset(parse_tiles("P")) if layout.variant == "hangzhou" else frozenset()
    if len(kinds) != 1:
        raise ValueError(f"flip: {layout.variant} flips one tile, not {flip!r}")
    stack.put(layout.flip_index, kinds[0], "flip")
    return frozenset([kinds[0], _next(kinds[0])]) if layout.variant == "yugan" else frozenset(kinds)


class Game:
    """One table, driven in words: `game.play("0 discard 9s", "1 chi low", "1 discard E")`."""

    def __init__(
        self,
        variant: str,
        *,
        rules: Any = None,
        episode: str = "hand",
        max_hands: int | None = None,
        seed: int = 1,
        options: Mapping[str, Any] | None = None,
        dealer: int = 0,
        roll: int | None = None,
        **wall: Any,
    ) -> None:
        self.variant = variant
        self.rules = _options(variant, rules)
        self.env = mjenv.raw_env(variant, rules=self.rules, episode=episode, max_hands=max_hands, log=True)
        given = dict(options or {})
        given["dealer"] = dealer
        given["wall"] = stacked_wall(variant, self.rules, dealer, roll=roll, **wall)
        rolls = variant == "yugan" or (variant == "hangzhou" and self.rules["wild_mode"] == "flip")
        if rolls:
            given["roll"] = USUAL_ROLL[variant] if roll is None else roll
        self.env.reset(seed=seed, options=given)

    @property
    def log(self) -> list[Line]:
        """Every line so far."""
        return self.env.unwrapped.log

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return any(self.env.terminations.values()) or any(self.env.truncations.values())

    def to_act(self) -> int | None:
        """The seat to decide, None when the episode is over."""
        return None if self.over else int(self.env.agent_selection[-1])

    def decision(self) -> str:
        """What the seat to act decides."""
        assert not self.over, "the episode is over"
        return str(self.env.infos[self.env.agent_selection]["decision"])

    def legal(self, seat: int) -> list[str]:
        """Names of the legal actions of that seat, which must be the one to act."""
        assert self.to_act() == seat, f"seat {self.to_act()} is to act, not {seat}: {self.tell()}"
        mask = self.observe(seat)["action_mask"]
        return [name for name, action in ACTIONS.items() if mask[action]]

    def observe(self, seat: int) -> dict[str, Any]:
        """The seat's observation."""
        return dict(self.env.observe(f"player_{seat}"))

    def sees(self, seat: int) -> bytes:
        """The seat's observation without its mask, to compare."""
        seen = self.observe(seat)
        return seen["observation"].tobytes() + seen["scalars"].tobytes()

    def scalar(self, seat: int, name: str) -> float:
        """One entry of the seat's scalars."""
        names = [entry.name for entry in self.env.unwrapped.observation_layout.scalars]
        return float(self.observe(seat)["scalars"][names.index(name)])

    def do(self, seat: int, action: str) -> Game:
        """Let the seat take an action; it must be its turn and the action legal."""
        legal = self.legal(seat)
        assert action in legal, f"seat {seat} may not {action!r}: legal are {legal}; {self.tell()}"
        self.env.step(ACTIONS[action])
        return self

    def play(self, *moves: str) -> Game:
        """Several moves, each a seat and an action: "2 discard 3p"."""
        for move in moves:
            seat, _, action = move.partition(" ")
            self.do(int(seat), action)
        return self

    def hand(self, seat: int) -> str:
        """Concealed tiles of a seat."""
        counts = self.env.unwrapped.table["hand"][0, seat]
        return format_tiles(kind for kind in range(34) for _ in range(int(counts[kind])))

    def melds(self, seat: int) -> list[str]:
        """Melds of a seat, such as "peng 555p"; added and claimed gangs are both "gang"."""
        table = self.env.unwrapped.table[0]
        texts = []
        for number in range(int(table["n_melds"][seat])):
            sort, tile = int(table["meld_type"][seat, number]), int(table["meld_tile"][seat, number])
            kinds = [tile, tile + 1, tile + 2] if sort == 1 else [tile] * (3 if sort == 2 else 4)
            texts.append(f"{('chi', 'peng', 'gang', 'gang', 'concealed_gang')[sort - 1]} {format_tiles(kinds)}")
        return texts

    def drawn(self) -> str:
        """The tile that the seat to act has just drawn."""
        return NAMES[int(self.env.unwrapped.table["drawn"][0])]

    def left(self) -> int:
        """How many tiles can still be drawn."""
        return int(self.env.unwrapped.table["left"][0])

    def throw_drawn(self) -> Game:
        """The seat in turn discards what it drew."""
        seat = self.to_act()
        assert seat is not None
        return self.do(seat, f"discard {self.drawn()}")

    def throw_first(self) -> Game:
        """The seat to act discards the lowest kind that it may."""
        seat = self.to_act()
        assert seat is not None
        return self.do(seat, next(name for name in self.legal(seat) if name.startswith("discard")))

    def pass_all(self) -> Game:
        """Everybody who is asked something passes, until a turn begins or the hand is over."""
        while not self.over and self.decision() not in ("discard", "float"):
            self.env.step(ACTIONS["pass"])
        return self

    def pass_all_claims(self) -> Game:
        """Everybody who may claim the discard passes."""
        while not self.over and self.decision() == "claim":
            self.env.step(ACTIONS["pass"])
        return self

    def pass_to(self, seat: int) -> Game:
        """Everybody who is asked before that seat passes."""
        while self.to_act() != seat:
            self.do(int(self.to_act() or 0), "pass")
        return self

    def idle(self, turns: int) -> Game:
        """So many turns in which the tile drawn is discarded and everybody passes."""
        for _ in range(turns):
            self.throw_drawn().pass_all()
        return self

    def idle_until_left(self, left: int) -> Game:
        """The same, until so many tiles can still be drawn."""
        while self.left() > left:
            self.idle(1)
        assert self.left() == left
        return self

    def lines(self, *types: str) -> list[Line]:
        """The lines of these types."""
        return [line for line in self.log if line["type"] in types]

    def last_hand(self) -> list[Line]:
        """The lines of the last hand that has ended."""
        end = max(number for number, line in enumerate(self.log) if line["type"] == "end_hand")
        start = max(number for number, line in enumerate(self.log[:end]) if line["type"] == "start_hand")
        return self.log[start : end + 1]

    def tell(self) -> str:
        """The last lines, for messages."""
        return "; ".join(str(line) for line in self.log[-4:])

    def ends(self) -> Line:
        """The last `end_hand` line."""
        return self.lines("end_hand")[-1]

    def points(self) -> list[int]:
        """Points of everybody since its last observation."""
        return [int(self.env.infos[f"player_{seat}"]["points"]) for seat in range(4)]

    def assert_drawn(self) -> Game:
        """The hand has ended without a winner, and nobody pays."""
        assert self.lines("end_hand"), f"the hand goes on: {self.tell()}"
        assert self.ends()["reason"] == "draw"
        assert self.ends()["payments"] == [0, 0, 0, 0]
        return self

    def assert_won(
        self,
        seat: int,
        source: str,
        items: Mapping[str, int],
        total: int,
        payments: Sequence[int],
        **fields: Any,
    ) -> Line:
        """The `hu` line of the hand that has just ended with this win.

        Log, points and rewards agree, and so does `score_win` for the win as the log tells it.
        """
        assert self.lines("hu"), f"nobody has won: {self.tell()}"
        line = self.lines("hu")[-1]
        assert (line["seat"], line["source"]) == (seat, source)
        assert [tuple(item) for item in line["items"]] == list(items.items())
        assert line["total"] == total
        assert list(line["payments"]) == list(payments)
        assert sum(payments) == 0
        for name, value in fields.items():
            assert line[name] == value, f"{name} of the hu line is {line[name]!r}, not {value!r}"
        assert self.ends()["reason"] == "hu"
        assert list(self.ends()["payments"]) == list(payments)
        settlement = mjenv.score_win(self.variant, retell(self.variant, self.last_hand()), self.rules)
        assert (dict(settlement.items), settlement.total) == (dict(items), total)
        assert list(settlement.payments) == list(payments)
        if self.over:
            assert self.points() == list(payments)
            scale = self.rules.reward_scale
            assert [self.env.rewards[f"player_{player}"] for player in range(4)] == [pay / scale for pay in payments]
        return line
