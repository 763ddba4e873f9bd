"""Masked PPO self-play on the batched engine, in one file: play hands, credit each seat, learn, repeat, evaluate.

All four seats are played by one network. An iteration plays `num_envs` hands to their end, so no value has to be
guessed for hands that were cut off. A seat's trajectory is its own decisions; its next state is its own next decision,
and the payments at the end of a hand land on the last decision of the seat that received or made them. Weights, deals
and dice of an iteration follow from seed and iteration number, so a resumed run equals one that was never stopped.
"""

from __future__ import annotations

import dataclasses
import io
import itertools
import json
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from torch import Tensor, nn
from torch.utils.tensorboard import SummaryWriter

import mjenv
from agents.files import replace_file
from agents.keys import mix
from agents.network import NetworkPlayer, Policy, make_card, write_checkpoint
from experiments import evaluate
from experiments.curves import draw_curve
from experiments.ledger import Ledger
from mjenv.core.engine import check_seed
from mjenv.core.rules import Rules
from mjenv.envs.vector import VectorEnv
from mjenv.variants import as_rules

BASELINES = ("random", "greedy")
STATE_FILE = "resume.pt"


@dataclass
class Args:
    """Everything a run depends on."""

    variant: str = "hangzhou"
    """the game"""
    out: str = "runs/hangzhou"
    """folder for checkpoints, TensorBoard, evaluation and plot"""
    minutes: float | None = None
    """train for so long (or for `decisions`); compiling the engine and the last evaluation are not counted"""
    decisions: int | None = None
    """train for at least so many decisions of all seats together; the result then follows from these fields alone"""
    seed: int = 0
    """seed of weights, deals, and the dice of play and learning"""
    resume: bool = False
    """go on where the last checkpoint in `out` stands"""
    device: str = "cpu"
    """where the network lives: cpu or cuda"""
    threads: int = 1
    """torch threads on the CPU; more than one pays only on an idle machine"""
    rules: Mapping[str, Any] | None = None
    """options of the rules that differ from the variant's defaults"""
    observation: str = "features"
    """what the network reads: features (with look-ahead) or planes (facts only)"""
    width: int = 128
    """neurons in each of the two trunk layers"""
    tile_width: int = 16
    """length of the embedding of each tile kind"""
    num_envs: int = 256
    """hands played side by side in one iteration"""
    learning_rate: float = 5e-4
    """Adam's step at the start; it falls to a tenth in a straight line"""
    epochs: int = 2
    """passes over the decisions of an iteration"""
    minibatch: int = 1024
    """decisions a gradient step averages over"""
    gamma: float = 1.0
    """discount from one decision of a seat to its next"""
    gae_lambda: float = 0.8
    """how far advantages look ahead before they trust the value"""
    clip: float = 0.2
    """PPO: how far the probability ratio may move before its gradient stops"""
    entropy: float = 0.01
    """weight of the entropy bonus"""
    value_weight: float = 0.5
    """weight of the squared value error"""
    max_grad_norm: float = 0.5
    """longest gradient"""
    reward_clip: float = 4.0
    """a hand's reward, points / reward_scale, is cut to this size either way: rare limit hands shall not swamp it"""
    shaping: float = 0.1
    """reward for each step nearer to a complete hand, as a potential that sums to nothing over a hand: the best policy
    stays the best, but a first win need not be found by chance (random players almost never win); needs features"""
    curve_points: int = 10
    """evaluations during the run, for the learning curve"""
    curve_blocks: int = 64
    """duplicate deals for each of them"""
    final_blocks: int = 1000
    """duplicate deals of the last evaluation against each baseline"""


@dataclass
class Decisions:
    """The M decisions of one iteration, in the order they were taken."""

    planes: Tensor
    """uint8 [M, 34, channels]"""
    numbers: Tensor
    """float32 [M, length]"""
    mask: Tensor
    """bool [M, 75]"""
    actions: Tensor
    """int64 [M]"""
    log_probs: Tensor
    """float32 [M]: of the actions, when they were taken"""
    values: np.ndarray[Any, Any]
    """float32 [M]"""
    potential: np.ndarray[Any, Any]
    """float32 [M]: the shaping potential of the state"""
    following: np.ndarray[Any, Any]
    """int64 [M]: place of the same seat's next decision in the same hand, or -1"""
    payoff: np.ndarray[Any, Any]
    """float32 [M]: what the seat was paid between this decision and its next"""
    starts: list[int]
    """place of the first decision of each step of the batch, and M"""
    won: float
    """share of the hands that somebody won"""


