"""Simeon's flexible slider-crank, problem 'crank' of the Test Set for IVP Solvers: data as arrays, reference solution.

Source: B. Simeon, Modelling a flexible slider crank mechanism by a mixed system of DAEs and PDEs, Math. Modelling of
Systems 2 (1996) 1-18; Test Set for IVP Solvers (Bari), problem `crank`, whose constants and digits are repeated here.
Plane, no gravity, crank driven at 150 rad/s, linear stiffness, no damping.

The rod: x along its chord.  q1, q2: deflection sin(k pi x / L); q3, q4: stretch at the middle and at the end, quadratic
between.  **Its own**: the modal mass of the stretch is rho A L [[8, 1], [1, 2]], fifteen times the integral of these
shapes (8/15, 1/15, 2/15), and pi has eight digits; the reference solution contains both.
"""

from __future__ import annotations

import numpy as np

from linkwork.flexible.modal_body import ModalBody, NodeTable, from_moments
from linkwork.flexible.shape_integrals import Moments
from linkwork.model import Model
from linkwork.reproduce.benchmarks.findings import Finding, timed

PI = 3.1415927
CRANK_LENGTH, CRANK_MASS, CRANK_INERTIA = 0.15, 0.36, 0.002727  # m, kg, kg m2 about its bearing
ROD_LENGTH, ROD_MASS, ROD_INERTIA = 0.30, 0.151104, 0.0045339259  # m, kg, kg m2 about the crank pin
SLIDER_MASS = 0.075552  # kg
MODULUS, DENSITY, WIDTH, HEIGHT = 0.2e12, 7870.0, 0.008, 0.008  # Pa, kg/m3, m, m
SPEED = 150.0  # rad/s
END = 0.1  # s

# phi1, phi2 (rad), x3 (m), q1 .. q4 (m); then their rates: "close to smooth motion"
START = np.array([0.0, 0.0, 0.450016933, 0.0, 0.0, 0.103339863e-4, 0.169327969e-4])
START_RATES = np.array(
    [150.0, -74.9957670, -0.268938672e-5, 0.444896105, 0.463434311e-2, -0.178591076e-5, -0.268938672e-5]
)
RIGID_START = np.array([0.0, 0.0, 0.45, 0.0, 0.0, 0.0, 0.0])  # the other start: the rod not deformed
RIGID_RATES = np.array([150.0, -75.0, 0.0, 0.0, 0.0, 0.0, 0.0])
RIGID_ACCELERATIONS = np.array([0.0, 0.0, -3.789473684210526e3, 0.0, 0.0, 1.924342105263158e2, 1.273026315789474e3])
REFERENCE = np.array(
    [
        15.0, -3.311734987910881e-01, 1.697373326718410e-01, 1.893192460247178e-04, 2.375751865617931e-05,
        -5.323907988763734e-06, -8.363283141616840e-06,
    ]
)  # fmt: skip
REFERENCE_RATES = np.array(
    [
        150.0, 6.025346682645789e01, -8.753116989887888e00, -3.005536801092212e-02, -5.500488291932075e-03,
        4.978243404809343e-04, 1.104933470696396e-03,
    ]
)  # fmt: skip
REFERENCE_ACCELERATIONS = np.array(
    [
        0.0, 6.488722210234531e03, 2.167924253080623e03, 3.391435115267547e01, 1.699107480197843e-01,
        -1.415799354959001e00, 9.903251655235532e-01,
    ]
)  # fmt: skip


