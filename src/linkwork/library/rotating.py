"""Rotating machines: what vibrates while it turns at a constant speed."""

from __future__ import annotations

import math

from linkwork.errors import OptionError
from linkwork.library.entries import Filed
from linkwork.library.units import Number
from linkwork.model import Model

GOVERNOR_SPEED = 11.0174  # rad/s, of P4's tables


def governor() -> Model:
    """P4's governor, governor.toml."""
    return Filed("governor").build()


# P4 section 4.2: a uniform beam of 1 m, 100 kg/m3, 0.01 m2, 20 GPa, 1e-5 m4.
LENGTH, DENSITY, AREA, YOUNG, SECOND_MOMENT = 1.0, 100.0, 0.01, 20e9, 1e-5
UNIT_SPEED = math.sqrt(YOUNG * SECOND_MOMENT / (DENSITY * AREA * LENGTH**4))  # rad/s: what 1 without dimension is
NO_ROTARY_INERTIA = 1e-2  # radius of gyration of a lumped mass, of the element's length: the paper has none


def rotating_cantilever(masses: Number = 30, axial: Number = 1.0, flap: Number = 0) -> Model:
    """P4's rotating cantilever: lumped masses joined by beam elements, clamped in a hub that turns with `spindle`.

    Bending in the plane of rotation (chordwise), or with flap = 1 out of it.  Each mass stands for one element's length
    of the beam, that at the tip for half of it.  A beam element is the linear 12 x 12 stiffness between two frames, of
    which one plane is needed here (ADAMS BEAM): displacements x, y and rotation of a mass, seen from the frame of the
    one before it, and the forces EA/h x, 12 EI/h^3 y - 6 EI/h^2 angle, 4 EI/h angle - 6 EI/h^2 y against them.  `axial`
    multiplies EA: the paper's table needs an axially stiff beam; the printed EA stretches 3.5 % at speed 10.

    `Model.beam` would not do: it sees both ends from axes half-way between them, and gives 5.047 and 32.067 at speed 10
    (axially stiff), nearer to the exact 5.049 and 32.120 than the 5.02 and 31.96 that the paper prints.
    """
    count = int(masses)
    if not 1 <= count <= 1000 or count != masses:
        raise OptionError(f"masses is {masses:g}; give a whole number from 1 to 1000", element="masses")
    m = Model("rotating-cantilever", gravity=(0.0, 0.0, 0.0), duration=0.1)
    h = LENGTH / count
    lump, bending = DENSITY * AREA * h, YOUNG * SECOND_MOMENT
    m.body("hub", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.revolute("spindle", m.ground, "hub", at=(0, 0, 0), axis="z")
    before = "hub"
    for i in range(1, count + 1):
        mass = lump if i < count else 0.5 * lump
        small = mass * (NO_ROTARY_INERTIA * h) ** 2
        beam = f"beam {i}"
        piece = {"kind": "box", "size": (0.9 * h, math.sqrt(AREA), math.sqrt(AREA))}
        m.body(f"mass {i}", mass=mass, inertia=(small, small, small), at=(i * h, 0, 0), pictures=(piece,))
        m.planar(beam, before, f"mass {i}", at=(i * h, 0, 0), axis="y" if flap else "z")
        m.joint_force(f"tension {i}", beam, f"{-axial * YOUNG * AREA / h!r}*q", "x")
        m.joint_force(
            f"shear {i}", beam, f"{-12 * bending / h**3!r}*q + {6 * bending / h**2!r}*coordinate('{beam}', angle)", "y"
        )
        m.joint_force(
            f"moment {i}", beam, f"{-4 * bending / h!r}*q + {6 * bending / h**2!r}*coordinate('{beam}', y)", "angle"
        )
        before = f"mass {i}"
    return m
