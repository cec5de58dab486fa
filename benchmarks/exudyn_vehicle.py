"""The HMMWV in Exudyn: the bodies, joints, springs and tyres of linkwork.library.hmmwv, friction left out.

The tyre is a user function of Exudyn's, compiled by Numba; its law is that of linkwork/elements/tyres/tyre.py on a
road with one half-round bump, so that both programs drive one vehicle.  The detour through Python takes less
than a third of Exudyn's time.
"""

from __future__ import annotations

import time
from typing import Any

import exudyn as exu
import numpy as np
from exudyn.itemInterface import MarkerBodyRigid, RigidBodySpringDamper, SensorBody
from exudyn.utilities import RigidBodyInertia
from numba import njit

from linkwork.elements.tyres.road_surface import WALL
from linkwork.elements.tyres.tyre import FADE, POWER, REACH, STATIONS, flat_sum
from linkwork.library.hmmwv import (
    AXLES,
    CHASSIS,
    CHASSIS_INERTIA,
    FREE_LENGTH,
    GRAVITY,
    KNUCKLE,
    LOWER_ARM,
    SIDES,
    SPRINGS,
    TYRE,
    UPPER_ARM,
    chassis_centre,
    hardpoint,
    spring_end,
)


def drive(bump: tuple[float, float], velocity: tuple[float, float, float], until: float, every: float,
          step: float) -> tuple[float, np.ndarray]:  # fmt: skip
    """CPU seconds and the chassis' height at the samples; generalized-alpha, Exudyn's default, on one thread."""
    mbs, sensor = vehicle(bump, velocity)
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = round(until / step)
    settings.timeIntegration.endTime = until
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.8
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = every
    settings.parallel.numberOfThreads = 1
    began = time.process_time()
    mbs.SolveDynamic(settings)
    seconds = time.process_time() - began
    stored = mbs.GetSensorStoredData(sensor)
    return seconds, np.interp(np.arange(0.0, until + 1e-9, every), stored[:, 0], stored[:, 3])


def vehicle(bump: tuple[float, float], velocity: tuple[float, float, float]) -> tuple[Any, Any]:
    """System, and sensor of the chassis' position; `bump`: x of its middle and radius, m."""
    mbs = exu.SystemContainer().AddSystem()
    ground = mbs.CreateGround()
    given = (TYRE["radius"], TYRE["stiffness"], TYRE["damping"], flat_sum())

    def tyre(mbs, t, item, displacement, rotation, velocity, angular_velocity, *more):
        arrays = (np.array(a) for a in (displacement, rotation, velocity, angular_velocity))
        return -tyre_wrench(*arrays, *bump, given)  # on the marker of the ground

    def body(mass: float, inertia: tuple, at: np.ndarray) -> Any:
        made = RigidBodyInertia(mass=mass, inertiaTensor=np.diag(inertia))
        return mbs.CreateRigidBody(inertia=made, referencePosition=list(at), initialVelocity=list(velocity),
                                   gravity=list(GRAVITY))  # fmt: skip

    chassis = body(CHASSIS, CHASSIS_INERTIA, chassis_centre())
    for axle in AXLES:
        for side in SIDES:
            knuckle = body(*KNUCKLE, hardpoint(axle, side, "upright_cg"))
            _corner(mbs, body, axle, side, chassis, knuckle)
            spindle = hardpoint(axle, side, "spindle") - hardpoint(axle, side, "upright_cg")
            markers = [mbs.AddMarker(MarkerBodyRigid(bodyNumber=number, localPosition=place))
                       for number, place in ((ground, [0, 0, 0]), (knuckle, list(spindle)))]  # fmt: skip
            mbs.AddObject(RigidBodySpringDamper(markerNumbers=markers, springForceTorqueUserFunction=tyre))
    output = exu.OutputVariableType.Position
    sensor = mbs.AddSensor(SensorBody(bodyNumber=chassis, storeInternal=True, outputVariableType=output))
    mbs.Assemble()
    return mbs, sensor


