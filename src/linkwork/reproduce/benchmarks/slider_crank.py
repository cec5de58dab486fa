"""The spatial rigid slider-crank of IFToMM (Haug 1989, section 12.2), by energy in the crank angle alone.

Crank 0.08 m about x at (0, 0.1, 0.12) m, balanced; rod 0.3 m on a ball at the crank and a universal joint at the
slider, whose cross is along x of the slider and across the rod; gravity along -z; the crank starts upright at 6 rad/s.
"""

from __future__ import annotations

import cmath
import math

import numpy as np

from linkwork.model import Model
from linkwork.numerics.rotations import euler_parameters
from linkwork.reproduce.benchmarks.findings import Finding, timed
from linkwork.reproduce.benchmarks.one_degree import Pose, Rigid, motion

PROBLEM = "IFToMM, spatial slider-crank"
PIVOT, CRANK, ROD, SPEED = np.array([0.0, 0.1, 0.12]), 0.08, 0.3, 6.0  # m, m, m, rad/s
X = np.array([1.0, 0.0, 0.0])
BODIES = [Rigid(0.12, np.diag([1e-4, 1e-5, 1e-4])), Rigid(0.5, np.diag([4e-4, 4e-3, 4e-3])),
          Rigid(2.0, 1e-4 * np.eye(3))]  # crank, rod, slider  # fmt: skip


def poses(theta: complex) -> list[Pose]:
    """Crank, rod (x along it, towards the slider; y across it and x) and slider; theta from the upright, about x."""
    c, s = cmath.cos(theta), cmath.sin(theta)
    turned = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    pin = PIVOT + CRANK * np.array([0.0, -s, c])
    slider = np.array([cmath.sqrt(ROD**2 - pin[1] ** 2 - pin[2] ** 2), 0.0, 0.0])
    along = (slider - pin) / ROD
    across = np.cross(along, X)
    across = across / cmath.sqrt(across @ across)
    R = np.column_stack([along, across, np.cross(along, across)])
    return [(turned, PIVOT.astype(complex)), (R, (pin + slider) / 2), (np.eye(3, dtype=complex), slider)]


def slider_crank() -> Model:
    """The mechanism, assembled and moving."""
    m = Model("spatial slider-crank", gravity=(0.0, 0.0, -9.81))
    (_, at), (R, middle), (_, slider) = ((R.real, p.real) for R, p in poses(0.0))
    crank, rod, block = BODIES
    m.body("crank", mass=crank.mass, inertia=crank.inertia, at=at, angular_velocity=(SPEED, 0, 0))
    m.body("rod", mass=rod.mass, inertia=rod.inertia, at=middle, orientation=euler_parameters(R))
    m.body("slider", mass=block.mass, inertia=block.inertia, at=slider)
    m.revolute("shaft", m.ground, "crank", at=PIVOT, axis="x", rate=SPEED)
    m.spherical("pin", "crank", "rod", at=PIVOT + CRANK * np.array([0.0, 0.0, 1.0]))
    m.universal("wrist", "slider", "rod", at=slider, axis="x", second_axis=R[:, 1])
    m.prismatic("guide", m.ground, "slider", at=slider, axis="x")
    return m


def findings(quick: bool = False) -> list[Finding]:
    """Crank angle and slider."""
    until = 1.0 if quick else 5.0  # s
    run, seconds = timed(lambda: slider_crank().simulate(until, rtol=1e-11, progress=False))
    theta, _ = motion(BODIES, poses, 0.0, SPEED, until)
    source, slider = "energy in the crank angle by DOP853 (SciPy)", float(poses(theta)[2][1][0].real)
    return [
        Finding(PROBLEM, f"crank angle at {until:g} s, rad", float(run["shaft.angle"][-1]), theta, source, 1e-8,
                seconds, "auto, rtol 1e-11", scale=2 * math.pi),
        Finding(PROBLEM, f"slider at {until:g} s, m", float(run["slider.position.x"][-1]), slider, source, 1e-8,
                seconds, "auto, rtol 1e-11"),
    ]  # fmt: skip
