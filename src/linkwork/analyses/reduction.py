"""Reduction to independent coordinates at constant speeds: the equations that equilibrium and linearization share.

With the independent rows of Phi_v, the running coordinates (given speeds) and the independent velocities z = D v,

    G v = [Phi_v; running; D] v = [nu; speeds; z],        G^-1 = [Z | T],        v = Z (nu, speeds) + T z

where T is the partial velocity matrix (P4 eq 15: B_R R).  The balance of the independent coordinates is

    r = T^T (Q - M v_dot),       v_dot = G^-1 (gamma, z_dot),       M_hat = T^T M T

and steady equilibrium means r = 0 at z = z_dot = 0 (P4 section 2; the Coriolis terms that P4 eq 19 leaves out are in
gamma and Q).  Everything in v_dot is kept, so that r is exact for closed loops and rotating frames alike.

Displacements x of the independent coordinates follow x' = z; the derivative along x is taken on the constraints, since
T x is tangent to them and the complex step sees first order only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from linkwork.analyses.assembly import Start, assemble, dense_jacobian, first_angles
from linkwork.analyses.derivatives import MOTION, force_columns, rest_columns
from linkwork.analyses.holding import hold_from_start
from linkwork.analyses.independent import (
    Coordinate,
    choose_motions,
    measured_coordinates,
    motion_names,
    running_coordinates,
    with_measured,
)
from linkwork.elements.constraints import ANGLE
from linkwork.elements.joints import SLIDE
from linkwork.errors import NumericalError, OptionError, nearest
from linkwork.formulations.equations import Equations
from linkwork.formulations.kinematics import coordinate_rates, displace
from linkwork.mechanism import Mechanism
from linkwork.numerics.codes import LEVEL_ALL, LEVEL_POSITION, T_ACCEPTED
from linkwork.numerics.tree_matrix import scatter
from linkwork.system.compile import Compiled, compile_mechanism

CLOSED = 1e-13  # of the mechanism's size (m), or rad: constraints of a state to be balanced
WEAK = 1e-9  # a combination of rows this small beside the others is dependent
SINGULAR = 1e11  # largest entry of the inverse of unit rows from which a position is called singular


@dataclass(frozen=True)
class Point:
    """The reduced equations at one state."""

    y: np.ndarray
    angles: np.ndarray
    M: np.ndarray  # [motion, motion]
    inverse: np.ndarray  # G^-1
    v: np.ndarray  # [motion]
    v_dot: np.ndarray  # [motion]
    lam: np.ndarray  # [row] multipliers; of rows outside the independent set 0
    r: np.ndarray  # balance of the independent coordinates, N or N m
    T: np.ndarray  # [motion, independent]
    M_hat: np.ndarray
    size: np.ndarray  # of the forces that r sums up


@dataclass(frozen=True)
class Columns:
    """Derivatives along directions: of the balance, and of the bodies' motion."""

    balance: np.ndarray  # [row and independent, direction] of (lam, r)
    r: np.ndarray  # [independent, direction]
    dv: np.ndarray  # [motion, direction] velocities that go with a displacement
    motion: np.ndarray  # [direction, body, 21] of R, p, V, O
    dq: np.ndarray  # [direction, coordinate]


