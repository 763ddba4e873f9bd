"""MaskablePPO of sb3-contrib on `SeatVecEnv`: one seat learns against fixed opponents, then is measured in the arena.

python -m experiments.train_sb3 --minutes 10 --out runs/sb3
mjenv evaluate hangzhou experiments.train_sb3:runs/sb3/model.zip --vs greedy
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from torch import Tensor, nn

import mjenv
from agents.files import replace_file
from agents.network import CHUNK, check_card
from experiments import evaluate
from experiments.checks import check_training
from experiments.statistics import check_blocks
from mjenv.core.actions import OWN_GANG
from mjenv.core.channels import LAYOUT_VERSION, observation_layout
from mjenv.core.engine import check_seed
from mjenv.core.rules import Rules
from mjenv.core.tiles import HAND_KINDS
from mjenv.envs.sb3 import SeatVecEnv
from mjenv.envs.seat_games import FlatView
from mjenv.variants import as_rules

try:
    from sb3_contrib import MaskablePPO
except ModuleNotFoundError as error:
    raise ImportError("experiments.train_sb3 needs sb3_contrib: pip install 'mjenv[sb3]'") from error
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnvWrapper, VecMonitor

BASELINES = ("random", "greedy")
CARD_FORMAT = "sb3 1"
CLAIMS = 5
"""The look-ahead of claims: three chi, peng, gang."""


@dataclass
class Args:
    """Everything a run depends on."""

    variant: str = "hangzhou"
    """the game"""
    out: str = "runs/sb3"
    """folder for `model.zip`, `model.json` and `evaluation.json`"""
    minutes: float | None = None
    """train for so long (or for `timesteps`); the evaluation is not counted"""
    timesteps: int | None = None
    """train for so many decisions of the learner; the result then follows from these fields alone"""
    seed: int = 0
    """seed of weights, deals, and the dice of play and learning"""
    device: str = "cpu"
    """where the network lives: cpu or cuda"""
    rules: Mapping[str, Any] | None = None
    """options of the rules that differ from the variant's defaults"""
    opponents: str = "greedy"
    """the agent in the three other seats"""
    observation: str = "features"
    """what the network reads: features (with look-ahead) or planes (facts only)"""
    tile_width: int = 16
    """length of the embedding of each tile kind"""
    width: int = 256
    """neurons of the layer that reads all embeddings and scalars"""
    num_envs: int = 64
    """games played side by side; the learner sits in seat r % 4 of row r"""
    n_steps: int = 32
    """decisions of each game between two updates"""
    learning_rate: float = 1e-3
    """Adam's step at the start; it falls to a tenth in a straight line"""
    epochs: int = 4
    """passes over the decisions of an update"""
    minibatch: int = 512
    """decisions a gradient step averages over"""
    gae_lambda: float = 0.9
    """how far advantages look ahead before they trust the value"""
    entropy: float = 0.01
    """weight of the entropy bonus"""
    reward_clip: float = 4.0
    """rewards are cut to this size either way: rare limit hands shall not swamp learning"""
    shaping: float = 0.1
    """reward for each step nearer to a complete hand (see `Shaped`); needs features"""
    blocks: int = 1000
    """duplicate deals of the evaluation against each baseline"""


