"""What happens at an instant: drivers that begin or let go, blows, events; and the velocities right after it.

A lock that catches a moving joint, and a blow, change velocities at once.  Momentum decides how:

    M (v+ - v-) + Phi_v^T Lambda = (impulses from outside),    Phi_v v+ = nu

so that a lock is a perfectly plastic impact.  The energy that this takes away or brings goes into the energy balance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.elements.constraints.drivers import Driver
from linkwork.elements.signals.measures import Event, Impulse
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_jacobian, point_jacobian
from linkwork.formulations.mass import packed_mass
from linkwork.formulations.workspace import Work
from linkwork.mechanism import Mechanism
from linkwork.numerics.status import LEVEL_ALL
from linkwork.numerics.tree_matrix import scatter
from linkwork.system.compile import Compiled
from linkwork.system.frames import moves_with_frame, node_name

CUT = 1e-9  # of the largest singular value: below it a constraint row depends on the others


@dataclass(frozen=True)
class Change:
    """One thing that happens: a driver locked or released, or a blow."""

    name: str
    action: str  # lock, release, impulse
    driver: str | None = None
    blow: Impulse | Event | None = None


def changes_until(mechanism: Mechanism, until: float) -> list[float]:
    """The known times (s) at which something happens, and the end."""
    times = [t for driver in mechanism.driver for t in driver.break_times()]
    times += [t for impulse in mechanism.of(Impulse) for t in impulse.break_times()]
    return [*sorted({t for t in times if 0.0 < t < until * (1.0 - 1e-12)}), until]


def scheduled(mechanism: Mechanism, t: float) -> list[Change]:
    """What happens at a known time."""
    found = [Change(d.name, "release", d.name) for d in mechanism.driver if d.until == t]
    found += [Change(d.name, "lock", d.name) for d in mechanism.driver if d.since == t and t > 0.0]
    return found + [Change(i.name, "impulse", blow=i) for i in mechanism.of(Impulse) if i.t == t]


def change_of(event: Event) -> Change:
    """What an event does, besides stopping and being written down."""
    return Change(event.name, event.action, event.driver, event if event.action == "impulse" else None)


def go_on(equations: Equations, driver: Driver, t: float, y: np.ndarray, angles: np.ndarray) -> None:
    """Let a driver by acceleration begin with the rate that its coordinate has: its state in y becomes that rate."""
    layout, system, work = equations.compiled.layout, equations.system, equations.work
    row, first = layout.driver_rows[driver.name], layout.q_count + layout.v_count
    equations.evaluate(t, y, angles, LEVEL_ALL)
    rate = dense_jacobian(system, work)[row] @ y[layout.q_count : first]
    y[first + system.rows[row]["state"]] += rate - work.nu[row]


def jump(
    equations: Equations, t: float, y: np.ndarray, angles: np.ndarray, blows: list[Impulse | Event]
) -> dict[str, Any]:
    """Velocities right after the instant, into y; the energy that it brought (J, negative: lost) into the balance."""
    compiled, system, work = equations.compiled, equations.system, equations.work
    layout = compiled.layout
    equations.evaluate(t, y, angles, LEVEL_ALL)
    before = float(work.energy[0])
    own = layout.velocities
    M = np.zeros((layout.v_count, layout.v_count))
    scatter(system.dofs, mass_of(equations), M)
    J, nu = dense_jacobian(system, work), work.nu.copy()
    push = np.zeros(layout.v_count)
    for blow in blows:
        assert blow.body is not None
        body, point = struck(compiled, work, blow)
        B = point_jacobian(compiled, work, body, point)
        push += B.T @ np.concatenate([blow.impulse, blow.moment])
    y[own] += momentum_step(M, J, push, nu - J @ y[own])
    equations.evaluate(t, y, angles, LEVEL_ALL)
    gained = float(work.energy[0]) - before
    y[layout.q_count + layout.v_count] += gained
    return {"energy": gained}


def struck(compiled: Compiled, work: Work, blow: Impulse | Event) -> tuple[int, np.ndarray]:
    """The body that a blow hits, of a flexible one the node, and the point in the world."""
    layout = compiled.layout
    given = next(body for body in compiled.mechanism.body if body.name == blow.body)
    body = layout.body(given.name)
    if not moves_with_frame(given, np.array(blow.at)):
        node = layout.body(node_name(given, np.array(blow.at)))
        return node, work.p[node]
    return body, work.p[body] + work.R[body] @ (layout.p_LB[body] + layout.R_LB[body] @ np.array(blow.at))


def mass_of(equations: Equations) -> np.ndarray:
    """The packed mass matrix at the position evaluated last, also where the recursion does without it."""
    packed_mass(equations.system_ref, equations.work_ref)
    return equations.work.M


def momentum_step(M: np.ndarray, J: np.ndarray, push: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """dv with M dv + J^T Lambda = push and J dv = wanted; dependent rows of J are left out (least squares)."""
    free = np.linalg.solve(M, push)
    if not len(J):
        return free
    L = np.linalg.cholesky(M)
    A = np.linalg.solve(L, J.T).T  # J L^-T
    x = np.linalg.lstsq(A, wanted - J @ free, rcond=CUT)[0]
    return free + np.linalg.solve(L.T, x)
