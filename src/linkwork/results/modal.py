"""Modal coordinates of flexible bodies among the samples of a run, and the energy that is stored in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from linkwork.flexible.modal_body import ModalBody
from linkwork.mechanism import Mechanism

SMALL = 0.1  # of its size: how far a body may bend; the tip of a cantilever is then foreshortened by 0.6 %


def modal_bodies(mechanism: Mechanism) -> dict[str, ModalBody]:
    """The modal data of every flexible body of a mechanism, by name."""
    return {body.name: body.modal for body in mechanism.body if body.modal is not None}


def modal_part(q: np.ndarray, names: Sequence[str], body: ModalBody) -> np.ndarray:
    """eta [sample, mode] of a body, from the coordinates and their names."""
    first = list(names).index(f"{body.name}.mode1")
    return q[:, first : first + body.modes]


def displacements(body: ModalBody, eta: np.ndarray) -> np.ndarray:
    """S eta - 1/2 eta N eta [sample, node, 3], m, body axes; N: foreshortening, with `stiffening`."""
    moved: np.ndarray = np.einsum("nkj,tj->tnk", body.nodes.S, eta)
    if body.stiffening is not None:
        moved = moved - 0.5 * np.einsum("ti,nkij,tj->tnk", eta, body.stiffening.node_force, eta)
    return moved


def displacement_rates(body: ModalBody, eta: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """(S - eta N) eta' [sample, node, 3], m/s, body axes."""
    moved: np.ndarray = np.einsum("nkj,tj->tnk", body.nodes.S, rates)
    if body.stiffening is not None:
        moved = moved - np.einsum("ti,nkij,tj->tnk", eta, body.stiffening.node_force, rates)
    return moved


def bent_too_far(bodies: Iterable[ModalBody], q: np.ndarray, names: Sequence[str]) -> list[str]:
    """A warning for each body that bends by more than a fraction of its size at some sample."""
    found = []
    for body in bodies:
        size = float(np.linalg.norm(np.ptp(body.nodes.x, axis=0)))
        most = float(np.linalg.norm(displacements(body, modal_part(q, names, body)), axis=2).max(initial=0.0))
        if most > SMALL * size > 0.0:
            stiffer = "" if body.stiffening is not None else "give it stiffening = true if it spins, "
            found.append(
                f"body '{body.name}' bends by {most:.3g} m, {most / size:.0%} of its size: modes are for small "
                f"deflections, below {SMALL:.0%}; {stiffer}split it into flexible bodies, or use a `lumped_beam`"
            )
    return found


def stored_energy(body: ModalBody, eta: np.ndarray) -> np.ndarray:
    """1/2 eta K_e eta [sample], J."""
    energy: np.ndarray = 0.5 * np.einsum("ti,ij,tj->t", eta, body.K_e, eta)
    return energy
