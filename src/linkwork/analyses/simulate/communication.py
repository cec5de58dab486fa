"""FMUs in a run: at each communication point they step, their outputs are held, and they get new inputs."""

from __future__ import annotations

import numpy as np

from linkwork.elements.signals.fmu_block import FmuBlock, LiveFmu
from linkwork.formulations.equations import Equations
from linkwork.numerics.status import LEVEL_ALL
from linkwork.system.layout import BlockPlaces


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
        for block, fmu in self.blocks:
            fmu.begin()
            self._read(fmu, self.places[block.name], y)
        self._write(equations, 0.0, y, angles, [block.name for block, _ in self.blocks])

    def at(self, equations: Equations, t: float, y: np.ndarray, angles: np.ndarray) -> None:
        """Let those step that are due at t."""
        due = []
        for block, fmu in self.blocks:
            if (self.points[block.name] + 1) * block.every <= t:
                self.points[block.name] += 1
                fmu.step(t)
                self._read(fmu, self.places[block.name], y)
                due.append(block.name)
        self._write(equations, t, y, angles, due)

    def end(self) -> None:
        """Free them."""
        for _, fmu in self.blocks:
            fmu.end()
        self.blocks = []

    def _read(self, fmu: LiveFmu, places: BlockPlaces, y: np.ndarray) -> None:
        for output, state in places.outputs.items():
            y[self.first_state + state] = fmu.get(output)

    def _write(self, equations: Equations, t: float, y: np.ndarray, angles: np.ndarray, due: list[str]) -> None:
        """Inputs of those that are due, from the state with all outputs as they are now."""
        if not due:
            return
        equations.evaluate(t, y, angles, LEVEL_ALL)
        for block, fmu in self.blocks:
            if block.name in due:
                inputs = self.places[block.name].inputs
                fmu.set({name: float(equations.work.signals[place]) for name, place in inputs.items()})
