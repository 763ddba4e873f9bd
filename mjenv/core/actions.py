"""The 75 actions that every variant shares."""

from __future__ import annotations

from mjenv.core.tiles import HAND_KINDS, NAMES

DISCARD = 0
CHI_LOW, CHI_MIDDLE, CHI_HIGH = 34, 35, 36
PENG = 37
GANG = 38
OWN_GANG = 39
HU = 73
PASS = 74
N_ACTIONS = 75
MASK_ROW = 80
"""A mask row is padded to 80 bytes, ten 64-bit words."""

OFFER_HU, OFFER_GANG, OFFER_PENG, OFFER_CHI_LOW, OFFER_CHI_MIDDLE, OFFER_CHI_HIGH = 1, 2, 4, 8, 16, 32
OFFER_CHI = OFFER_CHI_LOW | OFFER_CHI_MIDDLE | OFFER_CHI_HIGH

_CLAIM_NAMES = {
    CHI_LOW: "chi low",
    CHI_MIDDLE: "chi middle",
    CHI_HIGH: "chi high",
    PENG: "peng",
    GANG: "gang",
    HU: "hu",
    PASS: "pass",
}


def action_name(action: int) -> str:
    """A readable name such as `discard 3p`, `own gang E` or `chi low`; `ValueError` outside 0-74."""
    if not 0 <= action < N_ACTIONS:
        raise ValueError(f"action {action} is not one of 0-{N_ACTIONS - 1}")
    if action < HAND_KINDS:
        return f"discard {NAMES[action]}"
    if OWN_GANG <= action < HU:
        return f"own gang {NAMES[action - OWN_GANG]}"
    return _CLAIM_NAMES[action]
