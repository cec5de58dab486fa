"""What the native library holds of the equations of motion: what Python calls, and the kernels of all families."""

from __future__ import annotations

import numpy as np

from linkwork.compiler.argument_types import (
    COMPLEX_VECTOR,
    COMPLEX_WORK,
    CUBE,
    MATRIX,
    REAL,
    SYSTEM,
    VECTOR,
    VOID,
    WHOLE,
    WORK,
    records,
)
from linkwork.compiler.kernels import Exports, export
from linkwork.elements.family import FAMILY_KERNEL
from linkwork.elements.joints.motions import DOF
from linkwork.elements.registry import FAMILIES
from linkwork.formulations.derivatives import force_columns, rest_columns
from linkwork.formulations.equations import Equations, evaluate
from linkwork.formulations.kinematics import coordinate_rates, displace
from linkwork.formulations.mass import packed_mass
from linkwork.mechanism.mechanism import Mechanism
from linkwork.numerics.tree_matrix import scatter
from linkwork.system.compile import compile_mechanism


def exports() -> Exports:
    """For real and complex numbers; System and Work are laid out alike for all mechanisms, as for one of no parts."""
    nothing = compile_mechanism(Mechanism(name="nothing", gravity=(0.0, 0.0, 0.0)), "joint")
    for scalar, vector in ((np.float64, VECTOR), (np.complex128, COMPLEX_VECTOR)):
        work = Equations(nothing, scalar).work_ref.type
        yield export(evaluate, VOID, SYSTEM, REAL, vector, VECTOR, work, WHOLE)
        yield export(coordinate_rates, VOID, records(DOF), vector, vector, vector)
        for family in FAMILIES:
            for function in family.kernels.values():
                yield function, FAMILY_KERNEL.with_work(work)
    yield export(displace, VOID, records(DOF), VECTOR, VECTOR)
    yield export(packed_mass, VOID, SYSTEM, WORK)
    yield export(scatter, VOID, records(DOF), VECTOR, MATRIX)
    state = (SYSTEM, COMPLEX_WORK, REAL, COMPLEX_VECTOR, VECTOR, VECTOR)
    yield export(rest_columns, VOID, *state, MATRIX, VECTOR, MATRIX)
    outputs = (MATRIX, MATRIX, CUBE, MATRIX, MATRIX)
    yield export(force_columns, VOID, *state, MATRIX, MATRIX, MATRIX, VECTOR, VECTOR, *outputs)