class Shaped(VecEnvWrapper):
    """Cuts rewards to size and adds the change of a potential, -`weight` for each shanten, 0 when the hand is over.

    A first win need not be found by chance then, and as the sum over a hand is the same for all play, the best policy
    stays the best.
    """

    def __init__(self, venv: Any, weight: float, clip: float) -> None:
        super().__init__(venv)
        layout = venv.get_attr("observation_layout", 0)[0]
        self._column = HAND_KINDS * len(layout.planes) + layout.scalar("shanten") if weight else 0
        self._weight, self._clip = weight, clip
        self._potential = np.zeros(self.num_envs, np.float32)

    def _measure(self, seen: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.asarray(-self._weight * 8 * seen[:, self._column], np.float32)

    def reset(self) -> np.ndarray[Any, Any]:
        """Begin on all rows."""
        seen = self.venv.reset()
        self._potential = self._measure(seen)
        return np.asarray(seen)

    def step_wait(self) -> Any:
        """As the batch, with other rewards."""
        seen, rewards, dones, infos = self.venv.step_wait()
        before, self._potential = self._potential, self._measure(seen)
        return seen, rewards.clip(-self._clip, self._clip) + self._potential * ~dones - before, dones, infos


class TileReader(BaseFeaturesExtractor):
    """What actor and critic read: a layer over everything, two scores of each tile kind, and what claims lead to.

    The column of each kind goes through the same small embedding. Scores: 34 to discard the kind, 34 to lay it down.
    The look-ahead (`features`) is told once more at the size of 1: for each discard how far it is from the lowest
    shanten and its useful tiles, for each claim by how much it changes the shanten.
    """

    def __init__(self, observation_space: Any, view: str, tile_width: int, width: int) -> None:
        layout = observation_layout(view)
        looks = view == "features"
        super().__init__(observation_space, width + 2 * HAND_KINDS + CLAIMS * looks)
        self.planes = len(layout.planes)
        self.shanten = (layout.plane("discard_shanten"), layout.scalar("shanten")) if looks else None
        inputs = self.planes + 3 * looks
        self.tile = nn.Sequential(nn.Conv1d(inputs, tile_width, 1), nn.ReLU())
        self.scores = nn.Conv1d(tile_width, 2, 1)
        numbers = len(layout.scalars) + CLAIMS * looks
        self.trunk = nn.Sequential(nn.Linear(tile_width * HAND_KINDS + numbers, width), nn.ReLU())

    def forward(self, seen: Tensor) -> Tensor:
        """float32 [n, width + 68 (+ 5)] from float32 [n, 34 C + K]."""
        planes, numbers = seen.tensor_split([HAND_KINDS * self.planes], 1)
        tiles, claims = planes.unflatten(1, (self.planes, HAND_KINDS)), seen[:, :0]
        if self.shanten is not None:
            plane, scalar = self.shanten
            gap = 15 * (tiles[:, plane] - tiles[:, plane].amin(1, keepdim=True)).clamp(max=3 / 15)
            useful = 16 * tiles[:, plane + 1]
            tiles = torch.cat((tiles, torch.stack((gap, useful, useful * (gap == 0)), 1)), 1)
            now, after = numbers[:, scalar, None], numbers[:, scalar + 1 : scalar + 1 + CLAIMS]
            claims = (8 * (after - now)).clamp(-2, 2)
        tiles = self.tile(tiles)
        trunk = self.trunk(torch.cat((tiles.flatten(1), numbers, claims), 1))
        return torch.cat((trunk, self.scores(tiles).flatten(1), claims), 1)


def tie_scores(policy: Any, width: int) -> None:
    """Let the logit of each discard and own gang start as the score of its kind."""
    kinds = torch.arange(HAND_KINDS)
    with torch.no_grad():
        policy.action_net.weight[kinds, width + kinds] = 1
        policy.action_net.weight[OWN_GANG + kinds, width + HAND_KINDS + kinds] = 1


class Budget(BaseCallback):
    """Ends the training when its minutes are over, and knows how much of it is done."""

    def __init__(self, args: Args) -> None:
        super().__init__()
        self._timesteps, self._minutes = args.timesteps or math.inf, args.minutes or math.inf
        self._on_training_start()

    def _on_training_start(self) -> None:
        """The clock runs from here: what is compiled for the first games is not counted."""
        self._start, self._cpu_start = time.perf_counter(), time.process_time()

    def spent(self) -> dict[str, float]:
        """`minutes`, and `cpu_minutes`, which are fewer on a busy machine."""
        minutes, cpu_minutes = time.perf_counter() - self._start, time.process_time() - self._cpu_start
        return {"minutes": minutes / 60, "cpu_minutes": cpu_minutes / 60}

    def progress(self) -> float:
        """0 to 1."""
        return min(1.0, max(self.num_timesteps / self._timesteps, self.spent()["minutes"] / self._minutes))

    def _on_step(self) -> bool:
        return self.spent()["minutes"] < self._minutes


def make_env(args: Args, rules: Rules) -> VecEnvWrapper:
    """The batch, its plain rewards and lengths monitored, with shaped rewards."""
    batch = SeatVecEnv(args.variant, args.num_envs, opponents=args.opponents, rules=rules, observation=args.observation)
    return Shaped(VecMonitor(batch), args.shaping, args.reward_clip)


def make_model(args: Args, env: VecEnvWrapper, budget: Budget) -> MaskablePPO:
    """A fresh learner."""
    reader = {"view": args.observation, "tile_width": args.tile_width, "width": args.width}
    model = MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=lambda _: args.learning_rate * (1 - 0.9 * budget.progress()),
        n_steps=args.n_steps,
        batch_size=args.minibatch,
        n_epochs=args.epochs,
        gamma=1.0,
        gae_lambda=args.gae_lambda,
        ent_coef=args.entropy,
        policy_kwargs={
            "features_extractor_class": TileReader,
            "features_extractor_kwargs": reader,
            "net_arch": {"pi": [], "vf": [64]},
        },
        seed=args.seed,
        device=args.device,
    )
    tie_scores(model.policy, args.width)
    return model


