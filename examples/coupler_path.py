"""A coupler point through 18 points: the path synthesis of Kunjur & Krishnamurty (1997), the crank turning by 20 deg
from each point to the next.

    python examples/coupler_path.py

Known without linkwork: the four-bar that Cabrera, Simon & Prado found by a genetic algorithm (Mechanism and Machine
Theory 37 (2002) 1165) has the sum of squares 0.0337 over these points.
"""

import cmath
import math

import linkwork as lw

POINTS = [
    (0.5, 1.1), (0.4, 1.1), (0.3, 1.1), (0.2, 1.0), (0.1, 0.9), (0.05, 0.75), (0.02, 0.6), (0, 0.5), (0, 0.4),
    (0.03, 0.3), (0.1, 0.25), (0.15, 0.2), (0.2, 0.3), (0.3, 0.4), (0.4, 0.5), (0.5, 0.7), (0.6, 0.9), (0.6, 1.0),
]  # fmt: skip
TIMES = [math.radians(20.0 * k) for k in range(18)]  # s, at 1 rad/s
PUBLISHED = {
    "base": 3.057878, "crank": 0.237803, "coupler": 4.828954, "rocker": 2.056456, "px": 0.767038, "py": 1.850828,
    "tilt": 1.002168, "phase": 0.226186, "x0": 1.776808, "y0": -0.641991,
}  # fmt: skip
LENGTHS = ("base", "crank", "coupler", "rocker")
BOUNDS = {name: (0.1, v, 6.0) if name in LENGTHS else (-7.0, v, 7.0) for name, v in PUBLISHED.items()}


def four_bar(
    base: float = 2.0, crank: float = 1.0, coupler: float = 2.5, rocker: float = 2.5, px: float = 5.0, py: float = 0.0,
    tilt: float = 0.0, phase: float = 0.0, x0: float = 0.0, y0: float = 0.0, branch: float = 1.0,
) -> lw.Model:  # fmt: skip
    """Crank driven at 1 rad/s from `phase`; the frame of the coupler is at its point (px along it, py across; m)."""
    A, D = crank * cmath.exp(1j * phase), complex(base)
    d = abs(D - A)
    cosine = (coupler**2 + d**2 - rocker**2) / (2.0 * coupler * d)
    if not -1.0 < cosine < 1.0:
        raise lw.ModelError("the four-bar cannot be closed; take other lengths")
    along = cmath.exp(1j * (cmath.phase(D - A) + branch * math.acos(cosine)))
    places = (0j, A, A + coupler * along, D, A + complex(px, py) * along)
    O, A, B, D, P = (complex(x0, y0) + cmath.exp(1j * tilt) * p for p in places)
    m = lw.Model("four-bar", plane="xy", gravity=(0, 0, 0))
    m.link("crank", xyz(O), xyz(A), mass=1.0)
    m.body("coupler", mass=1.0, inertia=(1.0, 1.0, 1.0), at=xyz(P))
    m.link("rocker", xyz(D), xyz(B), mass=1.0)
    m.revolute("O", m.ground, "crank", at=xyz(O), axis="z")
    m.revolute("A", "crank", "coupler", at=xyz(A), axis="z")
    m.revolute("B", "coupler", "rocker", at=xyz(B), axis="z")
    m.revolute("D", m.ground, "rocker", at=xyz(D), axis="z")
    m.driver("motor", "O", motion="t")
    return m


def xyz(p: complex) -> tuple[float, float, float]:
    """A point of the plane."""
    return (p.real, p.imag, 0.0)


def distances() -> list[str]:
    """By how much the coupler point misses each point, along x and y."""
    return [
        f"at(coupler.position.{axis}, {t!r}) - {float(point[k])!r}"
        for t, point in zip(TIMES, POINTS, strict=True) for k, axis in enumerate("xy")
    ]  # fmt: skip


def best(iterations: int = 200) -> lw.Optimum:
    """The best four-bar near the published one."""
    return lw.optimize(
        four_bar, BOUNDS, distances(), analysis="kinematics", times=TIMES, iterations=iterations, progress=False
    )


if __name__ == "__main__":
    print(best(60))
