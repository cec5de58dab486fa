"""Flexible bodies as surfaces that bend: vertices in the body frame that move with the modal coordinates.

    vertex = x + S eta - 1/2 eta N eta,   of a beam's section  S = S_node + Theta_node x (0, y, z)

N: foreshortening, with `stiffening`; the products of modal coordinates are further coordinates of the drawing.
"""

from __future__ import annotations

import numpy as np

from linkwork.flexible.modal_body import ModalBody
from linkwork.view.scene.meshes import Mesh

AROUND = 12  # points around a section of which only the area is known
EDGES = 6  # fewer corners than this are drawn as edges


def bending_surface(body: ModalBody, u: float) -> tuple[Mesh, np.ndarray]:
    """The undeformed surface, and how its vertices move [vertex, 3 * coordinate] (m); u: joints' unit (m)."""
    picture = body.picture
    if picture is not None and picture.cells.shape[1] == 3:
        return Mesh(picture.x, picture.cells), picture.S.reshape(len(picture.x), -1)
    x, S, Theta = body.nodes.x, body.nodes.S, body.nodes.Theta
    if foreshortens(body):
        assert body.stiffening is not None
        i, j = np.triu_indices(body.modes)
        shorter = -np.where(i == j, 0.5, 1.0) * body.stiffening.node_force[:, :, i, j]
        S, Theta = np.concatenate([S, shorter], axis=2), np.concatenate([Theta, np.zeros_like(shorter)], axis=2)
    order = np.argsort(x @ _along(x), kind="stable")
    return _swept(x[order], S[order], Theta[order], _section(body, u))


def bending_coordinates(body: ModalBody, eta: np.ndarray) -> np.ndarray:
    """The coordinates of that surface [sample, coordinate] from eta [sample, mode]."""
    if not foreshortens(body):
        return eta
    i, j = np.triu_indices(body.modes)
    return np.hstack([eta, eta[:, i] * eta[:, j]])


def foreshortens(body: ModalBody) -> bool:
    """Whether the picture has second-order displacements: of beams with stiffening."""
    return body.stiffening is not None and (body.picture is None or body.picture.cells.shape[1] == 2)


def _along(x: np.ndarray) -> np.ndarray:
    """The direction in which the nodes lie."""
    if len(x) < 2:
        return np.array([1.0, 0.0, 0.0])
    direction: np.ndarray = np.linalg.svd(x - x.mean(axis=0))[2][0] * np.sign(x[-1] - x[0]).sum()
    return direction


def _section(body: ModalBody, u: float) -> np.ndarray:
    """Corners (y, z) of the section [corner, 2], m, counter-clockwise seen from larger x."""
    if body.sections is not None and len(body.sections.fibres[0]) > 2:
        corners: np.ndarray = body.sections.fibres[0]
        return corners
    angle = 2.0 * np.pi * np.arange(AROUND) / AROUND
    circle: np.ndarray = 0.5 * u * np.column_stack([np.cos(angle), np.sin(angle)])
    return circle


def _swept(x: np.ndarray, S: np.ndarray, Theta: np.ndarray, section: np.ndarray) -> tuple[Mesh, np.ndarray]:
    """The section carried along the nodes, with its ends closed."""
    corners = np.column_stack([np.zeros(len(section)), section])
    count, m = len(section), S.shape[2]
    places = x[:, None] + corners[None]
    moved = S[:, None] + np.cross(Theta[:, None].swapaxes(2, 3), corners[None, :, None]).swapaxes(2, 3)
    vertices: list[np.ndarray] = []
    shapes: list[np.ndarray] = []
    triangles: list[tuple[int, int, int]] = []

    def add(which: list[tuple[int, int]], faces: list[tuple[int, int, int]]) -> None:
        first = len(vertices)
        vertices.extend(places[n, c] for n, c in which)
        shapes.extend(moved[n, c].reshape(3 * m) for n, c in which)
        triangles.extend((first + a, first + b, first + c) for a, b, c in faces)

    nodes = range(len(x))
    sides = [[k, (k + 1) % count] for k in range(count)] if count < EDGES else [[*range(count), 0]]
    for side in sides:
        w = len(side)
        faces = [
            face
            for n in nodes[:-1]
            for j in range(w - 1)
            for face in (
                (n * w + j, (n + 1) * w + j, (n + 1) * w + j + 1),
                (n * w + j, (n + 1) * w + j + 1, n * w + j + 1),
            )
        ]
        add([(n, c) for n in nodes for c in side], [(a, c, b) for a, b, c in faces])
    fan = [(0, j, j + 1) for j in range(1, count - 1)]
    add([(len(x) - 1, c) for c in range(count)], fan)
    add([(0, c) for c in range(count)], [(a, c, b) for a, b, c in fan])
    return Mesh(np.array(vertices), np.array(triangles)), np.array(shapes)
