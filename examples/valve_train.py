"""A valve train: a cam with a measured lift (valve_lift.csv), a tappet, a rocker of ratio 1.5, a valve on a spring.

    linkwork run examples/valve_train.py --view

Known without linkwork: the lift in the file is 8 mm sin(pi a / 140 deg)^4, so that the force between cam and tappet is
m a + r (k r x + F0) in closed form, m = m_tappet + r^2 m_valve.  The file has a point every 2.5 deg; between them is a
spline.
"""

from pathlib import Path

import numpy as np

import linkwork as lw

SPEED = 2000.0 * np.pi / 30.0 / 2.0  # rad/s: the cam at half of 2000 turns a minute
TAPPET, VALVE, RATIO = 0.06, 0.09, 1.5  # kg, kg
STIFFNESS, PRELOAD = 28e3, 250.0  # N/m, N

model = lw.Model("valve train", gravity=(0, 0, 0), duration=2.0 * 2.0 * np.pi / SPEED)
model.table("lift", csv=Path(__file__).with_name("valve_lift.csv"), columns=("cam angle", "lift"), outside="repeat")
model.body("cam", lw.cylinder(radius=0.018, length=0.015, mass=0.3, axis="y"), at=(0, 0, 0))
model.body("tappet", lw.cylinder(radius=0.012, length=0.04, mass=TAPPET), at=(0, 0, 0.04))
model.body("valve", lw.cylinder(radius=0.004, length=0.1, mass=VALVE), at=(0.06, 0, 0.04))
model.revolute("camshaft", model.ground, "cam", at=(0, 0, 0), axis="y")
model.prismatic("bore", model.ground, "tappet", at=(0, 0, 0.04), axis="z")
model.prismatic("stem", model.ground, "valve", at=(0.06, 0, 0.04), axis="-z")
model.driver("engine", "camshaft", f"{SPEED}*t")
model.driver("cam contact", "bore", f"table(lift, {SPEED}*t)")
model.coupler("rocker", ["stem", "bore"], [1.0, -RATIO])
model.joint_force("spring", "stem", f"-({STIFFNESS}*q + {PRELOAD})")


def exact_force(t: np.ndarray) -> np.ndarray:
    """Between cam and tappet, N."""
    open_for = np.radians(140.0)
    x = np.mod(SPEED * t, 2.0 * np.pi) / open_for
    s, c = np.sin(np.pi * x), np.cos(np.pi * x)
    lift = np.where(x < 1.0, 8e-3 * s**4, 0.0)
    slope = np.where(x < 1.0, 8e-3 * (12.0 * s**2 * c**2 - 4.0 * s**4), 0.0) * (np.pi / open_for * SPEED) ** 2
    return (TAPPET + RATIO**2 * VALVE) * slope + RATIO * (STIFFNESS * RATIO * lift + PRELOAD)


def known(run: lw.Run) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """What linkwork finds beside what is known: the force between cam and tappet, N."""
    return {"cam force": (run["cam contact.force"], exact_force(run.t))}


if __name__ == "__main__":
    run = model.kinematics(until=model.mechanism.duration, every=1e-4)
    force, exact = known(run)["cam force"]
    ends = [f"{curve.min():.1f} to {curve.max():.1f} N" for curve in (force, exact)]
    print(f"the cam presses with {ends[0]} (known: {ends[1]})")
    run.plot("cam contact.force", "stem.distance", path="valve_train.png")
