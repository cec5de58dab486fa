"""Beams in Exudyn, beside those of linkwork.reproduce.benchmarks.flexible.

    python -m benchmarks.exudyn_beams       prints their digits (3 minutes)

Geometrically exact beams, generalized-alpha.  Mechanisms lie in the plane of x and y and their cranks turn about z: a
body in that plane, with its angle prescribed, is the hub.  Of the lifted beam, linkwork's y is -z here, and its z is y.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

import exudyn as exu
import numpy as np
from exudyn.itemInterface import (
    CoordinateConstraint,
    Force,
    GenericJoint,
    MarkerBodyRigid,
    MarkerNodeCoordinate,
    MarkerNodeRigid,
    NodePointGround,
    NodePointSlope23,
    NodeRigidBody2D,
    NodeRigidBodyEP,
    ObjectANCFBeam,
    ObjectBeamGeometricallyExact,
    ObjectGround,
    ObjectRigidBody,
    ObjectRigidBody2D,
    SensorNode,
    SphericalJoint,
)
from exudyn.utilities import RotationMatrix2EulerParameters, RotationMatrixY

from linkwork.reproduce.benchmarks.flexible import (
    critical_shaft,
    dynamic_buckling,
    flexible_four_bar,
    princeton_beam,
    rotating_beams,
)
from linkwork.reproduce.benchmarks.flexible.elastic_rod import Rod
from linkwork.reproduce.benchmarks.flexible.whirling_disc import driven

HINGE, WELD, SLIDING_SEAT = [1, 1, 1, 1, 1, 0], [1] * 6, [1, 1, 0, 1, 1, 1]
TINY = 1e-6  # kg: of bodies that only carry a joint


@dataclass
class Bar:
    """Nodes of a beam, and its axes when drawn."""

    nodes: list[Any]
    axes: np.ndarray


@dataclass
class Mechanism:
    """A system of Exudyn's and its ground."""

    mbs: Any
    ground: Any = field(init=False)

    def __post_init__(self) -> None:
        """Add the ground."""
        self.ground = self.mbs.AddObject(ObjectGround())

    def bar(
        self, ends: Sequence[np.ndarray], rod: Rod, mass: float, elements: int,
        across: Sequence[float] = (0.0, 0.0, 1.0), slopes: bool = False,
    ) -> Bar:  # fmt: skip
        """Between two points (m); `rod.EI` are those of bending along its own z, `across`, and y; mass in kg/m.

        `slopes`: of absolute nodal coordinates (ANCF) instead of geometrically exact beams.
        """
        start, end = ends
        length = float(np.linalg.norm(end - start))
        x = (end - start) / length
        axes = np.column_stack([x, np.cross(across, x), across])
        section, spin = exu.BeamSection(), [mass * EI / rod.EA for EI in rod.EI]
        section.stiffnessMatrix = np.diag([rod.EA, *rod.GA[::-1], rod.GJ, *rod.EI])
        section.inertia = np.diag([sum(spin), *spin])
        section.massPerLength = mass
        places = [start + (end - start) * k / elements for k in range(elements + 1)]
        if slopes:
            directions = [*axes[:, 1], *axes[:, 2]]
            nodes = [self.mbs.AddNode(NodePointSlope23(referenceCoordinates=[*place, *directions])) for place in places]
        else:
            turn = list(RotationMatrix2EulerParameters(axes))
            nodes = [self.mbs.AddNode(NodeRigidBodyEP(referenceCoordinates=[*place, *turn])) for place in places]
        for pair in pairwise(nodes):
            size = {"nodeNumbers": list(pair), "physicsLength": length / elements, "sectionData": section}
            self.mbs.AddObject(ObjectANCFBeam(**size) if slopes else ObjectBeamGeometricallyExact(**size))
        return Bar(nodes, axes)

    def node(self, number: Any) -> Any:
        """Marker of a node."""
        return self.mbs.AddMarker(MarkerNodeRigid(nodeNumber=number))

    def body(self, number: Any, at: Sequence[float] = (0.0, 0.0, 0.0)) -> Any:
        """Marker of a body, at a point of its own axes (m)."""
        return self.mbs.AddMarker(MarkerBodyRigid(bodyNumber=number, localPosition=list(at)))

    def joint(self, markers: Sequence[Any], axes: Sequence[np.ndarray], held: Sequence[int]) -> None:
        """Hold motions of two markers in axes that coincide when drawn."""
        self.mbs.AddObject(GenericJoint(markerNumbers=list(markers), constrainedAxes=list(held),
                                        rotationMarker0=axes[0], rotationMarker1=axes[1]))  # fmt: skip

    def hub(self, at: np.ndarray, angle: Callable[[float], float]) -> Any:
        """A body in the plane at a point (m) whose angle about z (rad) is a function of time."""
        node = self.mbs.AddNode(NodeRigidBody2D(referenceCoordinates=[at[0], at[1], 0.0]))
        hub = self.mbs.AddObject(ObjectRigidBody2D(physicsMass=TINY, physicsInertia=TINY, nodeNumber=node))
        fixed = self.mbs.AddNode(NodePointGround())
        zero = self.mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=fixed, coordinate=0))
        for k in range(3):
            moved = self.mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=node, coordinate=k))
            prescribed = {"offsetUserFunction": lambda _mbs, t, _item, _offset: angle(t)} if k == 2 else {}
            self.mbs.AddObject(CoordinateConstraint(markerNumbers=[zero, moved], **prescribed))
        return hub

    def positions(self, node: Any, until: float, step: float, every: float, radius: float) -> np.ndarray:
        """Time and position of a node (s, m), one a row; `radius`: spectral radius of generalized-alpha."""
        sensor = self.mbs.AddSensor(
            SensorNode(nodeNumber=node, storeInternal=True, outputVariableType=exu.OutputVariableType.Position)
        )
        self.mbs.Assemble()
        settings = exu.SimulationSettings()
        settings.timeIntegration.endTime = until
        settings.timeIntegration.numberOfSteps = round(until / step)
        settings.timeIntegration.generalizedAlpha.spectralRadius = radius
        settings.timeIntegration.newton.absoluteTolerance = 1e-4  # N: rounding of the axial forces is 1e-8
        settings.timeIntegration.newton.relativeTolerance = 1e-7
        settings.timeIntegration.verboseMode = 0
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWritePeriod = every
        settings.linearSolverType = exu.LinearSolverType.EigenSparse
        self.mbs.SolveDynamic(settings)
        return np.asarray(self.mbs.GetSensorStoredData(sensor))


