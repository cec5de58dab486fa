"""Inputs and outputs of a linearized mechanism, by name.

Inputs
    NAME.force.x, NAME.torque.z   a component of an applied force (in its own axes, at its point), N or N m, or of a
                                  force on the body NAME (world axes, at the origin of its frame); the name of an
                                  applied force with a single component that is not 0 means that component
    NAME                          a driver, or a coordinate that runs at constant speed: its value, rad or m
Outputs
    BODY.position.x, BODY.velocity.x, BODY.angular_velocity.x      as the channels of a run
    BODY.rotation.x               small rotation about the present position, rad, world axes
    JOINT.COORDINATE              a joint coordinate; of the tree also its velocity (JOINT.rate, JOINT.speed ...)
    MEASURE                       a measure of the model that positions, velocities and states determine
    ANY.dot                       the time derivative of an output
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from linkwork.analyses.steady.derivatives import Columns
from linkwork.analyses.steady.reduction import Point, Reduction
from linkwork.elements.constraints.rows import POINT
from linkwork.elements.forces.applied_force import AppliedForce
from linkwork.elements.signals.measures import Measure
from linkwork.elements.signals.signals import OUTPUT_FAMILY
from linkwork.errors import OptionError, nearest
from linkwork.formulations.jacobians import point_jacobian
from linkwork.mechanism import Mechanism
from linkwork.numerics.status import LEVEL_ALL
from linkwork.system.units import rate_unit, row_unit

COMPONENTS = tuple(f"{what}.{axis}" for what in ("force", "torque") for axis in "xyz")
BODY_OUTPUTS = ("position", "velocity", "angular_velocity", "rotation")
TINY = 1e-30  # complex step


# -- inputs -----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class ForceInput:
    """A component of a force or torque on a body."""

    name: str
    element: str  # applied force or body
    component: int  # of fx, fy, fz, tx, ty, tz

    @property
    def unit(self) -> str:
        """Of a force or a torque."""
        return "N" if self.component < 3 else "N m"


@dataclass(frozen=True)
class DriverInput:
    """The value of a driven or running coordinate: a row, and its unit."""

    name: str
    row: int
    unit: str


def find_input(reduction: Reduction, name: str) -> ForceInput | DriverInput:
    """An input by name."""
    mechanism = reduction.mechanism
    rows = {row.element: r for r, row in enumerate(reduction.layout.rows)}
    drivers = {driver.name for driver in mechanism.driver}
    running = {alias: c.name for c in reduction.running for alias in (c.name, c.joint)}
    if name in drivers or name in running:
        row = rows[running.get(name, name)]
        return DriverInput(name, row, row_unit(reduction.system.rows[row]["kind"]))
    return force_input(mechanism, name, [*drivers, *running])


def force_input(mechanism: Mechanism, name: str, others: list[str] | None = None) -> ForceInput:
    """A force component by name."""
    element, _, component = name.partition(".")
    forces = {force.name: force for force in mechanism.of(AppliedForce)}
    bodies = [body.name for body in mechanism.body]
    if element in forces and not component:
        parts = (*forces[element].force, *forces[element].torque)
        used = [k for k, value in enumerate(parts) if value != 0.0]
        if len(used) == 1:
            return ForceInput(name, element, used[0])
        raise OptionError(
            f"input '{name}': this applied force has {len(used)} components; name one, as in '{name}.force.x'",
            element=name,
        )
    if element in (*forces, *bodies) and component in COMPONENTS:
        return ForceInput(name, element, COMPONENTS.index(component))
    known = [*(others or []), *forces, *(f"{e}.{c}" for e in (*forces, *bodies) for c in COMPONENTS)]
    raise OptionError(f"there is no input '{name}'; {nearest(name, known)}", element=name)


def force_direction(reduction: Reduction, point: Point, port: ForceInput) -> np.ndarray:
    """Generalized forces [motion] of a unit input."""
    r, work = reduction, reduction.real.work
    r.real.evaluate(r.t, point.y, point.angles, LEVEL_ALL)
    forces = {force.name: force for force in r.mechanism.of(AppliedForce)}
    force: AppliedForce | None = forces.get(port.element)
    body = r.layout.body(force.body if force else port.element)
    R_WB = work.R[body] @ r.layout.R_LB[body]
    at = work.p[body] + work.R[body] @ r.layout.p_LB[body] + R_WB @ np.array(force.at if force else (0.0, 0.0, 0.0))
    axis = np.eye(3)[port.component % 3]
    if force is not None and force.axes == "body":
        axis = R_WB @ axis
    B = point_jacobian(r.compiled, work, body, at)
    return np.asarray(axis @ (B[:3] if port.component < 3 else B[3:]))


def driver_direction(reduction: Reduction, point: Point, port: DriverInput) -> np.ndarray:
    """Z of a driver's row [motion, 1]: the motion of a unit of its value."""
    place = np.flatnonzero(reduction.rows == port.row)
    if not len(place):
        raise OptionError(
            f"input '{port.name}': its equation is redundant with others; remove one of them", element=port.name
        )
    return point.inverse[:, place[:1]]


# -- outputs ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Output:
    """A measure and how often it is differentiated with respect to time."""

    name: str
    base: str
    dots: int
    unit: str


def find_output(reduction: Reduction, name: str) -> Output:
    """An output by name."""
    base, dots = name, 0
    while base.endswith(".dot"):
        base, dots = base[:-4], dots + 1
    known = _units(reduction)
    if base not in known:
        raise OptionError(f"there is no output '{name}'; {nearest(base, known)}", element=name)
    unit = known[base]
    for _ in range(dots):
        unit = rate_unit(unit)
    return Output(name, base, dots, unit)