def _corner(mbs: Any, body: Any, axle: str, side: str, chassis: Any, knuckle: Any) -> None:
    """Two arms, tie rod, spring and damper."""
    for key, (mass, inertia) in (("lower_arm", LOWER_ARM), ("upper_arm", UPPER_ARM)):
        front, rear = (hardpoint(axle, side, key, end) for end in ("chassis_front", "chassis_rear"))
        arm = body(mass, inertia, hardpoint(axle, side, key, "cg"))
        pivot, axis = (front + rear) / 2.0, (front - rear) / np.linalg.norm(front - rear)
        mbs.CreateRevoluteJoint(itemNumbers=[chassis, arm], position=list(pivot), axis=list(axis))
        mbs.CreateSphericalJoint(itemNumbers=[arm, knuckle], position=list(hardpoint(axle, side, key, "knuckle")))
        if key == "lower_arm":
            top, foot = spring_end(axle, side), hardpoint(axle, side, "shock", "arm")
            k, c = SPRINGS[axle]
            mbs.CreateSpringDamper(itemNumbers=[chassis, arm], localPosition0=list(top - chassis_centre()),
                                   localPosition1=list(foot - hardpoint(axle, side, key, "cg")),
                                   referenceLength=FREE_LENGTH, stiffness=k, damping=c)  # fmt: skip
    inner, outer = hardpoint(axle, side, "tie_rod", "chassis"), hardpoint(axle, side, "tie_rod", "knuckle")
    mbs.CreateDistanceConstraint(itemNumbers=[chassis, knuckle], localPosition0=list(inner - chassis_centre()),
                                 localPosition1=list(outer - hardpoint(axle, side, "upright_cg")),
                                 distance=float(np.linalg.norm(outer - inner)))  # fmt: skip


@njit
def road(x: float, at: float, radius: float) -> tuple[float, float]:
    """Height and slope of a half-round bump with sides of 75 degrees."""
    d, steep = x - at, np.sin(WALL)
    if abs(d) >= radius / steep:
        return 0.0, 0.0
    if abs(d) >= radius * steep:
        return (radius - abs(d) * steep) / np.cos(WALL), -np.sign(d) * np.tan(WALL)
    height = np.sqrt(radius * radius - d * d)
    return height, -d / height


@njit
def tyre_wrench(c: np.ndarray, turned: np.ndarray, v: np.ndarray, w: np.ndarray, at: float, radius: float,
                given: tuple[float, float, float, float]) -> np.ndarray:  # fmt: skip
    """Force and torque at the wheel's centre, world axes: as in elements/tyres/tyre.py, friction left out.

    `turned`: Tait-Bryan angles of the knuckle; `given`: tyre radius, stiffness, damping, and S_0.
    """
    r, stiffness, damping, flat = given
    (ca, cb, cc), (sa, sb, sc) = np.cos(turned), np.sin(turned)
    a = np.array([-cb * sc, ca * cc - sa * sb * sc, sa * cc + ca * sb * sc])  # the axle
    level, reach = np.hypot(a[0], a[1]), REACH * r
    e = np.array([a[1], -a[0], 0.0]) / level
    d = np.cross(a, e)
    x, zeta = c[0] + r * d[0], c[2] / level
    L, g, g_z, g_x, g_s, g_sx = zeta, 1.0 / level, zeta / level, 0.0, 0.0, 0.0
    if abs(x - at) < reach + radius / np.sin(WALL):
        S, g, g_z = 0.0, 0.0, 0.0
        for s in np.linspace(-reach, reach, STATIONS):
            height, slope = road(x + s * e[0], at, radius)
            zeta = (c[2] - height) / level
            q = r * r / (s * s + zeta * zeta)
            S += q**POWER
            weight = q ** (POWER + 1) * zeta
            g += weight
            g_x += weight * slope
            g_s += weight * s
            g_sx += weight * s * slope
            g_z += weight * zeta
        L = r * (S / flat) ** (-1.0 / (2.0 * POWER - 1.0))
        unit = 2.0 * POWER / (2.0 * POWER - 1.0) * L / (r * r * S * level)
        g, g_x, g_s, g_sx, g_z = unit * g, unit * g_x, unit * g_s, unit * g_sx, unit * g_z
    f = np.array([-g_x, 0.0, g])
    n = np.cross(e, np.array([-g_sx, 0.0, g_s])) + np.cross(d, np.array([-r * g_x, 0.0, g_z]))
    side = np.array([e[1], -e[0], 0.0])
    n -= side * np.dot(n, a) / np.dot(side, a)
    D, wrench = r - L, np.zeros(6)
    if D > 0.0:
        u = min(D / FADE, 1.0)
        away = np.dot(f, v) + np.dot(n, w)
        N = max(stiffness * D - damping * u * u * (3.0 - 2.0 * u) * away, 0.0)
        wrench[:3], wrench[3:] = N * f, N * n
    return wrench
