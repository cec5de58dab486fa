"""Flexible bodies at the samples of a run: modal coordinates, deformed nodes, internal forces, stresses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.errors import OptionError, nearest
from linkwork.flexible.modal_body import ModalBody
from linkwork.numerics.rotations import rotation_entries
from linkwork.results.modal import displacements, modal_bodies, modal_part
from linkwork.results.result import Result


@dataclass(frozen=True)
class BeamLoads:
    """Internal forces and normal stress along a beam at the samples of a run."""

    body: str
    t: np.ndarray  # s
    x: np.ndarray  # [station] m, along the beam, body frame
    forces: np.ndarray  # [sample, station, 6] N, Vy, Vz (N), T, My, Mz (N m), on the section from larger x
    stress: np.ndarray  # [sample, station, fibre] Pa, tension positive

    @property
    def peak_stress(self) -> np.ndarray:
        """Largest |normal stress| at each sample, Pa."""
        largest: np.ndarray = np.abs(self.stress).max(axis=(1, 2), initial=0.0)
        return largest


def flexible_bodies(result: Result) -> dict[str, ModalBody]:
    """The modal data of every flexible body, by name."""
    return modal_bodies(result.mechanism)


def modal_body(result: Result, name: str) -> ModalBody:
    """The modal data of one."""
    found = flexible_bodies(result)
    if name not in found:
        raise OptionError(f"'{result.model}' has no flexible body '{name}'; {nearest(name, found)}", element=name)
    return found[name]


def modal_coordinates(result: Result, body: ModalBody) -> np.ndarray:
    """eta [sample, mode]."""
    return modal_part(result.q, result.names["q"], body)


def modal_rates(result: Result, body: ModalBody) -> np.ndarray:
    """eta' [sample, mode]."""
    first = list(result.names["v"]).index(f"{body.name}.mode1_rate")
    return result.v[:, first : first + body.modes]


def deflections(result: Result, name: str) -> np.ndarray:
    """Displacement of every node against the body frame [sample, node, 3], m, body axes (P1 Fig. 17)."""
    body = modal_body(result, name)
    return displacements(body, modal_coordinates(result, body))


def node_positions(result: Result, name: str) -> np.ndarray:
    """Every node of the deformed body in the world [sample, node, 3], m."""
    nodes = modal_body(result, name).nodes
    at = nodes.x + deflections(result, name)
    origin = result.moved(name).position[:, None]
    positions: np.ndarray = origin + np.einsum("tab,tnb->tna", body_axes(result, name), at)
    return positions


def body_axes(result: Result, name: str) -> np.ndarray:
    """Axes of a body in the world [sample, 3, 3]."""
    e = result.moved(name).orientation
    return np.stack(rotation_entries.py_func(*e.T), axis=-1).reshape(-1, 3, 3)


def node_rotations(result: Result, name: str) -> np.ndarray:
    """Rotation of every node against the body frame [sample, node, 3, 3]: Cayley's rotation of Theta eta / 2."""
    body = modal_body(result, name)
    g = 0.5 * np.einsum("nkj,tj->tnk", body.nodes.Theta, modal_coordinates(result, body))
    tilde = np.cross(g[..., None, :], -np.eye(3))  # tilde(g) b = g x b
    factor = 2.0 / (1.0 + np.sum(g * g, axis=-1))
    rotations: np.ndarray = np.eye(3) + factor[..., None, None] * (tilde + tilde @ tilde)
    return rotations
