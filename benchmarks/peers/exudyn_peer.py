"""Exudyn on the benchmark problems: planar rigid bodies and pins, each problem with the solver that does it best.

N-four-bar: generalized-alpha, index 3 (Exudyn's default); the index-2 solvers leave the parallelogram branch at its
change point. Andrews: the trapezoidal rule, index 2. Exudyn does not offer the forward and inverse dynamics of a chain
as calls from Python.
"""

from __future__ import annotations

import cmath
import time
from typing import Any

import exudyn as exu
import numpy as np
from exudyn.itemInterface import (
    LoadCoordinate,
    LoadMassProportional,
    MarkerBodyMass,
    MarkerBodyPosition,
    MarkerKinematicTreeRigid,
    MarkerNodeCoordinate,
    NodeGenericODE2,
    NodeRigidBody2D,
    ObjectConnectorSpringDamper,
    ObjectGround,
    ObjectJointGeneric,
    ObjectJointRevolute2D,
    ObjectKinematicTree,
    ObjectRigidBody2D,
)

from benchmarks import problems
from benchmarks.problems import GROUND, Andrews, Governor, Mechanism, NFourBar, PlanarMechanism, Point

NAME = f"Exudyn {exu.config.Version()}"
N_FOUR_BAR_STEP = 1e-3
N_FOUR_BAR_VARIANTS: dict[str, dict[str, float]] = {}
ANDREWS_STEP = 6.25e-6
BRICARD_STEP = 1e-3
BRICARD_VARIANTS = {"h=5e-3": {"h": 5e-3}}
GOVERNOR_STEP = 1e-3
GOVERNOR_VARIANTS = {"h=4e-3": {"h": 4e-3}}
SPECTRAL_RADIUS = 0.95
SPARSE_FROM = 20  # bodies


def _solve(mbs: Any, t_end: float, h: float, index2: bool, large: bool = False) -> float:
    """Seconds."""
    mbs.Assemble()
    settings = exu.SimulationSettings()
    time_integration = settings.timeIntegration
    time_integration.numberOfSteps = round(t_end / h)
    time_integration.endTime = t_end
    time_integration.verboseMode = 0
    time_integration.newton.useModifiedNewton = large or index2
    time_integration.generalizedAlpha.spectralRadius = SPECTRAL_RADIUS
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = t_end
    settings.parallel.numberOfThreads = 1
    settings.linearSolverSettings.ignoreSingularJacobian = not large
    settings.linearSolverType = exu.LinearSolverType.EigenSparse if large else exu.LinearSolverType.EigenDense
    kinds = exu.DynamicSolverType
    kind = kinds.TrapezoidalIndex2 if index2 else kinds.GeneralizedAlpha
    start = time.process_time()
    mbs.SolveDynamic(settings, solverType=kind)
    return time.process_time() - start


class _Planar:
    """An assembled mechanism; the container is kept because Exudyn's system lives in it."""

    def __init__(self, mech: PlanarMechanism) -> None:
        self.mech = mech
        self.container = exu.SystemContainer()
        self.mbs = self.container.AddSystem()
        self.ground = self.mbs.AddObject(ObjectGround())
        self.nodes: list[int] = []
        self.objects: list[int] = []
        for i in range(len(mech.bodies)):
            self._add_body(i)
        for i, b in enumerate(mech.bodies):
            self.add_pin(self.marker(b.parent, b.pivot), self.marker(i, 0j))
        for i, p, k, s in mech.loops:
            self.add_pin(self.marker(i, p), self.marker(k, s))

    def _add_body(self, i: int) -> None:
        b = self.mech.bodies[i]
        (origin, angle), (velocity, omega) = self.mech.pose(i), self.mech.rate(i)
        arm = b.com * cmath.exp(1j * angle)
        at, v = origin + arm, velocity + 1j * omega * arm
        place, speed = [at.real, at.imag, angle], [v.real, v.imag, omega]
        node = self.mbs.AddNode(NodeRigidBody2D(referenceCoordinates=place, initialVelocities=speed))
        body = ObjectRigidBody2D(nodeNumber=node, physicsMass=b.mass, physicsInertia=b.inertia)
        self.nodes.append(node)
        self.objects.append(self.mbs.AddObject(body))
        if self.mech.g:
            mass = self.mbs.AddMarker(MarkerBodyMass(bodyNumber=self.objects[-1]))
            self.mbs.AddLoad(LoadMassProportional(markerNumber=mass, loadVector=[0.0, -self.mech.g, 0.0]))

    def marker(self, i: int, point: complex) -> int:
        """Marker at a point of body i, or of the ground."""
        z = point if i == GROUND else point - self.mech.bodies[i].com
        body = self.ground if i == GROUND else self.objects[i]
        return self.mbs.AddMarker(MarkerBodyPosition(bodyNumber=body, localPosition=[z.real, z.imag, 0.0]))

    def add_pin(self, a: int, b: int) -> None:
        """Revolute joint between two markers."""
        self.mbs.AddObject(ObjectJointRevolute2D(markerNumbers=[a, b]))

    def solve(self, t_end: float, h: float, index2: bool = False) -> tuple[float, float, float]:
        """(seconds, angle, rate) of body 0."""
        spent = _solve(self.mbs, t_end, h, index2, large=len(self.nodes) >= SPARSE_FROM)
        angle = self.mbs.GetNodeOutput(self.nodes[0], exu.OutputVariableType.Coordinates)[2]
        rate = self.mbs.GetNodeOutput(self.nodes[0], exu.OutputVariableType.Coordinates_t)[2]
        return spent, self.mech.bodies[0].q + float(angle), float(rate)