def four_bar(elements: int) -> np.ndarray:
    """Rows of y and z (m) of C at the angles of flexible_four_bar.FOUND_BY_EXUDYN; 4 times as many elements in all."""
    given, m = flexible_four_bar, Mechanism(exu.SystemContainer().AddSystem())
    A, B, C, D = (np.array(p) for p in ((0, 0, 0), (0, 0.12, 0), (0.24, 0.12, 0), (0.24, 0, 0)))
    ab, bc, cd = (m.bar(ends, given.BARS[name], given.MASS[name], n) for name, ends, n in (
        ("AB", (A, B), elements), ("BC", (B, C), 2 * elements), ("CD", (C, D), elements)
    ))  # fmt: skip
    speed, rise = given.SPEED, given.RISE

    def angle(t: float) -> float:
        risen = 0.5 * (t - rise / math.pi * math.sin(math.pi * t / rise)) if t < rise else t - rise / 2
        return -speed * risen

    skew = RotationMatrixY(given.SKEW)
    m.joint((m.body(m.hub(A, angle)), m.node(ab.nodes[0])), (np.eye(3), ab.axes.T), WELD)
    m.joint((m.node(ab.nodes[-1]), m.node(bc.nodes[0])), (ab.axes.T, bc.axes.T), HINGE)
    m.joint((m.node(bc.nodes[-1]), m.node(cd.nodes[0])), (bc.axes.T @ skew, cd.axes.T @ skew), HINGE)
    m.joint((m.body(m.ground, D), m.node(cd.nodes[-1])), (np.eye(3), cd.axes.T), HINGE)
    instants = [rise / 2 + math.radians(degrees) / speed for degrees in given.FOUND_BY_EXUDYN]
    found = m.positions(bc.nodes[-1], instants[-1] + 0.1, 2e-3, 1e-2, 0.6)
    return np.column_stack([np.interp(instants, found[:, 0], found[:, k]) for k in (2, 3)])