class Reduction:
    """A mechanism in independent coordinates, with some coordinates running at constant speed."""

    def __init__(
        self,
        mechanism: Mechanism,
        speeds: Mapping[str, float] | None = None,
        *,
        independent: Sequence[str] | None = None,
        formulation: str = "joint",
        t: float = 0.0,
        start: Start | None = None,
    ) -> None:
        self.mechanism, self.formulation, self.t = mechanism, formulation, t
        self.running = running_coordinates(mechanism, speeds or {})
        self.speeds = np.array([float(s) for s in (speeds or {}).values()])
        self.automatic = independent is None
        self.start = start = start or assemble(mechanism, formulation)
        self.notes = start.notes + tuple(
            f"friction '{friction.name}' depends on the joint's load, which has no part in a linearization"
            for friction in mechanism.friction
            if friction.coefficient
        )
        self._compile(start, [])
        self._check_running()
        self._name_independent(start, independent)
        self.rough = self.point(self.start_y)

    @classmethod
    def like(cls, other: Reduction, mechanism: Mechanism) -> Reduction:
        """The same for a mechanism with other forces: same bodies, joints, rows and independent coordinates."""
        return cls(
            mechanism, other._speeds_by_name(), independent=other.names, formulation=other.formulation, t=other.t,
            start=other.start,
        )  # fmt: skip

    # -- rows and coordinates -----------------------------------------------------------------------------------
    def _compile(self, start: Start, measured: Sequence[Coordinate]) -> None:
        """Tables with the running and the measured rows at the end."""
        compiled = compile_mechanism(
            with_measured(self.mechanism, [*self.running, *measured]), start.compiled.layout.formulation
        )
        compiled.system.whole["open_tree"] = 0  # M and Q are wanted, whatever the tree
        self.compiled: Compiled = compiled
        self.layout, self.system = compiled.layout, compiled.system
        self.real, self.imaginary = Equations(compiled), Equations(compiled, np.complex128)
        for equations in (self.real, self.imaginary):
            equations.work.settings[T_ACCEPTED] = self.t
        self.state = np.zeros(len(start.y), complex)
        rows, extra = len(self.layout.rows), len(self.running) + len(measured)
        self.base = np.sort(start.compiled.system.active["row"])
        self.running_rows = np.arange(rows - extra, rows - len(measured))
        self.rows = np.concatenate([self.base, self.running_rows]).astype(int)
        self.measured_rows = np.arange(rows - len(measured), rows)
        self.start_y = start.y.copy()
        self.start_v = start.y[self.layout.q_count : self.layout.q_count + self.layout.v_count].copy()
        self.start_y[self.layout.q_count : self.layout.q_count + self.layout.v_count] = 0.0
        angles = first_angles(self.real)
        self.real.evaluate(self.t, self.start_y, angles, LEVEL_ALL)
        hold_from_start(self.real, self.t, self.start_y, angles)
        self.angles = self._at_rest(self.real.work.angle)
        self.target = np.zeros(rows)  # where the rows are held: running coordinates where they started
        self.target[self.running_rows] = self.real.work.Phi[self.running_rows]

    def _at_rest(self, angle: np.ndarray) -> np.ndarray:
        kept = angle.copy()
        kept[len(kept) // 2 :] = 0.0
        return kept

    def _check_running(self) -> None:
        """A running coordinate that the constraints fix is refused."""
        J, M = self._matrices(self.start_y, self.angles)
        weight = np.sqrt(np.diag(M))
        for n, coordinate in enumerate(self.running):
            before = J[self.rows[: len(self.base) + n]] / weight
            row = J[self.running_rows[n]] / weight
            rest = row - before.T @ np.linalg.lstsq(before.T, row, rcond=WEAK)[0] if len(before) else row
            if np.linalg.norm(rest) <= WEAK * np.linalg.norm(row):
                name = coordinate.name
                raise OptionError(
                    f"speed of '{name}': the coordinate is not free, the constraints and drivers fix it; "
                    "name a coordinate that can move",
                    element=name,
                )

    def _name_independent(self, start: Start, asked: Sequence[str] | None) -> None:
        """Independent coordinates as asked, or chosen in joint coordinates."""
        if asked is not None:
            self._take_named(start, asked)
        elif self.formulation == "joint":
            self.take_motions(self._chosen())
        else:
            twin = Reduction(self.mechanism, self._speeds_by_name())
            known = measured_coordinates(self.mechanism)
            if all(name in known for name in twin.names):
                self._take_named(start, twin.names)
            elif self._moves():
                bad = next(name for name in twin.names if name not in known)
                raise OptionError(
                    f"independent coordinate '{bad}' cannot be measured in absolute coordinates while the mechanism "
                    "runs at a constant speed; use formulation = 'joint'",
                    element=bad,
                )
            else:
                self.take_motions(self._chosen())

    def _speeds_by_name(self) -> dict[str, float]:
        return {c.name: float(s) for c, s in zip(self.running, self.speeds, strict=True)}

    def _moves(self) -> bool:
        """Something runs: a speed, or a driver that moves at this time."""
        return bool(np.any(self.speeds != 0.0) or np.any(self.real.work.nu[self.base] != 0.0))

    def _chosen(self) -> list[int]:
        J, M = self._matrices(self.start_y, self.angles)
        return choose_motions(self.compiled, J[self.rows], M)

    def take_motions(self, motions: Sequence[int]) -> None:
        """Make these motions of the tree the independent ones."""
        names = motion_names(self.compiled)
        self.motions = np.array(motions, int)
        self.names = tuple(names[j] for j in motions)
        self._check_count()

    def _take_named(self, start: Start, asked: Sequence[str]) -> None:
        """Coordinates by name: motions of the tree where they are that, measured rows otherwise."""
        motions = {name: j for j, name in enumerate(motion_names(self.compiled))}
        measurable = measured_coordinates(self.mechanism)
        known = {**dict.fromkeys(motions), **dict.fromkeys(measurable)}
        of_tree = self.formulation == "joint"
        measured: list[Coordinate] = []
        order: list[tuple[str, int]] = []  # name, motion (or -1: the next measured row)
        for name in asked:
            full = measurable[name].name if name in measurable else name
            if full not in known:
                raise OptionError(
                    f"independent coordinate '{name}': there is no such coordinate; {nearest(name, known)}",
                    element=name,
                )
            if full in motions and (of_tree or full not in measurable):
                order.append((full, motions[full]))
            else:
                order.append((full, -1))
                measured.append(measurable[full])
        if not of_tree and any(j >= 0 for _, j in order) and self._moves():
            name = next(name for name, j in order if j >= 0)
            raise OptionError(
                f"independent coordinate '{name}' is one of a body in the world, which turns while the mechanism runs "
                "at a constant speed; name joint coordinates or use formulation = 'joint'",
                element=name,
            )
        if measured:
            self._compile(start, measured)
        self.names = tuple(name for name, _ in order)
        self.motions = np.array([j for _, j in order], int)
        self._check_count()

    def _check_count(self) -> None:
        freedoms = self.layout.v_count - len(self.rows)
        if len(self.names) != freedoms:
            raise OptionError(
                f"{len(self.names)} independent coordinate(s) named ({', '.join(self.names)}), but the mechanism has "
                f"{freedoms} degree(s) of freedom; name {freedoms}",
                element="independent",
            )

    def choose_again(self, y: np.ndarray, angles: np.ndarray) -> None:
        """Take the independent coordinates that serve best at a position, where they are ours to choose."""
        if self.automatic and self.formulation == "joint":
            J, M = self._matrices(y, angles)
            self.take_motions(choose_motions(self.compiled, J[self.rows], M))

    @property
    def slides(self) -> np.ndarray:
        """Which independent coordinates are lengths; the others are angles."""
        rows = iter(self.measured_rows)
        return np.array(
            [
                self.system.dofs[j]["kind"] == SLIDE if j >= 0 else self.system.rows[next(rows)]["kind"] != ANGLE
                for j in self.motions
            ],
            bool,
        )

    @property
    def lengths(self) -> np.ndarray:
        """Typical size of each independent coordinate: 1 rad, or the mechanism's size in m."""
        return np.where(self.slides, float(self.system.whole[0]["length"]), 1.0)

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of the balance of each independent coordinate."""
        return tuple("N" if slide else "N m" for slide in self.slides)

    # -- the equations at a state -------------------------------------------------------------------------------
    def _matrices(self, y: np.ndarray, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Phi_v of all rows and M, dense."""
        self.real.evaluate(self.t, y, angles, LEVEL_POSITION)
        M = np.zeros((self.layout.v_count, self.layout.v_count))
        scatter(self.system.dofs, self.real.work.M, M)
        return dense_jacobian(self.system, self.real.work), M

    def _directions(self, J: np.ndarray) -> np.ndarray:
        """G: constraint rows, running rows, independent velocities."""
        D = np.zeros((len(self.motions), J.shape[1]))
        of_tree = self.motions >= 0
        D[np.flatnonzero(of_tree), self.motions[of_tree]] = 1.0
        D[~of_tree] = J[self.measured_rows]
        return np.vstack([J[self.rows], D])

    def _inverse(self, J: np.ndarray, M: np.ndarray) -> np.ndarray:
        """G^-1; at a position where it does not exist an error."""
        G = self._directions(J)
        weight = np.sqrt(np.diag(M))
        scaled = G / weight
        sizes = np.linalg.norm(scaled, axis=1)
        try:
            inverse = np.linalg.inv(scaled / sizes[:, None]) if np.all(sizes > 0.0) else np.full_like(G, np.inf)
        except np.linalg.LinAlgError:
            inverse = np.full_like(G, np.inf)
        if len(G) and not np.abs(inverse).max() < SINGULAR:
            raise NumericalError(
                f"the independent coordinates ({', '.join(self.names)}) do not determine the motion at this position: "
                "it is singular, or they depend on each other; name others or start elsewhere",
                element="independent",
            )
        return inverse / weight[:, None] / sizes

    def _right_side(self, values: np.ndarray) -> np.ndarray:
        """Row values [..., row] as right-hand sides of G: [constraint, running and independent row, ...]."""
        own = np.zeros((*values.shape[:-1], len(self.motions)))
        own[..., self.motions < 0] = values[..., self.measured_rows]
        return np.concatenate([values[..., self.rows], own], axis=-1).T

    def point(self, y: np.ndarray, angles: np.ndarray | None = None, v: np.ndarray | None = None) -> Point:
        """The reduced equations at a position: at steady motion (z = z_dot = 0), or with the velocities v moving on."""
        angles = self.angles if angles is None else angles
        work = self.real.work
        J, M = self._matrices(y, angles)
        inverse = self._inverse(J, M)
        nu = work.nu.copy()
        nu[self.running_rows] += self.speeds
        nu[self.measured_rows] = 0.0
        full = y.copy()
        steady = v is None
        velocities = inverse @ self._right_side(nu) if v is None else v
        full[self.layout.q_count : self.layout.q_count + self.layout.v_count] = velocities
        self.real.evaluate(self.t, full, angles, LEVEL_ALL)
        T = inverse[:, len(self.rows) :]
        M_hat = T.T @ M @ T
        v_dot = inverse @ self._right_side(work.gamma)
        r = T.T @ (work.Q - M @ v_dot)
        if not steady and len(r):
            v_dot = v_dot + T @ np.linalg.solve(M_hat, r)
        balance = inverse.T @ (work.Q - M @ v_dot)
        lam = np.zeros(len(self.layout.rows))
        lam[self.rows] = balance[: len(self.rows)]
        lam[self.measured_rows] = balance[len(self.rows) :][self.motions < 0]
        size = np.abs(T).T @ (np.abs(work.Q) + np.abs(M @ v_dot) + np.abs(J.T @ lam))
        return Point(full, angles, M, inverse, velocities, v_dot, lam, balance[len(self.rows) :], T, M_hat, size)

    def moved(self, point: Point, x: np.ndarray) -> Point:
        """The point displaced by x in the independent coordinates, back on the constraints."""
        y = point.y.copy()
        displace(self.system.dofs, y, point.T @ x)
        return self.closed(y, point)

    def closed(self, y: np.ndarray, near: Point) -> Point:
        """The point whose dependent coordinates meet the rows (drivers and running rows at their target)."""
        y, angles = y.copy(), near.angles
        enough = CLOSED * max(1.0, float(self.system.whole[0]["length"]))
        last = np.inf
        for _ in range(30):
            J, M = self._matrices(y, angles)
            error = self._open(self.real.work.Phi)
            worst = float(np.abs(error).max(initial=0.0))
            if worst <= enough or (worst < 1e-9 and worst > 0.5 * last):
                self.real.evaluate(self.t, y, angles, LEVEL_ALL)
                return self.point(y, self._at_rest(self.real.work.angle))
            delta = -self._inverse(J, M)[:, : len(self.rows)] @ error
            displace(self.system.dofs, y, delta * min(1.0, 0.5 / np.abs(delta).max()))
            last = worst
        row = self.layout.rows[self.rows[int(np.argmax(np.abs(error)))]]
        raise NumericalError(
            f"'{row.element}' ({row.equation}) stays open by {worst:.3g}: the mechanism does not reach this position",
            element=row.element,
        )

    def _open(self, Phi: np.ndarray) -> np.ndarray:
        """By how much the rows miss their target; angles on the nearest turn."""
        error = Phi[self.rows] - self.target[self.rows]
        turning = self.system.rows["kind"][self.rows] == ANGLE
        return np.where(turning, np.remainder(error + np.pi, 2.0 * np.pi) - np.pi, error)

    def shifted(self, point: Point, t: float) -> Point:
        """The point a time t (s) later in steady motion: running rows and drivers moved on."""
        before, target = self.t, self.target.copy()
        y = point.y.copy()
        displace(self.system.dofs, y, point.v * t)
        try:
            self.t = before + t
            for equations in (self.real, self.imaginary):
                equations.work.settings[T_ACCEPTED] = self.t
            self.target[self.running_rows] += self.speeds * t
            return self.closed(y, replace(point, angles=self._at_rest(point.angles)))
        finally:
            self.t, self.target = before, target
            for equations in (self.real, self.imaginary):
                equations.work.settings[T_ACCEPTED] = before

    # -- derivatives --------------------------------------------------------------------------------------------
    def position_columns(self, point: Point, directions: np.ndarray) -> Columns:
        """Derivatives along displacements [motion, direction], the velocities following the constraints."""
        dq = self._rates(point.y, directions)
        rest = np.zeros((len(dq), len(self.layout.rows)))
        if np.any(point.v):
            rest_columns(
                self.imaginary.system_ref, self.imaginary.work_ref, self.t, self.state, point.angles, point.y, dq,
                point.v, rest,
            )  # fmt: skip
        return self._columns(point, dq, point.inverse @ self._right_side(rest))

    def velocity_columns(self, point: Point, directions: np.ndarray) -> Columns:
        """Derivatives along velocities [motion, direction] at the same position."""
        dq = np.zeros((directions.shape[1], self.layout.q_count))
        return self._columns(point, dq, directions)

    def _columns(self, point: Point, dq: np.ndarray, dv: np.ndarray) -> Columns:
        count = len(dq)
        force = np.zeros((count, self.layout.v_count))
        bias = np.zeros((count, len(self.layout.rows)))
        motion = np.zeros((count, len(self.system.bodies), MOTION))
        force_columns(
            self.imaginary.system_ref, self.imaginary.work_ref, self.t, self.state, point.angles, point.y, dq,
            np.ascontiguousarray(dv.T), point.v_dot, point.lam, force, bias, motion,
        )  # fmt: skip
        dv_dot = point.inverse @ self._right_side(bias)
        balance = point.inverse.T @ (force.T - point.M @ dv_dot)
        return Columns(balance, balance[len(self.rows) :], dv, motion, dq)

    def _rates(self, y: np.ndarray, directions: np.ndarray) -> np.ndarray:
        """dq for displacements given as velocities x 1 s, one a row."""
        dq = np.zeros((directions.shape[1], self.layout.q_count))
        for k in range(directions.shape[1]):
            coordinate_rates(self.system.dofs, y, np.ascontiguousarray(directions[:, k]), dq[k])
        return dq

    def stiffness(self, point: Point) -> np.ndarray:
        """K_hat = -dr/dx (P4 eq 20, total derivative)."""
        return -self.position_columns(point, point.T).r

    def damping(self, point: Point) -> np.ndarray:
        """C_hat = -dr/dz: dampers, gyroscopic and Coriolis terms, all of them (P4 eq 19 omits half of the last)."""
        return -self.velocity_columns(point, point.T).r

    # -- names --------------------------------------------------------------------------------------------------
    def coordinates(self, point: Point) -> dict[str, float]:
        """Every coordinate of the tree by name; a ball's as Euler parameters."""
        return {name: float(value) for name, value in zip(self.layout.q_names, point.y, strict=False)}