def n_four_bar(p: NFourBar, t_end: float = 10.0, h: float = N_FOUR_BAR_STEP) -> tuple[float, float, float]:
    """Generalized-alpha: (seconds, theta, thetadot)."""
    return _Planar(p.mechanism()).solve(t_end, h)


def andrews(t_end: float = 0.05, h: float = ANDREWS_STEP) -> tuple[float, float]:
    """Trapezoidal rule, index 2: (seconds, beta)."""
    p = Andrews()
    planar = _Planar(p.mechanism())
    mbs = planar.mbs
    ends = [planar.marker(GROUND, p.C), planar.marker(2, p.D)]
    mbs.AddObject(ObjectConnectorSpringDamper(markerNumbers=ends, referenceLength=p.l0, stiffness=p.k))
    crank = mbs.AddMarker(MarkerNodeCoordinate(nodeNumber=planar.nodes[0], coordinate=2))
    mbs.AddLoad(LoadCoordinate(markerNumber=crank, load=p.torque))
    spent, beta, _ = planar.solve(t_end, h, index2=True)
    return spent, beta


# ------------------------------------------------------------------------------------------------------- in space


class _Tree:
    """A mechanism in space as a kinematic tree, in joint coordinates."""

    def __init__(self, mech: Mechanism) -> None:
        self.container = exu.SystemContainer()
        self.mbs = self.container.AddSystem()
        self.ground = self.mbs.AddObject(ObjectGround())
        bodies, joints = mech.bodies, exu.JointType
        q, v = [b.q for b in bodies], [b.v for b in bodies]
        still = [0.0] * len(bodies)
        state = {"referenceCoordinates": still, "initialCoordinates": q, "initialCoordinates_t": v}
        self.node = self.mbs.AddNode(NodeGenericODE2(numberOfODE2Coordinates=len(bodies), **state))
        self.tree = self.mbs.AddObject(ObjectKinematicTree(
            nodeNumber=self.node,
            gravity=mech.gravity,
            jointTypes=[getattr(joints, ("Prismatic" if b.slides else "Revolute") + b.axis.upper()) for b in bodies],
            linkParents=[b.parent for b in bodies],
            jointTransformations=exu.Matrix3DList([np.eye(3)] * len(bodies)),
            jointOffsets=exu.Vector3DList([list(b.pivot) for b in bodies]),
            linkInertiasCOM=exu.Matrix3DList([np.diag(b.inertia) for b in bodies]),
            linkCOMs=exu.Vector3DList([list(b.com) for b in bodies]),
            linkMasses=[b.mass for b in bodies],
        ))  # fmt: skip
        for spring in mech.springs:
            i, p, k, s = spring.ends
            law = {"referenceLength": spring.l0, "stiffness": spring.k, "damping": spring.c}
            self.mbs.AddObject(ObjectConnectorSpringDamper(markerNumbers=[self.marker(i, p), self.marker(k, s)], **law))

    def marker(self, i: int, point: Point) -> int:
        """Marker at a point of body i."""
        return self.mbs.AddMarker(MarkerKinematicTreeRigid(objectNumber=self.tree, linkNumber=i, localPosition=point))

    def solve(self, t_end: float, h: float, index2: bool = False) -> tuple[float, np.ndarray]:
        """(seconds, q)."""
        spent = _solve(self.mbs, t_end, h, index2)
        return spent, np.array(self.mbs.GetNodeOutput(self.node, exu.OutputVariableType.Coordinates))


def bricard(t_end: float = 10.0, h: float = BRICARD_STEP) -> tuple[float, float]:
    """Generalized-alpha, the sixth hinge without its dependent row: (seconds, angle of hinge 1)."""
    mech = problems.bricard()
    tree = _Tree(mech)
    (i, p1, k, s1), (_, p2, _, s2) = mech.pins
    middles = (i, 0.5 * np.add(p1, p2)), (k, 0.5 * np.add(s1, s2))
    ends = [tree.marker(body, tuple(point)) for body, point in middles]
    tree.mbs.AddObject(ObjectJointGeneric(markerNumbers=ends, constrainedAxes=[1, 1, 1, 1, 0, 0]))
    spent, q = tree.solve(t_end, h)
    return spent, float(q[0])


def governor(t_end: float = 10.0, h: float = GOVERNOR_STEP) -> tuple[float, float]:
    """Trapezoidal rule: (seconds, angle of the rods)."""
    spent, q = _Tree(Governor().mechanism()).solve(t_end, h, index2=True)
    return spent, float(q[2])