def lifted_beam(slopes: bool, elements: int) -> np.ndarray:
    """The quantities of dynamic_buckling.KNOWN; `slopes`: the beam, not link and crank, of ANCF elements."""
    given, m = dynamic_buckling, Mechanism(exu.SystemContainer().AddSystem())
    tip, C = np.array([given.BEAM.length, 0.0, 0.0]), np.array([given.BEAM.length, 0.0, -given.BESIDE])
    B = C - [0.0, given.LINK.length, 0.0]
    A = B - [given.CRANK.length, 0.0, 0.0]
    beam = m.bar((np.zeros(3), tip), given.BEAM, given.MASS["beam"], elements, slopes=slopes)
    link = m.bar((C, B), given.LINK, given.MASS["link"], elements // 4)
    crank = m.bar((B, A), given.CRANK, given.MASS["crank"], 2)
    seat = m.mbs.AddNode(NodeRigidBodyEP(referenceCoordinates=[*tip, 1.0, 0.0, 0.0, 0.0]))
    end = m.mbs.AddObject(
        ObjectRigidBody(physicsMass=TINY, physicsInertia=[1e-4 * TINY] * 3 + [0.0] * 3, nodeNumber=seat)
    )
    hub = m.hub(A, lambda t: math.pi / 2 * (1.0 - math.cos(math.pi * min(t / given.TURN, 1.0))))
    m.joint((m.body(m.ground), m.node(beam.nodes[0])), (np.eye(3), np.eye(3)), WELD)
    m.joint((m.node(beam.nodes[-1]), m.body(end)), (np.eye(3), np.eye(3)), WELD)
    m.mbs.AddObject(SphericalJoint(markerNumbers=[m.body(end, (0.0, 0.0, -given.BESIDE)), m.node(link.nodes[0])]))
    m.joint((m.node(link.nodes[-1]), m.node(crank.nodes[0])), (link.axes.T, crank.axes.T), HINGE)
    m.joint((m.body(hub, (0.0, 0.0, -given.BESIDE)), m.node(crank.nodes[-1])), (np.eye(3), crank.axes.T), WELD)
    found = m.positions(beam.nodes[elements // 2], given.UNTIL, 1e-4, given.EVERY, 0.9)
    return given.measured(found[:, 0], np.abs(found[:, 3]))


def shaft(off: float, elements: int) -> np.ndarray:
    """How far the disc of critical_shaft.py, `off` its shaft (m), is from the axis (m), at most and at the end.

    The shaft lies along z.  Steps are halved with the beams: the error of both falls with the square.
    """
    given, m = critical_shaft, Mechanism(exu.SystemContainer().AddSystem())
    rod = Rod(given.LENGTH, given.EA, (given.GA, given.GA), given.GJ, (given.EI, given.EI))
    end = np.array([0.0, 0.0, given.LENGTH])
    bar = m.bar((np.zeros(3), end), rod, given.MASS, elements, (0.0, 1.0, 0.0))
    bearing = m.hub(np.zeros(3), lambda t: driven(given.RAMPS, t)[0])
    m.joint((m.body(bearing), m.node(bar.nodes[0])), (np.eye(3), bar.axes.T), WELD)
    m.joint((m.body(bearing, end), m.node(bar.nodes[-1])), (np.eye(3), bar.axes.T), SLIDING_SEAT)
    seat = m.mbs.AddNode(NodeRigidBodyEP(referenceCoordinates=[off, 0.0, given.LENGTH / 2, 1.0, 0.0, 0.0, 0.0]))
    tilting = given.DISC * (given.RADIUS**2 / 4 + given.THICKNESS**2 / 12)
    inertia = [tilting, tilting, given.DISC * given.RADIUS**2 / 2, 0.0, 0.0, 0.0]
    disc = m.mbs.AddObject(ObjectRigidBody(physicsMass=given.DISC, physicsInertia=inertia, nodeNumber=seat))
    middle = bar.nodes[elements // 2]
    m.joint((m.node(middle), m.body(disc, (-off, 0.0, 0.0))), (bar.axes.T, np.eye(3)), WELD)
    found = m.positions(middle, given.UNTIL, 0.064 / elements, 1e-3, 0.9)
    return given.extremes(np.hypot(found[:, 1], found[:, 2]))


def boom(elements: int) -> float:
    """The largest lag of the tip of rotating_beams.py (m); steps as of the shaft."""
    given, m = rotating_beams, Mechanism(exu.SystemContainer().AddSystem())
    rod = Rod(given.BOOM, given.EA, (given.SHEAR * given.EA,) * 2, given.BENDING, (given.BENDING,) * 2)
    bar = m.bar((np.zeros(3), np.array([given.BOOM, 0.0, 0.0])), rod, given.MASS, elements)
    hub = m.hub(np.zeros(3), given.hub_angle)
    m.joint((m.body(hub), m.node(bar.nodes[0])), (np.eye(3), bar.axes.T), WELD)
    t, x, y = m.positions(bar.nodes[-1], given.UNTIL, 0.16 / elements, 1e-2, 0.9).T[:3]
    angle = np.array([given.hub_angle(instant) for instant in t])
    return float((y * np.cos(angle) - x * np.sin(angle)).min())


def princeton(elements: int) -> np.ndarray:
    """Where the tip of the Princeton beam is (m), at rest."""
    given, m = princeton_beam, Mechanism(exu.SystemContainer().AddSystem())
    of = given.BEAM
    rod = Rod(of.length, of.EA, of.GA[::-1], of.GJ, of.EI[::-1])  # bending along z and along y
    beam = m.bar((np.zeros(3), np.array([of.length, 0.0, 0.0])), rod, 1.0, elements)
    m.joint((m.body(m.ground), m.node(beam.nodes[0])), (np.eye(3), np.eye(3)), WELD)
    m.mbs.AddLoad(Force(markerNumber=m.node(beam.nodes[-1]), loadVector=given.force().tolist()))
    m.mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.staticSolver.numberOfLoadSteps = 10
    settings.staticSolver.newton.relativeTolerance = 1e-8
    settings.staticSolver.newton.absoluteTolerance = 1e-8  # N
    settings.staticSolver.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    m.mbs.SolveStatic(settings)
    return np.asarray(m.mbs.GetNodeOutput(beam.nodes[-1], exu.OutputVariableType.Position))


def extrapolated(quantities: Callable[[int], Any], elements: int) -> Any:
    """From that many elements and from half of them: the error falls with the square."""
    coarse, fine = quantities(elements // 2), quantities(elements)
    return fine + (fine - coarse) / 3.0


if __name__ == "__main__":
    print("Princeton beam, tip:", extrapolated(princeton, 64))
    for off in critical_shaft.BY_EXUDYN:
        print(f"shaft, disc {off} m off, distance from the axis:", extrapolated(partial(shaft, off), 128))
    print("boom, lag of its tip:", extrapolated(boom, 32))
    print("four-bar:", dict(zip(flexible_four_bar.FOUND_BY_EXUDYN, extrapolated(four_bar, 16), strict=True)))
    for slopes, elements in ((False, 64), (True, 128)):
        values = extrapolated(partial(lifted_beam, slopes), elements)
        for (what, *_), value in zip(dynamic_buckling.KNOWN, values, strict=True):
            print(f"lifted beam, {what}, {'ANCF' if slopes else 'exact'}: {value:.6f}")
