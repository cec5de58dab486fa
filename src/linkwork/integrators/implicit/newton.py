"""Newton's method for one trial step of generalized-alpha, with a kept tangent (tangent.py)."""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.elements.joints.motions import BALL
from linkwork.formulations.kinematics import displace
from linkwork.formulations.state import first_velocity
from linkwork.integrators.implicit.balance import imbalance
from linkwork.integrators.implicit.rotation import bend, velocity
from linkwork.integrators.implicit.scheme import (
    BETA,
    GAMMA,
    INERTIA,
    MOVED,
    OLD,
    Q_START,
    SCALES,
    START,
    V_START,
    Y_NEW,
    R,
    Z,
)
from linkwork.integrators.implicit.tangent import build_tangent, factor_tangent, solve_tangent
from linkwork.numerics.rounding import ROUNDING
from linkwork.numerics.scalars import is_finite
from linkwork.numerics.status import LEVEL_EQUATIONS, NEWTON_STALLED, NOT_FINITE, OK

NEWTON = 1e-2  # of the tolerance: error of the speeds that Newton's method may leave
NEWTON_MOST, NEWTON_LEAST = 1e-9, 1e-15  # and of a size or speed
FIRST_SMALL = 0.01  # of the Newton tolerance: no need of a second iteration
ITERATIONS = 12
LEAST_TOLERANCE = 3e-14  # of a step, relative: what rounding makes of one
SHARE = 20.0  # of sqrt(rtol): a pendulum is then off by some 10 rtol after as many radians
STALLED = 0.3  # rate of convergence that rounding spoils
STALE = 0.02  # rad, or of the mechanism's size, that it has moved since the tangent was built
SLOW = 0.35  # rate of convergence above which the tangent is built anew for the next step
SAME_STEP = 0.05  # relative change of the step for which the factors are kept


@part
def share(record):
    """The part of the tolerances that one step may use, in proportion to sqrt(rtol).

    Steps of length h leave errors of order h^3 each and h^2 altogether; so the error of the run follows the tolerance.
    """
    return min(1.0, max(SHARE * record.rtol**0.5, LEAST_TOLERANCE / record.rtol))


@part
def move_to_trial(dofs, first, size, h, y, y_new, z, moved, entries):
    """y_new and z for the present a_{n+1} and lam; auxiliary states, on which forces may depend, by their rates."""
    motions = dofs.shape[0]
    for i in range(y.shape[0]):
        y_new[i] = y[i] if i < first + motions else y[i] + h * entries[i].rate
    for k in range(size):
        e = entries[k]
        z[k] = e.a_new
        if k < motions:
            v = y[first + k]
            moved[k] = h * (v + h * (Q_START * e.a_start + BETA * e.a_new))
            e.increment = moved[k]
            y_new[first + k] = v + h * (V_START * e.a_start + GAMMA * e.a_new)
            z[k] = INERTIA * e.a_new + START * e.a_start - OLD * e.v_dot_old
    for k in range(motions):
        if dofs[k].kind == BALL:
            turned = bend(h, velocity(y, first + k), velocity(y_new, first + k))
            for r in range(3):
                moved[k + r] += turned[r]
    displace(dofs, y_new, moved)


@part
def predict(h, size, kept, entries):
    """Shift a_n to this step's length; a_{n+1} on the line that a has followed, lam as before."""
    ratio = h / kept.h_lag
    for k in range(size):
        e = entries[k]
        e.a_start = e.v_dot_old + ratio * (e.a - e.v_dot_old)
        e.a_new = e.a_start + h * e.slope


@part
def part_of_tolerance(tolerance, record):
    """What Newton's method may leave, relative."""
    return max(min(NEWTON * share(record) * tolerance, NEWTON_MOST), NEWTON_LEAST)


@part
def speed(first, motions, y, work):
    """The largest, in units of the scales, 1/s."""
    largest = 0.0
    for k in range(first, first + motions):
        if work.scales[k] > 0.0:
            largest = max(largest, abs(y[k]) / work.scales[k])
    return largest


@part
def iterate(evaluate, system, t_new, h, y, angles, work, size, memory, kept, entries, order, table, control):
    """Newton's method; its rate of convergence gives the error left (Hairer and Wanner II, IV.8).

    The error is the largest of a speed, h gamma delta(a), or of a coordinate where h > 1 s, in units of the tolerance
    of Newton's method.  Where iterations gain no more, a speed that rounding of the coordinates makes is left; but
    rounding of the rows does work along the constraint forces of a tangent far behind, step after step: there it is
    renewed.
    """
    record, first, motions = control[0], first_velocity(system), system.dofs.shape[0]
    y_new, z, r, moved, scales = memory[Y_NEW], memory[Z], memory[R], memory[MOVED], memory[SCALES]
    rtol, atol = part_of_tolerance(record.rtol, record), part_of_tolerance(record.atol, record)
    rounding = ROUNDING * max(1.0, system.whole[0].length) / h
    predict(h, size, kept, entries)
    before, rate = 0.0, 0.0
    enough, converged, rounded = FIRST_SMALL, False, False
    for iteration in range(ITERATIONS + 1):
        move_to_trial(system.dofs, first, size, h, y, y_new, z, moved, entries)
        if converged:
            kept.moved += h * speed(first, motions, y_new, work)
            if size > motions and kept.moved > STALE if rounded else rate > SLOW:
                kept.fit = 0
            return OK
        if kept.fit == 0:
            build_tangent(evaluate, system, t_new, y_new, angles, work, z, size, table, moved, r, control)
            kept.fit, kept.h_factored, kept.moved = 1, 0.0, 0.0
        if abs(h - kept.h_factored) > SAME_STEP * h:
            work.method[0].factorizations += 1
            kept.h_factored = h
            if not factor_tangent(motions, size, INERTIA, h * GAMMA, h * h * BETA, table, scales, order):
                break
        evaluate(system, t_new, y_new, angles, work, LEVEL_EQUATIONS)
        imbalance(system, work, z, r)
        record.evaluations += 1
        solve_tangent(size, table, scales, order, r)
        largest, rounded = 0.0, True
        for k in range(size):
            entries[k].a_new -= r[k]
            change = h * GAMMA * max(1.0, h) * abs(r[k])
            if k < motions:
                rounded = rounded and change <= rounding
                change /= atol * work.scales[first + k] + rtol * abs(y_new[first + k])
                if not change <= largest:  # also where it is not a number
                    largest = change
        if not is_finite(largest):
            return NOT_FINITE
        if iteration > 0:
            gain = largest / before if before > 0.0 else 0.0
            converged = rounded and gain > STALLED
            rate = max(gain, 0.5 * rate)
            if rate >= 1.0 and not converged:
                break
            enough = max(FIRST_SMALL, (1.0 - rate) / rate) if rate > 0.0 else 1.0
        converged = converged or largest <= enough
        before = largest
    return NEWTON_STALLED
