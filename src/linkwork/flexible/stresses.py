"""Stress recovery for beams: internal forces along the length and the normal stress at the fibres of the sections.

The stress of the modal solution: the share of modes that were left out is missing, so more modes are needed for
stresses than for motion.  sigma = N / A + My z / Iy - Mz y / Iz.
"""

from __future__ import annotations

import numpy as np

from linkwork.errors import ModelError
from linkwork.flexible.finite_elements.finite_model import SectionRows
from linkwork.flexible.modal_body import ModalBody


def internal_forces(body: ModalBody, eta: np.ndarray) -> np.ndarray:
    """(.., s, 6): N, Vy, Vz (N), T, My, Mz (N m) at the nodes along a beam, for modal coordinates (.., m).

    They are what the part at larger x exerts on the section, body axes; tension is positive.
    """
    forces: np.ndarray = np.einsum("sfm,...m->...sf", _sections(body).rows, eta)
    return forces


def normal_stress(body: ModalBody, eta: np.ndarray) -> np.ndarray:
    """(.., s, f): normal stress (Pa, tension positive) at the fibres of each section along a beam."""
    s = _sections(body)
    N, _, _, _, My, Mz = np.moveaxis(internal_forces(body, eta), -1, 0)
    y, z = s.fibres[..., 0], s.fibres[..., 1]
    stress: np.ndarray = (N / s.A)[..., None] + (My / s.Iy)[..., None] * z - (Mz / s.Iz)[..., None] * y
    return stress


def _sections(body: ModalBody) -> SectionRows:
    if body.sections is None:
        raise ModelError(
            f"flexible body '{body.name}' is not a beam of built-in elements: no stress recovery", element=body.name
        )
    return body.sections
