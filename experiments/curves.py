"""Learning curves as pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from experiments.pictures import make_figure, save_figure

Curve = Sequence[Mapping[str, Any]]


def draw_curves(variant: str, curve: Curve, baselines: Sequence[str]) -> bytes:
    """Points per hand against each baseline over decisions and over minutes, with 95 % bands, as a PNG.

    `random` has a row of its own: it loses by much more than the others.
    """
    figure = make_figure(10, 7)
    axes = figure.subplots(2, 2, sharex="col", sharey="row")
    for column, (unit, scale) in enumerate((("decisions", 1e-6), ("minutes", 1.0))):
        for row, shown in enumerate((["random"], [name for name in baselines if name != "random"])):
            _draw(axes[row, column], curve, shown, unit, scale)
        axes[1, column].set_xlabel("million decisions" if unit == "decisions" else "minutes")
    for row in range(2):
        axes[row, 0].set_ylabel("points a hand (95 % interval)")
        axes[row, 1].legend()
    figure.suptitle(f"{variant}: one policy against three baseline players, during training")
    return save_figure(figure)


def _draw(axes: Axes, curve: Curve, names: Sequence[str], unit: str, scale: float) -> None:
    at = [point[unit] * scale for point in curve]
    for name in names:
        points = [point[name] for point in curve]
        (line,) = axes.plot(at, [point["points_per_hand"] for point in points], marker="o", label=f"against {name}")
        low, high = ([point[end] for point in points] for end in ("low", "high"))
        axes.fill_between(at, low, high, alpha=0.15, color=line.get_color())
    axes.axhline(0, color="grey", linewidth=0.8)
