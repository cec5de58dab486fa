"""Modal coordinates of flexible bodies among the samples of a run, and the energy that is stored in them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.flexible.modal_body import ModalBody
from linkwork.mechanism import Mechanism


def modal_bodies(model_text: str) -> dict[str, ModalBody]:
    """The modal data of every flexible body of a model (JSON), by name."""
    bodies = Mechanism.model_validate_json(model_text).body
    return {body.name: body.modal for body in bodies if body.modal is not None}


def modal_part(q: np.ndarray, names: Sequence[str], body: ModalBody) -> np.ndarray:
    """eta [sample, mode] of a body, from the coordinates and their names."""
    first = list(names).index(f"{body.name}.mode1")
    return q[:, first : first + body.modes]


def stored_energy(body: ModalBody, eta: np.ndarray) -> np.ndarray:
    """1/2 eta K_e eta [sample], J."""
    return 0.5 * np.einsum("ti,ij,tj->t", eta, body.K_e, eta)