def rod() -> ModalBody:
    """The connecting rod in the plane xy, frame at the crank pin, chord along x; nodes "crank", "slider"."""
    L, A = ROD_LENGTH, WIDTH * HEIGHT
    mass, stiff = DENSITY * A * L, MODULUS * A / L
    M, K = np.zeros((4, 4)), np.zeros((4, 4))
    M[:2, :2] = np.diag([0.5, 0.5])
    M[2:, 2:] = [[8.0, 1.0], [1.0, 2.0]]
    K[:2, :2] = PI**4 * (HEIGHT / L) ** 2 * np.diag([1 / 24, 2 / 3])
    K[2:, 2:] = np.array([[16.0, -8.0], [-8.0, 7.0]]) / 3
    # int S_y S_x of deflection (rows) and stretch (columns)
    mixed = mass * np.array([[16 / PI**3, 1 / PI - 8 / PI**3], [0.0, -0.5 / PI]])
    C_t, P1, P2 = np.zeros((3, 4)), np.zeros((4, 3, 3)), np.zeros((4, 4, 3, 3))
    C_t[0, 2:] = mass * np.array([2 / 3, 1 / 6])
    C_t[1, 0] = mass * 2 / PI
    P1[2:, 0, 0] = mass * L * np.array([1 / 3, 1 / 6])
    P1[:2, 0, 1] = mass * L * np.array([1 / PI, -0.5 / PI])
    P2[2:, 2:, 0, 0], P2[:2, :2, 1, 1] = mass * M[2:, 2:], mass * M[:2, :2]
    P2[:2, 2:, 1, 0], P2[2:, :2, 0, 1] = mixed, mixed.T
    S, Theta = np.zeros((2, 3, 4)), np.zeros((2, 3, 4))
    S[1, 0, 3] = 1.0
    Theta[:, 2, :2] = PI / L * np.array([[1.0, 2.0], [-1.0, 2.0]])
    nodes = NodeTable(("crank", "slider"), np.array([[0.0, 0, 0], [L, 0, 0]]), S, Theta)
    of = Moments(ROD_MASS, np.array([ROD_MASS * L / 2, 0, 0]), np.diag([ROD_INERTIA, 0.0, 0.0]), C_t, P1, P2)
    return from_moments("rod", of, stiff * K, nodes)


def simeons_crank(start: np.ndarray = START, rates: np.ndarray = START_RATES) -> Model:
    """Crank, rod and slider from one of the two starts of the test set."""
    m = Model("crank", gravity=(0, 0, 0), plane="xy")
    a = CRANK_LENGTH
    m.body("crank", mass=CRANK_MASS, inertia=(2e-3, 2e-3, CRANK_INERTIA))
    m.body("rod", flexible=rod(), at=(a, 0, 0), modal_start=start[3:].tolist(), modal_rates=rates[3:].tolist())
    m.body("slider", mass=SLIDER_MASS, inertia=(1e-4, 1e-4, 1e-4), at=(start[2], 0, 0))
    m.frame("pin", "crank", at=(a, 0, 0))
    m.frame("big end", "rod", node="crank")
    m.frame("small end", "rod", node="slider")
    m.frame("wrist", "slider")
    m.revolute("main bearing", m.ground, "crank", at=(0, 0, 0), axis="z")
    m.revolute("crank pin", "crank", "rod", frames=("pin", "big end"))
    m.revolute("wrist pin", "rod", "slider", frames=("small end", "wrist"))
    m.prismatic("guide", m.ground, "slider", at=(start[2], 0, 0), axis="x")
    m.driver("motor", "main bearing", f"{SPEED}*t")
    return m


def findings(quick: bool = False) -> list[Finding]:
    """The published solution at 0.1 s from the smooth start; the published accelerations at the rigid one."""
    problem, source = "IVP Test Set, flexible crank", "Test Set for IVP Solvers"
    run, seconds = timed(lambda: simeons_crank().simulate(END, rtol=1e-8, progress=False))
    found = [
        Finding(f"{problem}, smooth start", "slider at 0.1 s, m", float(run["slider.position.x"][-1]), REFERENCE[2],
                source, 1e-8, seconds, "auto, rtol 1e-8"),
        *(Finding(f"{problem}, smooth start", f"mode {k} of the rod at 0.1 s, m", float(run[f"rod.mode{k}"][-1]),
                  REFERENCE[2 + k], source, 1e-4, seconds, "auto, rtol 1e-8") for k in (1, 2, 3, 4)),
    ]  # fmt: skip
    rigid = simeons_crank(RIGID_START, RIGID_RATES)
    run, seconds = timed(lambda: rigid.simulate(1e-6, formulation="joint", progress=False))
    for k in (3, 4):
        ours = float(run[f"rod.mode{k}_rate.dot"][0])
        found.append(
            Finding(f"{problem}, rigid start", f"acceleration of mode {k} at the start, m/s2", ours,
                    RIGID_ACCELERATIONS[2 + k], source, 1e-12, seconds, "joint",
                    note="Of the motion from this start no digits are published")
        )  # fmt: skip
    return found
