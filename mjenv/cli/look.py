"""Commands that answer a question at once: variants, hand, score, cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from mjenv.cli.shared import Json, RuleOptions, VariantName, print_json, print_table, read_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mjenv.core.layout import Array


def list_variants(json: Json = False) -> None:
    """The five games, with their rules options and ids."""
    from mjenv.variants import REGISTRY

    if json:
        print_json([_describe_variant(variant) for variant in REGISTRY])
        return
    for variant in REGISTRY:
        typer.echo(f"{variant.name}: {variant.title}. {variant.summary}")
        typer.echo(f"  mjenv.{variant.name}_v0, {variant.gym_name}, presets: {', '.join(variant.presets) or 'none'}")
        for option in variant.options:
            typer.echo(f"  {option.name} = {option.default!r}: {option.doc} (use {option.choices()})")


def _describe_variant(variant: Any) -> dict[str, Any]:
    return {
        "variant": variant.name,
        "title": variant.title,
        "summary": variant.summary,
        "module": f"mjenv.{variant.name}_v0",
        "gymnasium": variant.gym_name,
        "presets": {name: dict(preset) for name, preset in variant.presets.items()},
        "options": [
            {"name": option.name, "default": option.default, "use": option.choices(), "doc": option.doc}
            for option in variant.options
        ],
    }


class _Hands:
    """The hand arithmetic of one variant for hands with some wilds and melds."""

    def __init__(self, variant: str, rule: Sequence[str] | None, wilds: int, melds: int) -> None:
        from mjenv.core.rules import FLIP_NONE
        from mjenv.core.shapes import FORM_NAMES

        record = read_rules(variant, rule).record[0]
        if wilds and record["flip"] == FLIP_NONE and record["fixed_wild"] < 0:
            raise ValueError(f"--wilds {wilds}: {variant} has no wild tiles")
        self.copies = [
            0 if bonus else int(count) for count, bonus in zip(record["copies"], record["bonus"], strict=True)
        ]
        self.forms = [name for bit, name in enumerate(FORM_NAMES) if int(record["forms"]) >> bit & 1]
        self._sets, self._wilds, self._melds = int(record["sets"]), wilds, melds

    def count(self, text: str) -> Array:
        """The counts of a hand, int64 [34]; `ValueError` for a tile that the variant has not."""
        import numpy as np

        from mjenv.core.tiles import HAND_KINDS, NAMES, parse_tiles

        counts = np.zeros(HAND_KINDS, np.int64)
        for kind in parse_tiles(text):
            if not self.copies[kind]:
                raise ValueError(f"{text!r}: the variant has no {NAMES[kind]} in a hand")
            counts[kind] += 1
        return counts

    def shanten(self, counts: Array) -> list[int]:
        """Of each of some hands, int64 [N, 34]."""
        from mjenv import hands

        settings: Any = {"sets": self._sets, "forms": self.forms}
        found: list[int] = hands.shanten(counts, self._wilds, self._melds, **settings).tolist()
        return found

    def useful(self, counts: Array) -> dict[str, int]:
        """The kinds that lower the shanten of a hand of 3n+1 tiles, and how many of each it does not hold itself."""
        import numpy as np

        from mjenv.core.tiles import HAND_KINDS, NAMES

        kinds = [kind for kind in range(HAND_KINDS) if counts[kind] < self.copies[kind]]
        before = self.shanten(counts[None])[0]
        after = self.shanten(counts + np.eye(HAND_KINDS, dtype=np.int64)[kinds])
        return {
            NAMES[kind]: self.copies[kind] - int(counts[kind])
            for kind, shanten in zip(kinds, after, strict=True)
            if shanten < before
        }

    def discards(self, counts: Array) -> list[dict[str, Any]]:
        """What each discard from a hand of 3n+2 tiles leads to, the best first."""
        import numpy as np

        from mjenv.core.tiles import HAND_KINDS, NAMES

        kinds = np.flatnonzero(counts).tolist()
        left = counts - np.eye(HAND_KINDS, dtype=np.int64)[kinds]
        found: list[dict[str, Any]] = []
        for kind, rest, shanten in zip(kinds, left, self.shanten(left), strict=True):
            useful = self.useful(rest)
            found.append({"tile": NAMES[kind], "shanten": shanten, "tiles": sum(useful.values()), "useful": useful})
        return sorted(found, key=lambda entry: (entry["shanten"], -entry["tiles"]))


def read_hand(
    variant: VariantName,
    tiles: Annotated[str, typer.Argument(metavar="TILES", help="Concealed tiles without wilds, such as 123m456pEE")],
    wilds: Annotated[int, typer.Option(help="Wilds in the hand besides these tiles.")] = 0,
    melds: Annotated[int, typer.Option(help="Sets already on the table.")] = 0,
    rule: RuleOptions = None,
    json: Json = False,
) -> None:
    """Shanten, useful tiles and waits of a hand, in the win forms of the variant."""
    hand = _Hands(variant, rule, wilds, melds)
    counts = hand.count(tiles)
    shanten = hand.shanten(counts[None])[0]
    has_extra = (int(counts.sum()) + wilds) % 3 == 2
    result: dict[str, Any] = {"variant": variant, "tiles": tiles, "wilds": wilds, "melds": melds, "forms": hand.forms}
    result |= {"shanten": shanten, "complete": shanten < 0}
    if has_extra:
        result |= {"discards": hand.discards(counts)}
    else:
        useful = hand.useful(counts)
        result |= {"useful": useful, "waits": list(useful) if shanten == 0 else []}
    print_json(result) if json else _print_hand(result)


def _print_useful(useful: dict[str, int]) -> str:
    return " ".join(useful) or "none"


def _print_hand(result: dict[str, Any]) -> None:
    state = "complete" if result["complete"] else f"shanten {result['shanten']}"
    typer.echo(f"{result['tiles']} with {result['wilds']} wilds and {result['melds']} melds: {state}")
    if "useful" in result:
        name = "waits" if result["waits"] else "useful tiles"
        typer.echo(f"{name}: {_print_useful(result['useful'])} ({sum(result['useful'].values())} tiles)")
    else:
        rows = [
            (entry["tile"], entry["shanten"], entry["tiles"], _print_useful(entry["useful"]))
            for entry in result["discards"]
        ]
        print_table(("discard", "shanten", "tiles", "useful"), rows)


def score_hand(
    variant: VariantName,
    concealed: Annotated[str, typer.Option(help="Concealed tiles, the winning tile included.")],
    winning_tile: Annotated[str | None, typer.Option(help="The tile that completed the hand.")] = None,
    meld: Annotated[
        list[str] | None,
        typer.Option(help='Such as "chi 123m", "peng 222s", "gang 5555p", "concealed_gang 5555p"; may be given again.'),
    ] = None,
    source: Annotated[
        str, typer.Option(help="self_draw, discard, replacement, robbed_gang, rob_gold or three_golds.")
    ] = "self_draw",
    seat: Annotated[int, typer.Option(help="The winner.")] = 0,
    from_seat: Annotated[int | None, typer.Option(help="Who discarded or was robbed.")] = None,
    dealer: Annotated[int, typer.Option(help="The dealer's seat.")] = 0,
    streak: Annotated[int, typer.Option(help="Hands in a row that the dealer has kept the deal.")] = 0,
    round_wind: Annotated[str, typer.Option(help="E, S, W or N.")] = "E",
    indicator: Annotated[str | None, typer.Option(help="The flipped tile.")] = None,
    bonus: Annotated[str, typer.Option(help="The winner's bonus tiles, such as f1g3.")] = "",
    thrown_wilds: Annotated[str, typer.Option(help="Wilds thrown by each seat (Yugan).")] = "0,0,0,0",
    others_hold_wild: Annotated[bool, typer.Option(help="Another seat holds a wild (Yugan).")] = False,
    gang_run: Annotated[int, typer.Option(help="Gangs in a row before the winning draw (Hangzhou).")] = 0,
    floats: Annotated[int, typer.Option(help="The winner's float count (Hangzhou).")] = 0,
    last_tile: Annotated[bool, typer.Option(help="The wall has no tile left to draw.")] = False,
    opening: Annotated[str | None, typer.Option(help="dealt, first_discard or first_draw.")] = None,
    rule: RuleOptions = None,
    json: Json = False,
) -> None:
    """What one win is worth: items, total, and what each seat receives."""
    from mjenv.scoring import Win, score_win

    rules = read_rules(variant, rule)
    try:
        throws: Any = tuple(int(count) for count in thrown_wilds.split(","))
    except ValueError:
        raise ValueError(f"--thrown-wilds {thrown_wilds!r}: write four counts such as 0,1,0,0") from None
    win = Win(
        seat=seat,
        concealed=concealed,
        winning_tile=winning_tile,
        melds=tuple(meld or ()),
        source=source,
        from_seat=from_seat,
        dealer=dealer,
        streak=streak,
        round_wind=round_wind,
        indicator=indicator,
        bonus=bonus,
        thrown_wilds=throws,
        others_hold_wild=others_hold_wild,
        gang_run=gang_run,
        floats=floats,
        last_tile=last_tile,
        opening=opening,
    )
    settlement = score_win(variant, win, rules)
    if json:
        items = [list(item) for item in settlement.items]
        print_json({"items": items, "total": settlement.total, "payments": list(settlement.payments)})
        return
    print_table(("item", "value"), [*settlement.items, ("total", settlement.total)])
    typer.echo("payments " + " ".join(f"{points:+d}" for points in settlement.payments))


def show_cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove all compiled code and hand tables.")] = False,
    json: Json = False,
) -> None:
    """Where compiled code is kept, and how much of it there is."""
    from mjenv.jit import cache_dir, cache_root, clear_cache

    if clear:
        clear_cache()
    files = [path for path in cache_root().rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    is_ready = any(cache_dir().rglob("*.nbi"))
    if json:
        print_json({"folder": str(cache_root()), "files": len(files), "bytes": size, "compiled": is_ready})
        return
    state = "is compiled" if is_ready else "compiles at its next use"
    typer.echo(f"{cache_root()}: {len(files)} files, {size / 1e6:.1f} MB; this version {state}")
