"""What is refused or noted at the start: drivers that contradict each other, loose bodies, doubtful flexible data."""

from __future__ import annotations

import numpy as np

from linkwork.analyses.start.row_space import RowSpace, is_large
from linkwork.analyses.start.scales import motion_sizes, row_sizes
from linkwork.elements.constraints.rows import IDLE
from linkwork.errors import Entry, ModelError
from linkwork.expressions import parse, values
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian, row_rates
from linkwork.mechanism import Mechanism
from linkwork.numerics.status import LEVEL_POSITION
from linkwork.numerics.subspaces import null_space
from linkwork.system.compile import Compiled
from linkwork.system.connections import given

SHARES = 1e-6  # of a unit vector: a row with a smaller entry has no part in a dependence
SHARES_PLAINLY = 0.02  # the same where the misfit of a loop makes small entries
LIGHT = 5e-13  # of the heaviest body: a lighter one feels rounding
JUMPS = 1e-9  # rad or m, and of the coordinate: a change at an instant that is no rounding
CONTRADICTS = 1e-6  # rad/s or m/s, and of the largest rate: what drivers may be apart


def check_bodies(mechanism: Mechanism) -> None:
    """Refuse a model in which nothing can move."""
    if not mechanism.body:
        raise ModelError(f"model '{mechanism.name}': it has no bodies, and nothing to compute; add one")


def check_motions(mechanism: Mechanism, t: float) -> None:
    """Refuse drivers whose motion, or its rate, is not finite when they begin to act."""
    scope = mechanism.scope(None, mechanism.tables())
    for driver in mechanism.driver:
        who, begin = f"driver '{driver.name}'", max(t, driver.since)
        for key, needed in (("motion", 3), ("velocity", 2), ("acceleration", 1)):
            given = getattr(driver, key)
            if given is None or np.isfinite(values(parse(given, element=who, scope=scope), begin)[:needed]).all():
                continue
            what = f"{key} '{given}', or its rate, is not finite at t = {begin:g} s, when it begins to act"
            raise ModelError(f"{who}: {what}; correct it, or let the driver begin later (since)", element=driver.name,
                             entry=Entry.NOT_FINITE)  # fmt: skip


def check_jumps(mechanism: Mechanism, breaks: np.ndarray) -> None:
    """Refuse drivers whose motion jumps at one of the BREAKs of a run: no force makes a coordinate jump."""
    scope = mechanism.scope(None, mechanism.tables())
    for driver in mechanism.driver:
        if driver.motion is None:
            continue
        program = parse(driver.motion, element=driver.who, scope=scope)
        if not program.break_times and not program.crossings:
            continue
        for instant in breaks[breaks["before"] > driver.since]:
            if driver.until is not None and instant["t"] >= driver.until:
                break
            before, after = (values(program, float(instant[key]))[0] for key in ("before", "after"))
            if abs(after - before) > JUMPS * (1.0 + abs(before)):
                raise ModelError(
                    f"{driver.who}: motion '{driver.motion}' jumps from {before:.4g} to {after:.4g} at t = "
                    f"{float(instant['t']):.6g} s, which no force can follow; let it change in a finite time, as "
                    "step(t, t0, a, t1, b) does", element=driver.name, entry=Entry.DRIVER_JUMPS,
                )  # fmt: skip