def _units(reduction: Reduction) -> dict[str, str]:
    """Every output and its unit."""
    layout = reduction.layout
    units = {"position": "m", "velocity": "m/s", "angular_velocity": "rad/s", "rotation": "rad"}
    known = {f"{b.name}.{w}.{a}": units[w] for b in reduction.mechanism.body for w in BODY_OUTPUTS for a in "xyz"}
    for joint in reduction.mechanism.joint:
        known |= {
            f"{joint.name}.{c}": joint.type.units[c] for c, number in joint.type.measured.items() if not number.crossed
        }
    known |= dict.fromkeys(state_measures(reduction), "")
    known |= {m.name: m.unit or "" for m in reduction.mechanism.of(Measure) if m.name in known}
    units = reduction.mechanism.coordinate_units()
    return known | {n: units.get(n, "") for n in (*layout.q_names, *layout.v_names) if n not in known}


def state_measures(reduction: Reduction) -> dict[str, int]:
    """Measures that the state determines, with their signals; those that need accelerations or loads are left out."""
    outputs = set(reduction.compiled.records(OUTPUT_FAMILY)["place"].tolist())
    return {name: place for name, place in reduction.layout.measures.items() if place not in outputs}


def output_columns(reduction: Reduction, point: Point, columns: Columns, base: str) -> np.ndarray:
    """Derivative of a measure along each direction."""
    layout = reduction.layout
    if base in layout.measures:
        return np.asarray(columns.signals[:, layout.measures[base]])
    if base in layout.v_names:
        return np.asarray(columns.dv[layout.v_names.index(base)])
    if base in layout.q_names:
        return np.asarray(columns.dq[:, layout.q_names.index(base)])
    work = reduction.real.work
    reduction.real.evaluate(reduction.t, point.y, point.angles, LEVEL_ALL)
    d = columns.motion
    stepped = Places(
        R=work.R + 1j * TINY * d[..., :9].reshape(*d.shape[:2], 3, 3), p=work.p + 1j * TINY * d[..., 9:12],
        V=work.V + 1j * TINY * d[..., 12:18], O=work.O + 1j * TINY * d[..., 18:21], R_0=work.R,
    )  # fmt: skip
    return np.asarray(measured(reduction, base, stepped).imag / TINY)


class Places(NamedTuple):
    """Poses and twists of the link frames [..., body, ...], real or complex; R_0: those about which bodies turn."""

    R: np.ndarray
    p: np.ndarray
    V: np.ndarray
    O: np.ndarray
    R_0: np.ndarray


def measured(reduction: Reduction, base: str, at: Places) -> np.ndarray:
    """A measure of bodies or of a joint."""
    element, _, rest = base.partition(".")
    what, _, axis = rest.partition(".")
    if what in BODY_OUTPUTS and element in reduction.layout.bodies:
        return _of_body(reduction, at, reduction.layout.body(element), what, "xyz".index(axis))
    return _of_joint(reduction, at, element, rest)


def _of_body(reduction: Reduction, at: Places, b: int, what: str, k: int) -> np.ndarray:
    """Component k of a position, velocity, angular velocity or small rotation of a body."""
    origin = at.p[..., b, :] + at.R[..., b, :, :] @ reduction.layout.p_LB[b]
    if what == "position":
        return np.asarray(origin[..., k])
    if what == "velocity":
        V = at.V[..., b, :]
        return np.asarray((V[..., :3] + np.cross(V[..., 3:], origin - at.O[..., b, :]))[..., k])
    if what == "angular_velocity":
        return np.asarray(at.V[..., b, 3 + k])
    turned = at.R[..., b, :, :] @ at.R_0[b].T
    i, j = (k + 1) % 3, (k + 2) % 3
    return np.asarray(0.5 * (turned[..., j, i] - turned[..., i, j]))


def _of_joint(reduction: Reduction, at: Places, name: str, coordinate: str) -> np.ndarray:
    """A coordinate of a joint that is one number between its frames."""
    joint = reduction.layout.joints[name]
    kind, axis, _ = joint.type.measured[coordinate]
    F = at.R[..., joint.body_a, :, :] @ joint.R_AF
    if kind == POINT:
        p_F = at.p[..., joint.body_a, :] + at.R[..., joint.body_a, :, :] @ joint.p_AF
        p_M = at.p[..., joint.body_b, :] + at.R[..., joint.body_b, :, :] @ joint.p_BM
        return np.asarray(np.sum(F[..., :, axis] * (p_M - p_F), axis=-1))
    x_M = (at.R[..., joint.body_b, :, :] @ joint.R_BM)[..., :, 0]
    sine, cosine = np.sum(F[..., :, 1] * x_M, axis=-1), np.sum(F[..., :, 0] * x_M, axis=-1)
    theta = np.arctan2(sine.real, cosine.real)
    return np.asarray(theta + sine * np.cos(theta) - cosine * np.sin(theta))


def measure(reduction: Reduction, point: Point, base: str) -> float:
    """The value of a measure at a point."""
    work = reduction.real.work
    reduction.real.evaluate(reduction.t, point.y, point.angles, LEVEL_ALL)
    if base in reduction.layout.q_names:
        return float(point.y[reduction.layout.q_names.index(base)])
    return float(np.real(measured(reduction, base, Places(work.R, work.p, work.V, work.O, work.R))))
