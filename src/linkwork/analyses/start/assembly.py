"""Assembly: from rough poses to a start that meets every constraint; what the user fixed stays.

Closed in joint coordinates, where only the cut joints remain open (of nets, system/coupling.py, in absolute ones):
Newton with the least change of coordinates and step halving. Then the same bodies, in the same places, give the start
in either formulation.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from linkwork.analyses.simulate.driver_phases import hold_from_start, with_row_state
from linkwork.analyses.start.checks import (
    check_bodies,
    check_drivers,
    check_motions,
    flexible_notes,
    light_bodies,
    unconnected,
)
from linkwork.analyses.start.closing import close_loops
from linkwork.analyses.start.independent_rows import Independence, cut_factor, independent_rows, rows_beside
from linkwork.analyses.start.like_bodies import check_inertias, check_point_masses
from linkwork.analyses.start.loop_misfit import LoopMisfit
from linkwork.analyses.start.other_formulation import translated
from linkwork.analyses.start.rough_state import first_angles, rough_state
from linkwork.analyses.start.start_velocities import meet_velocities
from linkwork.analyses.start.wheels import raise_wheels
from linkwork.errors import AssemblyError, Entry
from linkwork.formulations.equations import Equations
from linkwork.mechanism import Mechanism
from linkwork.mechanism.collector import collector_waits
from linkwork.numerics.status import LEVEL_ALL
from linkwork.system.compile import Compiled, compile_mechanism
from linkwork.system.coupling import is_wide
from linkwork.system.pattern import active_at_start, with_active_rows

STUCK = "the start is the only position that the joints allow: it cannot move"


@dataclass(frozen=True)
class Start:
    """A mechanism in one formulation, with a consistent state at its start."""

    compiled: Compiled
    y: np.ndarray
    angles: np.ndarray
    rank: int  # of Phi_v at a general position
    start_rank: int  # of Phi_v at the start
    notes: tuple[str, ...]
    misfit: LoopMisfit | None = None  # of a loop that closes only nearly
    stuck: bool = False  # it cannot move from its start, where its joints are in line
    assembled: Start | None = None  # of one in equilibrium: that from which it was sought,
    neutral: tuple[str, ...] = ()  # and its coordinates that the balance leaves free: they are where they were

    def __repr__(self) -> str:
        """Its size."""
        layout, rows = self.compiled.layout, len(self.compiled.system.rows)
        sizes = (
            f"{layout.q_count} coordinates, {layout.v_count} velocities, {self.rank} of {rows} equations independent"
        )
        return f"<Start of '{self.compiled.mechanism.name}': {sizes}>"


class Neighbour:
    """A start beside which mechanisms that differ by very little are assembled: its bodies, drivers and masses have
    been checked, its rows chosen.  They use one workspace, one after the other.
    """

    def __init__(self, start: Start) -> None:
        self.start = start
        self._closed: list[Equations] = []
        self._started: list[Equations] = []

    @property
    def closed(self) -> Compiled:
        """The first in which loops were closed so, or, before it, the start."""
        return self._closed[0].compiled if self._closed else self.start.compiled

    def closing(self, compiled: Compiled) -> Equations:
        """In which the loops of a mechanism are closed."""
        return _in_known_workspace(self._closed, compiled)

    def starting(self, compiled: Compiled) -> Equations:
        """In which it starts."""
        return _in_known_workspace(self._started, compiled)

    def rows(self, equations: Equations, y: np.ndarray, angles: np.ndarray, t: float) -> Independence | None:
        """The independent ones, where they are those of the start; None: it must be looked for them."""
        start, known = self.start, self.start.compiled.system
        regular = start.misfit is None and not start.stuck and start.start_rank == start.rank
        if not regular or len(known.rows) != len(equations.system.rows):
            return None
        rows = active_at_start(known)
        return rows_beside(equations, y, angles, rows, t) if len(known.rows) else Independence(rows, 0)


def _in_known_workspace(known: list[Equations], compiled: Compiled) -> Equations:
    """That of a mechanism before this one, if its tables are laid out alike; one that is new is kept."""
    for equations in known:
        if _laid_out(equations.compiled) == _laid_out(compiled):
            return equations.beside(compiled)
    known.append(Equations(compiled))
    return known[-1]


def _laid_out(compiled: Compiled) -> list[object]:
    """How long the tables are, and where the records of each family lie."""
    families = [(table.family.name, table.first, table.last) for table in compiled.families]
    return [families, *(table.shape for table in compiled.system)]


@collector_waits()
def assemble(mechanism: Mechanism, formulation: str, t: float = 0.0, beside: Neighbour | None = None) -> Start:
    """A state with Phi(q, t) = 0 and Phi_v v = nu in the given formulation, and which rows are independent; t in s.

    Coordinates and rates that the model gives are kept where the loops allow.  An AssemblyError names constraints that
    stay open at the nearest position, a ModelError drivers that contradict each other.  `beside`: a mechanism that
    differs by very little.  (Haug 1989)
    """
    if beside is None:
        check_bodies(mechanism)
        check_motions(mechanism, t)
    compiled = _compiled_to_close(mechanism, formulation, None if beside is None else beside.closed)
    held = Equations(compiled) if beside is None else beside.closing(compiled)
    y, angles = _closed(held, t)
    check_sense(held)
    notes = (*flexible_notes(held.compiled), *raise_wheels(held, y, angles), *meet_velocities(held, y, angles, t))
    return start_from(mechanism, formulation, held, y, angles, notes, t, beside)


def _closed(held: Equations, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates, and counted angles, at which the loops are closed: those nearest to the bodies as drawn, or, where
    these stay open, to each body as drawn beside that on which it hangs.
    """
    y, angles = rough_state(held, t)
    try:
        close_loops(held, y, angles, t)
    except AssemblyError:
        y, _ = rough_state(held, t, hanging=True)
        with suppress(AssemblyError):
            close_loops(held, y, angles, t)
            return y, angles
        raise
    return y, angles


