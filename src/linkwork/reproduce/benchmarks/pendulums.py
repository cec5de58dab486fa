"""IFToMM A01 (pendulum) and A02 (N four-bars in a row), in closed form."""

from __future__ import annotations

import math
from functools import partial

from scipy.special import ellipj, ellipk

from linkwork.library.linkages import n_four_bar
from linkwork.model import Model
from linkwork.reproduce.benchmarks.findings import Finding, timed
from linkwork.reproduce.benchmarks.peers import beside

G = 9.81
UNTIL = 10.0  # s
HARDLY_ANY = 1e-12  # kg m2: inertia of a point mass


def point_pendulum() -> Model:
    """A01: 1 kg on a rod of 1 m without mass, released horizontally."""
    m = Model("A01", gravity=(0.0, 0.0, -G))
    m.body("mass", mass=1.0, inertia=(HARDLY_ANY, HARDLY_ANY, HARDLY_ANY), at=(-1.0, 0.0, 0.0))
    m.revolute("pivot", m.ground, "mass", at=(0, 0, 0), axis="-y")
    return m


def released(t: float) -> float:
    """Angle from the vertical (rad) of a pendulum released at -pi/2: sin(phi / 2) = k sn(w t - K), k^2 = 1/2."""
    sn, _, _, _ = ellipj(math.sqrt(G) * t - ellipk(0.5), 0.5)
    return 2.0 * math.asin(math.sqrt(0.5) * sn)


def upright_row(n: int, t: float) -> float:
    """Crank angle (rad) of A02: psi'' = -c sin psi from the top at 1 rad/s, psi / 2 = pi - am(sqrt(c + 1/4) t + K)."""
    c = G * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    h = c + 0.25
    amplitude = ellipj(math.sqrt(h) * t + ellipk(c / h), c / h)[3]
    return float(2.0 * (math.pi - amplitude) - math.pi / 2)


def findings(quick: bool = False) -> list[Finding]:
    """Angles after 10 s."""
    rtol = 1e-11
    run, seconds = timed(lambda: point_pendulum().simulate(UNTIL, rtol=rtol, formulation="joint", progress=False))
    found = [
        Finding("IFToMM A01, pendulum", "angle at 10 s, rad", float(run["pivot.angle"][-1]) - math.pi / 2,
                released(UNTIL), "Jacobi's elliptic functions", 1e-8, seconds, "joint, rtol 1e-11")
    ]  # fmt: skip
    for n in (1, 40):
        model = n_four_bar(n)
        run, seconds = timed(partial(model.simulate, UNTIL, rtol=1e-10, progress=False))
        angle = float(run["pivot0.angle"][-1]) + math.pi / 2
        found.append(
            Finding(f"IFToMM A02, {n} four-bar{'s' * (n > 1)}", "crank angle at 10 s, rad", angle,
                    upright_row(n, UNTIL), "amplitude of Jacobi", 1e-8, seconds, "auto, rtol 1e-10",
                    note=beside(f"N-four-bar 10 s, N={n}"))
        )  # fmt: skip
    return found
