"""A state brought onto the constraints by a method, and the accelerations there, by what the native library holds."""

from __future__ import annotations

import numpy as np

from linkwork.formulations.equations import Equations
from linkwork.integrators.control import CONTROL
from linkwork.integrators.loop.fixed_steps import bind_fixed_steps, fixed_steps
from linkwork.integrators.registry import INTEGRATORS
from linkwork.methods.contract import Method
from linkwork.numerics.status import Status

NOTHING = 1e-300  # s: a step that changes no number


def corrected(equations: Equations, method: Method, y: np.ndarray, angles: np.ndarray) -> tuple[Status, np.ndarray]:
    """At t = 0.  A step begins with a correction of its fresh start; this one goes no further."""
    y, angles, rk4 = y.copy(), angles.copy(), INTEGRATORS["rk4"]
    control = np.zeros(1, CONTROL)
    control["h"], control["t_stop"], control["fresh"] = NOTHING, NOTHING, 1
    stages = bind_fixed_steps(method.factor, method.solve, method.correct, rk4.step)
    memory = rk4.memory(len(y))
    status = fixed_steps(*stages, equations.system_ref, y, angles, equations.work_ref, memory, control, 1)
    return Status(status), y
