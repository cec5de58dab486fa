"""Elementary motions, of which joints are made, and their tables; kernels read these."""

from __future__ import annotations

import numpy as np

ROTATE = 0  # about an axis of the present frame: one angle, rad
SLIDE = 1  # along an axis of the present frame: one length, m
BALL = 2  # free rotation: four Euler parameters; three velocities, rad/s in the axes of F
BALL_REST = 3  # second and third velocity of a ball
HELIX = 4  # rotation about z with a slide along it, pitch m/rad: one angle, rad
MODE = 5  # of a flexible body: one modal coordinate

DOF = np.dtype(
    [
        ("kind", np.int32),  # ROTATE, SLIDE, BALL, BALL_REST, HELIX, MODE
        ("axis", np.int32),  # 0, 1, 2 of the present frame
        ("body", np.int32),
        ("parent", np.int32),  # the motion before it on the path to the root, or -1
        ("depth", np.int32),  # how many motions before it
        ("q", np.int32),  # its coordinate (the first of four for a ball)
        ("row", np.int32),  # start of its row in the packed M
        ("pitch", np.float64),  # m/rad, of a helix
    ],
    align=True,
)

# How a motion moves what hangs on it: a motion's own axis, or that of a mode at one node of a flexible body.
AXIS = np.dtype(
    [
        ("depth", np.int32),  # how many motions before it
        ("before", np.int32),  # the axis before it on the path to the root, or -1
        ("dof", np.int32),  # the motion
    ],
    align=True,
)
