"""Learning curves as pictures."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


def draw_curve(result: Mapping[str, Any], baselines: Sequence[str]) -> bytes:
    """Points per hand against each baseline over decisions, with 95 % bands, as a PNG."""
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = FigureCanvasAgg(figure).figure.subplots()
    decisions = [point["decisions"] / 1e6 for point in result["curve"]]
    for name in baselines:
        points = [point[name] for point in result["curve"]]
        (line,) = axes.plot(
            decisions, [point["points_per_hand"] for point in points], marker="o", label=f"against 3 {name}"
        )
        low, high = ([point[end] for point in points] for end in ("low", "high"))
        axes.fill_between(decisions, low, high, alpha=0.2, color=line.get_color())
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.set(xlabel="million decisions", ylabel="points a hand (95 % interval)")
    axes.set_title(f"{result['variant']}: self-play for {result['minutes']:.1f} minutes")
    axes.legend()
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=120)
    return content.getvalue()
