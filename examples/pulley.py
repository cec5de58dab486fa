"""Two weights on a rope over a pulley (Atwood's machine); the rope does not slip.

    linkwork run examples/pulley.py --view

Known without linkwork: a = g (m1 - m2) / (m1 + m2 + J / r^2), and the rope pulls with m1 (g - a) on the left.  The rope
ties coordinates (a rack on a pinion): `left rope.force` acts on the weight along its joint, not on the axle.
"""

import numpy as np

import linkwork as lw

M1, M2, R = 3.0, 2.0, 0.15  # kg, kg, m
G = 9.81
wheel = lw.cylinder(radius=R, length=0.04, mass=1.2, axis="y")
A = G * (M1 - M2) / (M1 + M2 + 0.5 * 1.2)  # m/s2: J = m r^2 / 2

model = lw.Model("pulley", gravity=(0, 0, -G), duration=1.5)
model.body("pulley", wheel)
model.body("heavy", lw.box((0.08, 0.08, 0.1), mass=M1), at=(-R, 0, -0.5))
model.body("light", lw.box((0.07, 0.07, 0.08), mass=M2), at=(R, 0, -2.2))
model.revolute("axle", model.ground, "pulley", at=(0, 0, 0), axis="-y")
model.prismatic("left", model.ground, "heavy", at=(-R, 0, -0.5), axis="-z")
model.prismatic("right", model.ground, "light", at=(R, 0, -2.2), axis="z")
model.rack_and_pinion("left rope", "axle", "left", radius=R)
model.rack_and_pinion("right rope", "axle", "right", radius=R)


def known(run: lw.Run) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """What linkwork finds beside what is known: acceleration (m/s2), distance (m), rate of the pulley (rad/s), pull of
    the rope (N).
    """
    return {
        "acceleration": (-run["heavy.acceleration.z"], np.full(len(run.t), A)),
        "fallen": (run["left.distance"], 0.5 * A * run.t**2),
        "rate of the pulley": (run["axle.rate"], A * run.t / R),
        "pull on the left": (-run["left rope.force"], np.full(len(run.t), M1 * (G - A))),
        "pull on the right": (run["right rope.force"], np.full(len(run.t), M2 * (G + A))),
    }


if __name__ == "__main__":
    run = model.simulate()
    print(f"the weights move with {-run['heavy.acceleration.z'][-1]:.6f} m/s2 (known: {A:.6f} m/s2)")
    run.plot("left.distance", "right.distance", "axle.rate", path="pulley.png")
