"""Nodes of flexible bodies as further bodies of a scene: what is attached to a node goes where the node goes.

p_n = p + R u,  R_n = R C(g),  u = x + S eta - 1/2 eta N eta,  g = Theta eta / 2   (elements/bodies/flexible_motion.py)
v_n = v + w x R u + R u',  w_n = w + R c (g' + g x g'),  c = 2 / (1 + g.g);  C: Cayley's rotation
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.flexible.modal_body import ModalBody
from linkwork.mechanism import GROUND, Mechanism
from linkwork.numerics.rotations import euler_parameters
from linkwork.results.modal import displacement_rates, displacements
from linkwork.system.frames import moves_with_frame, node_at
from linkwork.view.scene.scene import DrawnBody, rotations, without_flips

Modal = Mapping[str, tuple[np.ndarray, np.ndarray]]  # modal coordinates and their rates [sample, mode] by body
MOTION = ("position", "orientation", "velocity", "angular_velocity")


class Nodes:
    """The nodes to which something drawn is attached, by name; they come after the bodies of the scene."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.names = [GROUND, *(body.name for body in mechanism.body)]
        self.bodies = {body.name: body for body in mechanism.body if body.flexible is not None}
        self.found: dict[str, tuple[int, int]] = {}  # "body.node": the body's index, the node's number

    def carrier(self, body: str, p: np.ndarray) -> tuple[int, np.ndarray]:
        """What carries a point of a body frame (m): index among the bodies and nodes drawn, and the point on it."""
        k = self.names.index(body)
        try:
            if body not in self.bodies or moves_with_frame(self.bodies[body], p):
                return k, p
            n = node_at(self.bodies[body], p)
        except ModelError:  # no node is there: only a frame can be, and it is drawn with the body
            return k, p
        modal = self.modal(body)
        name = f"{body}.{modal.nodes.names[n]}"
        self.found.setdefault(name, (k, n))
        return len(self.names) + list(self.found).index(name), p - modal.nodes.x[n]

    def modal(self, body: str) -> ModalBody:
        """Its data."""
        flexible = self.bodies[body].flexible
        assert flexible is not None
        return flexible.modal

    def drawn(self) -> list[DrawnBody]:
        """The nodes as bodies without anything of their own."""
        return [DrawnBody(name, (0.0,) * 3, (0.0,) * 3, [], of) for name, (of, _) in self.found.items()]

    def moving(self, modal: Modal, motion: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """The motion of the bodies [sample, body, ..] with that of the nodes behind it."""
        columns = {key: [motion[key]] for key in MOTION}
        for of, n in self.found.values():
            name = self.names[of]
            p, e, v, w = (motion[key][:, of - 1] for key in MOTION)
            for key, values in zip(MOTION, node_motion(self.modal(name), n, *modal[name], p, e, v, w), strict=True):
                columns[key].append(values[:, None])
        return {key: np.concatenate(values, axis=1) for key, values in columns.items()}


def node_motion(
    body: ModalBody, n: int, eta: np.ndarray, rates: np.ndarray, p: np.ndarray, e: np.ndarray, v: np.ndarray,
    w: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """Place (m), Euler parameters, velocity, angular velocity of node n [sample, ..] from those of its body frame."""
    R = rotations(e)

    def turned(a: np.ndarray) -> np.ndarray:
        in_world: np.ndarray = np.einsum("tij,tj->ti", R, a)
        return in_world

    arm = turned(body.nodes.x[n] + displacements(body, eta)[:, n])
    g, g_dot = (0.5 * x @ body.nodes.Theta[n].T for x in (eta, rates))
    c = 2.0 / (1.0 + np.sum(g * g, axis=1, keepdims=True))
    axes = np.stack([a + c * (np.cross(g, a) + np.cross(g, np.cross(g, a))) for a in np.eye(3)], axis=2)
    speed = v + np.cross(w, arm) + turned(displacement_rates(body, eta, rates)[:, n])
    spin = w + turned(c * (g_dot + np.cross(g, g_dot)))
    return p + arm, without_flips(euler_parameters(R @ axes)), speed, spin
