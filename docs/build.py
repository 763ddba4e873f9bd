"""Writes the generated pages of this folder from the code: `python docs/build.py`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from experiments.measures import MEASURES, POINTS
from mjenv.core.actions import CHI_HIGH, CHI_LOW, GANG, HU, N_ACTIONS, OWN_GANG, PASS, PENG, action_name
from mjenv.core.channels import LAYOUT_VERSION, PLANES, SCALARS, VIEWS, Plane, Scalar, observation_layout
from mjenv.core.rules import Option
from mjenv.core.table import DECISIONS
from mjenv.core.tiles import HAND_KINDS, NAMES
from mjenv.core.variant import Variant
from mjenv.variants import REGISTRY

DOCS = Path(__file__).parent
NOTE = "<!-- Written by docs/build.py from the code. Change the code, then run it again. -->"

OBSERVATIONS_INTRO = """\
Layout version {version}. In code the same table is `env.unwrapped.observation_layout`, or for any view
`mjenv.observation_layout(view)`: its `planes` and `scalars` list what follows; `plane(name)` and `scalar(name)` give an
index.
"""
OPTIONS_INTRO = """\
`mjenv.rules(variant, preset=None, **options)` checks the options and freezes them; everything that plays or scores
takes the result as `rules=`. A preset changes several options at once, and single options change a preset: its column
shows what it changes. An unknown name, or a value that is not allowed, raises a `ValueError` that names the option and
what it allows. On the command line the same is `--rule preset=literal --rule full_flush_factor=3`. A rule that is not
here yet: see [adding a house rule](architecture.md#adding-a-house-rule).
"""
ITEMS_INTRO = """\
`Settlement.items`, and `items` in the `hu` line of a log, list what a win counts, in this order. What an item is
worth and when it counts stands on the variant's page.
"""

MEASURES_INTRO = """\
What `mjenv evaluate` tells of each agent: in its table, under `agents` of its JSON object, and in `measures.csv`. Each
has a `value` and the ends `low` and `high` of its 95 % interval over blocks. A measure that says nothing under the
rules (wilds in a game without), or of which nothing was seen, is null in JSON and left out elsewhere.
[Evaluation](evaluation.md) says how the intervals are made.
"""

ACTION_MEANINGS = {
    CHI_LOW: "take the discard as the lowest tile of a run",
    CHI_LOW + 1: "take the discard as the middle tile of a run",
    CHI_HIGH: "take the discard as the highest tile of a run",
    PENG: "take the discard for a triplet",
    GANG: "take the discard for an exposed gang",
    HU: "declare the win that is open, of whatever source",
    PASS: "decline everything that is offered",
}


def table(headers: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """A Markdown table."""
    lines = ["| " + " | ".join(headers) + " |", "|" + "---|" * len(headers)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def number(value: float) -> str:
    """A bound without needless digits."""
    return f"{value:g}" if abs(value) < 1e5 else f"{value:.0f}"


def plane_rows(first: int, planes: Sequence[Plane]) -> list[tuple[Any, ...]]:
    """Index, name, range and meaning of each plane."""
    return [(first + place, f"`{plane.name}`", f"0–{plane.high}", plane.doc) for place, plane in enumerate(planes)]


def scalar_rows(first: int, scalars: Sequence[Scalar]) -> list[tuple[Any, ...]]:
    """Index, name, range and meaning of each scalar."""
    return [
        (first + place, f"`{scalar.name}`", f"{number(scalar.low)} to {number(scalar.high)}", scalar.doc)
        for place, scalar in enumerate(scalars)
    ]


def write_observations() -> list[str]:
    """The page about every plane and scalar of every view."""
    layouts = {view: observation_layout(view) for view in VIEWS}
    headers = ("index", "name", "range", "meaning")
    lines = [
        "# Observations, entry by entry",
        "",
        *OBSERVATIONS_INTRO.format(version=LAYOUT_VERSION).splitlines(),
        "",
        *table(
            ("view", "planes `uint8 [C, 34]`", "scalars `float32 [K]`"),
            [(f"`{view}`", len(layout.planes), len(layout.scalars)) for view, layout in layouts.items()],
        ),
        "",
        "A plane has one column for each of the 34 kinds: 1m–9m, 1p–9p, 1s–9s, E S W N, C F P.",
        "`own` is the observing seat, `right` the seat that plays next, `across` and `left` the two after it.",
        "The meaning of a row is the same in every variant; what a variant lacks stays zero.",
        "",
        "## Planes of every view",
        "",
        *table(headers, plane_rows(0, PLANES)),
        "",
        "## Scalars of every view",
        "",
        *table(headers, scalar_rows(0, SCALARS)),
        "",
    ]
    for view, layout in layouts.items():
        for what, common, entries, rows in (
            ("planes", PLANES, layout.planes, plane_rows),
            ("scalars", SCALARS, layout.scalars, scalar_rows),
        ):
            more: Any = entries[len(common) :]
            if more:
                lines += [f"## Further {what} of `{view}`", "", *table(headers, rows(len(common), more)), ""]
    return lines


def write_actions() -> list[str]:
    """The page about the 75 actions."""
    claims = [f"| {action} | `{action_name(action)}`: {doc} |" for action, doc in ACTION_MEANINGS.items()]
    return [
        "# Actions",
        "",
        f"`Discrete({N_ACTIONS})`, the same in every variant. `mjenv.action_name(action)` gives the name of each.",
        "",
        "| index | action |",
        "|---|---|",
        f"| 0–{HAND_KINDS - 1} | discard that kind |",
        *claims[:-2],
        f"| {OWN_GANG}–{HU - 1} | gang of kind `action - {OWN_GANG}` on one's own turn: "
        "concealed if the hand holds four, added if a peng of the kind lies open |",
        *claims[-2:],
        "",
        "A float (Hangzhou) is the discard of a wild; it has no action of its own. Kinds above 33 are bonus tiles,",
        "which are exposed and replaced without a decision.",
        "",
        "## By kind",
        "",
        *table(
            ("kind", "tile", "discard", "own gang"),
            [(kind, NAMES[kind], kind, OWN_GANG + kind) for kind in range(HAND_KINDS)],
        ),
        "",
        "## Decisions",
        "",
        '`info["decision"]`, and in the batch `mjenv.DECISIONS[decision]`, names what is being decided:',
        "",
        *table(("number", "name"), [(place, f"`{name}`") for place, name in enumerate(DECISIONS)]),
        "",
    ]


def values(option: Option) -> str:
    """What an option allows, in code font where it is a list of values."""
    return option.says or ", ".join(f"`{value!r}`" for value in option.allowed)


def options_of(variant: Variant) -> list[str]:
    """One variant's options, with a column for each preset."""
    rows = [
        (
            f"`{row.name}`",
            f"`{row.default!r}`",
            *(f"`{preset[row.name]!r}`" if row.name in preset else "" for preset in variant.presets.values()),
            values(row),
            row.doc,
        )
        for row in variant.options
    ]
    presets = [f'`preset="{name}"`' for name in variant.presets]
    return [
        f"## {variant.title} (`{variant.name}`)",
        "",
        *table(("option", "default", *presets, "allowed", "meaning"), rows),
        "",
        *([] if presets else ["No presets.", ""]),
    ]


def write_options() -> list[str]:
    """The page about house rules."""
    lines = [
        "# Rules options",
        "",
        *OPTIONS_INTRO.splitlines(),
        "",
        "```python",
        "import mjenv",
        "",
        'rules = mjenv.rules("yugan", preset="literal", full_flush_factor=3)',
        "assert rules.full_flush_factor == 3 and rules.basic_fan == (3, 3, 3)",
        'env = mjenv.env("yugan", rules=rules)',
        "```",
        "",
    ]
    for variant in REGISTRY:
        lines += options_of(variant)
    return lines


def write_items() -> list[str]:
    """The page about the names in settlements."""
    lines = [
        "# Settlement items",
        "",
        *ITEMS_INTRO.splitlines(),
        "",
    ]
    for variant in REGISTRY:
        lines += [
            f"## {variant.title} (`{variant.name}`)",
            "",
            f"See [{variant.title}](variants/{variant.name}.md). Sources of a win: "
            + ", ".join(f"`{name}`" for name in variant.sources)
            + ".",
            "",
            *table(("number", "item"), [(place, f"`{name}`") for place, name in enumerate(variant.items)]),
            "",
        ]
    return lines


def write_measures() -> list[str]:
    """The page about what is told of agents."""
    meanings = POINTS | {name: meaning for name, (_, _, meaning) in MEASURES.items()}
    return [
        "# Measures of an agent",
        "",
        *MEASURES_INTRO.splitlines(),
        "",
        *table(("measure", "meaning"), [(f"`{name}`", meaning) for name, meaning in meanings.items()]),
        "",
    ]


def pages() -> dict[str, str]:
    """The text of every generated page by file name."""
    made = {
        "observations.md": write_observations(),
        "actions.md": write_actions(),
        "options.md": write_options(),
        "items.md": write_items(),
        "measures.md": write_measures(),
    }
    return {name: "\n".join([NOTE, "", *lines]).rstrip("\n") + "\n" for name, lines in made.items()}


if __name__ == "__main__":
    for name, text in pages().items():
        (DOCS / name).write_text(text, encoding="utf-8")
        print(DOCS / name)
