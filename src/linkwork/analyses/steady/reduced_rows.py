"""The rows of a reduction: constraints, coordinates that run at constant speed, and independent coordinates by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwork.analyses.simulate.driver_phases import hold_from_start
from linkwork.analyses.start.assembly import Start, assemble
from linkwork.analyses.start.dependence import dense_rows, in_units, unexplained
from linkwork.analyses.start.rough_state import first_angles
from linkwork.analyses.start.row_space import is_large
from linkwork.analyses.steady.floating_parts import attach_floating_parts
from linkwork.analyses.steady.independent import (
    Coordinate,
    choose_motions,
    find_named,
    measured_coordinates,
    motion_names,
    running_coordinates,
    with_measured,
)
from linkwork.elements.constraints.rows import OTHER, VELOCITY
from linkwork.elements.forces.friction import Friction
from linkwork.elements.joints.motions import SLIDE
from linkwork.errors import OptionError
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian, dense_mass, sparse_jacobian, sparse_mass
from linkwork.mechanism import Mechanism
from linkwork.numerics.blas_threads import one_thread
from linkwork.numerics.status import LEVEL_ALL, LEVEL_POSITION
from linkwork.system.compile import Compiled, compile_mechanism
from linkwork.system.pattern import active_at_start
from linkwork.system.units import generalized_force_unit, row_unit

DEPENDENT = 1e-9  # of a row: what is left of it beside the others, where it depends on them


class ReducedRows:
    """A compiled mechanism, its start, and which rows and motions the reduction is made of.

    `speeds`: joint coordinates that run at constant speed (rad/s, m/s).  `independent`: names, as many as there are
    degrees of freedom left; chosen by mobility where none are given.  `start`: an assembled one, if there is one.
    """

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
        moving = [c.joint for c, speed in zip(self.running, self.speeds, strict=True) if speed]
        self.mechanism, self.formulation, self.t = attach_floating_parts(mechanism, moving), formulation, t
        self.automatic = independent is None
        self.start = start or assemble(self.mechanism, formulation)
        self.notes = self.start.notes + tuple(
            f"friction '{friction.name}' depends on the joint's load, which is left out of the linearization"
            for friction in mechanism.of(Friction)
            if friction.coefficient
        )
        self._compile([])
        with one_thread(self.layout.v_count):
            self._check_running()
            self._name_independent(independent)

    # -- tables -------------------------------------------------------------------------------------------------
    def _compile(self, measured: Sequence[Coordinate]) -> None:
        """Tables with the running and the measured rows at the end."""
        with_rows = with_measured(self.mechanism, [*self.running, *measured])
        compiled = compile_mechanism(with_rows, self.start.compiled.layout.formulation)
        self.compiled: Compiled = compiled.as_open_tree(False)  # M and Q are wanted, whatever the tree
        self.layout, self.system = self.compiled.layout, self.compiled.system
        self.real = Equations(self.compiled)
        self._imaginary: Equations | None = None
        self.real.work.segment["t_accepted"] = self.t
        self.complex_state = np.zeros(len(self.start.y), complex)
        given = {*self.system.rows["state"].tolist(), *self.layout.works}  # speeds of drivers run; work is not a state
        self.states = np.array([k for k in range(len(self.layout.state_starts)) if k not in given], int)
        rows, extra = len(self.layout.rows), len(self.running) + len(measured)
        self.base = active_at_start(self.start.compiled.system)
        self.running_rows = np.arange(rows - extra, rows - len(measured))
        self.rows = np.concatenate([self.base, self.running_rows]).astype(int)
        self.measured_rows = np.arange(rows - len(measured), rows)
        self._take_start()

    def _take_start(self) -> None:
        """The start at rest, its angles, and the targets of the rows: running coordinates where they start."""
        own = self.layout.velocities
        self.start_y, self.start_v = self.start.y.copy(), self.start.y[own].copy()
        self.start_y[own] = 0.0
        angles = first_angles(self.real)
        self.real.evaluate(self.t, self.start_y, angles, LEVEL_ALL)
        hold_from_start(self.real, self.t, self.start_y, angles)
        self.angles = self._at_rest(self.real.work.angle)
        self.target = np.zeros(len(self.layout.rows))
        self.target[self.running_rows] = self.real.work.Phi[self.running_rows]

    @property
    def imaginary(self) -> Equations:
        """The equations in complex numbers, for derivatives; made at the first request."""
        if self._imaginary is None:
            self._imaginary = Equations(self.compiled, np.complex128, row_state=self.real.work.row_state)
            self._imaginary.work.segment["t_accepted"] = self.t
        return self._imaginary

    def evaluators(self) -> list[Equations]:
        """The equations that exist: in real numbers, and in complex ones if they have been requested."""
        return [self.real] if self._imaginary is None else [self.real, self._imaginary]

    def _at_rest(self, angle: np.ndarray) -> np.ndarray:
        """Counted angles with their rates set to zero."""
        kept = angle.copy()
        kept[len(kept) // 2 :] = 0.0
        return kept

    def matrices(self, y: np.ndarray, angles: np.ndarray) -> tuple[Any, Any]:
        """Phi_v of all rows and M; sparse where they are large."""
        self.real.evaluate(self.t, y, angles, LEVEL_POSITION)
        of_both = (sparse_jacobian, sparse_mass) if is_large(self.real) else (dense_jacobian, dense_mass)
        J, M = (matrix(self.system, self.real.work) for matrix in of_both)
        return J, M

    @property
    def rolling(self) -> np.ndarray:
        """Which of the constraint rows hold velocities of something that rolls: places in `rows`."""
        rows = self.system.rows[self.rows]
        return np.flatnonzero((rows["kind"] == OTHER) & (rows["mode"] == VELOCITY))

    def _rolls(self) -> bool:
        """Whether something rolls at the start, so that its place is a matter of its path."""
        return bool(len(self.rolling)) and (self._moves() or bool(np.any(self.start_v)))

    # -- running coordinates ------------------------------------------------------------------------------------
    def _check_running(self) -> None:
        """A running coordinate that the constraints fix is refused."""
        J, M = self.matrices(self.start_y, self.angles)
        for n, coordinate in enumerate(self.running):
            before = in_units(J[self.rows[: len(self.base) + n]], 1.0 / np.sqrt(M.diagonal()))
            (row,) = dense_rows(in_units(J[self.running_rows[n : n + 1]], 1.0 / np.sqrt(M.diagonal())))
            rest = unexplained(before.T, row) if before.shape[0] else row
            if np.linalg.norm(rest) <= DEPENDENT * np.linalg.norm(row):
                name = coordinate.name
                raise OptionError(
                    f"speed of '{name}': the coordinate is not free, the constraints and drivers fix it; "
                    "name a coordinate that can move",
                    element=name,
                )

    def speeds_by_name(self) -> dict[str, float]:
        """The running coordinates and their speeds, rad/s or m/s."""
        return {c.name: float(s) for c, s in zip(self.running, self.speeds, strict=True)}

    @property
    def running_units(self) -> tuple[str, ...]:
        """Units of the running coordinates: rad or m."""
        units = self.mechanism.coordinate_units()
        return tuple(units[c.name] for c in self.running)

    def _moves(self) -> bool:
        """Whether something runs: a speed, or a driver that moves at this time."""
        return bool(np.any(self.speeds != 0.0) or np.any(self.real.work.nu[self.base] != 0.0))

    # -- independent coordinates --------------------------------------------------------------------------------
    def _name_independent(self, requested: Sequence[str] | None) -> None:
        """Independent coordinates as requested, or chosen; chosen in joint coordinates where these can be measured."""
        if requested is not None:
            self._take_named(requested)
            return
        if self.formulation != "joint":
            names = ReducedRows(self.mechanism, self.speeds_by_name()).names
            known = measured_coordinates(self.mechanism)
            unknown = [name for name in names if name not in known]
            if not unknown:
                self._take_named(names)
                return
            if self._moves():
                raise OptionError(
                    f"independent coordinate '{unknown[0]}' cannot be measured in absolute coordinates while the "
                    "mechanism runs at a constant speed; use formulation = 'joint'",
                    element=unknown[0],
                )
        self.take_motions(self._most_mobile(self.start_y, self.angles))

    def _most_mobile(self, y: np.ndarray, angles: np.ndarray) -> list[int]:
        J, M = self.matrices(y, angles)
        return choose_motions(self.compiled, J[self.rows], M, rolls=self._rolls())

    @property
    def may_choose(self) -> bool:
        """Whether the independent coordinates may be exchanged: motions of the tree, unless requested by name."""
        return self.automatic and self.formulation == "joint"

    def choose_again(self, y: np.ndarray, angles: np.ndarray) -> None:
        """Take the independent coordinates that serve best at a position, if they may be exchanged."""
        if self.may_choose:
            self.take_motions(self._most_mobile(y, angles))

    def take_motions(self, motions: Sequence[int]) -> None:
        """Make these motions of the tree the independent ones."""
        names = motion_names(self.compiled)
        self.motions = np.array(motions, int)
        self.names = tuple(names[j] for j in motions)
        self._check_count()

    def _take_named(self, requested: Sequence[str]) -> None:
        """Coordinates by name: motions of the tree where they are that, measured rows otherwise."""
        of_tree = self.formulation == "joint"
        found = find_named(self.compiled, self.mechanism, requested, prefer_tree=of_tree)
        world = [name for name, motion, _ in found if motion >= 0]
        if not of_tree and world and self._moves():
            raise OptionError(
                f"independent coordinate '{world[0]}' is one of a body in the world, which turns while the mechanism "
                "runs at a constant speed; name joint coordinates or use formulation = 'joint'",
                element=world[0],
            )
        measured = [coordinate for _, _, coordinate in found if coordinate is not None]
        if measured:
            self._compile(measured)
        self.names = tuple(name for name, _, _ in found)
        self.motions = np.array([motion for _, motion, _ in found], int)
        self._check_count()

    def _check_count(self) -> None:
        dof = self.layout.v_count - len(self.rows)
        if len(self.names) != dof:
            raise OptionError(
                f"{len(self.names)} independent coordinate(s) named ({', '.join(self.names)}), but the mechanism has "
                f"{dof} degree(s) of freedom; name {dof}",
                element="independent",
            )

    # -- units --------------------------------------------------------------------------------------------------
    @property
    def coordinate_units(self) -> tuple[str, ...]:
        """Units of the independent coordinates: rad or m."""
        rows, of_tree = iter(self.measured_rows), self.system.dofs["kind"] == SLIDE
        return tuple(
            row_unit(self.system.rows["kind"][next(rows)]) if j < 0 else "m" if of_tree[j] else "rad"
            for j in self.motions
        )

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of the balance of each independent coordinate: N m or N."""
        return tuple(generalized_force_unit(unit) for unit in self.coordinate_units)

    @property
    def lengths(self) -> np.ndarray:
        """Scale of each independent coordinate: 1 rad, or the mechanism's size in m."""
        return np.array([self.size if unit == "m" else 1.0 for unit in self.coordinate_units])

    @property
    def size(self) -> float:
        """The mechanism's size, m."""
        return float(self.system.whole[0]["length"])
