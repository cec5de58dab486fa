"""A flexible slider-crank beside Exudyn's reduced-order floating frame, in one run: python -m benchmarks.flexible

Simeon's data (Test Set for IVP Solvers, `crank`): crank 0.15 m, rod 0.3 m of steel, 8 mm square, no damping; driven at
150 rad/s for 1 s (24 turns), started close to smooth motion.  The rod has two bending modes of a pinned beam; both
programs get the same modal data: Exudyn's finite-element nodes are the mass points of linkwork's beam.  Error: of the
deflection of the middle over the whole second, relative to its largest, against linkwork at rtol 1e-11.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

import linkwork as lw
from benchmarks.linkwork_side import NAME, measured
from benchmarks.peers import load
from benchmarks.rows import Row, best, one_core, seconds, show
from linkwork.flexible.bodies import flexible_beam
from linkwork.flexible.finite_elements.beam_elements import Beam, finite_model
from linkwork.flexible.finite_elements.materials import Material
from linkwork.flexible.finite_elements.sections import rectangle
from linkwork.flexible.modal_body import ModalBody

CRANK, ROD, SPEED, UNTIL = 0.15, 0.30, 150.0, 1.0  # m, m, rad/s, s
CRANK_MASS, CRANK_INERTIA, SLIDER_MASS = 0.36, 0.002727, 0.075552  # kg, kg m2, kg
RATES = (0.444896105, 0.463434311e-2)  # m/s: deflection rates sin(k pi x / L) at the start, of the Test Set
EVERY = 1e-3  # s
STEPS = {"h=4e-5": 4e-5, "h=2e-5": 2e-5}  # s, of Exudyn
BEAM = Beam("rod", ROD, rectangle(0.008, 0.008), Material(0.2e12, 7870.0), elements=10, plane="xy")
PROBLEM = f"flexible slider-crank {UNTIL:g} s"
SUPPORTS = {"1": "pinned", "11": "roller"}


def body() -> ModalBody:
    """The rod, frame at the crank pin."""
    return flexible_beam(BEAM, modes=2, supports=SUPPORTS, stiffening=False)


def start_rates(rod) -> np.ndarray:
    """Modal rates of the smooth start: mode k is c_k sin(k pi x / L)."""
    quarter = rod.nodes.S[[5, 3], 1]  # at L/2 and 0.3 L
    return np.array([RATES[0] / quarter[0, 0], RATES[1] * np.sin(0.6 * np.pi) / quarter[1, 1]])


def model() -> lw.Model:
    """The slider-crank for linkwork."""
    rod = body()
    m = lw.Model("flexible slider-crank", gravity=(0, 0, 0), plane="xy")
    m.body("crank", mass=CRANK_MASS, inertia=(2e-3, 2e-3, CRANK_INERTIA))
    m.body("rod", flexible=rod, at=(CRANK, 0, 0), modal_rates=start_rates(rod).tolist())
    m.body("slider", mass=SLIDER_MASS, inertia=(1e-4, 1e-4, 1e-4), at=(CRANK + ROD, 0, 0))
    m.frame("middle", "rod", node="6")
    m.revolute("main bearing", m.ground, "crank", at=(0, 0, 0), axis="z")
    m.revolute("crank pin", "crank", "rod", at=(CRANK, 0, 0), axis="z")
    m.revolute("wrist pin", "rod", "slider", at=(CRANK + ROD, 0, 0), axis="z")
    m.prismatic("guide", m.ground, "slider", at=(CRANK + ROD, 0, 0), axis="x")
    m.driver("motor", "main bearing", f"{SPEED}*t")
    m.measure("deflection", "y(middle, rod)")
    return m


def linkwork_run(rtol: float, whole: bool = False) -> tuple[float, np.ndarray]:
    """Seconds of the time loop or of the whole call, and deflection of the middle [sample]."""
    spent, run = measured(model(), UNTIL, whole, every=EVERY, rtol=rtol)
    return spent, run["deflection"]


def exudyn_run(step: float) -> tuple[float, np.ndarray]:
    """The same by ObjectFFRFreducedOrder: seconds of the solver, and deflection of the middle.

    Trapezoidal rule with constraints on the velocity level, the most accurate of Exudyn's here; second order.
    """
    import exudyn as exu
    import exudyn.itemInterface as eii  # noqa: N813
    import scipy.sparse as sp
    from exudyn.FEM import FEMinterface, ObjectFFRFreducedOrderInterface

    rod, finite = body(), finite_model(BEAM)
    x, shapes = finite.particles.x, particle_shapes(finite, rod)
    ends = rod.nodes.x[[0, 10, 5]]
    fem = FEMinterface()
    fem.nodes = {"Position": np.vstack([x, ends])}
    fem.surface = [{"Name": "none", "Trigs": np.array([[0, 1, 2]])}]
    mass = np.repeat(np.concatenate([finite.particles.m, np.zeros(3)]), 3)
    fem.massMatrix = sp.csr_matrix(sp.diags(mass))
    fem.stiffnessMatrix = sp.csr_matrix((len(mass), len(mass)))
    fem.modeBasis = {"matrix": np.vstack([shapes, rod.nodes.S[[0, 10, 5]].reshape(9, -1)]), "type": "NormalModes"}
    fem.postProcessingModes = {}
    data = ObjectFFRFreducedOrderInterface(fem)
    data.stiffnessMatrixReduced, data.massMatrixReduced = rod.K_e.copy(), rod.M_e.copy()

    container = exu.SystemContainer()
    mbs = container.AddSystem()
    made = data.AddObjectFFRFreducedOrder(
        mbs, positionRef=[CRANK, 0, 0], initialVelocity=[0, SPEED * CRANK, 0],
        initialAngularVelocity=[0, 0, -SPEED * CRANK / ROD],
    )  # fmt: skip
    mbs.SetNodeParameter(made["nGenericODE2"], "initialCoordinates_t", start_rates(rod).tolist())
    ground = mbs.AddObject(eii.ObjectGround())
    fixed = mbs.AddMarker(eii.MarkerBodyPosition(bodyNumber=ground))
    turning = mbs.AddNode(eii.NodeRigidBody2D(referenceCoordinates=[0, 0, 0], initialVelocities=[0, 0, SPEED]))
    crank = mbs.AddObject(eii.ObjectRigidBody2D(mass=CRANK_MASS, inertia=CRANK_INERTIA, nodeNumber=turning))
    at = [mbs.AddMarker(eii.MarkerBodyPosition(bodyNumber=crank, localPosition=[p, 0, 0])) for p in (0.0, CRANK)]
    mbs.AddObject(eii.ObjectJointRevolute2D(markerNumbers=[fixed, at[0]]))
    held = mbs.AddNode(eii.NodePointGround())
    zero = mbs.AddMarker(eii.MarkerNodeCoordinate(nodeNumber=held, coordinate=0))
    angle = mbs.AddMarker(eii.MarkerNodeCoordinate(nodeNumber=turning, coordinate=2))
    mbs.AddObject(eii.ObjectConnectorCoordinate(markerNumbers=[zero, angle], offset=SPEED, velocityLevel=True))
    sliding = mbs.AddNode(eii.NodePoint(referenceCoordinates=[CRANK + ROD, 0, 0]))
    slider = mbs.AddObject(eii.ObjectMassPoint(mass=SLIDER_MASS, nodeNumber=sliding))
    for k in (1, 2):
        across = mbs.AddMarker(eii.MarkerNodeCoordinate(nodeNumber=sliding, coordinate=k))
        mbs.AddObject(eii.ObjectConnectorCoordinate(markerNumbers=[zero, across]))
    pins = [
        mbs.AddMarker(eii.MarkerSuperElementPosition(bodyNumber=made["oFFRFreducedOrder"], meshNodeNumbers=[len(x) + k],
                                                     weightingFactors=[1.0]))
        for k in (0, 1)
    ]  # fmt: skip
    wrist = mbs.AddMarker(eii.MarkerBodyPosition(bodyNumber=slider))
    for pair in ((at[1], pins[0]), (wrist, pins[1])):
        mbs.AddObject(eii.ObjectJointSpherical(markerNumbers=list(pair), constrainedAxes=[1, 1, 0]))
    for k in (2, 4, 5):  # the rod stays in the plane: z, and the Euler parameters of rotations about x and y
        out = mbs.AddMarker(eii.MarkerNodeCoordinate(nodeNumber=made["nRigidBody"], coordinate=k))
        mbs.AddObject(eii.ObjectConnectorCoordinate(markerNumbers=[zero, out]))
    modal = {"nodeNumber": made["nGenericODE2"], "outputVariableType": exu.OutputVariableType.Coordinates}
    sensor = mbs.AddSensor(eii.SensorNode(storeInternal=True, **modal))
    mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = round(UNTIL / step)
    settings.timeIntegration.endTime = UNTIL
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.generalizedAlpha.spectralRadius = 1.0
    settings.timeIntegration.generalizedAlpha.useIndex2Constraints = True
    settings.timeIntegration.generalizedAlpha.useNewmark = True
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = EVERY
    settings.show.statistics = False
    began = time.process_time()
    mbs.SolveDynamic(settings)
    spent = time.process_time() - began
    eta = mbs.GetSensorStoredData(sensor)[:, 1:]
    return spent, eta @ rod.nodes.S[5, 1]


def particle_shapes(finite, rod) -> np.ndarray:
    """Displacements of the mass points in the two modes, (3 g, 2), of the same reduction."""
    from linkwork.flexible.bodies import default_frame, shape_basis
    from linkwork.flexible.reduction import reduce

    basis = shape_basis(finite, 2, SUPPORTS, ())
    modes = reduce(finite, basis, default_frame(finite, SUPPORTS, ()), 2)
    return finite.particles.shapes(modes.shapes).reshape(3 * len(finite.particles.x), -1)


def rows() -> Iterator[Row]:
    """linkwork at three tolerances; Exudyn, if it is installed, at two steps."""
    _, exact = linkwork_run(1e-11)

    def row(who: str, setting: str, run: Callable[[], tuple[float, np.ndarray]]) -> Row:
        spent, found = best(run)
        error = np.abs(found[: len(exact)] - exact).max() / np.abs(exact).max()
        return who, PROBLEM, setting, float(error), seconds(spent)

    yield row(NAME, "rtol=1e-5", partial(linkwork_run, 1e-5))
    yield row(NAME, "rtol=1e-5 (whole call)", partial(linkwork_run, 1e-5, whole=True))
    for setting, rtol in {"rtol=1e-4": 1e-4, "rtol=1e-6": 1e-6}.items():
        yield row(NAME, setting, partial(linkwork_run, rtol))
    exudyn = load("exudyn")
    for setting, step in {} if isinstance(exudyn, str) else STEPS.items():
        yield row(exudyn.NAME, setting, partial(exudyn_run, step))


def main() -> None:
    """Both programs."""
    one_core()
    show(PROBLEM, [(who, *rest) for who, _, *rest in rows()])


if __name__ == "__main__":
    main()
