"""The guard player: `value` that asks what each discard may cost."""

from __future__ import annotations

from agents.rulebased.value import ValuePlayer


class GuardPlayer(ValuePlayer):
    """`value`, less what a discard may cost where its discarder pays alone.

    For each rival it guesses how likely it is ready (from the time and its melds), which suit it collects (from what it
    melded and threw), and what it would win; a kind it has thrown itself, or that somebody just threw, is nearly safe.
    That is set against what the discard is worth, so a poor hand folds by itself and a good one pushes.
    In Yugan, where all pay alike, it prices the throw of a Spirit by what each rival shows: melds, gangs, Spirits in
    them and those it may hold. In Fuzhou, and in Hangzhou where only draws win, it plays exactly as `value`.
    Weak points: it weighs the discard at hand and not the next ones, and does not see what a rival's calls show.
    """

    name = "guard"
    care = 1.0
