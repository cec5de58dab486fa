"""A frame M on body B seen from a frame F on body A: axes, the angle about z, and rests of second derivatives.

A number x between the frames has x_ddot = f . (a_M - a_A) + n . (alpha_B - alpha_A) + rest, with (f, n) as in its rate
and a, alpha the rates of the twists (elements/signals/frame_pairs.py); the rests below follow from (f, n)_dot and from
the twists' being about points fixed in the world.  Constraint rows and numbers between frames share them.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.numerics.rotations import angle_near
from linkwork.numerics.vectors import add, cross, dot, rotate


@part
def frame_axis(R, body, R_frame, k):
    """World direction of axis k of a frame fixed on a body."""
    return rotate(R, body, (R_frame[0, k], R_frame[1, k], R_frame[2, k]))


@part
def angle_about_z(R, pair, heading):
    """Rotation of M against F about z_F, rad, on the turn nearest to `heading`."""
    x_M = frame_axis(R, pair.body_b, pair.R_BM, 0)
    sine = dot(frame_axis(R, pair.body_a, pair.R_AF, 1), x_M)
    cosine = dot(frame_axis(R, pair.body_a, pair.R_AF, 0), x_M)
    return angle_near(sine, cosine, heading)


@part
def rest_of_point(x_F, v_M, relative, w_A, w_AB):
    """Of x_F . (p_M - p_F); `relative`: velocity of M's origin against the point of A that is there."""
    return dot(cross(w_A, x_F), relative) + dot(cross(v_M, x_F), w_AB)


@part
def rest_of_cosine(x_F, x_M, w_A, w_B, w_AB):
    """Of x_F . x_M."""
    return dot(add(cross(cross(w_B, x_M), x_F), cross(x_M, cross(w_A, x_F))), w_AB)


@part
def rest_of_angle(z_F, w_A, w_AB):
    """Of the rotation about z_F."""
    return dot(cross(w_A, z_F), w_AB)
