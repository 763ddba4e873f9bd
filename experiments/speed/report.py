"""Measurements of `compare_speed` as rows, a page of tables and a picture."""

from __future__ import annotations

import io
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from experiments.speed.worker import KINDS


@dataclass
class Row:
    """One line of the comparison: what was measured, or why it was not."""

    library: str
    key: str
    """`games/LABEL` or `hands/LABEL/FUNCTION/KIND`"""
    includes: str
    samples: list[dict[str, float]] = field(default_factory=list)
    """of each repeat: decisions (or hands), games ended, wall and CPU seconds"""
    warm_up: float = 0.0
    """wall seconds of the samples that do not count, compilation included"""
    error: str = ""
    """why there are no samples"""

    def summarise(self) -> dict[str, Any]:
        """Median, lowest and highest rate per wall second, median rate per CPU second."""
        part, _, label = self.key.partition("/")
        known = {"library": self.library, "part": part, "row": label, "includes": self.includes}
        if self.error:
            return {**known, "error": self.error}
        wall = [sample["decisions"] / sample["wall"] for sample in self.samples]
        cpu = [sample["decisions"] / max(sample["cpu"], 1e-9) for sample in self.samples]
        ended = sum(sample["games"] for sample in self.samples)
        decisions = sum(sample["decisions"] for sample in self.samples)
        return {
            **known,
            "per_second": statistics.median(wall),
            "low": min(wall),
            "high": max(wall),
            "per_cpu_second": statistics.median(cpu),
            "decisions_per_game": decisions / ended if ended else None,
            "warm_up_seconds": self.warm_up,
        }


def measure_agreement(answers: Mapping[str, Mapping[str, Sequence[int]]]) -> dict[str, dict[str, float]]:
    """Library -> `FUNCTION/KIND` -> the share of hands on which it answers what mjenv answers.

    answers: library -> key of a row -> one answer a hand, of the same hands in the same order.
    """

    def by_task(given: Mapping[str, Sequence[int]]) -> dict[str, Sequence[int]]:
        return {key.split("/", 2)[2]: values for key, values in given.items()}

    own = by_task(answers["mjenv"])
    return {
        name: {task: statistics.fmean(map(int.__eq__, values, own[task])) for task, values in by_task(given).items()}
        for name, given in answers.items()
        if given and name != "mjenv"
    }


def write_rate(rate: float) -> str:
    """Three digits and a unit: 1.24 M, 354 k, 41.5 k, 87."""
    for size, unit in ((1e6, " M"), (1e3, " k"), (1.0, "")):
        if rate >= 0.9995 * size:
            number = rate / size
            digits = 2 if number < 9.995 else 1 if number < 99.95 else 0
            return f"{number:.{digits}f}{unit}"
    return f"{rate:.2g}"


def write_page(report: Mapping[str, Any]) -> str:
    """The Markdown page: machine and versions, decisions a second, hands a second, what could not be measured."""
    machine, rows = report["machine"], report["rows"]
    games = [row for row in rows if row["part"] == "games"]
    lines = [
        "# mjenv beside other libraries",
        "",
        f"Measured {report['date']} on one core of {machine['processor']} ({machine['cores']} cores, "
        f"{machine['system']}; load {machine['load_before']:.1f} before, {machine['load_after']:.1f} after). "
        f"Median of {report['repeats']} measurements in turn, lowest and highest in brackets. "
        "[How to repeat it, and how to read it](README.md).",
        "",
        *_write_table(("library", "versions", "language", "Python"), map(_tell_library, report["libraries"].items())),
        "",
        "## Decisions a second",
        "",
        *_write_table(
            ("library", "interface", "decisions/s", "per CPU-second", "decisions a hand", "what one includes"),
            (_tell_games(row) for row in games if "error" not in row),
        ),
        "",
        "## Hands a second",
        "",
        *_write_table(("library", "call", "function", *KINDS, "what one includes"), _tell_hands(rows)),
        "",
        *_tell_agreement(report["agreement"]),
    ]
    missing = [(name, reason) for name, reason in report["failed"].items()]
    missing += [(f"{row['library']}, {row['row']}", row["error"]) for row in rows if "error" in row]
    if missing:
        lines += ["", "## Not measured", "", *(f"- {name}: {reason}" for name, reason in missing)]
    return "\n".join(lines) + "\n"


def _write_table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (headers, ["---"] * len(headers), *rows)]


def _tell_library(library: tuple[str, Mapping[str, Any]]) -> tuple[str, ...]:
    name, about = library
    versions = ", ".join(f"{package} {number}" for package, number in about["versions"].items())
    return name, versions, about["language"], about["python"]


def _tell_games(row: Mapping[str, Any]) -> tuple[str, ...]:
    spread = f"**{write_rate(row['per_second'])}** ({write_rate(row['low'])} to {write_rate(row['high'])})"
    length = row["decisions_per_game"]
    hand = f"{length:.0f}" if length else "–"
    return row["library"], row["row"], spread, write_rate(row["per_cpu_second"]), hand, row["includes"]


def _tell_hands(rows: Sequence[Mapping[str, Any]]) -> Iterable[tuple[str, ...]]:
    """One line a library, call and function; the kinds of hands are columns."""
    found: dict[tuple[str, str, str, str], dict[str, str]] = {}
    for row in rows:
        if row["part"] == "hands" and "error" not in row:
            label, function, kind = row["row"].split("/")
            task = found.setdefault((function, row["library"], label, row["includes"]), {})
            task[kind] = write_rate(row["per_second"])
    for (function, library, label, includes), rates in sorted(found.items(), key=lambda item: item[0][0]):
        yield library, label, f"`{function}`", *(rates.get(kind, "–") for kind in KINDS), includes


def _tell_agreement(agreement: Mapping[str, Mapping[str, float]]) -> Iterable[str]:
    """What share of the answers is the same as ours."""
    for name, shares in agreement.items():
        differing = [
            f"{task.replace('/', ' of ')} hands ({100 * share:.2f} % the same)"
            for task, share in shares.items()
            if share < 1
        ]
        yield f"- {name}: the same answers as mjenv" + (", except for " + ", ".join(differing) if differing else "")


def draw_rates(report: Mapping[str, Any]) -> bytes | None:
    """Decisions a second of every row as bars on a logarithmic axis, a PNG; None without Matplotlib."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return None
    rows = [row for row in report["rows"] if row["part"] == "games" and "error" not in row]
    rows.sort(key=lambda row: row["per_second"])
    labels = [f"{row['library']}: {row['row']}" for row in rows]
    rates = [row["per_second"] for row in rows]
    spread = [[row["per_second"] - row["low"] for row in rows], [row["high"] - row["per_second"] for row in rows]]
    figure = Figure(figsize=(10, 1 + 0.4 * len(rows)), layout="constrained")
    axes = FigureCanvasAgg(figure).figure.subplots()
    colors = ["tab:blue" if row["library"] == "mjenv" else "tab:gray" for row in rows]
    bars = axes.barh(labels, rates, xerr=spread, color=colors, error_kw={"elinewidth": 1})
    axes.bar_label(bars, [write_rate(rate) for rate in rates], padding=4)
    axes.set_xscale("log")
    axes.set(xlim=(min(rates, default=1) / 2, max(rates, default=1) * 8), xlabel="decisions a second, one core")
    axes.set_title(f"Uniform random legal play, {report['date']}")
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=120)
    return content.getvalue()
