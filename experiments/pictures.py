"""Results of the arena as pictures (PNG bytes)."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy import stats

Array = NDArray[Any]

NO_DATE = {"Software": None}
"""Metadata left out, so that equal results are equal files."""


def make_figure(width: float, height: float) -> Figure:
    """An empty figure of so many inches, without a window."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save_figure(figure: Figure) -> bytes:
    """The figure as a PNG."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=100, metadata=NO_DATE)
    return content.getvalue()


def draw_evaluation(result: Mapping[str, Any], scores: Array) -> bytes:
    """Four panels about an evaluation; scores: float64 [blocks, agents], points per hand of each block."""
    figure = make_figure(11, 8)
    running, spread, sources, shape = figure.subplots(2, 2).flat
    agents = [entry["agent"] for entry in result["agents"]]
    _draw_running(running, agents, scores)
    spread.hist([scores[:, place] for place in range(len(agents))], bins=30, label=agents, density=True)
    spread.set(xlabel="points per hand of a block", ylabel="density", yscale="log")
    names = [
        name
        for name in result["agents"][0]
        if name.startswith("win_rate_") and any((entry[name] or {"value": 0})["value"] for entry in result["agents"])
    ]
    _draw_bars(sources, result["agents"], names, "share of hands")
    if result["episode"] == "hand":
        names = ["shanten_dealt", "shanten_turn_5", "shanten_end"]
        _draw_bars(shape, result["agents"], names, "mean")
    else:
        _draw_bars(shape, result["agents"], [f"rank_{place}" for place in range(1, 5)], "share of games")
    spread.legend()
    versus = result["versus"] if isinstance(result["versus"], str) else ", ".join(result["versus"])
    figure.suptitle(
        f"{result['variant']}: {result['agent']} against {versus} ({result['seatings']}, {result['blocks']} blocks)"
    )
    return save_figure(figure)


def _draw_running(axes: Axes, agents: Sequence[str], scores: Array) -> None:
    """The mean so far and its interval, after each number of blocks."""
    blocks = np.unique(np.geomspace(2, len(scores), 200).astype(int))
    for place, name in enumerate(agents):
        mean = np.cumsum(scores[:, place])[blocks - 1] / blocks
        square = np.cumsum(scores[:, place] ** 2)[blocks - 1] / blocks
        error = np.sqrt(np.maximum(square - mean**2, 0) / (blocks - 1)) * stats.t.ppf(0.975, blocks - 1)
        (line,) = axes.plot(blocks, mean, label=name)
        axes.fill_between(blocks, mean - error, mean + error, alpha=0.2, color=line.get_color())
    axes.axhline(0, color="grey", linewidth=0.8)
    limit = 3 * max(float(np.abs(scores.mean(axis=0)).max()), 1e-3)
    axes.set(xlabel="blocks", ylabel="points per hand (95 %)", xscale="log", ylim=(-limit, limit))
    axes.legend()


def _draw_bars(axes: Axes, agents: Sequence[Mapping[str, Any]], names: Sequence[str], unit: str) -> None:
    """Measures side by side with their intervals."""
    width = 0.8 / len(agents)
    for place, entry in enumerate(agents):
        found = [entry[name] or {"value": 0.0, "low": 0.0, "high": 0.0} for name in names]
        at = np.arange(len(names)) + (place - (len(agents) - 1) / 2) * width
        values = np.array([told["value"] for told in found])
        errors = np.array([[told["value"] - told["low"], told["high"] - told["value"]] for told in found]).T
        axes.bar(at, values, width, yerr=errors.reshape(2, -1), label=entry["agent"], capsize=2)
    axes.set_xticks(np.arange(len(names)), [name.removeprefix("win_rate_").replace("_", "\n") for name in names])
    axes.set(ylabel=unit)


def draw_league(result: Mapping[str, Any]) -> bytes:
    """The cross table as a map of colours, and the ratings with their intervals."""
    agents = [entry["agent"] for entry in result["ratings"]]
    figure = make_figure(3.5 + 1.5 * len(agents), 1.5 + 0.7 * len(agents))
    table, ratings = figure.subplots(1, 2, width_ratios=(1.4, 1))
    values = np.full((len(agents), len(agents)), np.nan)
    for entry in result["table"]:
        row, column = agents.index(entry["agent"]), agents.index(entry["versus"])
        values[row, column] = entry["points_per_hand"]
        half = (entry["high"] - entry["low"]) / 2
        table.text(column, row, f"{entry['points_per_hand']:+.2f}\n±{half:.2f}", ha="center", va="center", fontsize=8)
    limit = float(np.nanmax(np.abs(values))) or 1.0
    table.imshow(values, cmap="RdBu", vmin=-limit, vmax=limit, alpha=0.7, aspect="auto")
    table.set_xticks(range(len(agents)), agents, rotation=30, ha="right")
    table.set_yticks(range(len(agents)), agents)
    table.set_title("points per hand of the row against the column", fontsize=9)
    for place, entry in enumerate(result["ratings"]):
        below, above = entry["rating"] - entry["low"], entry["high"] - entry["rating"]
        ratings.errorbar(entry["rating"], place, xerr=[[below], [above]], fmt="o", color="black", capsize=3)
    ratings.set_yticks(range(len(agents)), agents)
    ratings.invert_yaxis()
    ratings.set_title("rating (Bradley–Terry, 95 %)", fontsize=9)
    figure.suptitle(f"{result['variant']}: {result['blocks']} blocks a pair, {result['seatings']}")
    return save_figure(figure)


def draw_behaviour(variant: str, rows: Sequence[Sequence[Any]]) -> bytes:
    """A panel a measure: the policy beside the `value` players that it met.

    rows: the measure's name, then value, low and high of the policy, and the same of `value`.
    """
    columns = 4
    figure = make_figure(11, 2.2 * -(-len(rows) // columns) + 0.5)
    panels = figure.subplots(-(-len(rows) // columns), columns, squeeze=False).ravel()
    for axes, (name, *found) in zip(panels, rows, strict=False):
        for place, (value, low, high) in enumerate((found[:3], found[3:])):
            axes.bar(place, value, 0.7, yerr=[[value - low], [high - value]], capsize=3)
        axes.set_xticks((0, 1), ("policy", "value"))
        axes.set_title(name, fontsize=9)
    for axes in panels[len(rows) :]:
        axes.set_axis_off()
    figure.suptitle(f"{variant}: how the policy plays, and how the players that it beats play")
    return save_figure(figure)
