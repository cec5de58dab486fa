"""A trial step near a singular position: the same equations, solved by functional iteration on those of index 1.

Where rows of Phi_v become dependent, so does Newton's matrix, and rounding in Phi grows with 1 / h^2 and with the
inverse of the weakest pivot.  The accelerations at a state on the constraints stay well determined (methods/), so

    (1 - alpha_m) a_{n+1} = (1 - alpha_f) v_dot(y) + alpha_f v_dot_n - alpha_m a_n,   y: the corrected step with a_{n+1}

Each iteration gains a factor h^2 omega^2 beta + h c gamma: it converges where the step resolves the forces.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.formulations.records import Factors
from linkwork.formulations.state import first_velocity
from linkwork.integrators.dop853 import NEAR, TURN
from linkwork.integrators.implicit.newton import ITERATIONS, NEWTON, move_to_trial, part_of_tolerance, predict, share
from linkwork.integrators.implicit.scheme import GAMMA, INERTIA, MOVED, OLD, START, Y_NEW, Z
from linkwork.integrators.rates import finite_rate_corrected
from linkwork.numerics.status import NEWTON_STALLED, OK

PASSING = 0.05  # of the weakest pivot, by which a step changes it: the few that pass there have the whole tolerance
CHANGING = 2e-3  # the same: within so many steps of a singular position
DIVERGING = 2.0  # times the change before, twice
STALLED = 0.3  # two iterations that gain less than this: rounding lets them
ROUNDED = 1.0 / NEWTON  # the tolerance, of the part that counts: what rounding may leave; the step's error is then seen


@part
def iterate_accelerations(
    evaluate, factor, solve, correct, system, t_new, h, y, angles, work, size, memory, kept, entries, control
):  # fmt: skip
    """Iterate until a speed changes by less than Newton's method may leave, or rounding lets it change no less.

    Velocities below what rounding of the position makes of them are not corrected (methods/correction.py): along the
    weak direction the iteration then gains a factor h v / x only, x the distance to the singular position, and may grow
    up to that bound.  So where it ends otherwise than by converging, what counts is how much of the change counts.
    """
    record, first, motions = control[0], first_velocity(system), system.dofs.shape[0]
    y_new, z, moved = memory[Y_NEW], memory[Z], memory[MOVED]
    rtol, atol = part_of_tolerance(record.rtol, record), part_of_tolerance(record.atol, record)
    predict(h, size, kept, entries)
    earlier, before = 0.0, 0.0
    for iteration in range(ITERATIONS):
        move_to_trial(system.dofs, first, size, h, y, y_new, z, moved, entries)
        work.method[0].factors = Factors.NOTHING  # the correction must be a function of the state alone
        status = finite_rate_corrected(evaluate, factor, solve, correct, system, t_new, y_new, angles, work, control)
        if status != OK:
            return status
        if work.method[0].rank < work.method[0].full_rank:
            follow_line(first, motions, work.rate, entries)
        largest = 0.0
        for k in range(motions):
            e = entries[k]
            a_new = (work.rate[first + k] - START * e.a_start + OLD * e.v_dot_old) / INERTIA
            change = h * GAMMA * max(1.0, h) * abs(a_new - e.a_new)
            largest = max(largest, change / (atol * work.scales[first + k] + rtol * abs(y_new[first + k])))
            e.a_new = a_new
        if largest <= 1.0:
            return OK
        diverges = iteration > 1 and largest > DIVERGING * before > DIVERGING * DIVERGING * earlier
        if diverges or (iteration > 2 and largest > STALLED * earlier):
            break
        earlier, before = before, largest
    pivot = work.method[0].weakest_pivot
    return OK if part_that_counts(pivot, pivot) * share(record) * largest < ROUNDED else NEWTON_STALLED


@part
def follow_line(first, motions, rate, entries):
    """At the singular position itself the rows leave accelerations open: those on the line that they have followed."""
    for k in range(motions):
        e = entries[k]
        rate[first + k] = INERTIA * e.a_new + START * e.a_start - OLD * e.v_dot_old


# ------------------------------------------------------------------------------------------------- when it is used


@part
def is_near(pivot):
    """Whether a position with this weakest pivot is near a singular one; 0: there are no rows."""
    return 0.0 < pivot < NEAR


@part
def part_that_counts(start, end):
    """The part by which constraint forces turn in a step from one weakest pivot to another (dop853.py)."""
    return min(TURN * (start + end), 1.0)


@part
def singular_ahead(status, start, end):
    """Whether Newton's method failed, where there are rows, or a step comes near to a singular position, by weakest
    pivots.  Such a failure may be one of rounding, eps / (h pivot) of a speed, of which a shorter step has more.
    """
    if status != OK:
        return start > 0.0
    return is_near(end) and abs(end - start) > CHANGING * start


@part
def beside_constraints(size_of_error, tangent, start, work, record):
    """What of an error counts (dop853.py); the few steps that pass a singular position have the whole tolerance.

    Shorter steps would end nearer to that position, where rounding makes more of an error.
    """
    end = work.method[0].weakest_pivot
    size_of_error = max(part_that_counts(start, end) * size_of_error, tangent)
    return size_of_error * share(record) if abs(end - start) > PASSING * start else size_of_error
