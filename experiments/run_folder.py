"""The folder of a training run: checkpoint, state to resume from, learning curve, last evaluation."""

from __future__ import annotations

import dataclasses
import io
import itertools
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

import mjenv
from agents.files import replace_file
from agents.network import NetworkPlayer, make_card, write_checkpoint
from experiments import evaluate
from experiments.curves import draw_curves
from mjenv.variants import as_rules

if TYPE_CHECKING:
    from experiments.train import Learner

BASELINES = ("random", "greedy", "speed", "value", "guard")
STATE_FILE = "resume.pt"
TOLD = ("points_per_hand", "low", "high", "luck_adjusted", "win_rate", "blocks", "seed")
FREE = {
    *("out", "minutes", "decisions", "resume", "device", "threads", "rules"),
    *("curve_points", "curve_blocks", "final_blocks", "final_seed"),
}
"""What may change on resume: how long, where, and how results are measured."""


class RunFolder:
    """What a run has reached, and the files that tell it."""

    def __init__(self, learner: Learner) -> None:
        self.learner, self.args = learner, learner.args
        self.path = Path(learner.args.out)
        self.decisions = 0
        self.seconds = 0.0
        self.curve: list[dict[str, Any]] = []
        state = self.path / STATE_FILE
        if self.args.resume:
            self._load(state)
        elif state.exists():
            names = (self.path.with_name(f"{self.path.name}.{n}") for n in itertools.count(1))
            aside = next(path for path in names if not path.exists())
            shutil.move(self.path, aside)
            print(f"the run that was in {self.path} is now in {aside}", file=sys.stderr)
        self.path.mkdir(parents=True, exist_ok=True)

    def progress(self) -> float:
        """How much of the run is done, 0 to 1."""
        if self.args.decisions is not None:
            return min(1.0, self.decisions / self.args.decisions)
        assert self.args.minutes is not None
        return min(1.0, self.seconds / (60 * self.args.minutes))

    def measure(self, blocks: int, seed: int) -> dict[str, dict[str, Any]]:
        """How the policy does alone against three of each baseline, over deals that training never sees.

        While it is being cloned it is measured without advice, as it learns.
        """
        learner, device = self.learner, self.args.device
        advised = learner.phase != "clone"
        player = NetworkPlayer(learner.policy, learner.rules, self.path.name, device, advised=advised)
        return {
            name: evaluate.run(self.args.variant, player, name, blocks, seed, learner.rules, device=device)
            for name in BASELINES
        }

    def add_to_curve(self) -> dict[str, Any]:
        """Measure where the policy stands and note it; that takes nothing from the minutes of the run."""
        found = self.measure(self.args.curve_blocks, self.args.final_seed + 1)
        keys = ("points_per_hand", "low", "high", "win_rate")
        point = {name: {key: result[key] for key in keys} for name, result in found.items()}
        self.curve.append({"decisions": self.decisions, "minutes": self.seconds / 60, **point})
        return self.curve[-1]

    def write_checkpoint(self, evaluation: dict[str, Any] | None = None) -> None:
        """Write weights and card, for players."""
        settings = dataclasses.asdict(self.args)
        training = {
            "command": _command(settings),
            "settings": settings,
            "decisions_seen": self.decisions,
            "minutes": self.seconds / 60,
            "commit": _commit(),
        }
        more: dict[str, Any] = {"mjenv_version": mjenv.__version__, "training": training}
        if evaluation:
            more["evaluation"] = evaluation
        more["limits"] = (
            f"Plays {self.args.variant} under these rules and no others. Measured alone against three rule-based "
            "players, not against people."
        )
        write_checkpoint(self.path, self.learner.policy, make_card(self.learner.policy, self.learner.rules, **more))

    def save(self) -> None:
        """Write the checkpoint, and the state that `resume` needs."""
        self.write_checkpoint()
        state: dict[str, Any] = {name: getattr(self, name) for name in ("decisions", "seconds", "curve")}
        content = pack_state({**state, "learner": self.learner.state(), "fixed": self._fixed()})
        replace_file(self.path / STATE_FILE, content)

    def _load(self, path: Path) -> None:
        if not path.exists():
            raise ValueError(f"nothing to resume: there is no {path}")
        try:
            state = torch.load(path, map_location=self.args.device, weights_only=True)
            given = json.loads(state["fixed"])
        except Exception as error:
            raise ValueError(f"{path} is no file that training wrote, or it is damaged") from error
        now = json.loads(self._fixed())
        differing = [
            f"{name}: {given.get(name)} there, {now[name]} here" for name in now if given.get(name) != now[name]
        ]
        if differing:
            raise ValueError(f"{path} was made with other settings: {'; '.join(differing)}")
        self.learner.load_state(state["learner"])
        self.decisions, self.seconds, self.curve = state["decisions"], state["seconds"], state["curve"]

    def _fixed(self) -> str:
        """What may not change on resume, as JSON."""
        fields = {name: value for name, value in dataclasses.asdict(self.args).items() if name not in FREE}
        return json.dumps({**fields, "rules": self.learner.rules.digest})

    def finish(self) -> dict[str, Any]:
        """Measure the result, write it into the card, `evaluation.json` and the learning curve, and return it."""
        found = self.measure(self.args.final_blocks, self.args.final_seed)
        self.write_checkpoint({name: {key: entry[key] for key in TOLD} for name, entry in found.items()})
        seconds = self.learner.clock.seconds
        spent = sum(seconds.values())
        result = {
            "variant": self.args.variant,
            "decisions": self.decisions,
            "minutes": self.seconds / 60,
            "decisions_per_second": self.decisions / self.seconds,
            "time_shares": {name: part / spent for name, part in seconds.items()} if spent else {},
            "against": found,
            "curve": self.curve,
        }
        replace_file(self.path / "evaluation.json", (json.dumps(result, indent=1) + "\n").encode())
        replace_file(self.path / "learning_curve.png", draw_curves(self.args.variant, self.curve, BASELINES))
        return result


def pack_state(state: dict[str, Any]) -> bytes:
    """Tensors, numbers and texts as `torch.load` reads them."""
    content = io.BytesIO()
    torch.save(state, content)
    return content.getvalue()


def _command(settings: dict[str, Any]) -> str:
    """The command that repeats the run."""
    from experiments.train import Args

    usual = dataclasses.asdict(Args())
    words = ["mjenv train", settings["variant"]]
    needed, named = ("minutes", "decisions", "out"), ("seed", "device", "threads")
    words += [f"--{name} {settings[name]}" for name in needed if settings[name] is not None]
    words += [f"--{name} {settings[name]}" for name in named if settings[name] != usual[name]]
    defaults = as_rules(settings["variant"], None).options
    ruled = {name: value for name, value in (settings["rules"] or {}).items() if value != defaults[name]}
    words += [f"--rule {name}={value}" for name, value in ruled.items()]
    skipped = {*needed, *named, "variant", "resume", "rules"}
    words += [
        f"--set {name}={value}" for name, value in settings.items() if name not in skipped and value != usual[name]
    ]
    return " ".join(words)


def _commit() -> str | None:
    """The commit of the working tree that mjenv runs from, None where it is no git checkout."""
    told = subprocess.run(
        ("git", "rev-parse", "HEAD"), cwd=Path(__file__).parent, capture_output=True, text=True, check=False
    )
    return told.stdout.strip() or None
