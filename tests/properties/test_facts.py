"""Every public fact can be read back from an observation (rules: common, "What every player knows")."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from envs.test_aec import act, is_over, start
from properties.play import VARIANTS

from mjenv.core.table import MELD_ADDED, MELD_CHI, MELD_CONCEALED, MELD_GANG, MELD_PENG
from mjenv.envs.aec import AGENTS, MahjongEnv

RELATIVE = ("own", "right", "across", "left")


class Reader:
    """Looks entries of an observation up by name."""

    def __init__(self, env: MahjongEnv, agent: str) -> None:
        self.layout = env.observation_layout
        self.seen = env.observe(agent)

    def plane(self, name: str) -> np.ndarray:
        return self.seen["observation"][self.layout.plane(name)].astype(int)

    def scalar(self, name: str) -> float:
        return float(self.seen["scalars"][self.layout.scalar(name)])

    def marked(self, name: str) -> list[int]:
        return np.flatnonzero(self.plane(name)).tolist()


def read_melds(reader: Reader, whose: str) -> list[tuple[Any, ...]]:
    melds: list[tuple[Any, ...]] = []
    for position, name in enumerate(("low", "middle", "high")):
        for kind, count in enumerate(reader.plane(f"{whose}_chi_{name}")):
            melds += [(MELD_CHI, kind, kind + position, 3)] * count
    source = reader.plane(f"{whose}_claimed_from")
    for meld, name in ((MELD_PENG, "peng"), (MELD_GANG, "gang"), (MELD_ADDED, "added_gang")):
        melds += [(meld, kind, kind, int(source[kind])) for kind in reader.marked(f"{whose}_{name}")]
    melds += [(MELD_CONCEALED, kind, kind, 0) for kind in reader.marked(f"{whose}_concealed_gang")]
    return sorted(melds)


def true_melds(env: MahjongEnv, owner: int, hide: bool) -> list[tuple[Any, ...]]:
    table = env.table[0]
    melds = []
    for number in range(int(table["n_melds"][owner])):
        meld = int(table["meld_type"][owner, number])
        if hide and meld == MELD_CONCEALED:
            continue
        steps = (int(table["meld_from"][owner, number]) - owner) % 4
        melds.append((meld, int(table["meld_tile"][owner, number]), int(table["meld_claimed"][owner, number]), steps))
    return sorted(melds)


def read_river(reader: Reader) -> list[tuple[int, str, int, bool]]:
    river = []
    for whose in RELATIVE:
        claimed = reader.plane(f"{whose}_claimed")
        for copy in range(4):
            for kind, turn in enumerate(reader.plane(f"{whose}_discard_{copy + 1}")):
                if turn:
                    river.append((int(turn), whose, kind, bool(claimed[kind] >> copy & 1)))
    return sorted(river)


def logged_river(env: MahjongEnv, seat: int) -> list[tuple[int, str, int, bool]]:
    """The discards of the present hand as the log tells them."""
    from mjenv.core.tiles import kind_of

    begin = max(i for i, event in enumerate(env.log) if event["type"] == "start_hand")
    river: list[tuple[int, str, int, bool]] = []
    for event in env.log[begin:]:
        if event["type"] == "discard":
            whose = RELATIVE[(event["seat"] - seat) % 4]
            river.append((len(river) + 1, whose, kind_of(event["tile"]), False))
        elif event["type"] in ("chi", "peng") or (event["type"] == "gang" and event["kind"] == "exposed"):
            river[-1] = (*river[-1][:3], True)
    return river


@pytest.mark.parametrize("variant", VARIANTS)
def test_public_facts_can_be_read_back(variant: str) -> None:
    env = start(variant, 31, log=True, episode="game", max_hands=8)
    rng = np.random.default_rng(9)
    hides = variant == "yugan"
    for number in range(900):
        if is_over(env):
            env.reset(options={"streak": number % 5, "scores": [number, -number, 7, -7]})
        if number % 3 == 0:
            for seat, agent in enumerate(AGENTS):
                check_facts(env, seat, Reader(env, agent), hides)
        act(env, rng, 6.0)


def check_facts(env: MahjongEnv, seat: int, reader: Reader, hides: bool) -> None:
    table = env.table[0]
    hand = sum(reader.plane(f"own_hand_{n}") for n in range(1, 5))
    assert hand.tolist() == table["hand"][seat, :34].tolist()
    for name, field in (("major_wild", "major"), ("minor_wild", "minor"), ("indicator", "indicator")):
        assert reader.marked(name) == ([int(table[field])] if table[field] >= 0 else [])
    assert reader.plane("turned_up").tolist() == table["turned_up"][:34].tolist()
    assert read_river(reader) == logged_river(env, seat)
    for place, whose in enumerate(RELATIVE):
        owner = (seat + place) % 4
        hidden = hides and owner != seat
        assert read_melds(reader, whose) == true_melds(env, owner, hidden)
        gangs = sum(table["meld_type"][owner, n] == MELD_CONCEALED for n in range(table["n_melds"][owner]))
        assert reader.scalar(f"{whose}_concealed_gangs") * 4 == gangs
        assert reader.scalar(f"{whose}_score") * 256 == table["scores"][owner]
        assert reader.scalar(f"{whose}_held") * 16 == table["hand"][owner].sum()
        assert reader.scalar(f"{whose}_thrown_wilds") * 4 == table["thrown"][owner]
        assert reader.scalar(f"{whose}_floats") * 4 == table["floats"][owner]
        assert reader.scalar(f"{whose}_is_dealer") == (owner == table["dealer"])
        assert reader.plane(f"{whose}_bonus").tolist() == table["bonus"][owner, :34].tolist()
        flowers = [reader.scalar(f"{whose}_{group}{n}") for group in "fg" for n in range(1, 5)]
        assert flowers == table["bonus"][owner, 34:42].tolist()
    assert reader.scalar("left") * 128 == table["left"]
    assert reader.scalar("streak") * 16 == table["streak"]
    assert [reader.scalar(f"round_wind_{wind}") for wind in "ESWN"].index(1.0) == table["round_wind"]
    decision = env.infos[AGENTS[seat]].get("decision")
    assert [
        name
        for name in ("discard", "float", "claim", "rob", "opening", "draw_only")
        if reader.scalar(f"decides_{name}")
    ] == ([decision] if decision else [])
    if decision in ("claim", "rob"):
        assert reader.marked("pending") == [int(table["tile"])]
        who = [reader.scalar(f"{whose}_in_turn") for whose in RELATIVE].index(1.0)
        assert (seat + who) % 4 == table["turn"]
    else:
        assert reader.marked("pending") == []
