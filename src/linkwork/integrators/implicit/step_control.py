"""The local error of a step of generalized-alpha, and the length of the next, theory (9.11)."""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.elements.joints.motions import BALL
from linkwork.formulations.kinematics import coordinate_rates
from linkwork.formulations.state import first_velocity
from linkwork.integrators.implicit.rotation import left_out
from linkwork.integrators.implicit.scheme import ERROR_Q, ERROR_V, INERTIA, OLD, ORDER, START

SAFETY = 0.9
PROPORTIONAL, INTEGRAL = 0.4 / (ORDER + 1), -0.7 / (ORDER + 1)  # PI control of the step (Gustafsson 1991)
ALONE = -1.0 / (ORDER + 1)  # exponent of the error where none is known before it
SHRINK_MOST, GROW_MOST = 0.2, 2.0
LEAST_ERROR = 1e-4  # of the tolerance: below it the control sees no difference
GROW_LEAST = 1.2  # a longer step costs a factorization: not for less


@part
def end_accelerations(system, h, y, y_new, z, rate, moved, error, rows, kept, entries, control):
    """v_dot_{n+1} by index 1, where there are rows, and the a_{n+1} that belongs to it; then local errors.

    These follow from the slope of a and its change since the step before: v_ddot = (a_{n+1} - a_n) / h, and v_dddot is
    the change of that over (h + h_before) / 2.
    """
    first = first_velocity(system)
    h_before = control[0].h_last if kept.error > 0.0 else h
    for j in range(system.dofs.shape[0]):
        e = entries[j]
        if rows > 0:
            z[j] = rate[first + j]
            e.a_new = (z[j] - START * e.a_start + OLD * e.v_dot_old) / INERTIA
        jump = e.a_new - e.a_start
        moved[j] = ERROR_Q * h * h * jump
        error[first + j] = ERROR_V * h * (2.0 * h / (h + h_before)) * (jump - h * e.slope)
    for j in range(system.dofs.shape[0]):
        if system.dofs[j].kind == BALL:
            rest = left_out(h, j, first + j, y, y_new, entries)
            for r in range(3):
                moved[j + r] += rest[r]
    coordinate_rates(system.dofs, y_new, moved, error)


@part
def choose_next(h, planned, error, grow_most, kept, control):
    """PI control; a step that was cut by t_stop is no reason against the length planned before."""
    error = max(error, LEAST_ERROR)
    factor = SAFETY * error**ALONE
    if kept.error > 0.0:
        factor = SAFETY * error**INTEGRAL * kept.error**PROPORTIONAL
    kept.error = error
    factor = min(grow_most, max(SHRINK_MOST, factor))
    if 1.0 <= factor < GROW_LEAST:
        factor = 1.0
    length = factor * h
    if h < planned:
        length = max(length, planned)
    control[0].h = min(length, control[0].h_max)


@part
def after_failure(h, error, control):
    """Length of the next trial: half, or what the error needs where it is known."""
    shrink = 0.5
    if error > 1.0:
        shrink = max(SHRINK_MOST, SAFETY * error**ALONE)
    control[0].rejected += 1
    control[0].h = shrink * h
    return control[0].h
