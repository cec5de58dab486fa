"""A blade that turns with its hub: its flapping stiffens with the speed.

    linkwork modes examples/rotating_blade.py --sweep spin=0:6:7

Known without linkwork: frequencies of a beam with L = 1 m, 1 kg/m, EI = 1 N m2, clamped in a hub without radius, from
Wright, Smith, Thresher and Wang (1982): 3.5160 rad/s at rest, 7.3604 rad/s where the hub turns at 6 rad/s.
"""

import numpy as np

import linkwork as lw

KNOWN = np.array([3.5160, 3.6816, 4.1373, 4.7973, 5.5850, 6.4495, 7.3604])  # rad/s
THIN = 1e-6  # m4 / m2: rotary inertia and stretching do not count

model = lw.Model("rotating blade", gravity=(0, 0, 0))
model.body("hub", lw.sphere(radius=0.1, mass=1.0))
model.revolute("spin", model.ground, "hub", at=(0, 0, 0), axis="z")
model.body("blade", flexible=lw.beam(
    length=1.0, area=1.0, Iy=THIN, Iz=THIN, J=THIN, modulus=1.0 / THIN, density=1.0, elements=12, plane="xz",
    rotary_inertia=False, modes=6, supports={"1": "clamped"}, stiffening=True,
))  # fmt: skip
model.fixed("root", "hub", "blade", at=(0, 0, 0))


def first_flap() -> np.ndarray:
    """Frequencies (rad/s) of the first mode at 0, 1 ... 6 rad/s."""
    return np.array([model.linearize({"spin": float(speed)}).modes().omega.min() for speed in range(len(KNOWN))])


if __name__ == "__main__":
    for speed, (found, exact) in enumerate(zip(first_flap(), KNOWN, strict=True)):
        print(f"{speed} rad/s: first flap {found:.4f} rad/s (Wright et al.: {exact:.4f})")
