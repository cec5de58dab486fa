"""Diagnosis: coordinates, equations, rank, degrees of freedom of a mechanism, and which equations are redundant.

Counted in absolute coordinates at a general position near the start, where rank deficiency means redundancy and not
a singular position.  The set of redundant equations is not unique (P5): each is named with the joints that share it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.analyses.start.assembly import Start, assemble
from linkwork.analyses.start.dependence import dependences
from linkwork.elements.constraints.links import Distance
from linkwork.elements.forces.friction import FRICTIONS
from linkwork.elements.solids.shapes import Mesh
from linkwork.formulations.equations import Equations
from linkwork.mechanism import Mechanism
from linkwork.numerics.status import LEVEL_POSITION
from linkwork.system.compile import Compiled
from linkwork.system.connections import connections_of
from linkwork.system.pattern import active_at_start
from linkwork.system.topology import spanning
from linkwork.tables import Shown, Table, facts, numbers_text, warnings_of

SHARES = 1e-6  # of the largest coefficient: below it a row has no part in a dependence


@dataclass(frozen=True)
class Redundancy:
    """One equation that the others imply, and the elements whose equations imply it."""

    element: str
    equation: str
    shared_with: tuple[str, ...]

    def in_words(self) -> str:
        """The equation, and with which elements it is shared."""
        shared = f" (shared with {', '.join(self.shared_with)})" if self.shared_with else ""
        return f"{self.element}: {self.equation}{shared}"


@dataclass(frozen=True, repr=False)
class Diagnosis(Shown):
    """What a mechanism is made of, and how it can move."""

    model: str
    bodies: int
    joints: int
    loops: int
    coordinates: int
    velocities: int
    equations: int
    rank: int
    dof: int  # velocities - rank
    gruebler: int  # velocities - equations: a count without ranks
    redundant: tuple[Redundancy, ...]
    papers: dict[str, int]  # P5's count: ground and normalizations included
    cut: tuple[str, ...]  # joints opened in joint coordinates
    notes: tuple[str, ...]
    flexible: dict[str, str]  # what the import of each flexible body yielded, in words
    mass: float  # kg, of all bodies
    meshes: dict[str, str]  # mass, centre and inertia of each body made from a mesh, in words

    def tables(self) -> list[Table]:
        """The count of coordinates, equations and degrees of freedom; redundant equations by name."""
        papers = self.papers
        return [facts(self.model, [
            *self.account(),
            ("mass", f"{self.mass:.6g} kg in all"),
            *((f"mesh of '{name}'", computed) for name, computed in self.meshes.items()),
            *((f"flexible '{name}'", account or "modal data as given") for name, account in self.flexible.items()),
            ("with ground and Euler parameters",
             f"{papers['coordinates']} coordinates, {papers['equations']} equations, {papers['redundant']} redundant"),
            *warnings_of(self.notes),
        ])]  # fmt: skip

    def account(self) -> list[tuple[str, str]]:
        """Coordinates, equations and degrees of freedom; redundant equations by name."""
        return [
            ("bodies, joints, loops", f"{self.bodies}, {self.joints}, {self.loops}"),
            ("coordinates, velocities", f"{self.coordinates}, {self.velocities} (absolute)"),
            ("equations, rank", f"{self.equations}, {self.rank}"),
            ("degrees of freedom", f"{self.dof} (velocities - equations = {self.gruebler})"),
            *(("redundant", redundancy.in_words()) for redundancy in self.redundant),
            ("cut in joint coordinates", ", ".join(self.cut) or "none"),
        ]


def _of_mesh(mesh: Mesh) -> str:
    """What was computed from a mesh."""
    inertia = np.diag(mesh.inertia())
    return f"{mesh.mass_kg:.6g} kg, centre {numbers_text(mesh.centre)} m, Jxx, Jyy, Jzz {numbers_text(inertia)} kg m2"


def diagnose(mechanism: Mechanism) -> Diagnosis:
    """Degrees of freedom = velocities - rank of Phi_v (P5; Haug 1989), redundant equations named.

    Refused: what cannot be assembled.
    """
    start = assemble(with_inertias(mechanism), "absolute")
    layout = start.compiled.layout
    cut = [mechanism.joint[k].name for k in spanning(connections_of(mechanism)).cut.tolist()]
    equations, rank = len(layout.rows), start.rank
    bodies = len(mechanism.body)
    redundant = redundancies(start.compiled, start.y, start.angles)
    return Diagnosis(
        model=mechanism.name,
        bodies=bodies,
        joints=len(mechanism.joint),
        loops=len(cut) + len(mechanism.of(Distance)),
        coordinates=layout.q_count,
        velocities=layout.v_count,
        equations=equations,
        rank=rank,
        dof=layout.v_count - rank,
        gruebler=layout.v_count - equations,
        redundant=redundant,
        papers=papers_count(mechanism, len(redundant)),
        cut=tuple(cut),
        notes=start.notes,
        flexible={body.name: body.flexible.account for body in mechanism.body if body.flexible},
        mass=float(start.compiled.system.bodies["mass"].sum()),
        meshes={body.name: _of_mesh(body.shape) for body in mechanism.body if isinstance(body.shape, Mesh)},
    )


def with_inertias(mechanism: Mechanism) -> Mechanism:
    """The mechanism with inertias for its point masses, which absolute coordinates need; the count is geometry."""
    bodies = [
        body.model_copy(update={"inertia": (body.mass_kg * mechanism.size() ** 2,) * 3}) if body.is_point else body
        for body in mechanism.body
    ]
    return mechanism.model_copy(update={"body": tuple(bodies)})


def redundancies(compiled: Compiled, y: np.ndarray, angles: np.ndarray) -> tuple[Redundancy, ...]:
    """Every row outside the independent set as a combination of those inside it."""
    names = compiled.layout.rows
    equations = Equations(compiled)
    equations.evaluate(0.0, y, angles, LEVEL_POSITION)
    found = []
    for r, combination in dependences(equations, active_at_start(compiled.system)):
        part = np.abs(combination)
        part[r] = 0.0
        sharers = {names[k].element for k in np.flatnonzero(part > SHARES * part.max(initial=1.0))} - {names[r].element}
        found.append(Redundancy(names[r].element, names[r].equation, tuple(sorted(sharers))))
    return tuple(found)


def shared_loads(start: Start) -> tuple[str, ...]:
    """Friction with a load that is not unique: multipliers of its rows that can change without any effect."""
    compiled = start.compiled
    loaded = {int(r) for r in compiled.records(FRICTIONS)["rows"].ravel() if r >= 0}
    if not loaded or start.rank == len(compiled.system.rows):
        return ()
    equations = Equations(compiled)
    equations.evaluate(0.0, start.y, start.angles, LEVEL_POSITION)
    joints: set[str] = set()
    for _, free in dependences(equations, active_at_start(compiled.system)):
        joints |= {compiled.layout.rows[r].element for r in loaded if abs(free[r]) > SHARES * np.abs(free).max()}
    return tuple(
        f"joint '{name}': its load is not unique, because equations are redundant; its friction follows one of the "
        "possible loads (a planar mechanism, or fewer equations, would make it unique)"
        for name in sorted(joints)
    )


def papers_count(mechanism: Mechanism, redundant: int) -> dict[str, int]:
    """P5 Table 2: seven coordinates a body, ground included; normalizations and the six that hold ground are
    equations.
    """
    bodies = len(mechanism.body) + 1
    rows = sum(len(joint.type.rows) for joint in mechanism.joint) + len(mechanism.driver)
    rows += sum(link.name not in {driver.distance for driver in mechanism.driver} for link in mechanism.of(Distance))
    return {"coordinates": 7 * bodies, "equations": rows + bodies + 6, "redundant": redundant}
