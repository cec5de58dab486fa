"""Displacements of a ball are no coordinates: its three rotations are axes that stand in the frame before it.

For a small displacement xi of a motion v that varies by dv, with w the angular velocity of the ball, theory (4.13):

    xi' = dv + w x xi        of a ball;        xi' = dv        of a slide or a rotation about one axis
"""

from __future__ import annotations

import numpy as np

from linkwork.elements.joints.motions import BALL


def turned_along(dofs: np.ndarray, v: np.ndarray, xi: np.ndarray) -> np.ndarray:
    """w x xi of every ball, 0 elsewhere, for displacements xi [motion, direction]."""
    turned = np.zeros_like(xi)
    for j in np.flatnonzero(dofs["kind"] == BALL):
        turned[j : j + 3] = np.cross(v[j : j + 3], xi[j : j + 3], axis=0)
    return turned
