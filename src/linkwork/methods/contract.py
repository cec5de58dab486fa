"""The contract of a constraint method: four stages, and what they leave in the workspace.

    M v_dot + Phi_v^T lam = Q,   Phi = 0,   Phi_v v = nu,   Phi_v v_dot = gamma

`evaluate` (formulations/equations.py) has filled `work` for a state; a method solves what is there.  All stages are
kernels decorated with `stage` (compiler/kernels.py): they allocate nothing, and end with a `Status`.

    factor(system, work) -> status
        Factor the equations at the position evaluated last: sets `work.method[0].factors` (Factors), `rank`,
        `full_rank` and `volume` there, and counts its `factorizations`.
    solve(factor, system, work, task) -> status
        Task FACTOR: factor, or take up factors that are kept.  ACCELERATE: `work.v_dot`, `work.lam`, and dy/dt of
        velocities and work in `work.rate`.  MOVE: in `work.delta` a motion with Phi_v delta = c, c in `work.c`.
    correct(evaluate, factor, solve, system, t, y, angles, work) -> status
        Bring y back onto the constraints; leaves that position evaluated (Level.POSITION) and factored.
    accept(factor, system, t, y, work, control)
        Called after every accepted step: keep the basis, or change it; what is decided goes into `work.log`.

What a method remembers is in `work.method[0]` (formulations/records.py), its options are in `work.options[0]`.  A
method from outside the package keeps its own numbers in the field `own` of both: its options there in the order in
which it declares them.  methods/correction.py and methods/normal_step.py serve many methods.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from linkwork.compiler.kernels import Kernel, stage
from linkwork.errors import OptionError, nearest
from linkwork.formulations.records import METHOD_OPTIONS, OPTIONS, OWN, Option
from linkwork.methods.reasons import Basis


@stage
def accept_nothing(factor, system, t, y, work, control):
    """For methods without decisions."""


@dataclass(frozen=True)
class Method:
    """One way to stay on the constraints."""

    name: str
    title: str
    factor: Kernel
    solve: Kernel
    correct: Kernel
    accept: Kernel = accept_nothing
    basis: Basis = Basis.NONE  # of methods that partition: the one they start with
    other: Basis = Basis.NONE  # of hybrids: the one they switch to
    dense: bool = False  # needs dense matrices in the workspace
    projects: bool = True  # brings the state back onto the constraints
    mass_weighted: bool = True  # what it does to the state is the least in the metric of M, at each position anew
    open_tree: bool = False  # serves mechanisms without constraint rows, and only those
    options: Mapping[str, Option] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own = [name for name in self.options if name not in OPTIONS]
        if len(own) > OWN:
            raise OptionError(f"method '{self.name}' has {len(own)} options of its own; there are places for {OWN}")

    def options_record(self, chosen: Mapping[str, float], largest_step: float) -> np.ndarray:
        """One METHOD_OPTIONS, what the user chose before the defaults; `largest_step` in s."""
        for name, value in chosen.items():
            if name not in self.options:
                hint = nearest(name, self.options)
                raise OptionError(f"method '{self.name}' has no option '{name}'; {hint}", element=name)
            if not isinstance(value, (int, float)) or not value >= 0.0:
                raise OptionError(
                    f"option '{name}' of method '{self.name}' is {value}; it must be a number >= 0", element=name
                )
        record = np.zeros(1, METHOD_OPTIONS)
        own = iter(range(OWN))
        for name, option in self.options.items():
            value = float(chosen.get(name, option.default)) or option.per_largest_step / largest_step
            if name in OPTIONS:
                record[name] = value
            else:
                record["own"][0, next(own)] = value
        return record


def common_options(*names: str) -> dict[str, Option]:
    """Options that several methods have (formulations/records.py), by name."""
    return {name: OPTIONS[name] for name in names}
