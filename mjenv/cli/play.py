"""The command in which a person plays against bots in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mjenv.cli.shared import Device, RuleOptions, VariantName, read_agents, read_rules

if TYPE_CHECKING:
    from mjenv.core.layout import Array, Record
    from mjenv.core.rules import Rules

HELP = """\
Answer with the number of a move or with its name, such as 5p, discard 5p, chi 345m, hu or pass; of chi, the word alone
is enough where there is only one. A star marks a wild tile, brackets a discard that was claimed, a plus sign the tile
just drawn. q leaves the table."""


class Quit(Exception):
    """The person leaves the table."""


def play_game(
    variant: VariantName,
    seat: Annotated[int, typer.Option(min=0, max=3, help="Your seat; seat 0 deals first.")] = 0,
    agents: Annotated[str, typer.Option(help="One agent for the other seats, or three in seat order.")] = "greedy",
    seed: Annotated[
        int | None, typer.Option(help="Deal the hands of this seed; drawn and printed if left out.")
    ] = None,
    episode: Annotated[str, typer.Option(help="What a game is: hand, round or game.")] = "hand",
    device: Device = "cpu",
    rule: RuleOptions = None,
) -> None:
    """Play against bots in the terminal."""
    import secrets

    from agents.registry import make
    from mjenv.core.engine import check_seed

    rules = read_rules(variant, rule)
    chosen = secrets.randbelow(2**32) if seed is None else check_seed(seed)
    bots: list[Any] = [make(name, variant, rules, chosen, device) for name in read_agents(agents, 3)]
    bots.insert(seat, None)
    names = ["you" if bot is None else bot.name for bot in bots]
    game = _Game(rules, seat, bots, chosen, episode)
    typer.echo(f"{variant}, seed {chosen}. " + ", ".join(f"seat {other}: {name}" for other, name in enumerate(names)))
    try:
        game.play()
    except Quit:
        typer.echo("You left the table.")


class _Game:
    """One table with a person at `seat`."""

    def __init__(self, rules: Rules, seat: int, bots: Sequence[Any], seed: int, episode: str) -> None:
        import numpy as np

        from mjenv.core.engine import Engine

        self._rules, self._seat, self._bots = rules, seat, bots
        self._engine = Engine(rules, 1, episode=episode, max_hands=0, view="features")
        self._row = np.zeros(1, np.int64)
        self._engine.start(self._row, np.array([seed]), self._row)

    @property
    def _table(self) -> Record:
        table: Record = self._engine.tables[0]
        return table

    def play(self) -> None:
        """Play hand after hand to the end of the episode."""
        from mjenv.core.table import PHASE_HAND_OVER
        from mjenv.log import start_events
        from mjenv.render import table_text

        while True:
            self._tell(start_events(self._rules, self._table))
            self._play_hand()
            typer.echo("\n" + table_text(self._rules, self._table, self._seat))
            if self._table["phase"] != PHASE_HAND_OVER:
                return
            _read_line("Enter for the next hand, q to quit: ")
            self._engine.resume(self._row)

    def _play_hand(self) -> None:
        import numpy as np

        from mjenv.log import step_events

        while self._table["seat"] >= 0:
            seat = int(self._table["seat"])
            action = self._ask_person() if seat == self._seat else self._ask_bot(self._bots[seat])
            self._engine.step(np.array([action]), 0, 1, autoreset=False, pause=True)
            self._tell(step_events(self._rules, self._table))

    def _ask_bot(self, bot: Any) -> int:
        from agents.asking import ask
        from agents.keys import decision_keys

        table = self._table
        keys = decision_keys(table["seed"], table["game"], table["decisions"], table["seat"])
        return int(ask(bot, self._engine, self._row, keys)[0])

    def _ask_person(self) -> int:
        import numpy as np

        from mjenv.render import table_text

        typer.echo("\n" + table_text(self._rules, self._table, self._seat))
        moves = _name_moves(self._table, np.flatnonzero(self._engine.mask[0]).tolist())
        listed = "  ".join(f"{number}) {name}" for number, name in enumerate(moves.values(), 1))
        typer.echo(listed)
        while True:
            answer = _read_line("Your move (a number or a name; help, q to quit): ")
            action = find_move(answer, moves)
            if action is not None:
                return action
            typer.echo(f"{HELP}\n{listed}" if answer.lower() == "help" else f"{answer!r} is none of the moves above.")

    def _tell(self, events: Sequence[dict[str, Any]]) -> None:
        for event in events:
            line = tell(event, self._seat, bool(self._rules.record[0]["hidden_gangs"]))
            if line:
                typer.echo(line)


def _read_line(prompt: str) -> str:
    """What the person types, without blanks around it; raises `Quit` on q and at the end of the input."""
    typer.echo(prompt, nl=False)
    line = sys.stdin.readline()
    if not line or line.strip().lower() in ("q", "quit"):
        typer.echo("")
        raise Quit
    return line.strip()


def _name_moves(table: Record, actions: Array | list[int]) -> dict[int, str]:
    """The legal actions by number, each named for a person: `5p`, `peng EE E`, `chi 345m`, `hu`."""
    from mjenv.core.actions import CHI_LOW, HU, OWN_GANG, action_name
    from mjenv.core.tiles import HAND_KINDS, NAMES, format_tiles

    names: dict[int, str] = {}
    tile = int(table["tile"])
    for action in actions:
        if action < HAND_KINDS:
            names[action] = NAMES[action] + ("*" if table["is_wild"][action] else "")
        elif CHI_LOW <= action < CHI_LOW + 3:
            lowest = tile - (action - CHI_LOW)
            names[action] = "chi " + format_tiles(range(lowest, lowest + 3))
        elif OWN_GANG <= action < HU:
            names[action] = f"gang {NAMES[action - OWN_GANG]}"
        else:
            names[action] = action_name(action)
    return names


def find_move(answer: str, moves: dict[int, str]) -> int | None:
    """The action that an answer means: its number in the list, its name, or the only name that begins so.

    The discard of a tile may be told by its name alone.
    """
    if answer.isascii() and answer.isdigit() and len(answer) < 4:
        number = int(answer)
        return list(moves)[number - 1] if 1 <= number <= len(moves) else None
    wanted = answer.lower().removeprefix("discard ").strip(" *")
    plain = {action: name.rstrip("*").lower() for action, name in moves.items()}
    exact = [action for action, name in plain.items() if name == wanted and wanted]
    begun = [action for action, name in plain.items() if name.split()[0] == wanted]
    found = exact or begun
    return found[0] if len(found) == 1 else None


def tell(event: dict[str, Any], seat: int, hides_gangs: bool) -> str | None:
    """One line about what happened, for the person at `seat`; None for what that seat may not know."""
    kind, actor = event["type"], event.get("seat")
    who = "You" if actor == seat else f"Seat {actor}"
    if kind == "start_hand":
        return f"\nHand {event['hand'] + 1}: seat {event['dealer']} deals, round {event['round_wind']}."
    if kind == "indicator":
        return f"{event['tile']} is turned up" + (f": wild {' '.join(event['wilds'])}." if event["wilds"] else ".")
    if kind == "bonus":
        return f"{who}: bonus tile {event['tile']}."
    if kind == "draw":
        return f"You draw {event['tile']}." if actor == seat else None
    if kind == "discard":
        extra = ", a wild" if event["wild"] else ""
        return f"{who}: discard {event['tile']}{extra}{', floating' if event.get('float') else ''}."
    if kind in ("chi", "peng"):
        return f"{who}: {kind} {event['tiles']} with the {event['tile']} of seat {event['from_seat']}."
    if kind == "gang":
        hidden = hides_gangs and event["kind"] == "concealed" and actor != seat
        return f"{who}: {event['kind']} gang" + ("." if hidden else f" of {event['tile']}.")
    return None