class MaskablePlayer:
    """Plays the most likely action of a MaskablePPO model."""

    def __init__(self, model: MaskablePPO, observation: str, name: str = "MaskablePPO") -> None:
        self.name = name
        self.observation = observation
        self._model = model
        self._flat = FlatView(observation)

    @classmethod
    def load(cls, path: str | Path, rules: Rules, device: str = "cpu") -> MaskablePlayer:
        """The player of a `model.zip` with its `model.json` beside it; `ValueError` if it plays another game.

        SB3's zip holds pickles, and reading one runs what is in it: load your own files only.
        """
        file = Path(path)
        try:
            content, card = file.read_bytes(), json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ValueError(f"{path} and {file.with_suffix('.json').name} are no saved model: {error}") from error
        if not isinstance(card, dict) or card.get("format") != CARD_FORMAT:
            raise ValueError(f"{file.with_suffix('.json')} is no card of format {CARD_FORMAT!r}")
        check_card(card, rules, file)
        try:
            model = MaskablePPO.load(io.BytesIO(content), device=device)
        except Exception as error:
            raise ValueError(f"{path} is no model of MaskablePPO, or it is damaged: {error}") from error
        return cls(model, card["observation"], f"sb3:{path}@{hashlib.sha256(content).hexdigest()[:8]}")

    def act(self, observation: Any, scalars: Any, mask: Any, keys: Any) -> np.ndarray[Any, Any]:
        """The most likely legal action of each row, int64 [n]."""
        seen = self._flat.flatten(observation, scalars)
        actions = np.empty(len(mask), np.int64)
        for low in range(0, len(mask), CHUNK):
            rows = slice(low, low + CHUNK)
            filled, masks = (np.resize(part[rows], (CHUNK, part.shape[1])) for part in (seen, mask))
            chosen, _ = self._model.predict(filled, action_masks=masks, deterministic=True)
            actions[rows] = chosen[: len(actions[rows])]
        return actions


def __getattr__(name: str) -> Callable[..., MaskablePlayer]:
    """`experiments.train_sb3:DIR/model.zip` names a saved model wherever agents are named."""
    if name.endswith(".zip"):
        return lambda variant, rules, seed: MaskablePlayer.load(name, rules)
    raise AttributeError(f"{__name__} has no {name}; a saved model is named {__name__}:DIR/model.zip")


