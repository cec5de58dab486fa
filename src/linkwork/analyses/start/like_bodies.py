"""Bodies all alike: which rows are dependent is geometry, and masses must not decide it.

Rows are compared in the metric of M (methods/normal_step.py).  There a light body, or one far smaller than the levers
of its joints, hides equations: a row that it carries moves it rather than its neighbours, and two such rows differ by
the root of a mass ratio, or by radius of gyration / lever.  Rows are therefore counted with bodies of one mass whose
radius of gyration is a good part of their levers.  What a run could not resolve at all is refused.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import ModelError
from linkwork.formulations.equations import Equations
from linkwork.formulations.jacobians import dense_mass
from linkwork.lazy_import import lazy_functions
from linkwork.methods.normal_step import RANK_CUT
from linkwork.numerics.status import LEVEL_EQUATIONS
from linkwork.system.compile import Compiled
from linkwork.system.connections import given

if TYPE_CHECKING:
    from scipy.linalg import eigh
else:  # for point masses
    (eigh,) = lazy_functions("scipy.linalg", "eigh")

ROUND = 0.3  # of the longest lever, and ...
NO_INERTIA = 1e-13  # of the largest inertia beside that of bodies all alike
LEAST_ROUND = 0.03  # ... of the mechanism's size: the radius of gyration while rows are counted
LONG = 10.0  # longest levers: a mechanism that is larger is a row of smaller ones, and its size that of none of them


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


def check_point_masses(equations: Equations, y: np.ndarray, angles: np.ndarray, t: float = 0.0) -> None:
    """Refuse a point mass with a motion that nothing resists, by name: x with x.M x = 0, beside bodies all alike."""
    compiled = equations.compiled
    body = compiled.connections.body
    if not any(body.is_point):
        return
    points = {name for name, is_point in zip(body.name, body.is_point, strict=True) if is_point}
    masses = []
    for these in (equations, with_like_bodies(equations)):
        these.evaluate(t, y, angles, LEVEL_EQUATIONS)
        masses.append(dense_mass(these.system, these.work))
    values, motions = eigh(masses[0], masses[1] + LEAST_ROUND * np.diag(np.diag(masses[1])))
    if values[0] > NO_INERTIA * values[-1]:
        return
    dof = int(np.argmax(np.abs(motions[:, 0]) * np.sqrt(np.diag(masses[1]))))
    tree = next(tree for tree in compiled.layout.tree if tree.first_v <= dof < tree.first_v + tree.v_count)
    own = compiled.layout.bodies[tree.body]
    name = own if own in points else min(points)
    absolute = ", or use joint coordinates" if compiled.layout.formulation == "absolute" else ""
    raise ModelError(
        f"body '{name}': it is a point mass (no inertia given), and nothing resists its motion "
        f"'{compiled.layout.v_names[dof]}'; give it an inertia, or a joint without that motion{absolute}",
        element=name,
    )


def with_like_bodies(equations: Equations) -> Equations:
    """Equations whose rigid bodies have one mass, that of the flexible ones if there are any, and round inertias."""
    compiled = equations.compiled
    bodies, own = equations.system.bodies.copy(), np.zeros(len(equations.system.bodies), bool)
    flexible = given(compiled.connections.body.flexible)
    own[np.delete(compiled.body_places, flexible)] = True
    mass = float(np.median([compiled.connections.body.mass_kg[k] for k in flexible])) if flexible else 1.0
    levers = longest_levers(compiled)
    size = min(float(equations.system.whole[0]["length"]), LONG * float(levers.max(initial=0.0)) or np.inf)
    radius = np.maximum(ROUND * levers, LEAST_ROUND * size)[own]
    bodies["mass"][own] = mass
    bodies["J_C"][own] = mass * radius[:, None, None] ** 2 * np.eye(3)
    bodies["J_C_inverse"][own] = np.eye(3) / (mass * radius[:, None, None] ** 2)
    alike = replace(compiled, system=equations.system.changed(bodies=bodies))
    return Equations(alike, row_state=equations.work.row_state)


def alike_for_changes(equations: Equations) -> Equations:
    """Those with bodies all alike, for runs in which drivers begin or let go; of others the equations themselves."""
    changes = equations.system.changes
    return with_like_bodies(equations) if np.any(changes["row"] >= 0) else equations
