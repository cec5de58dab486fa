"""Auxiliary states and counted angles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.elements.context import PairNumber


class States:
    """First-order states beside coordinates and velocities; angles that count past one turn.

    State 0 is the work of all forces without potential.
    """

    def __init__(self) -> None:
        self.starts = [0.0]
        self.rates: list[tuple[int, int]] = []  # (state, signal that is its rate)
        self.works: dict[str, int] = {"forces without potential": 0}  # states that are work, J: nothing depends on them
        self.angle_starts: list[float] = []  # rad, on which turn they start
        self._angle_names: list[str] = []  # 'joint.coordinate', or nothing

    def new(self, start: float = 0.0, rate: int | None = None) -> int:
        """One more state; `rate`: the signal that is its rate, unless a kernel writes it."""
        self.starts.append(start)
        state = len(self.starts) - 1
        if rate is not None:
            self.rates.append((state, rate))
        return state

    def work(self, key: str) -> int:
        """The state that adds up a work (J) on which nothing depends; one for each key."""
        if key not in self.works:
            self.works[key] = self.new()
        return self.works[key]

    def angle(self, start: float = 0.0, number: PairNumber | None = None) -> int:
        """One more counted angle: on which turn it starts (rad), and the number that it is."""
        self.angle_starts.append(start)
        self._angle_names.append(number.full_name if number is not None else "")
        return len(self.angle_starts) - 1

    def known_angles(self, q_names: Sequence[str]) -> np.ndarray:
        """For each counted angle the coordinate of the tree that it is, or -1."""
        places = {name: k for k, name in enumerate(q_names)} if self._angle_names else {}
        return np.array([places.get(name, -1) for name in self._angle_names], np.int64)
