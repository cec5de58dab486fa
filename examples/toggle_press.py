"""A toggle press: a force on the knee of two links moves a ram; near the stretched position it multiplies the force.

    linkwork run examples/toggle_press.py --view

Known without linkwork: with both links of one length at the angle a to the vertical, virtual work gives the force on
the ram, F = P / (2 tan a) for a force P on the knee.
"""

import numpy as np

import linkwork as lw

LINK, PUSH = 0.3, 1000.0  # m, N
ANGLE = np.radians(20.0)  # of the links at the start

knee = (LINK * np.sin(ANGLE), 0.0, -LINK * np.cos(ANGLE))
foot = (0.0, 0.0, -2.0 * LINK * np.cos(ANGLE))

model = lw.Model("toggle press", gravity=(0, 0, 0), plane="xz", duration=200.0)
model.link("upper link", (0, 0, 0), knee, mass=2.0)
model.link("lower link", knee, foot, mass=2.0)
model.body("ram", lw.box((0.12, 0.12, 0.1), mass=5.0), at=foot)
model.revolute("top", model.ground, "upper link", at=(0, 0, 0), axis="y")
model.revolute("knee", "upper link", "lower link", at=knee, axis="y")
model.revolute("foot", "lower link", "ram", at=foot, axis="y")
model.prismatic("guide", model.ground, "ram", at=foot, axis="-z")
model.frame("knee pin", "upper link", at=(LINK / 2, 0, 0))
model.applied_force("push", "upper link", force=(-PUSH, 0, 0), at=(LINK / 2, 0, 0))
model.driver("work", "guide", f"{0.9 * 2 * LINK * (1 - np.cos(ANGLE))}*t/200")  # slow: what inertia adds is 1e-9 of it
model.measure("angle", f"asin('knee pin.position.x'/{LINK})", unit="rad")


def known(run: lw.Run) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """What linkwork finds beside what is known: the force that holds the ram back, N."""
    return {"ram force": (-run["work.force"], PUSH / (2.0 * np.tan(run["angle"])))}


if __name__ == "__main__":
    run = model.kinematics(until=200.0, every=1.0)
    found, exact = known(run)["ram force"]
    print(f"the ram presses with {found[0]:.1f} N at first and {found[-1]:.1f} N at last (known: {exact[-1]:.1f} N)")
    run.plot("work.force", "angle", path="toggle_press.png")
