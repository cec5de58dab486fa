"""FMUs in a run: at each communication point they step, get new inputs, and their outputs are held until the next.

Outputs are read twice: before the inputs are made, which may depend on them, and after, since they may depend on these.
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.signals.fmu_block import FmuBlock, LiveFmu
from linkwork.formulations.equations import Equations
from linkwork.numerics.status import LEVEL_ALL


class Communication:
    """The FMUs of a run, and when each is due next."""

    def __init__(self, equations: Equations) -> None:
        blocks = equations.compiled.mechanism.of(FmuBlock)
        self.first_state = equations.compiled.layout.velocities.stop
        self.places = equations.compiled.layout.blocks
        self.blocks: list[tuple[FmuBlock, LiveFmu]] = []
        self.points = {block.name: 0 for block in blocks}
        try:
            for block in blocks:
                self.blocks.append((block, block.open()))
        except Exception:
            self.end()
            raise

    def begin(self, equations: Equations, y: np.ndarray, angles: np.ndarray) -> None:
        """Initialize all of them: what they give at t = 0 is in y."""
        for _, fmu in self.blocks:
            fmu.begin()
        self._exchange(equations, 0.0, y, angles, self.blocks)

    def at(self, equations: Equations, t: float, y: np.ndarray, angles: np.ndarray) -> None:
        """Let those step that are due at t."""
        due = []
        for block, fmu in self.blocks:
            if (self.points[block.name] + 1) * block.every <= t:
                self.points[block.name] += 1
                fmu.step(t)
                due.append((block, fmu))
        self._exchange(equations, t, y, angles, due)

    def end(self) -> None:
        """Free them."""
        for _, fmu in self.blocks:
            fmu.end()
        self.blocks = []

    def _exchange(
        self, equations: Equations, t: float, y: np.ndarray, angles: np.ndarray, due: list[tuple[FmuBlock, LiveFmu]]
    ) -> None:
        """Outputs into y, inputs from the state, outputs once more."""
        if not due:
            return
        self._read(due, y)
        equations.evaluate(t, y, angles, LEVEL_ALL)
        for block, fmu in due:
            inputs = self.places[block.name].inputs
            fmu.set({name: float(equations.work.signals[place]) for name, place in inputs.items()})
        self._read(due, y)

    def _read(self, due: list[tuple[FmuBlock, LiveFmu]], y: np.ndarray) -> None:
        for block, fmu in due:
            for output, state in self.places[block.name].outputs.items():
                y[self.first_state + state] = fmu.get(output)
