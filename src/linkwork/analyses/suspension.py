"""Suspensions: a corner moved through its travel, the ride modes of a vehicle, the forces of its shock absorbers.

A corner is followed from position to position: with the chassis held, Newton on the constraint rows and on the height
of the wheel's centre,

    [Phi_v; B_z; chassis] dv = -[Phi; z - target; 0]

where B_z v is the vertical velocity of the centre (least change where freedoms remain, as at the other wheels).  The
same matrix with the right-hand side (0, 1, 0) gives the motion per unit of travel: motion ratios and rates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwork.analyses.assembly import Start, assemble, dense_jacobian, point_rows
from linkwork.analyses.linearization import Linearization
from linkwork.analyses.modes import OSCILLATION, Mode, Modes
from linkwork.analyses.replay import model_of
from linkwork.elements.tyre import TYRE, TYRES, Tyre, tyres
from linkwork.errors import NumericalError, OptionError, nearest
from linkwork.formulations.equations import Equations
from linkwork.formulations.kinematics import displace
from linkwork.mechanism import GROUND, Mechanism
from linkwork.numerics.codes import LEVEL_ALL, LEVEL_POSITION
from linkwork.numerics.rotations import rotation_entries
from linkwork.results.result import Result
from linkwork.system.compile import compile_mechanism
from linkwork.system.coordinates import body_poses
from linkwork.system.frames import Pose, said_poses

ITERATIONS = 30
CLOSED = 1e-13  # m, of the constraints and of the wheel's height
LONGEST = 0.02  # m, of travel in one go
STILL = 5e-4  # of the largest omega^2: below it a motion has no spring of its own
CHASSIS_MOTIONS = ("longitudinal", "lateral", "bounce", "roll", "pitch", "yaw")


@dataclass(frozen=True, eq=False)
class CornerSweep:
    """A corner through its travel: lengths in m, angles in rad; one entry a position."""

    tyre: str
    travel: np.ndarray  # of the wheel's centre upwards, the chassis held
    camber: np.ndarray  # > 0: the top of the wheel leans outwards
    toe: np.ndarray  # > 0: toe-in, the front of the wheel points inwards
    track_change: np.ndarray  # of the lowest point of the wheel, outwards
    base_change: np.ndarray  # of the wheel's centre, forwards
    spring_length: dict[str, np.ndarray]  # of every spring that the wheel moves
    motion_ratio: dict[str, np.ndarray]  # how much shorter such a spring gets, per travel
    spring_load: np.ndarray  # N, vertical at the wheel, that balances these springs at rest
    wheel_rate: np.ndarray  # N/m, its slope over the travel


def corner_sweep(mechanism: Mechanism, tyre: str, travel: Sequence[float] | np.ndarray) -> CornerSweep:
    """One wheel up and down against the chassis, which is held; `travel` in m, 0: as the model is said."""
    corner = _Corner(mechanism, tyre)
    wanted = np.array(travel, float)
    order = np.argsort(wanted)
    rows: dict[int, tuple] = {}
    for side in (order[wanted[order] >= 0.0], order[wanted[order] < 0.0][::-1]):
        corner.begin()
        for k in side:
            rows[int(k)] = corner.at(float(wanted[k]))
    told = zip(*(rows[k] for k in sorted(rows)), strict=True)
    camber, toe, track, base, lengths, ratios, loads = (np.array(column) for column in told)
    moved = np.abs(ratios).max(axis=0) > 1e-9
    names = [spring.name for spring in mechanism.spring_damper]
    kept = [k for k in range(len(names)) if moved[k]]
    return CornerSweep(
        tyre, wanted, camber, toe, track, base,
        {names[k]: lengths[:, k] for k in kept}, {names[k]: ratios[:, k] for k in kept},
        loads, np.gradient(loads, wanted) if len(wanted) > 1 else np.full(1, np.nan),
    )  # fmt: skip


class _Corner:
    """The equations of a mechanism with a wheel that is moved."""

    def __init__(self, mechanism: Mechanism, tyre: str) -> None:
        tyres = {t.name: t for t in mechanism.tyre}
        if tyre not in tyres:
            raise OptionError(f"there is no tyre '{tyre}'; {nearest(tyre, tyres)}", element=tyre)
        self.tyre: Tyre = tyres[tyre]
        self.start: Start = assemble(mechanism, "joint")
        self.equations = Equations(self.start.compiled)
        self.layout, self.system = self.start.compiled.layout, self.start.compiled.system
        self.springs = mechanism.spring_damper
        self.said = said_poses(mechanism)
        self.y = self.start.y.copy()
        links = {tree.body: tree for tree in self.layout.tree}
        root = self.layout.body(self.tyre.body)
        while links[root].parent:
            root = links[root].parent
        held = links[root].kind == "free"
        body = self.system.bodies[root]
        self.held = np.arange(body["first_dof"], body["first_dof"] + body["dof_count"]) if held else np.zeros(0, int)
        self.reached = 0.0
        self.first = self._wheel()

    def begin(self) -> None:
        """Back to the model as it is said."""
        self.y = self.start.y.copy()
        self.reached = 0.0

    def _wheel(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Axle, centre and lowest point, world."""
        poses = self._poses()
        R, p = poses[self.tyre.body]
        axle, centre = R @ np.array(self.tyre.axis), p + R @ np.array(self.tyre.at)
        down = axle * axle[2] - np.array([0.0, 0.0, 1.0])
        return axle, centre, centre + self.tyre.radius * down / np.linalg.norm(down)

    def _poses(self) -> dict[str, Pose]:
        self.equations.evaluate(0.0, self.y, self.start.angles, LEVEL_POSITION)
        return body_poses(self.start.compiled, self.equations.work.R, self.equations.work.p)

    def _rows(self, centre: np.ndarray) -> np.ndarray:
        """Constraints, the wheel's height, the chassis."""
        body = self.layout.body(self.tyre.body)
        B = point_rows(self.start.compiled, self.equations.work, body, centre)
        J = dense_jacobian(self.system, self.equations.work)
        return np.vstack([J, B[2:3], np.eye(self.layout.v_count)[self.held]])

    def at(self, travel: float) -> tuple:
        """What is told of the position with that travel, which is reached in short ways."""
        steps = max(1, int(np.ceil(abs(travel - self.reached) / LONGEST)))
        for target in np.linspace(self.reached, travel, steps + 1)[1:]:
            self._close(float(target))
        self.reached = travel
        axle, centre, lowest = self._wheel()
        rows = self._rows(centre)
        unit = np.zeros(len(rows))
        unit[len(rows) - len(self.held) - 1] = 1.0
        v = np.linalg.lstsq(rows, unit, rcond=1e-11)[0]
        lengths, ratios = self._springs(v)
        left = 1.0 if self.first[1][1] >= 0.0 else -1.0
        load = sum(s.stiffness * ((s.length() if s.free_length is None else s.free_length) - length) * ratio
                   for s, length, ratio in zip(self.springs, lengths, ratios, strict=True))  # fmt: skip
        return (
            -left * np.arcsin(axle[2]), left * np.arctan2(axle[0], axle[1]), left * (lowest - self.first[2])[1],
            (centre - self.first[1])[0], lengths, ratios, load,
        )  # fmt: skip

    def _close(self, travel: float) -> None:
        for _ in range(ITERATIONS):
            _, centre, _ = self._wheel()
            missing = centre[2] - self.first[1][2] - travel
            error = np.concatenate([self.equations.work.Phi, [missing], np.zeros(len(self.held))])
            if np.abs(error).max() < CLOSED:
                return
            displace(self.system.dofs, self.y, np.linalg.lstsq(self._rows(centre), -error, rcond=1e-11)[0])
        if np.abs(error).max() > 1e3 * CLOSED:
            raise NumericalError(
                f"tyre '{self.tyre.name}': its wheel does not reach a travel of {travel:.4g} m; give a shorter travel",
                element=self.tyre.name,
            )

    def _springs(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Length of every spring, and how much shorter it gets per unit of the motion v."""
        poses, work = self._poses(), self.equations.work
        lengths, ratios = [], []
        for spring in self.springs:
            ends, speeds = [], []
            for body, point in zip(spring.between, spring.points, strict=True):
                here = poses[body] @ (self.said[body].inverse() @ Pose(np.eye(3), np.array(point)))
                ends.append(here.p)
                k = self.layout.body(body)
                speeds.append(point_rows(self.start.compiled, work, k, here.p)[:3] @ v)
            gap = ends[1] - ends[0]
            lengths.append(float(np.linalg.norm(gap)))
            ratios.append(-float(gap @ (speeds[1] - speeds[0])) / lengths[-1])
        return np.array(lengths), np.array(ratios)


# -- ride modes -------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class RideMode:
    """A mode of a vehicle by what moves most: a motion of the chassis, or the wheels (`hop`)."""

    name: str
    frequency_hz: float  # of the motion on the springs, without dampers
    damping: float  # x^T C x / (2 omega x^T M x): a share of the critical damping
    shape: np.ndarray  # [independent]


def ride_modes(linear: Linearization, chassis: str) -> list[RideMode]:
    """Vibration on springs and tyres, the treads as they are: named `hop` where a wheel moves more than the chassis at
    its corners, else after the motion of the chassis.

    Without dampers, since a well damped pitch does not oscillate at all; K is taken symmetric, as springs make it.
    """
    mechanism = linear.reduction.mechanism
    said, wheels = said_poses(mechanism), [tyre.body for tyre in mechanism.tyre]
    if chassis not in said or not wheels:
        raise OptionError(f"there is no body '{chassis}' with tyres; {nearest(chassis, said)}", element=chassis)
    size = 0.5 * max(float(np.linalg.norm(said[wheel].p - said[chassis].p)) for wheel in wheels)
    squares, shapes = quadratic_modes(linear.M, linear.K)
    moving = np.flatnonzero(squares > STILL * squares.max(initial=0.0))
    modes = Modes(linear, tuple(Mode(1j * np.sqrt(squares[k]), OSCILLATION, shapes[:, k]) for k in moving))
    found = []
    for n, mode in enumerate(modes):
        bodies = modes.body_shapes(n)
        own = bodies[chassis]
        parts = np.abs(np.concatenate([own.translation, size * own.rotation]))
        hop = max(abs(complex(bodies[wheel].translation[2])) for wheel in wheels)
        name = "hop" if hop > 1.5 * parts.max() else CHASSIS_MOTIONS[int(np.argmax(parts))]
        x = mode.shape
        damping = float(x @ linear.C @ x / (2.0 * mode.omega * (x @ linear.M @ x)))
        found.append(RideMode(name, mode.frequency_hz, damping, x))
    return found


def quadratic_modes(M: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """omega^2 and shapes of M x'' + K x = 0, K symmetric."""
    from scipy.linalg import eigh

    return eigh(0.5 * (K + K.T), M)


# -- shock absorbers --------------------------------------------------------------------------------------------------
def shock_loads(result: Result) -> dict[str, np.ndarray]:
    """Force of every linear spring-damper at the samples, N; > 0: it pulls its ends together."""
    mechanism = model_of(result)
    said = said_poses(mechanism)
    found = {}
    for spring in mechanism.spring_damper:
        if spring.force is not None:
            continue
        ends = [_moving(result, said, body, point) for body, point in zip(spring.between, spring.points, strict=True)]
        gap, speed = ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]
        length = np.linalg.norm(gap, axis=1)
        rate = np.einsum("ni,ni->n", gap, speed) / length
        free = spring.length() if spring.free_length is None else spring.free_length
        found[spring.name] = spring.preload + spring.stiffness * (length - free) + spring.damping * rate
    return found


def _moving(result: Result, said: dict[str, Pose], body: str, point: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Position and velocity of a point of a body over the samples, [sample, 3]."""
    if body == GROUND:
        still = np.zeros((len(result.t), 3))
        return still + np.array(point), still
    k = result.names["bodies"].index(body)
    on_body = said[body].R.T @ (np.array(point) - said[body].p)
    R = np.stack(rotation_entries.py_func(*result.orientation[:, k].T), axis=-1).reshape(-1, 3, 3)
    arm = R @ on_body
    return result.position[:, k] + arm, result.velocity[:, k] + np.cross(result.angular_velocity[:, k], arm)


# -- tyres ------------------------------------------------------------------------------------------------------------
def tyre_forces(result: Result) -> dict[str, np.ndarray]:
    """Force of the road on every tyre at the samples [sample, 3], N, world axes."""
    mechanism = model_of(result)
    if not mechanism.tyre:
        return {}
    compiled = compile_mechanism(mechanism, result.certificate.formulation)
    equations = Equations(compiled)
    first = next(first for family, first, _ in compiled.families if family is TYRES)
    angles = np.zeros(2 * compiled.layout.angle_count)
    forces = {tyre.name: np.zeros((len(result.t), 3)) for tyre in mechanism.tyre}
    for n, t in enumerate(result.t):
        y = np.concatenate([result.q[n], result.v[n], result.states[n]])
        equations.evaluate(float(t), y, angles, LEVEL_ALL)
        for k, tyre in enumerate(mechanism.tyre):
            body, here = compiled.layout.body(tyre.body), first + k * TYRE.itemsize
            equations.work.F[:] = 0.0
            tyres(equations.system_ref, float(t), angles, equations.work_ref, here, here + TYRE.itemsize)
            forces[tyre.name][n] = equations.work.F[body, :3]
    return forces
