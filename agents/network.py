"""The learned player: a small network over tile planes, and its checkpoints (safetensors and a JSON card)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.torch
import torch
from torch import Tensor, nn

from agents.files import replace_file
from agents.protocol import OBSERVATIONS, Array
from agents.registry import make
from mjenv.core.actions import CHI_LOW, HU, N_ACTIONS, OWN_GANG
from mjenv.core.channels import LAYOUT_VERSION, RELATIVE, ObservationLayout, observation_layout
from mjenv.core.rules import Rules
from mjenv.core.tiles import HAND_KINDS

CARD_FORMAT = 1
CARD_FILE, WEIGHTS_FILE = "card.json", "weights.safetensors"
CHUNK = 64
"""Rows of one forward pass in play. Always so many, so that a row's result does not depend on the others' number."""

_SINGLE = ("major_wild", "minor_wild", "drawn", "pending", "last_discard", "barred", "unseen")
_SETS = ("peng", "gang", "added_gang", "concealed_gang")
_CHIS = ("chi_low", "chi_middle", "chi_high")
_CLAIMS = ("chi_low", "chi_middle", "chi_high", "peng", "gang")
GAP_LIMIT, USEFUL_UNIT = 3, 32
NOT_OFFERED = 2.0
TRUST = 1.0
"""The bonus of the advised action before learning: e times as likely as without."""


class Reader:
    """Turns observations into what the network reads: fewer planes, one row a kind, all near the size of 1.

    Kept are the own hand, wilds, marks and unseen copies; runs, sets and discards of each seat as counts; and of the
    look-ahead, for each discard, how far it is from the best shanten, its useful tiles, those once more where the
    shanten is the best, and whether it floats. Left out is where melds came from and the order of discards.
    """

    def __init__(self, layout: ObservationLayout) -> None:
        self._hand = slice(layout.plane("own_hand_1"), layout.plane("own_hand_4") + 1)
        self._single = [layout.plane(name) for name in _SINGLE]
        self._chis = [[layout.plane(f"{whose}_{name}") for name in _CHIS] for whose in RELATIVE]
        self._sets = [[layout.plane(f"{whose}_{name}") for name in _SETS] for whose in RELATIVE]
        self._discards = slice(layout.plane("own_discard_1"), layout.plane("left_discard_4") + 1)
        self._look = layout.plane("discard_shanten") if layout.view == "features" else None
        self._shanten = layout.scalar("shanten") if layout.view == "features" else None
        self.length = len(layout.scalars) + (2 + 2 * len(_CLAIMS) if layout.view == "features" else 0)
        scale = (
            [1.0] * 4 + [1 / layout.planes[plane].high for plane in self._single] + [0.5] * 4 + [1.0] * 4 + [0.5] * 4
        )
        if self._look is not None:
            scale += [1 / GAP_LIMIT, 1 / USEFUL_UNIT, 1 / USEFUL_UNIT, 1.0]
        self.scale = torch.tensor(scale)
        self.channels = len(scale)

    def planes(self, observation: Array) -> Array:
        """uint8 [n, 34, channels] from uint8 [n, C, 34]."""
        n = len(observation)
        read = np.empty((n, HAND_KINDS, self.channels), np.uint8)
        by_plane = read.transpose(0, 2, 1)
        by_plane[:, :4] = observation[:, self._hand]
        by_plane[:, 4:11] = observation[:, self._single]
        for place in range(4):
            np.sum(observation[:, self._chis[place]], axis=1, dtype=np.uint8, out=by_plane[:, 11 + place])
            np.sum(observation[:, self._sets[place]], axis=1, dtype=np.uint8, out=by_plane[:, 15 + place])
        discards = (observation[:, self._discards] > 0).reshape(n, 4, 4, HAND_KINDS)
        np.sum(discards, axis=2, dtype=np.uint8, out=by_plane[:, 19:23])
        if self._look is not None:
            shanten, useful = observation[:, self._look], observation[:, self._look + 1]
            gap = shanten - shanten.min(axis=1, keepdims=True)
            by_plane[:, 23] = np.minimum(gap, GAP_LIMIT)
            by_plane[:, 24] = useful
            by_plane[:, 25] = useful * (gap == 0)
            by_plane[:, 26] = observation[:, self._look + 2]
        return read

    def numbers(self, observation: Array, scalars: Array) -> Array:
        """float32 [n, length] from uint8 [n, C, 34] and float32 [n, K].

        Of each claim that is offered it is told whether it lowers, keeps or raises the shanten; the shanten and the
        useful tiles of the best discard are added.
        """
        read = np.clip(scalars, -4, 4)
        if self._look is None or self._shanten is None:
            return read
        now = scalars[:, self._shanten, None]
        read[:, self._shanten] = 2 * now[:, 0]
        after = slice(self._shanten + 1, self._shanten + 1 + len(_CLAIMS))
        step = np.rint(8 * (scalars[:, after] - now))
        offered = scalars[:, after] < NOT_OFFERED
        read[:, after] = offered & (step < 0)
        shanten, useful = observation[:, self._look], observation[:, self._look + 1]
        lowest = shanten.min(axis=1, keepdims=True)
        most = (useful * (shanten == lowest)).max(axis=1, keepdims=True)
        best = np.concatenate((lowest * np.float32(0.25), most * np.float32(1 / USEFUL_UNIT)), axis=1)
        return np.concatenate((read, best, offered & (step == 0), offered & (step > 0)), axis=1, dtype=np.float32)


class Policy(nn.Module):
    """Logits of 75 actions.

    A trunk of two layers reads everything; each kind has a small embedding of its own planes. The logit of discarding
    (or laying down) a kind is a sum of what the trunk says about the kind and of the embedding weighed by the trunk.
    With an `advisor`, the name of a rule-based player, the action that it would take gets a bonus, which the trunk sets
    for each position: the network then learns where to trust it and where not. With `leave_wins` the advisor alone
    decides whether to declare a win.
    """

    def __init__(
        self,
        observation: str,
        width: int = 256,
        tile_width: int = 16,
        advisor: str | None = None,
        leave_wins: bool = False,
    ) -> None:
        super().__init__()
        if observation not in OBSERVATIONS:
            raise ValueError(f"observation must be one of {', '.join(map(repr, OBSERVATIONS))}, not {observation!r}")
        self.observation = observation
        self.advisor = advisor
        self.leave_wins = leave_wins
        self.architecture = {
            "observation": observation,
            "width": width,
            "tile_width": tile_width,
            "advisor": advisor,
            "leave_wins": leave_wins,
        }
        self.reader = Reader(observation_layout(observation))
        self.scale: Tensor
        self.register_buffer("scale", self.reader.scale, persistent=False)
        inputs = HAND_KINDS * self.reader.channels + self.reader.length
        self.tile = nn.Linear(self.reader.channels, tile_width)
        self.tile_logits = nn.Linear(tile_width, 2)
        self.trunk = nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.by_kind = nn.Linear(width, 2 * HAND_KINDS)
        self.weighing = nn.Linear(width, 2 * tile_width)
        self.others = nn.Linear(width + self.reader.length, N_ACTIONS - 2 * HAND_KINDS)
        for layer in (self.by_kind, self.weighing, self.others, self.tile_logits):
            nn.init.orthogonal_(layer.weight, 0.01)
            nn.init.zeros_(layer.bias)
        if advisor:
            self.trust = nn.Linear(width, 1)
            nn.init.zeros_(self.trust.weight)
            nn.init.constant_(self.trust.bias, TRUST)

    def forward(
        self, planes: Tensor, numbers: Tensor, mask: Tensor, advice: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Log-probabilities [n, 75] of the legal actions, and the trunk [n, width], which a critic may read.

        planes: uint8 [n, 34, channels] and numbers: float32 [n, length], both from `reader`; mask: bool [n, 75];
        advice: int64 [n], what the advisor would do. Without advice the network decides by itself.
        """
        tiles = planes * self.scale
        trunk = self.trunk(torch.cat((tiles.flatten(1), numbers), 1))
        embedding = torch.relu(self.tile(tiles))
        weights = self.weighing(trunk).unflatten(1, (-1, 2))
        by_kind = self.by_kind(trunk).unflatten(1, (-1, 2)) + self.tile_logits(embedding) + embedding @ weights
        others = self.others(torch.cat((trunk, numbers), 1))
        claims = OWN_GANG - CHI_LOW
        logits = torch.cat((by_kind[:, :, 0], others[:, :claims], by_kind[:, :, 1], others[:, claims:]), 1)
        if advice is not None:
            logits = logits.scatter_add(1, advice[:, None], self.trust(trunk).to(logits.dtype))
            mask = _leave_win(mask, advice) if self.leave_wins else mask
        return masked_log_softmax(logits, mask), trunk


