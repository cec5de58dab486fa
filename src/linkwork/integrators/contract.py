"""What an integrator is: two stages, and where they keep what outlives a step.

It advances the full state `y = (q, v, s)` by one accepted step, and gives the state anywhere within its last step; the
arguments and duties of both are in stages.py: STEP, INTERPOLATE.  rates.py has the two rates of the state that it
needs, at a stage as it is and at a state brought back onto the constraints.

`memory` [vector, n] holds the integrator's vectors, each as long as y: it names its rows, and states how many there are
(`vectors`).  `control[0]` (control.py) is the record that it shares with the loop; its own numbers are a record of its
own type in the field `own` there, `record_at(control[0].own, 0, KEPT)`.  Nothing else outlives a step, and both types
are the same for all integrators, so that the loop is compiled once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linkwork.compiler.kernels import Kernel
from linkwork.errors import OptionError
from linkwork.integrators.control import OWN


@dataclass(frozen=True)
class Integrator:
    """One way to advance the state."""

    name: str
    title: str
    step: Kernel
    interpolate: Kernel
    vectors: int | Callable[[int], int]  # rows of its memory; a function of n where they depend on it
    adaptive: bool  # chooses its own step size; otherwise `step` must be given
    order: int
    implicit: bool = False  # stability sets no bound to its steps
    mass_weighted: bool = False  # keeps its order only with methods that correct the state in the metric of M
    kept: np.dtype | None = None  # record of its own numbers, in the control record
    solves_accelerations: bool = True  # by the method's `solve` at every rate, as friction with loads needs

    def __post_init__(self) -> None:
        if self.kept is not None and self.kept.itemsize > 8 * OWN:
            raise OptionError(f"integrator '{self.name}' keeps {self.kept.itemsize} bytes; there are {8 * OWN}")

    def vectors_for(self, n: int) -> int:
        """Rows of its memory for a state of n numbers."""
        return self.vectors(n) if callable(self.vectors) else self.vectors

    def memory(self, n: int) -> np.ndarray:
        """Memory for a state of n numbers."""
        return np.zeros((self.vectors_for(n), n))