def _compiled_to_close(mechanism: Mechanism, formulation: str, like: Compiled | None = None) -> Compiled:
    """In which the loops are closed, with rows that hold what the user fixed; an open tree has nothing to close: its
    coordinates are where they are given.
    """
    loops = len(mechanism.joint) > len(mechanism.body) or mechanism.answering("constrain", "drive")
    if not loops and not any(body.fixed for body in mechanism.body):
        compiled = compile_mechanism(mechanism, "joint", like=like)
        if compiled.system.whole[0]["open_tree"]:
            return compiled
    sparse = "absolute" if formulation == "absolute" and is_wide(mechanism) else "joint"
    return compile_mechanism(mechanism, sparse, hold=True, like=like)


def start_from(
    mechanism: Mechanism,
    formulation: str,
    held: Equations,
    y_held: np.ndarray,
    held_angles: np.ndarray,
    notes: tuple[str, ...],
    t: float = 0.0,
    beside: Neighbour | None = None,
) -> Start:
    """The same bodies, places and velocities as a state of the wanted formulation; independent rows chosen."""
    known = held.compiled
    same = known.mechanism is mechanism and known.layout.formulation == formulation and not known.for_assembly
    if same:
        equations = held.beside(known)
    elif beside is None:
        equations = Equations(compile_mechanism(mechanism, formulation))
    else:
        equations = beside.starting(compile_mechanism(mechanism, formulation, like=beside.start.compiled))
    angles = first_angles(equations, t)
    here, there = equations.compiled.layout, held.compiled.layout
    if (formulation, here.q_names, here.v_names) == (there.formulation, there.q_names, there.v_names):
        y = y_held.copy()
    else:
        held.evaluate(t, y_held, held_angles, LEVEL_ALL)
        y = translated(equations, held, y_held, angles)
    equations.evaluate(t, y, angles, LEVEL_ALL)
    angles = equations.work.angle.copy()
    hold_from_start(equations, t, y, angles)
    if beside is None:
        check_point_masses(equations, y, angles, t)
    found = None if beside is None else beside.rows(equations, y, angles, t)
    found = independent_rows(equations, y, angles, t) if found is None else found
    if beside is None:
        check_inertias(equations.compiled)
    rank, misfit = len(found.rows), found.misfit
    notes = (*notes, *_singular_note(found.start_rank, rank))
    if beside is None:
        notes = (*notes, *unconnected(equations.compiled), *light_bodies(equations.compiled))
    notes = (*notes, *(misfit.notes if misfit else ()), *((STUCK,) if found.stuck else ()))
    if found.start_rank == rank and beside is None:
        notes = (*notes, *check_drivers(equations, t, y, angles, misfit is not None))
    system = with_row_state(equations.system, equations.work.row_state)
    whole = system.whole.copy()
    factor = (
        cut_factor(equations, y, angles, found, t)
        if beside is None
        else beside.start.compiled.system.whole["cut_factor"]
    )
    whole["cut_factor"] = factor
    whole["misfit"] = 0.0 if misfit is None else mechanism.loop_tolerance * max(1.0, mechanism.size())
    ready = replace(equations.compiled, system=with_active_rows(system.changed(whole=whole), found.rows))
    return Start(ready, y, angles, rank, found.start_rank, notes, misfit, found.stuck)


def _singular_note(start_rank: int, rank: int) -> tuple[str, ...]:
    if start_rank == rank:
        return ()
    return (f"the start is a singular position: {start_rank} of {rank} constraint equations are independent there",)


def check_sense(equations: Equations) -> None:
    """Perpendicular axes hold both ways round: an axis that closed with the wrong sense is an error."""
    layout, work = equations.compiled.layout, equations.work
    joints = layout.joints
    cut = np.array([joints.place[name] for name in layout.cut], np.int64)
    for code, kind in enumerate(joints.kinds):
        own = cut[joints.kind[cut] == code] if kind.kept_axes else cut[:0]
        F, M = work.R[joints.body_a[own]] @ joints.R_AF[own], work.R[joints.body_b[own]] @ joints.R_BM[own]
        for axis in kind.kept_axes:
            reversed_ones = own[np.einsum("ji,ji->j", F[:, :, axis], M[:, :, axis]) < 0.0]
            if len(reversed_ones):
                name = equations.compiled.connections.joint.name[reversed_ones[0]]
                raise AssemblyError(
                    f"joint '{name}': it closes only with its {'xyz'[axis]} axis reversed; "
                    "turn one of its frames by half a turn or give better poses",
                    element=name,
                    entry=Entry.OPEN_LOOP,
                )
