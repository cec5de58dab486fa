"""Single calls from Python: forward and inverse dynamics of one state or of many, and the mass matrix, for control,
learning and teaching.

Joint coordinates in the order of `Calls.q_names` and `Calls.v_names`; SI units.  All forces are taken at t = 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from linkwork.analyses.single_state_kernels import (
    WRONG_LENGTH,
    forward_dynamics,
    forward_of_states,
    inverse_dynamics,
    inverse_of_states,
    mass_matrix_of,
)
from linkwork.analyses.start.assembly import Start
from linkwork.compiler.kernels import Kernel
from linkwork.errors import Entry, LinkworkError, NumericalError, OptionError
from linkwork.formulations.equations import Equations
from linkwork.numerics.status import LEVEL_EQUATIONS, OK
from linkwork.system.compile import Compiled
from linkwork.system.effort import recursion_pays
from linkwork.system.pattern import refuse_tall

BRIEF = 1000  # motions: a call with less takes less than 0.2 ms, and keeps the GIL


class Calls:
    """The dynamics of one mechanism, one state a call, or many: arrays [state, coordinate] in place of [coordinate]."""

    def __init__(self, start: Start) -> None:
        compiled: Compiled = start.compiled
        self.equations = Equations(compiled, recursion=recursion_pays(compiled.system))
        self.q_names, self.v_names = compiled.layout.q_names, compiled.layout.v_names
        self.equations.work.angle[:] = start.angles
        self.system_at, self.work_at = self.equations.system_ref.address, self.equations.work_ref.address
        self.nothing = np.zeros(len(self.v_names))
        self.flexible = any(body.modal is not None for body in compiled.mechanism.body)
        brief = len(self.v_names) < BRIEF
        self._forward = partial(forward_dynamics.entry(brief), self.system_at, self.work_at)
        rigid = partial(inverse_dynamics.entry(brief), self.system_at, self.work_at)
        self._inverse: Callable[..., int] = self._inverse_by_mass if self.flexible else rigid

    def forward(
        self, q: np.ndarray, v: np.ndarray, tau: np.ndarray | None = None, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Accelerations (rad/s2, m/s2) for generalized forces tau (N m, N)."""
        if getattr(q, "ndim", 1) == 2:
            return self._of_states(forward_of_states, q, v, tau, out)
        if tau is None:
            tau = self.nothing
        if out is None:
            out = np.empty(len(self.nothing))
        if status := self._forward(q, v, tau, out):
            raise self._failure(status, q, v, tau, out)
        return out

    def inverse(self, q: np.ndarray, v: np.ndarray, v_dot: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Generalized forces (N m, N) that the motions need for the accelerations v_dot (rad/s2, m/s2)."""
        if getattr(q, "ndim", 1) == 2:
            if self.flexible:
                return np.array([self.inverse(*state) for state in zip(q, v, v_dot, strict=True)])
            return self._of_states(inverse_of_states, q, v, v_dot, out)
        if out is None:
            out = np.empty(len(self.nothing))
        if status := self._inverse(q, v, v_dot, out):
            raise self._failure(status, q, v, v_dot, out)
        return out

    def _of_states(
        self, kernel: Kernel, q: np.ndarray, v: np.ndarray, given: np.ndarray | None, out: np.ndarray | None
    ) -> np.ndarray:
        """Many states in one call of the compiled code; their shapes are checked once."""
        shape = len(q), len(self.v_names)
        given = np.zeros(shape) if given is None else given
        found = np.empty(shape) if out is None else out
        wanted = (("q", q, (len(q), len(self.q_names))), ("v", v, shape), ("the third", given, shape),
                  ("out", found, shape))  # fmt: skip
        for name, array, expected in wanted:
            if array.shape != expected:
                raise OptionError(f"'{name}' has the shape {array.shape}; give {expected}: one row for each state")
        if status := kernel(self.system_at, self.work_at, *map(np.ascontiguousarray, (q, v, given)), found):
            raise self._failure(status, q, v, given, found)
        return found

    def _failure(self, status: int, *arrays: np.ndarray) -> LinkworkError:
        """Why a call failed."""
        if status != WRONG_LENGTH:
            return NumericalError(
                "a motion of the mechanism has no inertia; give its bodies mass and inertia", entry=Entry.NO_INERTIA
            )
        lengths = len(self.q_names), *[len(self.v_names)] * 3
        named = zip(("q", "v", "the third", "out"), ("q_names", *["v_names"] * 3), arrays, lengths, strict=True)
        name, names, array, wanted = next(one for one in named if len(one[2]) != one[3])
        return OptionError(f"'{name}' has {len(array)} entries; give {wanted}: one for each of Calls.{names}")

    def _inverse_by_mass(self, q: np.ndarray, v: np.ndarray, v_dot: np.ndarray, tau: np.ndarray) -> int:
        """tau of mechanisms with flexible bodies."""
        tau[:] = self.mass_matrix(q) @ v_dot - self._forces(q, v)
        return OK

    def _forces(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Q of M v_dot = Q: all forces and what the motion itself demands, constraint rows left out."""
        work = self.equations.work
        work.tau[:] = 0.0
        y = np.zeros(len(work.rate))
        y[: len(q) + len(v)] = np.concatenate([q, v])
        self.equations.evaluate(0.0, y, work.angle.copy(), LEVEL_EQUATIONS)
        return np.asarray(work.Q)

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """M (kg, kg m, kg m2)."""
        refuse_tall(self.equations.system.dofs)
        dense = np.zeros((len(self.v_names), len(self.v_names)))
        mass_matrix_of(self.system_at, self.work_at, q, dense)
        return dense
