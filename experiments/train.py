"""A policy for one variant: clone the best rule-based player, then improve on it by PPO, in one file.

1. **Clone.** Hands are played by the teacher, and on half of the tables by the network itself; the teacher says what it
   would do in every position, and the network learns to do that. The critic learns what positions are worth.
2. **PPO.** Hands in which the learner meets itself, past snapshots of itself, and rule-based players.

Weights, deals and dice of an iteration follow from the seed and the iteration's number, so that a resumed run equals
one that was never stopped.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from torch import Tensor, nn
from torch.utils.tensorboard import SummaryWriter

from agents.files import replace_file
from agents.keys import mix
from agents.network import NetworkPlayer, Policy
from agents.registry import RULE_BASED, make
from experiments.checks import check_training
from experiments.run_folder import BASELINES, RunFolder, pack_state
from experiments.selfplay import LEARNER, Clock, Critic, Decisions, Tables, estimate_advantages
from experiments.symmetry import permute_suits
from mjenv.core.engine import check_choice, check_seed
from mjenv.variants import as_rules

SHOWN = ("random", "value")
"""The baselines that the progress bar tells about."""
PRECISIONS = ("bfloat16", "float32")
REWARDS = ("points", "clip", "root")
COUNTERS = ("pool", "iteration", "phase", "began", "unit")
"""Fields of a `Learner` that a checkpoint keeps as they are."""
CRITIC_WEIGHT = 0.1
"""Weight of the value error while cloning."""
POOL = 8
"""Snapshots that are kept as past rivals, the oldest dropped first."""


@dataclass
class Args:
    """Everything a run depends on."""

    variant: str = "hangzhou"
    """the game"""
    out: str = "runs/hangzhou"
    """folder for checkpoints, TensorBoard, evaluation and plot"""
    minutes: float | None = None
    """train for so long (or for `decisions`); compiling and evaluations are not counted"""
    decisions: int | None = None
    """train for at least so many decisions of the learner; the result then follows from these fields alone"""
    seed: int = 0
    """seed of weights, deals, and the dice of play and learning"""
    resume: bool = False
    """go on where the last checkpoint in `out` stands"""
    device: str = "cpu"
    """where the network lives: cpu or cuda"""
    threads: int = 1
    """torch threads on the CPU; more than one pays only on an idle machine"""
    precision: str = "bfloat16"
    """of the matrix products while learning: bfloat16 (much faster where the processor has it) or float32"""
    rules: Mapping[str, Any] | None = None
    """options of the rules that differ from the variant's defaults"""
    observation: str = "features"
    """what the network reads: features (with look-ahead) or planes (facts only)"""
    width: int = 256
    """neurons in each of the two trunk layers"""
    tile_width: int = 16
    """length of the embedding of each tile kind"""
    teacher: str = "value"
    """the rule-based player that is cloned"""
    advised: bool = True
    """after cloning the network is told what the teacher would do, and learns where to trust it"""
    leave_wins: bool = False
    """whether to declare a win is left to the teacher, where few decisions of great weight are learned badly"""
    clone: float = 0.25
    """share of the run that is spent on cloning"""
    clone_rate: float = 1e-3
    """Adam's step at the start of cloning; it falls to a tenth in a straight line"""
    rivals: str = "value"
    """rule-based players that the learner meets, one against three, separated by commas"""
    rivals_share: float = 0.4
    """share of the hands against rule-based players"""
    past_share: float = 0.1
    """share of the hands against a past snapshot, one against three; in the rest the learner meets itself"""
    past_every: int = 20
    """iterations between two snapshots"""
    num_envs: int = 1024
    """hands played side by side in one iteration"""
    learning_rate: float = 3e-4
    """Adam's step at the start of PPO; it falls to a tenth in a straight line"""
    epochs: int = 2
    """passes of PPO over the decisions of an iteration; cloning makes one"""
    minibatch: int = 2048
    """decisions a gradient step averages over (half as many in cloning)"""
    value_only: int = 3
    """first iterations after cloning in which only the critic learns"""
    gamma: float = 1.0
    """discount from one decision of a seat to its next"""
    gae_lambda: float = 0.95
    """how far advantages look ahead before they trust the value"""
    clip: float = 0.2
    """PPO: how far the probability ratio may move before its gradient stops"""
    entropy: float = 0.003
    """weight of the entropy bonus"""
    kl: float = 0.0
    """weight of the divergence from the policy that cloning left, which holds the learner near it"""
    value_weight: float = 0.5
    """weight of the squared value error"""
    max_grad_norm: float = 0.5
    """longest gradient"""
    oracle: bool = True
    """the critic, which plays no part after training, also sees the other hands"""
    symmetry: bool = False
    """every minibatch is learned with its suits swapped at random"""
    reward: str = "points"
    """what is learned: points; clip, points cut at `reward_clip` times reward_scale; root, their signed square root"""
    reward_clip: float = 4.0
    """where `clip` cuts"""
    curve_points: int = 10
    """evaluations during the run, for the learning curve"""
    curve_blocks: int = 128
    """duplicate deals for each of them"""
    final_blocks: int = 1000
    """duplicate deals of the last evaluation against each baseline"""
    final_seed: int = 1_000_000
    """the seed of those deals; those of the learning curve have the next one, and training sees neither"""


