"""Whether a motion at constant speeds is steady: the same at every later angle of what runs.

Small motions x about the motion at constant speeds w (z = 0, reduction.py) follow

    M_hat(phi) x'' + C_hat(phi) x' + K_hat(phi) x = -r(phi),      phi = w t,

and eigenvalues mean something only if r = 0 and M_hat, C_hat, K_hat do not depend on phi.  That holds if the mechanism
looks the same after what runs has gone on, in the coordinates chosen:

    seen from the turning body     what stands (springs to ground, gravity) must be symmetric about the axis;
    seen from ground               what turns (discs, shafts and what is mounted on them) must be symmetric.

A disc on bearings of unequal stiffness is steady seen from ground, a blade on a hub seen from the hub; a two-pole rotor
on unequal bearings is not, in any coordinates (Floquet's theory would be needed).  Here the equations are looked at
again at two later angles: two, because what varies as cos 2(phi - 0.25) is the same at 0 and 0.5.
"""

from __future__ import annotations

import numpy as np

from linkwork.analyses.steady.balancing import ROUNDED
from linkwork.analyses.steady.reduction import Point, Reduction
from linkwork.elements.constraints.rows import ANGLE
from linkwork.errors import NumericalError
from linkwork.mechanism import GROUND

LATER = (0.5, 1.2)  # rad, or sizes: how far what runs is moved on
SAME = 1e-6  # of the forces, or of the coefficients: what may change
NOISE = 1e-11  # of the largest coefficient: rounding


def unsteady(reduction: Reduction, point: Point) -> tuple[str, ...]:
    """A note if the balance or the linearized equations change as the running coordinates go on."""
    moves, inertia = bool(np.any(point.v)), np.diag(point.M_hat)
    before = coefficients(reduction, point, inertia) if moves and len(point.r) else None
    scale = np.abs(reduction.stiffness(point)) @ reduction.lengths
    for ahead in times(reduction, point):
        try:
            with reduction.later(point, ahead) as then:
                note = _balance_lost(reduction, then, scale, ahead)
                if not note and before is not None:
                    note = _changed(reduction, before, coefficients(reduction, then, inertia))
        except NumericalError:
            note = "the running coordinates cannot go on from here: this is no steady state"
        if note:
            return (note,)
    return ()


def times(reduction: Reduction, point: Point) -> list[float]:
    """When to look again, s: by the speeds that were given, else by what drivers move; at rest a second later."""
    sizes = np.where(reduction.system.rows["kind"][reduction.running_rows] == ANGLE, 1.0, reduction.size)
    rates = np.abs(reduction.speeds) / sizes if np.any(reduction.speeds) else np.abs(point.v)
    fastest = float(rates.max(initial=0.0))
    return [phase / fastest for phase in LATER] if fastest > 0.0 else [1.0]


def coefficients(reduction: Reduction, point: Point, inertia: np.ndarray) -> list[np.ndarray]:
    """M, C, K, each coordinate in units of the root of its `inertia`."""
    unit = 1.0 / np.sqrt(inertia)
    return [
        matrix * np.outer(unit, unit) for matrix in (point.M_hat, reduction.damping(point), reduction.stiffness(point))
    ]


def _balance_lost(reduction: Reduction, then: Point, scale: np.ndarray, ahead: float) -> str:
    allowed = then.size + scale + ROUNDED * then.size.max(initial=0.0)
    if np.all(np.abs(then.r) <= SAME * allowed):
        return ""
    worst = int(np.argmax(np.abs(then.r) / np.maximum(allowed, 1e-300)))
    return (
        f"balanced at t = {reduction.t - ahead:g} s only: {ahead:.3g} s later {abs(then.r[worst]):.3g} "
        f"{reduction.units[worst]} act on '{reduction.names[worst]}'; this is no steady state"
        + _advice(reduction, worst)
    )


def _changed(reduction: Reduction, before: list[np.ndarray], after: list[np.ndarray]) -> str:
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
    runs = " and ".join(f"'{c.name}'" for c in reduction.running) or "the drivers"
    return (
        f"not steady: the coefficients of '{reduction.names[worst]}' vary with {runs} (periodic coefficients): these "
        "are the modes of one instant, and do not decide stability" + _advice(reduction, worst)
    )


def _advice(reduction: Reduction, worst: int) -> str:
    """Where to hang the body of a coordinate instead."""
    mechanism = reduction.mechanism
    joints = {joint.name: joint for joint in mechanism.joint}
    turning = [body for c in reduction.running for body in joints[c.joint].between if body != GROUND]
    element = reduction.names[worst].rsplit(".", 1)[0]
    parent, body = joints[element].between if element in joints else (GROUND, element)
    if not turning or body in turning:
        return ""
    if parent == GROUND:
        return f"; if '{body}' turns with '{turning[-1]}', hang it there by its joint, or a free joint, not on ground"
    return f"; if what turns is symmetric about its axis, hang '{body}' on ground instead of '{parent}'"
