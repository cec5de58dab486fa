"""The rows of a reduction: constraints, coordinates that run at constant speed, and independent coordinates by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from linkwork.analyses.simulate.driver_phases import hold_from_start
from linkwork.analyses.start.assembly import Start, assemble, dense_jacobian, first_angles
from linkwork.analyses.steady.floating_parts import carried
from linkwork.analyses.steady.independent import (
    Coordinate,
    choose_motions,
    measured_coordinates,
    motion_names,
    running_coordinates,
    with_measured,
)
from linkwork.elements.constraints.rows import ANGLE
from linkwork.elements.joints.motions import SLIDE
from linkwork.errors import OptionError, nearest
from linkwork.formulations.equations import Equations
from linkwork.mechanism import Mechanism
from linkwork.numerics.status import LEVEL_ALL, LEVEL_POSITION, T_ACCEPTED
from linkwork.numerics.tree_matrix import scatter
from linkwork.system.compile import Compiled, compile_mechanism

WEAK = 1e-9  # a combination of rows this small beside the others is dependent


class ReducedRows:
    """A compiled mechanism, its start, and which rows and motions the reduction is made of."""

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
        self.running = running_coordinates(mechanism, speeds or {})
        self.speeds = np.array([float(s) for s in (speeds or {}).values()])
        mechanism = carried(mechanism, [c.joint for c, w in zip(self.running, self.speeds, strict=True) if w])
        self.mechanism, self.formulation, self.t = mechanism, formulation, t
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

    def _compile(self, start: Start, measured: Sequence[Coordinate]) -> None:
        """Tables with the running and the measured rows at the end."""
        compiled = compile_mechanism(
            with_measured(self.mechanism, [*self.running, *measured]), start.compiled.layout.formulation
        )
        compiled.system.whole["open_tree"] = 0  # M and Q are wanted, whatever the tree
        self.compiled: Compiled = compiled
        self.layout, self.system = compiled.layout, compiled.system
        self.real = Equations(compiled)
        self._imaginary: Equations | None = None
        self.real.work.settings[T_ACCEPTED] = self.t
        self.state = np.zeros(len(start.y), complex)
        given = {*self.system.rows["state"].tolist(), *self.layout.works}  # speeds of drivers run; work is no state
        self.states = np.array([k for k in range(len(self.layout.state_starts)) if k not in given], int)
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

    @property
    def imaginary(self) -> Equations:
        """The equations in complex numbers, for derivatives; made when they are first asked for."""
        if self._imaginary is None:
            self._imaginary = Equations(self.compiled, np.complex128)
            self._imaginary.work.settings[T_ACCEPTED] = self.t
        return self._imaginary

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
            twin = ReducedRows(self.mechanism, self.speeds_by_name())
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

    def speeds_by_name(self) -> dict[str, float]:
        """The running coordinates and their speeds, rad/s or m/s."""
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
        return np.where(self.slides, self.size, 1.0)

    @property
    def size(self) -> float:
        """A length typical of the mechanism, m."""
        return float(self.system.whole[0]["length"])

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of the balance of each independent coordinate."""
        return tuple("N" if slide else "N m" for slide in self.slides)

    def _matrices(self, y: np.ndarray, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Phi_v of all rows and M, dense."""
        self.real.evaluate(self.t, y, angles, LEVEL_POSITION)
        M = np.zeros((self.layout.v_count, self.layout.v_count))
        scatter(self.system.dofs, self.real.work.M, M)
        return dense_jacobian(self.system, self.real.work), M
