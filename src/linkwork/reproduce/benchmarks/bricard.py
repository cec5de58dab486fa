"""IFToMM A04, Bricard's linkage: six hinges on the edges of a cube, by its closed form.

From the start, where neighbours are perpendicular, hinges turn by a and b in turn, -sin a - sin b + sin a sin b = 0 (in
the trihedral case, Bricard 1897); the poses of the rods follow, and the motion by energy (one_degree.py).
"""

from __future__ import annotations

import cmath

import numpy as np

from linkwork.library import library_model
from linkwork.reproduce.benchmarks.findings import Finding, timed
from linkwork.reproduce.benchmarks.one_degree import Pose, Rigid, motion
from linkwork.reproduce.benchmarks.peers import beside

CORNERS = np.array([(0, 0, 1), (0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1)], float)  # m
WIDTH = 0.05  # m, of the square rods


def about(axis: np.ndarray, angle: complex) -> np.ndarray:
    """Rotation by a complex angle (Rodrigues)."""
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.asarray(np.eye(3) + cmath.sin(angle) * K + (1.0 - cmath.cos(angle)) * (K @ K))


def poses(a: complex) -> list[Pose]:
    """Axes and centres of the five rods, the first hinge turned by a."""
    sine = cmath.sin(a)
    b = cmath.asin(-sine / (1.0 - sine))
    R, joint, found = np.eye(3, dtype=complex), CORNERS[1].astype(complex), []
    for i in range(1, 6):
        before, after = CORNERS[i] - CORNERS[i - 1], CORNERS[(i + 1) % 6] - CORNERS[i]
        R = R @ about(np.cross(before, after), a if i % 2 else b)
        found.append((R, joint + R @ after / 2))
        joint = joint + R @ after
    return found


def rods() -> list[Rigid]:
    """Square rods of 1 m and 1 kg along the edges."""
    found = []
    for i in range(1, 6):
        along = CORNERS[(i + 1) % 6] - CORNERS[i]
        across = (1.0 + WIDTH**2) / 12.0
        found.append(Rigid(1.0, np.diag(across + along**2 * (WIDTH**2 / 6.0 - across))))
    return found


def findings(quick: bool = False) -> list[Finding]:
    """Angle of the first hinge."""
    until = 2.0 if quick else 10.0
    run, seconds = timed(lambda: library_model("bricard").simulate(until, rtol=1e-10, progress=False))
    known, _ = motion(rods(), poses, 0.0, 0.0, until)
    return [
        Finding("IFToMM A04, Bricard", f"first hinge at {until:g} s, rad", float(run["hinge 1.angle"][-1]), known,
                "closed form of the loop, energy by DOP853 (SciPy)", 1e-7, seconds, "auto, rtol 1e-10",
                note=beside("Bricard 10 s"))
    ]  # fmt: skip
