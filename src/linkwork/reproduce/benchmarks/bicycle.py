"""Whipple's bicycle: canonical matrices, eigenvalues, weave and capsize speed (Meijaard et al. 2007, 5.4, Table 2)."""

from __future__ import annotations

import numpy as np

from linkwork.library.bicycle import REAR, bicycle
from linkwork.reproduce.benchmarks.findings import Finding, timed

PROBLEM = "Whipple bicycle"
SOURCE = "Meijaard, Papadopoulos, Ruina & Schwab, Proc. R. Soc. A 463 (2007)"
G = 9.81
M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
C1 = np.array([[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0.0, 76.59734589573222], [0.0, 2.65431523794604]])
EIGENVALUES = {  # speed, m/s: 1/s
    0.0: (-3.13164324790656, 3.13164324790656, -5.53094371765393, 5.53094371765393),
    5.0: (-0.77534188219585 + 4.46486771378823j, -0.32286642900409, -14.07838969279822),
    10.0: (-3.72016840437287 + 10.90681139476287j, 0.16105338653172, -24.62459635017404),
}
WEAVE, CAPSIZE = 4.29238253634111, 6.02426201538837  # m/s
DIGITS, HOW = 1e-12, "joint, rolling discs"


def findings(quick: bool = False) -> list[Finding]:
    """Matrices and eigenvalues at 5 m/s, and the two speeds by a sweep."""
    model, speed = bicycle(), 5.0
    linear, seconds = timed(lambda: model.linearize({"rear hub": speed / REAR}))
    matrices = {
        "M": (linear.M, M), "v C1": (linear.C, speed * C1), "g K0 + v2 K2": (linear.K, G * K0 + speed**2 * K2),
    }  # fmt: skip
    found = []
    for name, (ours, known) in matrices.items():
        place = np.unravel_index(np.argmax(np.abs(ours - known)), known.shape)
        entry = f"{name} at 5 m/s, entry {place[0] + 1}{place[1] + 1}, where it differs most, SI"
        size = float(np.abs(known).max())
        found.append(
            Finding(PROBLEM, entry, float(ours[place]), float(known[place]), SOURCE, DIGITS, seconds, HOW, scale=size)
        )
    eigenvalues = linear.modes().eigenvalues
    for name, root in zip(("weave", "capsize", "castering"), EIGENVALUES[speed], strict=True):
        nearest = complex(eigenvalues[np.argmin(np.abs(eigenvalues - root))])
        for part in ("real", "imag") if root.imag else ("real",):
            values = float(getattr(nearest, part)), float(getattr(root, part))
            what = f"{name} eigenvalue at 5 m/s, {part}, 1/s"
            found.append(Finding(PROBLEM, what, *values, SOURCE, DIGITS, seconds, HOW, scale=abs(root)))
    sweep, seconds = timed(lambda: model.sweep("rear hub", np.linspace(1.0, 10.0, 8) / REAR, progress=False))
    for name, limit, at in zip(("weave", "capsize"), sweep.limits, (WEAVE, CAPSIZE), strict=True):
        found.append(Finding(PROBLEM, f"{name} speed, m/s", limit.value * REAR, at, SOURCE, DIGITS, seconds, HOW))
    return found
