"""Suspensions: a corner moved through its travel.

It is followed from position to position: with the chassis held, Newton on the constraint rows and on the height of the
wheel's centre,

    [Phi_v; B_z; chassis] dv = -[Phi; z - target; 0]

where B_z v is the vertical velocity of the centre.  The same matrix with the right-hand side (0, 1, 0) gives the motion
per unit of travel.  Degrees of freedom remain (the other wheels, a wheel that spins): they take the least change, where
the analysis of driven mechanisms (kinematics/) would have to refuse them.  But one that moves the wheel, or an end of
a spring that the travel moves too (a steering that nothing holds, a chassis on a joint of its own), is refused: then
the travel does not determine how the corner moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from linkwork.analyses.start.assembly import Start, assemble
from linkwork.elements.forces.spring_damper import SpringDamper
from linkwork.elements.tyres.tyre import Tyre
from linkwork.errors import Entry, NumericalError, OptionError, nearest
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian, point_jacobian
from linkwork.formulations.kinematics import displace
from linkwork.mechanism import Mechanism
from linkwork.numerics.status import LEVEL_POSITION
from linkwork.numerics.subspaces import null_space
from linkwork.system.coordinates import body_poses
from linkwork.system.frames import NamedPoses, Pose, given_poses
from linkwork.tables import Shown, Table, table

ITERATIONS = 30
CLOSED = 1e-13  # m, of the constraints and of the wheel's height
LONGEST = 0.02  # m, of travel in one go
RANK = 1e-11  # of the largest singular value: a smaller one counts as zero
FREE = 1e-7  # m or rad, of a unit motion: less is none
MOVED = 1e-9  # a spring with a smaller motion ratio is not moved by the wheel
NUDGE = 1e-4  # m, to either side: the slope of the load


@dataclass(frozen=True, eq=False, repr=False)
class CornerSweep(Shown):
    """A corner through its travel: lengths in m, angles in rad; one entry a position."""

    tyre: str
    travel: np.ndarray  # of the wheel's centre upwards, the chassis held
    camber: np.ndarray  # > 0: the top of the wheel leans outwards
    toe: np.ndarray  # > 0: toe-in, the front of the wheel points inwards
    track_change: np.ndarray  # of the lowest point of the wheel, outwards
    base_change: np.ndarray  # of the wheel's centre, forwards
    spring_length: dict[str, np.ndarray]  # of every spring that the wheel moves
    motion_ratio: dict[str, np.ndarray]  # how much shorter such a spring gets, per travel
    spring_load: np.ndarray  # N, vertical at the wheel, that balances these springs at rest; NaN by another law
    wheel_rate: np.ndarray  # N/m, its slope over the travel

    def tables(self) -> list[Table]:
        """A row for each position."""
        springs = list(self.motion_ratio)
        heads = ("travel mm", "camber deg", "toe-in deg", "track mm", "base mm", *(f"{s}: ratio" for s in springs),
                 *(f"{name}: length mm" for name in springs), "load N", "wheel rate N/mm")  # fmt: skip
        columns = (1e3 * self.travel, np.degrees(self.camber), np.degrees(self.toe), 1e3 * self.track_change,
                   1e3 * self.base_change, *self.motion_ratio.values(),
                   *(1e3 * length for length in self.spring_length.values()), self.spring_load,
                   1e-3 * self.wheel_rate)  # fmt: skip
        rows = [[f"{value + 0.0:.4g}" for value in row] for row in zip(*(np.round(c, 9) for c in columns), strict=True)]
        return [table(f"{self.tyre}: wheel moved against the chassis", heads, rows)]


def corner_sweep(mechanism: Mechanism, tyre: str, travel: Sequence[float] | np.ndarray) -> CornerSweep:
    """One wheel moved up and down against the chassis, which is held: [Phi_v; B_z; chassis] dv = -[Phi; z - target; 0].

    `travel` in m, 0: as modelled.  Refused: unknown tyres, corners whose motion the travel does not determine; a travel
    that is not reached is a NumericalError.
    """
    corner, wanted = _Corner(mechanism, tyre), np.array(travel, float)
    if wanted.ndim != 1 or not len(wanted) or not np.all(np.isfinite(wanted)):
        raise OptionError(f"travel is {travel}; give finite numbers, m", element=tyre)
    places: dict[int, _Position] = {}
    order = np.argsort(wanted)
    for side in (order[wanted[order] >= 0.0], order[wanted[order] < 0.0][::-1]):
        corner.begin()
        for k in side:
            places[int(k)] = corner.at(float(wanted[k]))
    columns = zip(*(places[k] for k in sorted(places)), strict=True)
    camber, toe, track, base, lengths, ratios, loads, rates = (np.array(column) for column in columns)
    kept = {spring.name: k for k, spring in enumerate(corner.springs) if np.abs(ratios[:, k]).max() > MOVED}
    return CornerSweep(
        tyre, wanted, camber, toe, track, base, {name: lengths[:, k] for name, k in kept.items()},
        {name: ratios[:, k] for name, k in kept.items()}, loads, rates,
    )  # fmt: skip


class _Position(NamedTuple):
    """A corner at one travel: as in CornerSweep, springs in the order of the model."""

    camber: float
    toe: float
    track_change: float
    base_change: float
    lengths: np.ndarray
    ratios: np.ndarray
    load: float
    rate: float


class _Corner:
    """The equations of a mechanism with a wheel that is moved."""

    def __init__(self, mechanism: Mechanism, tyre: str) -> None:
        tyres = {t.name: t for t in mechanism.of(Tyre)}
        if tyre not in tyres:
            raise OptionError(f"there is no tyre '{tyre}'; {nearest(tyre, tyres)}", element=tyre)
        self.tyre: Tyre = tyres[tyre]
        self.start: Start = assemble(mechanism, "joint")
        self.equations = Equations(self.start.compiled)
        self.layout, self.system = self.start.compiled.layout, self.start.compiled.system
        self.springs = mechanism.of(SpringDamper)
        self.modelled = given_poses(mechanism)
        self.y = self.start.y.copy()
        root = self.layout.root(self.layout.body(self.tyre.body))
        held = next(tree.type for tree in self.layout.tree if tree.body == root).holds_nothing
        body = self.system.bodies[root]
        self.held = np.arange(body["first_dof"], body["first_dof"] + body["dof_count"]) if held else np.zeros(0, int)
        self.reached = 0.0
        self.first = self._wheel()
        self._check_determined()

    def _check_determined(self) -> None:
        """Refuse a degree of freedom that moves the wheel, or an end of a spring that the travel moves."""
        axle, centre, _ = self.first
        rows = self._rows(centre)
        free, unit = null_space(rows, RANK), self._motion(rows)
        B = point_jacobian(self.start.compiled, self.equations.work, self.layout.body(self.tyre.body), centre)
        aside = np.cross(axle, B[3:].T).T  # of the axle: to spin about it is no matter
        moving = [("the wheel", part) for part in (B[:3], aside)]
        moving += [(f"spring '{spring.name}'", end) for spring in self.springs for _, end in self._ends(spring)
                   if np.abs(end @ unit).max() > FREE]  # fmt: skip
        for what, part in moving:
            if np.abs(part @ free).max(initial=0.0) > FREE:
                raise OptionError(
                    f"tyre '{self.tyre.name}': the travel of its wheel does not determine how {what} moves; lock what "
                    "is free there: a steering, or the chassis where it is on a joint of its own",
                    element=self.tyre.name,
                )

    def begin(self) -> None:
        """Back to the position as modelled."""
        self.y = self.start.y.copy()
        self.reached = 0.0

    def _wheel(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Axle, centre and lowest point, world."""
        poses = self._poses()
        R, p = poses[self.tyre.body]
        axle, centre = R @ np.array(self.tyre.axis), p + R @ np.array(self.tyre.at)
        return axle, centre, centre + self.tyre.foot(axle)

    def _poses(self) -> NamedPoses:
        self.equations.evaluate(0.0, self.y, self.start.angles, LEVEL_POSITION)
        return body_poses(self.start.compiled, self.equations.work.R, self.equations.work.p)

    def _rows(self, centre: np.ndarray) -> np.ndarray:
        """Constraints, the wheel's height, the chassis."""
        body = self.layout.body(self.tyre.body)
        B = point_jacobian(self.start.compiled, self.equations.work, body, centre)
        J = dense_jacobian(self.system, self.equations.work)
        return np.vstack([J, B[2:3], np.eye(self.layout.v_count)[self.held]])

    def _motion(self, rows: np.ndarray) -> np.ndarray:
        """The motion per unit of travel."""
        unit = np.zeros(len(rows))
        unit[len(rows) - len(self.held) - 1] = 1.0
        return np.asarray(np.linalg.lstsq(rows, unit, rcond=RANK)[0])

    def at(self, travel: float) -> _Position:
        """The corner at that travel."""
        ends = [self._load(travel + nudge) for nudge in (NUDGE, -NUDGE)]
        load = self._load(travel)
        axle, centre, lowest = self._wheel()
        left = 1.0 if self.first[1][1] >= 0.0 else -1.0
        return _Position(
            camber=float(-left * np.arcsin(axle[2])),
            toe=float(left * np.arctan2(axle[0], axle[1])),
            track_change=float(left * (lowest - self.first[2])[1]),
            base_change=float((centre - self.first[1])[0]),
            lengths=self.lengths,
            ratios=self.ratios,
            load=load,
            rate=(ends[0] - ends[1]) / (2.0 * NUDGE),
        )

    def _load(self, travel: float) -> float:
        """Go there; the vertical force at the wheel that balances the springs that it moves, N."""
        self._go(travel)
        _, centre, _ = self._wheel()
        self.lengths, self.ratios = self._springs(self._motion(self._rows(centre)))
        moved = zip(self.springs, self.lengths, self.ratios, strict=True)
        return float(sum(-spring.pull(length) * ratio for spring, length, ratio in moved if abs(ratio) > MOVED))

    def _go(self, travel: float) -> None:
        """Reach a travel in short steps."""
        steps = max(1, int(np.ceil(abs(travel - self.reached) / LONGEST)))
        for target in np.linspace(self.reached, travel, steps + 1)[1:]:
            self._close(float(target))
        self.reached = travel

    def _close(self, travel: float) -> None:
        for _ in range(ITERATIONS):
            _, centre, _ = self._wheel()
            missing = centre[2] - self.first[1][2] - travel
            error = np.concatenate([self.equations.work.Phi, [missing], np.zeros(len(self.held))])
            if np.abs(error).max() < CLOSED:
                return
            displace(self.system.dofs, self.y, np.linalg.lstsq(self._rows(centre), -error, rcond=RANK)[0])
        if np.abs(error).max() > 1e3 * CLOSED:
            raise NumericalError(
                f"tyre '{self.tyre.name}': its wheel does not reach a travel of {travel:.3g} m; give a shorter travel",
                element=self.tyre.name,
                entry=Entry.NOT_MET,
            )

    def _springs(self, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Length of every spring, and how much shorter it gets per unit of the motion v."""
        lengths, ratios = [], []
        for spring in self.springs:
            (p_A, rows_A), (p_B, rows_B) = self._ends(spring)
            lengths.append(float(np.linalg.norm(p_B - p_A)))
            ratios.append(-float((p_B - p_A) @ (rows_B - rows_A) @ v) / lengths[-1])
        return np.array(lengths), np.array(ratios)

    def _ends(self, spring: SpringDamper) -> list[tuple[np.ndarray, np.ndarray]]:
        """Both ends of a spring: where they are, and the rows [3, motion] that give their velocities."""
        poses, found = self._poses(), []
        for body, point in zip(spring.between, spring.points, strict=True):
            here = (poses[body] @ (self.modelled[body].inverse() @ Pose(np.eye(3), np.array(point)))).p
            k = self.layout.body(body)
            found.append((here, point_jacobian(self.start.compiled, self.equations.work, k, here)[:3]))
        return found
