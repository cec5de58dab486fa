"""The HMMWV, on one core, in one run: python -m benchmarks.vehicle

1. P5's run, 5 s at 8 m/s over the bump: how much faster than the vehicle itself, by tolerance.
2. The same vehicle in Exudyn: dropped on flat ground at 1 m/s without friction, 5 s, since Exudyn's rolling disc by
   penalty knows flat ground alone.  Error of the chassis' height beside each program's own finest run, and wall time.
   A leaning tyre is pressed along its plane in linkwork, upwards in Exudyn: hence some 5 mm between the two at the
   deepest (170 mm, 7 degrees of camber), and one position of rest.
"""

from __future__ import annotations

import os
import time

import numpy as np

from linkwork.api import Model
from linkwork.library import library_model
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
    add_vehicle,
    chassis_centre,
    hardpoint,
    spring_end,
)

UNTIL, EVERY, FALL = 5.0, 0.01, -1.0  # s, s, m/s
ROUNDS = 3
STEPS, FINEST = (4e-3, 1e-3), 2.5e-4  # s, of Exudyn


def bump() -> None:
    """P5's run."""
    for rtol in (1e-4, 1e-5, 1e-6, 1e-8):
        runs = [library_model("hmmwv").simulate(UNTIL, rtol=rtol, every=UNTIL, progress=False) for _ in range(ROUNDS)]
        best = min(run.certificate.loop_s for run in runs)
        c = runs[0].certificate
        told = f"{c.steps} steps, energy balance {c.energy_drift:.0e}"
        print(f"  rtol {rtol:.0e}  {best:8.4f} s  {UNTIL / best:6.1f} x real time  {told}")


def dropped() -> Model:
    """The vehicle on flat ground without friction, all bodies falling at FALL."""
    m = Model("dropped", gravity=GRAVITY)
    m.road("road")
    add_vehicle(m, 0.0)
    changed = {f"{tyre.name}.friction": 1e-9 for tyre in m.mechanism.tyre}
    changed["drive.rate"] = (0.0, 0.0, FALL, 0.0, 0.0, 0.0)
    return m.with_settings(changed)


def ours(rtol: float) -> tuple[float, np.ndarray]:
    """Wall seconds of the loop, and the chassis' height at the samples."""
    runs = [dropped().simulate(UNTIL, rtol=rtol, every=EVERY, progress=False) for _ in range(ROUNDS)]
    return min(run.certificate.loop_s for run in runs), runs[0].position("chassis")[:, 2]


def exudyn_vehicle() -> tuple[object, object, int]:
    """The same bodies, joints, links, springs and tyres in Exudyn."""
    import exudyn as exu
    from exudyn.itemInterface import (
        MarkerBodyRigid,
        NodeGenericData,
        ObjectConnectorRollingDiscPenalty,
        SensorBody,
    )
    from exudyn.utilities import RigidBodyInertia

    container = exu.SystemContainer()
    mbs = container.AddSystem()
    ground = mbs.CreateGround()

    def body(mass: float, inertia: tuple, at: np.ndarray) -> int:
        made = RigidBodyInertia(mass=mass, inertiaTensor=np.diag(inertia))
        return mbs.CreateRigidBody(inertia=made, referencePosition=list(at), initialVelocity=[0, 0, FALL],
                                   gravity=list(GRAVITY))  # fmt: skip

    chassis = body(CHASSIS, CHASSIS_INERTIA, chassis_centre())
    for axle in AXLES:
        for side in SIDES:
            knuckle = body(*KNUCKLE, hardpoint(axle, side, "upright_cg"))
            for key, (mass, inertia) in (("lower_arm", LOWER_ARM), ("upper_arm", UPPER_ARM)):
                front, rear = (hardpoint(axle, side, key, end) for end in ("chassis_front", "chassis_rear"))
                ball = hardpoint(axle, side, key, "knuckle")
                arm = body(mass, inertia, hardpoint(axle, side, key, "cg"))
                pivot, axis = (front + rear) / 2.0, (front - rear) / np.linalg.norm(front - rear)
                mbs.CreateRevoluteJoint(itemNumbers=[chassis, arm], position=list(pivot), axis=list(axis))
                mbs.CreateSphericalJoint(itemNumbers=[arm, knuckle], position=list(ball))
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
            spindle = hardpoint(axle, side, "spindle") - hardpoint(axle, side, "upright_cg")
            markers = [mbs.AddMarker(MarkerBodyRigid(bodyNumber=ground, localPosition=[0, 0, 0])),
                       mbs.AddMarker(MarkerBodyRigid(bodyNumber=knuckle, localPosition=list(spindle)))]  # fmt: skip
            data = mbs.AddNode(NodeGenericData(initialCoordinates=[0, 0, 0], numberOfDataCoordinates=3))
            mbs.AddObject(ObjectConnectorRollingDiscPenalty(
                markerNumbers=markers, nodeNumber=data, discRadius=TYRE["radius"], discAxis=[0, 1, 0],
                planeNormal=[0, 0, 1], contactStiffness=TYRE["stiffness"], contactDamping=TYRE["damping"],
            ))  # fmt: skip
    sensor = mbs.AddSensor(SensorBody(bodyNumber=chassis, storeInternal=True,
                                      outputVariableType=exu.OutputVariableType.Position))  # fmt: skip
    mbs.Assemble()
    return container, mbs, sensor


def theirs(step: float) -> tuple[float, np.ndarray]:
    """Generalized-alpha, Exudyn's default, on one thread."""
    import exudyn as exu

    _container, mbs, sensor = exudyn_vehicle()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = round(UNTIL / step)
    settings.timeIntegration.endTime = UNTIL
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.8
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = EVERY
    settings.parallel.numberOfThreads = 1
    began = time.perf_counter()
    mbs.SolveDynamic(settings)
    wall = time.perf_counter() - began
    stored = mbs.GetSensorStoredData(sensor)
    return wall, np.interp(np.arange(0.0, UNTIL + 1e-9, EVERY), stored[:, 0], stored[:, 3])


def drop() -> None:
    """Both programs on the dropped vehicle."""
    _, exact = ours(1e-11)
    wall, height = ours(1e-5)
    first = wall
    print(f"  linkwork rtol 1e-05          error {np.abs(height - exact).max():.1e} m  {wall:8.4f} s  x 1")
    try:
        _, finest = theirs(FINEST)
    except ImportError as missing:
        print(f"  Exudyn is not installed ({missing})")
        return
    for step in STEPS:
        wall, height = theirs(step)
        error = np.abs(height - finest).max()
        print(f"  Exudyn, steps of {step:.1e} s  error {error:.1e} m  {wall:8.4f} s  x {wall / first:.1f}")
    apart = np.abs(finest - exact)
    print(f"  the two programs apart: {apart.max():.1e} m at the most, {apart[-1]:.1e} m at the end")


def main() -> None:
    """Both parts."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for title, measure in (("HMMWV over the bump, 5 s", bump), ("HMMWV dropped, 5 s", drop)):
        print(title)
        measure()


if __name__ == "__main__":
    main()