def learn_from(payoff: np.ndarray[Any, Any], args: Args) -> np.ndarray[Any, Any]:
    """The payoff (float32 [M]) as it is learned: see `Args.reward`."""
    if args.reward == "clip":
        payoff = payoff.clip(-args.reward_clip, args.reward_clip)
    elif args.reward == "root":
        payoff = np.sign(payoff) * np.sqrt(np.abs(payoff))
    return payoff


class Learner:
    """Networks, optimiser, past snapshots and counters: all that learning changes."""

    def __init__(self, args: Args) -> None:
        self.args = args
        self.rules = as_rules(args.variant, args.rules)
        torch.set_num_threads(args.threads)
        torch.manual_seed(args.seed)
        advisor = args.teacher if args.advised else None
        self.policy = Policy(args.observation, args.width, args.tile_width, advisor, args.leave_wins).to(args.device)
        self.critic = Critic(args.width, args.oracle).to(args.device)
        self.anchor: Policy | None = None
        """The policy as PPO found it, for `kl`."""
        self.optimiser = torch.optim.Adam(self._parameters(), lr=args.clone_rate, eps=1e-5)
        self.pool: list[dict[str, Tensor]] = []
        self.iteration = 0
        self.phase = "clone"
        self.began = 0
        """The first iteration of the phase."""
        self.unit = 0.0
        """The spread of what hands pay, measured in the first iteration: everything is learned in this unit."""
        self.clock = Clock()
        self.tables = Tables(self.rules, args.num_envs, args.observation, args.teacher, self.clock)
        self._rules_based = [make(name, args.variant, self.rules) for name in args.rivals.split(",")]

    def state(self) -> dict[str, Any]:
        """Everything that `load_state` needs to go on exactly here."""
        state: dict[str, Any] = {name: getattr(self, name) for name in COUNTERS}
        for name in ("policy", "critic", "optimiser"):
            state[name] = getattr(self, name).state_dict()
        return {**state, "anchor": self.anchor.state_dict() if self.anchor else None}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on where `state` was taken."""
        for name in COUNTERS:
            setattr(self, name, state[name])
        for name in ("policy", "critic", "optimiser"):
            getattr(self, name).load_state_dict(state[name])
        if state["anchor"]:
            self.anchor = copy.deepcopy(self.policy).requires_grad_(False)
            self.anchor.load_state_dict(state["anchor"])

    def _parameters(self) -> list[nn.Parameter]:
        return [*self.policy.parameters(), *self.critic.parameters()]

    def iterate(self, progress: float) -> tuple[int, dict[str, float]]:
        """Play hands and learn from them; returns the decisions learned from, and what is worth watching.

        progress: how much of the run is done, 0 to 1.
        """
        args = self.args
        if self.phase == "clone" and progress >= args.clone:
            self.phase, self.began = "ppo", self.iteration
            self.anchor = copy.deepcopy(self.policy).requires_grad_(False)
        clones = self.phase == "clone"
        done = progress / args.clone if clones else (progress - args.clone) / (1 - args.clone)
        for group in self.optimiser.param_groups:
            group["lr"] = (args.clone_rate if clones else args.learning_rate) * (1 - 0.9 * done)
        seating, rivals = self.seat_players()
        follows = np.arange(args.num_envs) < (args.num_envs // 2 if clones else 0)
        seed = int(mix(mix(args.seed) ^ np.uint64(self.iteration))[0] >> np.uint64(1))
        played = self.tables.play(
            self.policy, self.critic, seating, rivals, follows, self._is_advised(), seed, args.device
        )
        watched = self.learn(played)
        self.iteration += 1
        if not clones and (self.iteration - self.began) % args.past_every == 1:
            state = {name: part.detach().cpu().clone() for name, part in self.policy.state_dict().items()}
            self.pool = [*self.pool, state][-POOL:]
        return len(played.actions), {**watched, "won": played.won}

    def _is_advised(self) -> bool:
        return self.args.advised and self.phase != "clone"

    def seat_players(self) -> tuple[np.ndarray[Any, Any], list[Any]]:
        """Who sits where in this iteration, int [N, 4], and the rivals: rule-based ones, then a past snapshot."""
        n, args = self.args.num_envs, self.args
        seating = np.full((n, 4), LEARNER)
        if self.phase == "clone":
            return seating, []
        rivals = list(self._rules_based)
        ruled, past = round(n * args.rivals_share), round(n * args.past_share) if self.pool else 0
        opponents = np.arange(ruled + past) % len(rivals)
        if past:
            opponents[ruled:] = len(rivals)
            chosen = int(np.random.default_rng([args.seed, self.iteration, 2]).integers(len(self.pool)))
            policy = copy.deepcopy(self.policy)
            policy.load_state_dict(self.pool[chosen])
            rivals.append(NetworkPlayer(policy, self.rules, device=args.device))
        seating[: ruled + past] = opponents[:, None]
        rows = np.arange(ruled + past)
        seating[rows, (rows // len(self._rules_based)) % 4] = LEARNER
        return seating, rivals

    def learn(self, played: Decisions) -> dict[str, float]:
        """Learn from the decisions of one iteration; returns means of what it watched."""
        args = self.args
        payoff = learn_from(played.payoff, args)
        if self.unit == 0:
            self.unit = float(payoff[payoff != 0].std()) or 1.0
        payoff = payoff / np.float32(self.unit)
        found = estimate_advantages(played.values, payoff, played.following, played.starts, args.gamma, args.gae_lambda)
        returns = torch.from_numpy(found + played.values)
        choice = played.mask.sum(1) > 1
        spread = found[choice.numpy()]
        learned = {
            "planes": played.planes,
            "numbers": played.numbers,
            "mask": played.mask,
            "advice": played.advice,
            "hidden": played.hidden,
            "actions": played.actions,
            "log_probs": played.log_probs,
            "advantages": torch.from_numpy((found - spread.mean()) / (spread.std() + 1e-8)),
            "returns": returns,
        }
        places = choice.nonzero().squeeze(1)
        with self.clock.spend("learning"):
            watched = self._take_steps(learned, places)
        explained = 1 - float(found.var()) / (float(returns.var()) + 1e-8)
        return {**watched, "explained_variance": explained}

    def _take_steps(self, learned: Mapping[str, Tensor], places: Tensor) -> dict[str, float]:
        """Gradient steps over the decisions at `places`, one entry of each tensor a decision."""
        args = self.args
        passes, size = (1, args.minibatch // 2) if self.phase == "clone" else (args.epochs, args.minibatch)
        rng = np.random.default_rng([args.seed, self.iteration, 1])
        sums: dict[str, float] = {}
        orders = [places[torch.from_numpy(rng.permutation(len(places)))] for _ in range(passes)]
        minibatches = [chosen for order in orders for chosen in torch.split(order, size)]
        for chosen in minibatches:
            batch = {name: part[chosen] for name, part in learned.items()}
            if args.symmetry:
                permute_suits(batch, rng.permutation(3))
            watched = self.step({name: part.to(args.device) for name, part in batch.items()})
            if not np.isfinite(watched["loss"]):
                path = Path(args.out) / "nan_batch.pt"
                replace_file(path, pack_state({**batch, "policy": self.policy.state_dict()}))
                raise FloatingPointError(f"the loss is {watched['loss']}: its batch is in {path}")
            for name, value in watched.items():
                sums[name] = sums.get(name, 0.0) + value
        return {name: value / len(minibatches) for name, value in sums.items()}

    def step(self, batch: Mapping[str, Tensor]) -> dict[str, float]:
        """One gradient step; a loss that is not finite changes nothing."""
        args = self.args
        advice = batch["advice"] if self._is_advised() else None
        with torch.autocast(args.device.split(":")[0], torch.bfloat16, enabled=args.precision == "bfloat16"):
            log_probs, trunk = self.policy(batch["planes"], batch["numbers"], batch["mask"], advice)
            if self.phase == "clone":
                watched = self._clone_loss(batch, log_probs, trunk)
            else:
                watched = self._ppo_loss(batch, log_probs, trunk, advice)
        watched["agreement"] = (log_probs.argmax(1) == batch["advice"]).float().mean()
        told = {name: float(value.detach()) for name, value in watched.items()}
        if np.isfinite(told["loss"]):
            self.optimiser.zero_grad()
            torch.autograd.backward(watched["loss"])
            nn.utils.clip_grad_norm_(self._parameters(), args.max_grad_norm)
            self.optimiser.step()
        return told

    def _value_loss(self, batch: Mapping[str, Tensor], trunk: Tensor) -> Tensor:
        values: Tensor = self.critic(trunk, batch["hidden"])
        return (values.float() - batch["returns"]).square().mean()

    def _clone_loss(self, batch: Mapping[str, Tensor], log_probs: Tensor, trunk: Tensor) -> dict[str, Tensor]:
        """Cross entropy with what the teacher would do, and a little of the value error for the critic."""
        value_loss = self._value_loss(batch, trunk)
        clone_loss = -log_probs.gather(1, batch["advice"][:, None]).mean()
        return {"loss": clone_loss + CRITIC_WEIGHT * value_loss, "value_loss": value_loss}

    def _ppo_loss(
        self, batch: Mapping[str, Tensor], log_probs: Tensor, trunk: Tensor, advice: Tensor | None
    ) -> dict[str, Tensor]:
        """The clipped objective with value error and entropy; at first the value error alone, and the trunk at rest."""
        args = self.args
        if self.iteration - self.began < args.value_only:
            value_loss = self._value_loss(batch, trunk.detach())
            return {"loss": value_loss, "value_loss": value_loss}
        value_loss = self._value_loss(batch, trunk)
        ratio = (log_probs.gather(1, batch["actions"][:, None]).squeeze(1) - batch["log_probs"]).exp()
        clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
        policy_loss = -torch.minimum(ratio * batch["advantages"], clipped * batch["advantages"]).mean()
        legal = log_probs.masked_fill(~batch["mask"], 0)
        entropy = -(log_probs.exp() * legal).sum(1).mean()
        loss = policy_loss + args.value_weight * value_loss - args.entropy * entropy
        watched = {"value_loss": value_loss, "policy_loss": policy_loss, "entropy": entropy}
        watched["clipped"] = ((ratio - 1).abs() > args.clip).float().mean()
        if args.kl and self.anchor is not None:
            with torch.no_grad():
                held, _ = self.anchor(batch["planes"], batch["numbers"], batch["mask"], advice)
            watched["kl"] = (log_probs.exp() * (legal - held.masked_fill(~batch["mask"], 0))).sum(1).mean()
            loss = loss + args.kl * watched["kl"]
        return {**watched, "loss": loss}


def check_args(args: Args) -> None:
    """`ValueError` for settings that make no run."""
    check_training(args.minutes, args.decisions, "decisions", args.device)
    check_seed(args.seed)
    check_choice("reward", args.reward, REWARDS)
    check_choice("precision", args.precision, PRECISIONS)
    for name in ("teacher", *args.rivals.split(",")):
        given = args.teacher if name == "teacher" else name
        if given not in RULE_BASED:
            raise ValueError(
                f"the teacher and the rivals are rule-based players ({', '.join(RULE_BASED)}), not {given!r}"
            )
    for name in ("clone", "rivals_share", "past_share"):
        if not 0 <= getattr(args, name) <= 1:
            raise ValueError(f"{name} is a share, 0 to 1, not {getattr(args, name)!r}")
    if args.leave_wins and not args.advised:
        raise ValueError("leave_wins needs the teacher's choice: use advised=True")
    if args.rivals_share + args.past_share > 1:
        raise ValueError("rivals_share and past_share together are at most 1: the learner meets itself in the rest")


def run(args: Args) -> dict[str, Any]:
    """Train, evaluate, plot; returns what `evaluation.json` holds.

    Raises `ValueError` for bad settings. After Ctrl-C the checkpoint of the last whole iteration stays usable, for play
    and for `resume`.
    """
    check_args(args)
    learner = Learner(args)
    folder = RunFolder(learner)
    console = Console(stderr=True)
    writer = SummaryWriter(str(folder.path / "tensorboard"), purge_step=folder.decisions)
    percent, text = TextColumn("{task.percentage:3.0f} %"), TextColumn("{task.description}")
    try:
        with Progress(BarColumn(), percent, TimeElapsedColumn(), text, console=console) as bar:
            train(learner, folder, writer, bar)
        with console.status("evaluating over duplicate deals"):
            result = folder.finish()
    except KeyboardInterrupt:
        console.print(f"stopped: {folder.path} holds the last whole iteration, from which resume goes on")
        raise
    finally:
        writer.close()
    for name, entry in result["against"].items():
        console.print(
            f"against three of {name}: {entry['points_per_hand']:+.3f} points a hand "
            f"[{entry['low']:+.3f}, {entry['high']:+.3f}] over {entry['blocks']} deals, wins {entry['win_rate']:.1%}"
        )
    print(folder.path / "learning_curve.png")
    return result


def train(learner: Learner, folder: RunFolder, writer: SummaryWriter, bar: Progress) -> None:
    """Iterate until the run is over, with an evaluation at the start and after each part of it."""
    task = bar.add_task("evaluating", total=1.0, completed=0)
    standing = ""
    folder.save()
    while True:
        if folder.progress() * learner.args.curve_points >= len(folder.curve):
            point = folder.add_to_curve()
            for name in BASELINES:
                told = point[name]["points_per_hand"]
                writer.add_scalar(f"evaluation/points_against_{name}", told, folder.decisions)
            standing = ", ".join(f"{point[name]['points_per_hand']:+.2f} against {name}" for name in SHOWN)
        if folder.progress() >= 1:
            folder.save()
            return
        start, before = time.perf_counter(), dict(learner.clock.seconds)
        count, watched = learner.iterate(folder.progress())
        folder.decisions += count
        folder.seconds += time.perf_counter() - start
        folder.save()
        spent = {name: seconds - before[name] for name, seconds in learner.clock.seconds.items()}
        total = sum(spent.values())
        for name, value in watched.items():
            writer.add_scalar(f"learn/{name}", value, folder.decisions)
        for name, seconds in spent.items():
            writer.add_scalar(f"time/{name}_share", seconds / total, folder.decisions)
        writer.add_scalar("time/decisions_per_second", count / total, folder.decisions)
        shares = ", ".join(f"{name} {seconds / total:.0%}" for name, seconds in spent.items())
        bar.update(
            task,
            completed=folder.progress(),
            description=f"{learner.phase}: {folder.decisions / 1e6:.2f} M "
            f"decisions, {count / total:,.0f}/s ({shares}); points a hand: {standing}",
        )
