"""Bodies far smaller than the levers of their joints: in the metric of M their constraint rows are nearly singular.

A row that holds a point of such a body, a lever away from its centre of mass, turns the body rather than moving it.  In
the metric of M two of its rows then differ by radius of gyration / lever, and in a chain of n such bodies by that over
n: soon below the cut at which rows are called dependent.  Which rows are dependent is geometry, so that for counting
them the bodies are made rounder; what a run could not resolve at all is refused.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwork.errors import ModelError
from linkwork.formulations.equations import Equations
from linkwork.methods.normal_step import RANK_CUT
from linkwork.system.compile import Compiled

ROUND = 0.05  # of the longest lever: the least radius of gyration while rows are counted


def longest_levers(compiled: Compiled) -> np.ndarray:
    """Of each body [body] the largest distance of a constraint's point from its centre of mass, m."""
    bodies, constraints = compiled.system.bodies, compiled.system.constraints
    longest = np.zeros(len(bodies))
    for body, point in (("body_a", "p_AF"), ("body_b", "p_BM")):
        own = constraints[body]
        np.maximum.at(longest, own, np.linalg.norm(constraints[point] - bodies["p_LC"][own], axis=1))
    return longest


def radii(compiled: Compiled) -> np.ndarray:
    """Of each body [body] the least radius of gyration, m; of ground and of massless nodes infinite."""
    bodies = compiled.system.bodies
    across = 0 if compiled.mechanism.plane is None else -1  # in a plane no body turns about its thin axis
    least = np.linalg.eigvalsh(bodies["J_C"])[:, across]
    heavy = bodies["mass"] > 0.0
    heavy[0] = False
    return np.where(heavy, np.sqrt(np.maximum(least, 0.0) / np.where(heavy, bodies["mass"], 1.0)), np.inf)


def check_inertias(compiled: Compiled) -> None:
    """Refuse, in absolute coordinates, a body whose rows are dependent in the metric of M."""
    if compiled.layout.formulation != "absolute":
        return
    levers, radius = longest_levers(compiled), radii(compiled)
    for body in np.flatnonzero(radius < 2.0 * RANK_CUT * levers)[:1]:
        name = compiled.layout.bodies[body]
        raise ModelError(
            f"body '{name}': its inertia is so small (a radius of gyration of {radius[body]:.2g} m with a joint "
            f"{levers[body]:.2g} m away) that its constraints cannot be resolved; "
            "give it a larger inertia, or use joint coordinates",
            element=name,
        )


def with_rounder_bodies(equations: Equations) -> Equations:
    """Equations whose slim bodies are rounder; the same ones where there are none."""
    bodies, levers = equations.system.bodies.copy(), longest_levers(equations.compiled)
    slim = np.flatnonzero(radii(equations.compiled) < ROUND * levers)
    if not len(slim):
        return equations
    more = bodies["mass"][slim] * (ROUND * levers[slim]) ** 2
    bodies["J_C"][slim] += more[:, None, None] * np.eye(3)
    bodies["J_C_inverse"][slim] = np.linalg.inv(bodies["J_C"][slim])
    compiled = replace(equations.compiled, system=equations.system.changed(bodies=bodies))
    return Equations(compiled, row_state=equations.work.row_state)