class Clock:
    """Seconds spent by name."""

    def __init__(self) -> None:
        self.seconds = {"engine": 0.0, "inference": 0.0, "learning": 0.0}

    @contextmanager
    def spend(self, name: str) -> Iterator[None]:
        """Book the time inside the block."""
        start = time.perf_counter()
        yield
        self.seconds[name] += time.perf_counter() - start


def estimate_advantages(
    values: np.ndarray[Any, Any],
    payoff: np.ndarray[Any, Any],
    following: np.ndarray[Any, Any],
    starts: list[int],
    gamma: float,
    gae_lambda: float,
) -> np.ndarray[Any, Any]:
    """float32 [M]: generalised advantages along each seat's own decisions (arguments as in `Decisions`)."""
    advantages = np.zeros(len(values), np.float32)
    for low, high in zip(starts[-2::-1], starts[:0:-1], strict=True):
        after = following[low:high]
        goes_on = after >= 0
        next_value = np.where(goes_on, values[after], 0)
        next_advantage = np.where(goes_on, advantages[after], 0)
        delta = payoff[low:high] + gamma * next_value - values[low:high]
        advantages[low:high] = delta + gamma * gae_lambda * next_advantage
    return advantages


def shape_payoff(decisions: Decisions, gamma: float, reward_clip: float) -> np.ndarray[Any, Any]:
    """float32 [M]: the clipped payoff plus the change of the potential until the next decision (0 after the last)."""
    after = np.where(decisions.following >= 0, decisions.potential[decisions.following], 0)
    return np.clip(decisions.payoff, -reward_clip, reward_clip) + gamma * after - decisions.potential


def play_hands(env: VectorEnv, policy: Policy, args: Args, iteration: int, clock: Clock) -> Decisions:
    """Play one hand on every row with actions drawn from the policy."""
    rng = np.random.default_rng([args.seed, iteration, 0])
    with clock.spend("engine"):
        env.reset(seed=int(mix(mix(args.seed) ^ np.uint64(iteration))[0] >> np.uint64(1)))
    ledger = Ledger(env.num_envs)
    kept: list[tuple[Tensor, ...]] = []
    starts, actions, won = [0], np.zeros(env.num_envs, np.int64), 0
    while (rows := np.flatnonzero(env.seat >= 0)).size:
        with clock.spend("inference"):
            kept.append(decide(env, rows, policy, args, rng))
            actions[rows] = kept[-1][3].numpy()
            ledger.decide(rows, env.seat[rows].astype(np.int64))
            starts.append(ledger.count)
        with clock.spend("engine"):
            env.step(actions)
        ledger.pay(env.reward)
        won += int((env.done & (env.points != 0).any(axis=1)).sum())
    joined = [torch.cat(parts) for parts in zip(*kept, strict=True)]
    values, potential = joined[5].numpy(), joined[6].numpy()
    return Decisions(*joined[:5], values, potential, *ledger.close(), starts, won / env.num_envs)


def decide(
    env: VectorEnv, rows: np.ndarray[Any, Any], policy: Policy, args: Args, rng: np.random.Generator
) -> tuple[Tensor, ...]:
    """Draw an action for each of these rows: planes, numbers, mask, actions, log-probabilities, values, potential."""
    observation, scalars = env.observation[rows], env.scalars[rows]
    planes = torch.from_numpy(policy.reader.planes(observation))
    numbers = torch.from_numpy(policy.reader.numbers(observation, scalars))
    mask = torch.from_numpy(env.action_mask[rows])
    with torch.inference_mode():
        log_probs, values = policy(planes.to(args.device), numbers.to(args.device), mask.to(args.device))
    log_probs = log_probs.cpu()
    noise = torch.from_numpy(rng.gumbel(size=tuple(mask.shape)).astype(np.float32))
    actions = (log_probs + noise).argmax(1)
    taken = log_probs.gather(1, actions[:, None]).squeeze(1)
    potential = np.zeros(len(rows), np.float32)
    if args.shaping:
        shanten = scalars[:, env.observation_layout.scalar("shanten")] * 8
        potential -= np.float32(args.shaping) * shanten
    return planes, numbers, mask, actions, taken, values.cpu(), torch.from_numpy(potential)


