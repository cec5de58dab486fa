"""Whether a motion at constant speeds is steady: the same at every later angle of what runs.

Small motions x about the motion at constant speeds w (z = 0, reduction.py) follow

    M_hat(phi) x'' + C_hat(phi) x' + K_hat(phi) x = -r(phi),      phi = w t,

and eigenvalues mean something only if r = 0 and M_hat, C_hat, K_hat do not depend on phi.  That holds if the mechanism
looks the same after what runs has gone on, in the coordinates chosen:

    seen from the turning body     what stands (springs to ground, gravity) must be symmetric about the axis;
    seen from ground               what turns (discs, shafts and what is mounted on them) must be symmetric.

A disc on bearings of unequal stiffness is steady seen from ground, a blade on a hub seen from the hub; a two-pole rotor
on unequal bearings is not, in any coordinates (Floquet's theory would be needed).  Here the equations are evaluated
again at two later angles: two, because what varies as cos 2(phi - 0.25) is the same at 0 and 0.5.

Where no degree of freedom is left beside the given speeds, the motion is steady if what drives it stays the same.
"""

from __future__ import annotations

import numpy as np

from linkwork.analyses.start.scales import energy_scale
from linkwork.analyses.steady.reduction import Point, Reduction
from linkwork.analyses.steady.search.residual import force_scales, raised_forces
from linkwork.errors import NumericalError
from linkwork.mechanism import GROUND
from linkwork.system.units import generalized_force_unit, row_unit

LATER = (0.5, 1.2)  # rad, or sizes: how far what runs is moved on
SAME = 1e-6  # of the forces, or of the coefficients: what may change
NOISE = 1e-11  # of the largest coefficient: rounding


def unsteady(reduction: Reduction, point: Point) -> tuple[str, ...]:
    """A note if the balance, the linearized equations or the driving forces change as the running coordinates go on."""
    moves, has_dof = bool(np.any(point.v)), bool(len(point.r))
    raised = raised_forces(reduction, point)
    before = coefficients(reduction, point, np.diag(point.M_hat)) if moves and has_dof else None
    for ahead in times(reduction, point):
        try:
            with reduction.later(point, ahead) as then:
                note = _balance_lost(reduction, then, raised, ahead)
                if not note and before is not None:
                    after = coefficients(reduction, then, np.diag(point.M_hat))
                    note = _coefficients_changed(reduction, before, after)
                if moves and not has_dof:
                    note = _driving_changed(reduction, point, then)
        except NumericalError:
            note = "the running coordinates cannot go on from here: this is not a steady state"
        if note:
            return (note,)
    return ()


def times(reduction: Reduction, point: Point) -> list[float]:
    """When to evaluate again, s: by the speeds that are given, else by what drivers move; at rest a second later."""
    sizes = np.array([1.0 if unit == "rad" else reduction.size for unit in reduction.running_units])
    rates = np.abs(reduction.speeds) / sizes if np.any(reduction.speeds) else np.abs(point.v)
    fastest = float(rates.max(initial=0.0))
    return [phase / fastest for phase in LATER] if fastest > 0.0 else [1.0]


def coefficients(reduction: Reduction, point: Point, inertia: np.ndarray) -> list[np.ndarray]:
    """M, C, K, each coordinate in units of the root of its `inertia`."""
    unit = 1.0 / np.sqrt(inertia)
    return [
        matrix * np.outer(unit, unit) for matrix in (point.M_hat, reduction.damping(point), reduction.stiffness(point))
    ]


def _balance_lost(reduction: Reduction, then: Point, raised: np.ndarray, ahead: float) -> str:
    """Which force is out of balance; `raised`: forces that displacements of unit size raise."""
    allowed = force_scales(then, raised)
    if np.all(np.abs(then.r) <= SAME * allowed):
        return ""
    worst = int(np.argmax(np.abs(then.r) / np.maximum(allowed, 1e-300)))
    return (
        f"balanced at t = {reduction.t - ahead:g} s only: {ahead:.3g} s later {abs(then.r[worst]):.3g} "
        f"{reduction.units[worst]} act on '{reduction.names[worst]}'; this is not a steady state"
        + _advice(reduction, worst)
    )


def _coefficients_changed(reduction: Reduction, before: list[np.ndarray], after: list[np.ndarray]) -> str:
    """Which coordinate's coefficients differ, beside rate^n of the coordinates: rate = sqrt(K/M), C/M or the speed."""
    fastest = float(np.abs(reduction.speeds).max(initial=0.0))
    _, C, K = (np.abs(np.diag(matrix)) for matrix in before)
    rate = np.maximum(np.maximum(np.sqrt(K), C), max(fastest, 1e-300))
    share = np.zeros(len(rate))
    for n, (now, then) in enumerate(zip(before, after, strict=True)):  # n: how often 1/s is in the unit
        allowed = SAME * np.sqrt(np.outer(rate, rate)) ** n + NOISE * rate.max() ** n
        share = np.maximum(share, (np.abs(then - now) / allowed).max(axis=1))
    worst = int(np.argmax(share))
    if share[worst] <= 1.0:
        return ""
    return (
        f"not steady: the coefficients of '{reduction.names[worst]}' vary with {_runs(reduction)} (periodic "
        "coefficients): these are the modes of one instant, and do not decide stability" + _advice(reduction, worst)
    )


def _driving_changed(reduction: Reduction, before: Point, after: Point) -> str:
    """Which driving force differs, of a machine whose whole motion is given."""
    rows = np.array([row for row in reduction.layout.driver_rows.values() if row in reduction.rows], int)
    energy = energy_scale(reduction.compiled) + float(before.v @ before.M @ before.v)
    units = [row_unit(kind) for kind in reduction.system.rows["kind"][rows]]
    noise = NOISE * energy / np.array([1.0 if unit == "rad" else reduction.size for unit in units])
    then, now = after.lam[rows], before.lam[rows]
    share = np.abs(then - now) / (SAME * (np.abs(then) + np.abs(now)) + noise)
    worst = int(np.argmax(share)) if len(share) else 0
    if not len(share) or share[worst] <= 1.0:
        return ""
    name, unit = reduction.layout.rows[rows[worst]].element, generalized_force_unit(units[worst])
    return (
        f"not steady: the driving {'torque' if unit == 'N m' else 'force'} of '{name}' varies with {_runs(reduction)} "
        f"(periodic coefficients), by at least {abs(then[worst] - now[worst]):.3g} {unit}: this is one instant of the "
        "motion"
    )


def _runs(reduction: Reduction) -> str:
    return " and ".join(f"'{c.name}'" for c in reduction.running) or "the drivers"


def _advice(reduction: Reduction, worst: int) -> str:
    """To which body the body of a coordinate is better attached."""
    joints = {joint.name: joint for joint in reduction.mechanism.joint}
    turning = [body for c in reduction.running for body in joints[c.joint].between if body != GROUND]
    element = reduction.names[worst].rsplit(".", 1)[0]
    parent, body = joints[element].between if element in joints else (GROUND, element)
    if not turning or body in turning:
        return ""
    if parent == GROUND:
        there = turning[-1]
        return f"; if '{body}' turns with '{there}', attach it there by its joint, or a free joint, not to ground"
    return f"; if what turns is symmetric about its axis, attach '{body}' to ground instead of '{parent}'"
