"""The motions of a tree in their order: those of each joint, behind them the modes of the body if it is flexible."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from linkwork.elements.joints.kind import JointKind
from linkwork.elements.joints.motions import BALL, BALL_REST, MODE
from linkwork.system.compilation.hanging import Hanging


class Moves(NamedTuple):
    """The motions of a joint of a kind, or the modes of a body."""

    motions: np.ndarray  # [motion, 3] its kind, its axis, and which of the coordinates is its first
    coordinates: tuple[str, ...]
    velocities: tuple[str, ...]
    q_units: tuple[str, ...]
    v_units: tuple[str, ...]


@cache
def moves_of(kind: JointKind) -> Moves:
    """Those of a joint."""
    motions: list[tuple[int, int, int]] = []
    place = 0
    for motion, axis in kind.motions:
        motions += [(BALL_REST if n else motion, axis, place) for n in range(3 if motion == BALL else 1)]
        place += 4 if motion == BALL else 1
    q_units, v_units = (tuple(kind.units[name] for name in names) for names in (kind.coordinates, kind.velocities))
    return Moves(np.array(motions, np.int64).reshape(-1, 3), kind.coordinates, kind.velocities, q_units, v_units)


def moves_of_modes(count: int) -> Moves:
    """So many modes."""
    names, none = tuple(f"mode{k + 1}" for k in range(count)), ("",) * count
    motions = np.array([(MODE, 0, k) for k in range(count)], np.int64).reshape(-1, 3)
    return Moves(motions, names, tuple(f"{name}_rate" for name in names), none, none)


class Motions:
    """Arrays over the parts: the joints, in the order of the tree, and the modes of flexible bodies."""

    def __init__(self, joints: Hanging, modes: Mapping[int, tuple[str, int]]) -> None:
        """`modes`: of the flexible bodies, by their places in the order of the tree, their names and how many modes."""
        self.moves = [*map(moves_of, joints.kinds), *(moves_of_modes(count) for _, count in modes.values())]
        self.owners, self.code, self.body = joints.names, joints.kind, np.arange(len(joints.kind))
        if modes:
            places = np.array([*modes])
            self.code = np.insert(self.code, places + 1, len(joints.kinds) + np.arange(len(modes)))
            self.body = np.insert(self.body, places + 1, places)  # in the order of the tree
            named = {place + 1 + n: name for n, (place, (name, _)) in enumerate(modes.items())}
            self.owners = [named.get(k) or joints.names[b] for k, b in enumerate(self.body.tolist())]
        self.joints = np.flatnonzero(self.code < len(joints.kinds))
        self.modes = np.flatnonzero(self.code >= len(joints.kinds))
        self.q_count, self.first_q = self._counted("coordinates")
        self.v_count, self.first_v = self._counted("velocities")

    def _counted(self, what: Literal["coordinates", "velocities"]) -> tuple[np.ndarray, np.ndarray]:
        """How many each part has, and the place of the first."""
        count = np.array([len(getattr(moves, what)) for moves in self.moves], np.int64)[self.code]
        return count, np.cumsum(count) - count

    def names(self, what: Literal["coordinates", "velocities"]) -> tuple[str, ...]:
        """Of all coordinates or velocities."""
        of_moves = [getattr(moves, what) for moves in self.moves]
        parts = zip(self.owners, self.code.tolist(), strict=True)
        return tuple([f"{owner}.{name}" for owner, code in parts for name in of_moves[code]])

    def units(self) -> tuple[str, ...]:
        """Of all coordinates, then of all velocities."""
        codes = self.code.tolist()
        of_moves = ([getattr(moves, what) for moves in self.moves] for what in ("q_units", "v_units"))
        return tuple([unit for units in of_moves for code in codes for unit in units[code]])

    def each(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each motion the part to which it belongs, and its kind, axis and coordinate [motion, 3]."""
        part = np.repeat(np.arange(len(self.code)), self.v_count)
        table = np.concatenate([np.zeros((0, 3), np.int64), *(moves.motions for moves in self.moves)])
        first = np.cumsum([0, *(len(moves.motions) for moves in self.moves)])
        found = table[first[self.code[part]] + np.arange(len(part)) - self.first_v[part]]
        found[:, 2] += self.first_q[part]
        return part, found