def learn(
    policy: Policy, optimiser: torch.optim.Optimizer, decisions: Decisions, args: Args, iteration: int, out: Path
) -> dict[str, float]:
    """PPO's clipped steps over the decisions of one iteration; returns means of what it watched."""
    payoff = shape_payoff(decisions, args.gamma, args.reward_clip)
    found = estimate_advantages(
        decisions.values, payoff, decisions.following, decisions.starts, args.gamma, args.gae_lambda
    )
    returns = torch.from_numpy(found + decisions.values)
    advantages = torch.from_numpy((found - found.mean()) / (found.std() + 1e-8))
    rng = np.random.default_rng([args.seed, iteration, 1])
    sums: dict[str, float] = {}
    steps = 0
    for _ in range(args.epochs):
        order = torch.from_numpy(rng.permutation(len(advantages)))
        for chosen in order.split(args.minibatch):
            batch = {
                "planes": decisions.planes[chosen],
                "numbers": decisions.numbers[chosen],
                "mask": decisions.mask[chosen],
                "actions": decisions.actions[chosen],
                "log_probs": decisions.log_probs[chosen],
                "advantages": advantages[chosen],
                "returns": returns[chosen],
            }
            watched = step(policy, optimiser, {name: part.to(args.device) for name, part in batch.items()}, args)
            if not np.isfinite(watched["loss"]):
                torch.save({**batch, "policy": policy.state_dict()}, out / "nan_batch.pt")
                raise FloatingPointError(f"the loss is {watched['loss']}: its batch is in {out / 'nan_batch.pt'}")
            for name, value in watched.items():
                sums[name] = sums.get(name, 0.0) + value
            steps += 1
    explained = 1 - float(found.var()) / (float(returns.var()) + 1e-8)
    return {**{name: value / steps for name, value in sums.items()}, "explained_variance": explained}


def step(policy: Policy, optimiser: torch.optim.Optimizer, batch: Mapping[str, Tensor], args: Args) -> dict[str, float]:
    """One gradient step; a loss that is not finite changes nothing."""
    log_probs, values = policy(batch["planes"], batch["numbers"], batch["mask"])
    taken = log_probs.gather(1, batch["actions"][:, None]).squeeze(1)
    ratio = (taken - batch["log_probs"]).exp()
    clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
    policy_loss = -torch.minimum(ratio * batch["advantages"], clipped * batch["advantages"]).mean()
    value_loss = (values - batch["returns"]).square().mean()
    entropy = -(log_probs.exp() * log_probs.masked_fill(~batch["mask"], 0)).sum(1).mean()
    loss = policy_loss + args.value_weight * value_loss - args.entropy * entropy
    watched = {
        "loss": loss.item(),
        "policy_loss": policy_loss.item(),
        "value_loss": value_loss.item(),
        "entropy": entropy.item(),
        "clipped": ((ratio - 1).abs() > args.clip).float().mean().item(),
    }
    if np.isfinite(watched["loss"]):
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), args.max_grad_norm)
        optimiser.step()
    return watched


