"""What a constraint method is: four stages, and a record of what they remember.

    M v_dot + Phi_v^T lam = Q,   Phi = 0,   Phi_v v = nu,   Phi_v v_dot = gamma

`evaluate` (formulations/equations.py) has filled `work` for a state; a method solves what is there, by four stages
(kernels decorated with `stage`).  Their arguments and duties are in integrators/stages.py: FACTOR, SOLVE, CORRECT,
ACCEPT.  A `factor` besides sets `factors`, `rank`, `full_rank` and `volume` in the method's record and counts its
`factorizations`; what an `accept` decides goes into `work.log`.

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
    dense: bool = False  # needs dense matrices in the workspace, however many rows there are
    projects: bool = True  # brings the state back onto the constraints
    mass_weighted: bool = True  # what it does to the state is the least in the metric of M, at each position anew
    open_tree: bool = False  # serves mechanisms without constraint rows, and only those
    may_recur: bool = False  # its linear problem may be solved by the recursion of loop_recursion.py, where that pays
    decides_rank: bool = True  # leaves out rows that depend on others, or nearly so
    conditioning: bool = (
        False  # its regular factors leave that of each active row in work.left, but for the printed ones
    )
    options: Mapping[str, Option] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own = [name for name in self.options if name not in OPTIONS]
        if len(own) > OWN:
            raise OptionError(f"method '{self.name}' has {len(own)} options of its own; there are places for {OWN}")

    @property
    def partitions(self) -> bool:
        """Whether the workspace needs room for its bases."""
        return self.dense or self.basis != Basis.NONE

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