def _leave_win(mask: Tensor, advice: Tensor) -> Tensor:
    """What is legal once the advisor has decided whether to win: that alone, or all but that."""
    wins = advice == HU
    left = mask & ~wins[:, None]
    left[:, HU] = wins
    return left


def masked_log_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Log-probabilities over the true columns of `mask`; the others hold the lowest finite number."""
    logits = logits.float()
    lowest = torch.finfo(logits.dtype).min
    return logits.masked_fill(~mask, lowest).log_softmax(1).masked_fill(~mask, lowest)


class NetworkPlayer:
    """Plays the most likely action of a policy."""

    def __init__(
        self, policy: Policy, rules: Rules, name: str = "network", device: str = "cpu", *, advised: bool = True
    ) -> None:
        """advised: whether the policy is told what its advisor would do, if it has one."""
        self.name = name
        self.observation = policy.observation
        self._policy = policy
        self._device = device
        self._advisor = Advisor(policy.advisor, rules) if policy.advisor and advised else None

    @classmethod
    def load(cls, folder: str | Path, rules: Rules, device: str = "cpu", name: str = "") -> NetworkPlayer:
        """The player of a checkpoint folder; `ValueError` if it is none or was trained for another game."""
        card = read_card(folder)
        check_card(card, rules, folder)
        policy = Policy(**card["architecture"])
        policy.load_state_dict(_read_weights(Path(folder) / WEIGHTS_FILE))
        return cls(policy.to(device).eval(), rules, name or f"checkpoint:{folder}", device)

    def act(self, observation: Array, scalars: Array, mask: Array, keys: Array) -> Array:
        """The most likely legal action of each row, int64 [n]."""
        actions = np.empty(len(mask), np.int64)
        reader = self._policy.reader
        advice = self._advisor.advise(observation, scalars, mask) if self._advisor else None
        for low in range(0, len(mask), CHUNK):
            rows = slice(low, low + CHUNK)
            read = [reader.planes(observation[rows]), reader.numbers(observation[rows], scalars[rows]), mask[rows]]
            if advice is not None:
                read.append(advice[rows])
            inputs = (torch.from_numpy(_fill_chunk(array)).to(self._device) for array in read)
            with torch.inference_mode():
                log_probs, _ = self._policy(*inputs)
            actions[rows] = log_probs.argmax(1).cpu().numpy()[: len(actions[rows])]
        return actions


class Advisor:
    """A rule-based player that is asked about every decision, whatever view the network reads."""

    def __init__(self, name: str, rules: Rules) -> None:
        self._player = make(name, rules.variant, rules)
        layout = observation_layout(self._player.observation)
        self._planes, self._scalars = len(layout.planes), len(layout.scalars)

    def advise(self, observation: Array, scalars: Array, mask: Array) -> Array:
        """Its choices, int64 [n]; arguments as in `Agent.act`, of its own view or of one that appends to it."""
        keys = np.zeros(len(mask), np.uint64)
        return self._player.act(observation[:, : self._planes], scalars[:, : self._scalars], mask, keys)


def _fill_chunk(array: Array) -> Array:
    """The rows, and as many copies of the last one as make up CHUNK."""
    missing = CHUNK - len(array)
    return np.concatenate((array, np.repeat(array[-1:], missing, axis=0))) if missing else np.ascontiguousarray(array)


def make_card(policy: Policy, rules: Rules, **more: Any) -> dict[str, Any]:
    """What a checkpoint says about itself; `more` may tell how it was trained and how it plays."""
    return {
        "format": CARD_FORMAT,
        "variant": rules.variant,
        "rules": rules.options,
        "rules_digest": rules.digest,
        "layout_version": LAYOUT_VERSION,
        "architecture": policy.architecture,
        "weights": sum(parameter.numel() for parameter in policy.parameters()),
        **more,
    }


def write_checkpoint(folder: str | Path, policy: Policy, card: Mapping[str, Any]) -> None:
    """Write weights and card; each file is complete before it gets its name."""
    at = Path(folder)
    at.mkdir(parents=True, exist_ok=True)
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in policy.state_dict().items()}
    replace_file(at / WEIGHTS_FILE, safetensors.torch.save(weights))
    replace_file(at / CARD_FILE, (json.dumps(card, indent=1) + "\n").encode())


def read_card(folder: str | Path) -> dict[str, Any]:
    """The card of a checkpoint; `ValueError` if the folder holds none that can be read."""
    path = Path(folder) / CARD_FILE
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"no checkpoint in {folder}: {CARD_FILE} cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise ValueError(f"{path} is no card: {error}") from error
    if not isinstance(card, dict) or card.get("format") != CARD_FORMAT:
        raise ValueError(f"{path} is no card of format {CARD_FORMAT}")
    return card


def check_card(card: Mapping[str, Any], rules: Rules, folder: str | Path) -> None:
    """`ValueError`, naming both sides, unless the checkpoint plays this variant under these rules and this layout."""
    if card["variant"] != rules.variant:
        raise ValueError(f"checkpoint {folder} plays {card['variant']}, not {rules.variant}")
    if card["layout_version"] != LAYOUT_VERSION:
        raise ValueError(
            f"checkpoint {folder} reads observation layout {card['layout_version']}, not {LAYOUT_VERSION} as here"
        )
    table: dict[str, Any] = json.loads(json.dumps(rules.options))
    given = card["rules"]
    differing = [name for name in sorted({*table, *given}) if table.get(name) != given.get(name)]
    if differing:
        told = ", ".join(f"{name}: checkpoint {given.get(name)}, table {table.get(name)}" for name in differing)
        raise ValueError(f"checkpoint {folder} was trained under other rules of {rules.variant}: {told}")


def _read_weights(path: Path) -> dict[str, Tensor]:
    try:
        return safetensors.torch.load_file(path)
    except (OSError, safetensors.SafetensorError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