class Trainer:
    """A run: what a checkpoint keeps, and the loop over iterations."""

    def __init__(self, args: Args) -> None:
        self.args = args
        self.out = Path(args.out)
        self.rules = as_rules(args.variant, args.rules)
        torch.set_num_threads(args.threads)
        torch.manual_seed(args.seed)
        self.policy = Policy(args.observation, args.width, args.tile_width).to(args.device)
        self.optimiser = torch.optim.Adam(self.policy.parameters(), lr=args.learning_rate, eps=1e-5)
        self.iteration = 0
        self.decisions = 0
        self.seconds = 0.0
        self.curve: list[dict[str, Any]] = []
        self.clock = Clock()
        self._open_folder()
        view = "features" if args.shaping else args.observation
        self.env = mjenv.vector(
            args.variant, args.num_envs, rules=self.rules, observation=view, autoreset=False, seed=args.seed
        )

    def _open_folder(self) -> None:
        state = self.out / STATE_FILE
        if self.args.resume:
            self._load(state)
        elif state.exists():
            names = (self.out.with_name(f"{self.out.name}.{n}") for n in itertools.count(1))
            aside = next(path for path in names if not path.exists())
            shutil.move(self.out, aside)
            print(f"the run that was in {self.out} is now in {aside}", file=sys.stderr)
        self.out.mkdir(parents=True, exist_ok=True)

    def progress(self) -> float:
        """How much of the run is done, 0 to 1."""
        if self.args.decisions is not None:
            return min(1.0, self.decisions / self.args.decisions)
        assert self.args.minutes is not None
        return min(1.0, self.seconds / (60 * self.args.minutes))

    def iterate(self) -> dict[str, float]:
        """Play, learn, save; returns what TensorBoard shows."""
        start, before = time.perf_counter(), dict(self.clock.seconds)
        for group in self.optimiser.param_groups:
            group["lr"] = self.args.learning_rate * (1 - 0.9 * self.progress())
        played = play_hands(self.env, self.policy, self.args, self.iteration, self.clock)
        with self.clock.spend("learning"):
            watched = learn(self.policy, self.optimiser, played, self.args, self.iteration, self.out)
        count = len(played.actions)
        self.iteration += 1
        self.decisions += count
        self.seconds += time.perf_counter() - start
        self.save()
        spent = {name: self.clock.seconds[name] - before[name] for name in before}
        total = sum(spent.values())
        return {
            **{f"learn/{name}": value for name, value in watched.items()},
            **{f"time/{name}_share": seconds / total for name, seconds in spent.items()},
            "time/decisions_per_second": count / total,
            "play/won": played.won,
            "play/decisions_per_hand": count / self.args.num_envs,
        }

    def measure(self, blocks: int, seed: int) -> dict[str, dict[str, Any]]:
        """Points per hand against each baseline, over deals that training never sees."""
        player = NetworkPlayer(self.policy, self.out.name, self.args.device)
        return {
            name: evaluate.run(self.args.variant, player, name, blocks, seed, self.rules, device=self.args.device)
            for name in BASELINES
        }

    def add_to_curve(self) -> dict[str, Any]:
        """Measure where the policy stands and note it."""
        start = time.perf_counter()
        found = self.measure(self.args.curve_blocks, self.args.seed)
        keys = ("points_per_hand", "low", "high", "win_rate")
        point = {name: {key: result[key] for key in keys} for name, result in found.items()}
        self.seconds += time.perf_counter() - start
        self.curve.append({"decisions": self.decisions, "minutes": self.seconds / 60, **point})
        return self.curve[-1]

    def save(self) -> None:
        """Write weights and card for players, and the state that `resume` needs."""
        training = {**dataclasses.asdict(self.args), "decisions_seen": self.decisions, "seconds": self.seconds}
        card = make_card(self.policy, self.rules, mjenv_version=mjenv.__version__, training=training)
        write_checkpoint(self.out, self.policy, card)
        state = io.BytesIO()
        torch.save(
            {
                "policy": self.policy.state_dict(),
                "optimiser": self.optimiser.state_dict(),
                "iteration": self.iteration,
                "decisions": self.decisions,
                "seconds": self.seconds,
                "curve": self.curve,
                "fixed": _fixed(self.args, self.rules),
            },
            state,
        )
        replace_file(self.out / STATE_FILE, state.getvalue())

    def _load(self, path: Path) -> None:
        if not path.exists():
            raise ValueError(f"nothing to resume: there is no {path}")
        try:
            state = torch.load(path, map_location=self.args.device, weights_only=True)
        except Exception as error:
            raise ValueError(f"{path} is no file that training wrote, or it is damaged") from error
        given, now = json.loads(state["fixed"]), json.loads(_fixed(self.args, self.rules))
        differing = [
            f"{name}: {given.get(name)} there, {now[name]} here" for name in now if given.get(name) != now[name]
        ]
        if differing:
            raise ValueError(f"{path} was made with other settings: {'; '.join(differing)}")
        self.policy.load_state_dict(state["policy"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.iteration, self.decisions = state["iteration"], state["decisions"]
        self.seconds, self.curve = state["seconds"], state["curve"]


def _fixed(args: Args, rules: Rules) -> str:
    """What may not change on resume, as JSON: everything but how long, where, and how results are measured."""
    free = {"out", "minutes", "decisions", "resume", "device", "threads", "rules", "curve_points", "curve_blocks"}
    fields = {name: value for name, value in dataclasses.asdict(args).items() if name not in free | {"final_blocks"}}
    return json.dumps({**fields, "rules": rules.digest})


def check_args(args: Args) -> None:
    """`ValueError` for settings that make no run."""
    if (args.minutes is None) == (args.decisions is None):
        raise ValueError("say how long to train: either minutes or decisions")
    check_seed(args.seed)
    if not 0 < (args.minutes or args.decisions or 0) < float("inf"):
        raise ValueError("minutes and decisions must be above 0")
    if args.shaping and args.observation != "features":
        raise ValueError("shaping reads the look-ahead: use observation='features' or shaping=0")
    if args.device != "cpu" and not torch.cuda.is_available():
        raise ValueError(f"device {args.device!r} is not there: torch sees no GPU")


def run(args: Args) -> dict[str, Any]:
    """Train, evaluate, plot; returns what `evaluation.json` holds.

    Raises `ValueError` for bad settings. After Ctrl-C the checkpoint of the last whole iteration stays usable, for play
    and for `resume`.
    """
    check_args(args)
    trainer = Trainer(args)
    console = Console(stderr=True)
    writer = SummaryWriter(str(trainer.out / "tensorboard"), purge_step=trainer.decisions)
    try:
        with _bar(console) as bar:
            _train(trainer, writer, bar)
        result = _finish(trainer, console)
    except KeyboardInterrupt:
        console.print(f"stopped: {trainer.out} holds the last whole iteration, from which resume goes on")
        raise
    finally:
        writer.close()
        trainer.env.close()
    print(trainer.out / "learning_curve.png")
    return result


def _bar(console: Console) -> Progress:
    percent, text = TextColumn("{task.percentage:3.0f} %"), TextColumn("{task.description}")
    return Progress(BarColumn(), percent, TimeElapsedColumn(), text, console=console)


def _train(trainer: Trainer, writer: SummaryWriter, bar: Progress) -> None:
    """Iterate until the run is over, with an evaluation at the start and after each part of it."""
    task = bar.add_task("evaluating", total=1.0, completed=trainer.progress())
    standing = ""
    while True:
        if trainer.progress() * trainer.args.curve_points >= len(trainer.curve):
            point = trainer.add_to_curve()
            for name in BASELINES:
                writer.add_scalar(
                    f"evaluation/points_against_{name}", point[name]["points_per_hand"], trainer.decisions
                )
            standing = ", ".join(f"{point[name]['points_per_hand']:+.2f} against {name}" for name in BASELINES)
        if trainer.progress() >= 1:
            trainer.save()
            return
        scalars = trainer.iterate()
        for name, value in scalars.items():
            writer.add_scalar(name, value, trainer.decisions)
        shares = ", ".join(f"{name} {scalars[f'time/{name}_share']:.0%}" for name in trainer.clock.seconds)
        bar.update(
            task,
            completed=trainer.progress(),
            description=f"{trainer.decisions / 1e6:.2f} M decisions, {scalars['time/decisions_per_second']:,.0f}/s "
            f"({shares}); points a hand: {standing}",
        )


def _finish(trainer: Trainer, console: Console) -> dict[str, Any]:
    """Evaluate the result, write `evaluation.json` and the learning curve."""
    with console.status("evaluating over duplicate deals"):
        found = trainer.measure(trainer.args.final_blocks, trainer.args.seed + 1)
    spent = sum(trainer.clock.seconds.values())
    result = {
        "variant": trainer.args.variant,
        "decisions": trainer.decisions,
        "minutes": trainer.seconds / 60,
        "decisions_per_second": trainer.decisions / trainer.seconds,
        "time_shares": {name: seconds / spent for name, seconds in trainer.clock.seconds.items()} if spent else {},
        "against": found,
        "curve": trainer.curve,
    }
    replace_file(trainer.out / "evaluation.json", (json.dumps(result, indent=1) + "\n").encode())
    replace_file(trainer.out / "learning_curve.png", draw_curve(result, BASELINES))
    for name, entry in found.items():
        console.print(
            f"against three of {name}: {entry['points_per_hand']:+.3f} points a hand "
            f"[{entry['low']:+.3f}, {entry['high']:+.3f}] over {entry['blocks']} deals, wins {entry['win_rate']:.1%}"
        )
    return result