def check_drivers(
    equations: Equations, t: float, y: np.ndarray, angles: np.ndarray, nearly: bool = False
) -> tuple[str, ...]:
    """Drivers of more than the joints leave free: an error if they contradict each other, else a note.

    A driver takes part in a dependence where its row has an entry in the left null space of Phi_v; where a loop closes
    only nearly (`nearly`), a small entry is that of equations that are redundant but for an error.
    """
    compiled, work = equations.compiled, equations.work
    modes = work.row_state["mode"]
    drivers = {row: name for name, row in compiled.layout.driver_rows.items() if modes[row] != IDLE}
    if not drivers:
        return ()
    equations.evaluate(t, y, angles, LEVEL_POSITION)
    dependent = _dependent(equations, list(drivers), SHARES_PLAINLY if nearly else SHARES)
    shared = [name for row, name in drivers.items() if row in dependent]
    if not shared:
        return ()
    off = np.abs(row_rates(equations.system, work, y[compiled.layout.velocities]) - work.nu).max()
    listed = " and ".join(f"'{name}'" for name in shared)
    who = f"driver{'s' if len(shared) > 1 else ''} {listed}"
    too_many = "the joints and loops leave fewer degrees of freedom than are driven"
    if off > CONTRADICTS * (1.0 + np.abs(work.nu).max()):
        raise ModelError(
            f"{who}: {too_many}, and the motions contradict each other; remove one of them", element=shared[0],
            entry=Entry.CONTRADICTION,
        )  # fmt: skip
    return (f"{who}: {too_many}; the motions must agree at all times",)


def _dependent(equations: Equations, rows: list[int], least: float) -> set[int]:
    """Which of these rows take part in a dependence at the position evaluated last: those with an entry above `least`
    in the left null space of Phi_v; of very many rows those without which the rank is the same.
    """
    units, sizes = motion_sizes(equations.compiled), row_sizes(equations.compiled)
    if not is_large(equations):
        null = null_space((dense_jacobian(equations.system, equations.work) * units / sizes[:, None]).T)
        return {row for row in rows if np.abs(null[row]).max(initial=0.0) > least}
    everyone = np.flatnonzero(equations.work.row_state["mode"] != IDLE)
    rank = RowSpace(equations, everyone).scaled(units, sizes, SHARES).rank
    if rank == len(everyone):
        return set()
    others = (np.setdiff1d(everyone, [row]) for row in rows)
    ranks = [RowSpace(equations, these).scaled(units, sizes, SHARES).rank for these in others]
    return {row for row, without in zip(rows, ranks, strict=True) if without == rank}


def unconnected(compiled: Compiled) -> tuple[str, ...]:
    """Notes on bodies that nothing holds, drives or pushes: rarely intended, except for a single body."""
    connections, mechanism = compiled.connections, compiled.mechanism
    joined = np.zeros(len(connections.body_places), bool)
    joined[connections.ends] = True
    loose = np.flatnonzero(~joined[1:]).tolist()
    if not loose or len(mechanism.body) == 1:
        return ()
    frames = {frame.name: frame.body for frame in mechanism.frame}
    touched = {
        frames.get(name, name)
        for element in mechanism.answering("refers")
        if element.key not in ("frame", "joint", "measure", "event", "impulse")
        for what, name in element.refers()
        if what in ("body", "moving body", "frame", "point")
    }
    alone = [name for name in (connections.body.name[k] for k in loose) if name not in touched]
    return tuple(f"body '{name}' is connected to nothing and moves freely: it falls" for name in alone)


def light_bodies(compiled: Compiled) -> tuple[str, ...]:
    """A note on a body so much lighter than another that rounding of the forces between them moves it."""
    masses = np.array(compiled.connections.body.mass_kg)
    lightest, heaviest = float(masses.min()), float(masses.max())
    if heaviest * LIGHT < lightest:
        return ()
    name = compiled.connections.body.name[int(np.argmin(masses))]
    off = float(np.finfo(float).eps) * heaviest / lightest
    return (
        f"body '{name}' has {lightest:.2g} kg beside {heaviest:.2g} kg: forces are known to rounding, "
        f"so a motion that only it has is off by some {off:.1g} of the accelerations",
    )


def flexible_notes(compiled: Compiled) -> tuple[str, ...]:
    """What looks wrong in the data of flexible bodies."""
    bodies = [compiled.mechanism.body[k] for k in given(compiled.connections.body.flexible)]
    return tuple(f"body '{body.name}': {text}" for body in bodies if body.flexible for text in body.flexible.warnings)
