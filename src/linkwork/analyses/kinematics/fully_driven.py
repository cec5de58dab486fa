"""Whether the drivers determine the whole motion; otherwise one sentence names the coordinates that are free."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from linkwork.analyses.kinematics.tasks import Task
from linkwork.analyses.start.assembly import Start
from linkwork.elements.constraints.drivers import Driver
from linkwork.errors import ModelError
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian, point_jacobian
from linkwork.numerics.status import LEVEL_POSITION
from linkwork.numerics.subspaces import null_space, pivot_rows
from linkwork.results.result import Result

STILL = 1e-8  # of the turning: a joint that moves less does not move
MOVES = 0.3  # of the most mobile coordinate: one that moves so much is named


def check_driven(start: Start, t: float) -> list[str]:
    """Refuse a mechanism with degrees of freedom left: rank of Phi_v < number of velocities.

    Bodies may turn about themselves between two ball joints: what the drivers do not determine moves nothing else.
    These are returned.
    """
    free = start.compiled.layout.v_count - start.rank
    idle = idle_bodies(start, t) if free > 0 else []
    if free > 0 and not idle:
        names = free_coordinates(start, t)
        listed = ", ".join(f"'{name}'" for name in names)
        raise ModelError(
            f"the mechanism is not fully driven: {free} free coordinate{'s' if free > 1 else ''}, {listed}; "
            "drive or sweep as many, or use simulate",
            element=names[0],
        )
    return idle


def idle_bodies(start: Start, t: float) -> list[str]:
    """The bodies that free motions turn, if nothing but balls moves in them, on the spot; none where something does."""
    compiled = start.compiled
    equations = Equations(compiled)
    equations.evaluate(t, start.y, start.angles, LEVEL_POSITION)
    work = equations.work
    J = dense_jacobian(compiled.system, work)
    free = null_space(J, rank=start.rank) if len(J) else np.eye(J.shape[1])
    turning: dict[int, float] = {}
    for frames in compiled.layout.joints.values():
        turns = []
        for body, at in ((frames.body_a, frames.p_AF), (frames.body_b, frames.p_BM)):
            moved = point_jacobian(compiled, work, body, work.p[body] + work.R[body] @ at) @ free
            turns.append(moved[3:])
            turning[body] = float(np.abs(moved[3:]).max())
            if np.abs(moved[:3]).max() > STILL * max(turning[body], 1.0) * compiled.mechanism.size():
                return []
        if not frames.type.euler_parameters and np.abs(turns[1] - turns[0]).max() > STILL:
            return []
    largest = max(turning.values(), default=0.0)
    found = [compiled.layout.bodies[body] for body, rate in turning.items() if rate > STILL * largest]
    return found if largest > 0.0 and len(found) == free.shape[1] else []


def free_coordinates(start: Start, t: float) -> list[str]:
    """As many coordinates as there are degrees of freedom: each time the first that a free motion plainly moves."""
    equations = Equations(start.compiled)
    equations.evaluate(t, start.y, start.angles, LEVEL_POSITION)
    J = dense_jacobian(start.compiled.system, equations.work)
    free = null_space(J, rank=start.rank) if len(J) else np.eye(J.shape[1])
    names = coordinate_names(start)
    chosen = pivot_rows(free, lambda moved: int(np.argmax(moved > MOVES * moved.max())))
    return list(dict.fromkeys(names[k] for k in chosen))


def coordinate_names(start: Start) -> list[str]:
    """For each velocity the coordinate that it changes; a ball's three are its joint's rotation, a mode has its own."""
    names = [name.removesuffix("_rate") for name in start.compiled.layout.v_names]
    for tree in start.compiled.layout.tree:
        names[tree.first_v : tree.first_v + tree.v_count] = [f"{tree.name}.{c}" for c in tree.type.changed_by]
    return names


# -- drivers that take turns ------------------------------------------------------------------------------------------
def drivers_in_turn(task: Task) -> list[Driver]:
    """Drivers that do not act all the requested time; refused where t is an input and not the time."""
    end = float(task.times[-1])
    partly = [d for d in task.mechanism.driver if d.since > 0.0 or (d.until is not None and d.until < end)]
    if partly and not task.over_time:
        raise ModelError(
            f"driver '{partly[0].name}': acts for a part of the time only, and a sweep of '{task.input}' has no time; "
            "let it act all the time, or give times",
            element=partly[0].name,
        )
    return partly


def check_driven_in_turn(result: Result, motions: int, partly: list[Driver]) -> None:
    """From one driver that begins or ends to the next, there must be as many independent rows as motions."""
    t, rank = result.steps["t"], result.steps["rank"]
    instants = sorted({t for driver in partly for t in (driver.since, driver.until) if t is not None})
    for first, last in pairwise([*instants, np.inf]):
        within = (t > first) & (t <= last)
        if np.any(within) and np.all(rank[within] < motions):
            name = next((d.name for d in partly if d.until == first), partly[0].name)
            raise ModelError(
                f"driver '{name}': acts for a part of the time only, and from t = {first:.6g} s on the mechanism is "
                "not fully driven; let another driver take over there, or use simulate",
                element=name,
            )