def save(model: MaskablePPO, args: Args, rules: Rules, spent: Mapping[str, float]) -> None:
    """Write `model.zip` and `model.json`, the card that says what game it plays and how it was trained."""
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    content = io.BytesIO()
    model.save(content, exclude=["learning_rate", "lr_schedule", "_last_obs"])  # tied to this run's clock and games
    card = {
        "format": CARD_FORMAT,
        "variant": rules.variant,
        "rules": rules.options,
        "rules_digest": rules.digest,
        "layout_version": LAYOUT_VERSION,
        "observation": args.observation,
        "mjenv_version": mjenv.__version__,
        "timesteps": model.num_timesteps,
        **spent,
        "training": dataclasses.asdict(args),
    }
    replace_file(out / "model.zip", content.getvalue())
    replace_file(out / "model.json", (json.dumps(card, indent=1) + "\n").encode())


def check_args(args: Args) -> None:
    """`ValueError` for settings that make no run."""
    check_training(args.minutes, args.timesteps, "timesteps", args.device)
    check_seed(args.seed)
    check_blocks(args.blocks)
    if args.shaping and args.observation != "features":
        raise ValueError("shaping reads the look-ahead: use observation='features' or shaping=0")


def run(args: Args) -> dict[str, Any]:
    """Train, save, evaluate; returns what `evaluation.json` holds. Raises `ValueError` for bad settings."""
    check_args(args)
    torch.set_num_threads(1)  # small layers gain nothing from more, and sums keep their order
    rules = as_rules(args.variant, args.rules)
    env = make_env(args, rules)
    budget = Budget(args)
    model = make_model(args, env, budget)
    model.learn(args.timesteps or 2**62, callback=budget)
    spent = budget.spent()
    save(model, args, rules, spent)
    player = MaskablePlayer(model, args.observation)
    found = {
        name: evaluate.run(args.variant, player, name, args.blocks, args.seed + 1, rules, device=args.device)
        for name in BASELINES
    }
    result = {
        "timesteps": model.num_timesteps,
        **spent,
        "training": dataclasses.asdict(args),
        "against": found,
    }
    replace_file(Path(args.out) / "evaluation.json", (json.dumps(result, indent=1) + "\n").encode())
    return result


def main(
    variant: Annotated[str, typer.Argument(help="The game.")] = Args.variant,
    out: Annotated[str, typer.Option(help="The folder for model and results.")] = Args.out,
    minutes: Annotated[float | None, typer.Option(help="Train for so long (this or --timesteps).")] = None,
    timesteps: Annotated[int | None, typer.Option(help="Train for so many decisions of the learner.")] = None,
    seed: Annotated[int, typer.Option(help="The seed of weights, deals and dice.")] = Args.seed,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = Args.device,
    opponents: Annotated[str, typer.Option(help="The agent in the three other seats.")] = Args.opponents,
    blocks: Annotated[int, typer.Option(min=2, help="Deals against each baseline.")] = Args.blocks,
) -> None:
    """Train MaskablePPO, save it, and measure it against three of each baseline."""
    try:
        result = run(Args(variant, out, minutes, timesteps, seed, device, opponents=opponents, blocks=blocks))
    except ValueError as error:
        typer.echo(f"train_sb3: {error}", err=True)
        raise typer.Exit(2) from error
    typer.echo(f"{result['timesteps']:,} decisions in {result['minutes']:.1f} minutes, saved as {out}/model.zip")
    for name, found in result["against"].items():
        typer.echo(
            f"against three of {name}: {found['points_per_hand']:+.3f} points a hand (95 %: {found['low']:+.3f} to "
            f"{found['high']:+.3f}) over {found['blocks']} deals, wins {found['win_rate']:.1%}"
        )


if __name__ == "__main__":
    from experiments import train_sb3  # so that the saved model names its classes by this module, not by __main__

    typer.run(train_sb3.main)
