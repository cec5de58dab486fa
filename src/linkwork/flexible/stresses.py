"""Stresses of beams: internal forces along the length, from what acts on the body, and the normal stress of fibres.

A section transmits what acts on the part of the beam beyond it, inertia included, at the places where it acts on the
bent beam.  So the internal forces balance the reactions whatever modes are kept: the modes give the inertia alone, and
what was left out follows as if it had none (the mode acceleration method: Craig and Kurdila, Fundamentals of Structural
Dynamics, 2006, section 11.4).  Strains of the modes would lack the stretch of a spinning blade altogether.

    sigma = N / A + My z / Iy - Mz y / Iz
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.errors import ModelError
from linkwork.flexible.finite_elements.finite_model import SectionTable
from linkwork.flexible.modal_body import ModalBody


@dataclass(frozen=True)
class FrameMotion:
    """The body frame and the modes at one instant, body axes."""

    acceleration: np.ndarray  # m/s2, of the origin, less gravity
    w: np.ndarray  # rad/s
    alpha: np.ndarray  # rad/s2
    eta: np.ndarray
    rates: np.ndarray
    second: np.ndarray  # eta''


def sections_of(body: ModalBody) -> SectionTable:
    """The sections of a beam; refused for bodies that are none."""
    if body.sections is None:
        raise ModelError(
            f"flexible body '{body.name}' is not a beam of built-in elements: no stress recovery", element=body.name
        )
    return body.sections


def internal_forces(body: ModalBody, motion: FrameMotion, loads: np.ndarray) -> np.ndarray:
    """(s, 6): N, Vy, Vz (N), T, My, Mz (N m) at the nodes, in the axes of the section; tension is positive.

    They are what the part at larger x exerts on the section.  `loads` (s, 6): forces and moments about the origin that
    act on each node, body axes.  At a node with a load the mean of both sides, at the ends the side of the beam.
    """
    table = sections_of(body)
    at = table.points + table.shapes @ motion.eta
    moved = 2.0 * np.cross(motion.w, table.shapes @ motion.rates) + table.shapes @ motion.second
    spin = np.cross(motion.alpha, at) + np.cross(motion.w, np.cross(motion.w, at))
    force = -table.masses[:, None] * (motion.acceleration + spin + moved)
    wrench = np.hstack([force, np.cross(at, force)])
    elements = np.zeros((len(table.x), 6))
    np.add.at(elements, table.element, wrench)
    beyond = np.cumsum((elements + loads)[::-1], axis=0)[::-1]  # with the load of the node itself: the side before it
    share = np.full(len(table.x), 0.5)
    share[0], share[-1] = 1.0, 0.0
    return _in_section(body, motion.eta, beyond - share[:, None] * loads)


def _in_section(body: ModalBody, eta: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """Force and moment about the origin (s, 6), body axes, as those on each section of the bent beam, in its axes."""
    table, at = sections_of(body), body.nodes.x + body.nodes.S @ eta
    turned = body.nodes.Theta @ eta
    force = wrench[:, :3]
    moment = wrench[:, 3:] - np.cross(at, force)
    own: np.ndarray = np.hstack([_back(turned, force), _back(turned, moment)])
    assert len(own) == len(table.x)
    return own


def _back(theta: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Vectors in axes that are turned by small rotation vectors: Cayley's rotation of theta / 2, backwards."""
    g = 0.5 * theta
    across = np.cross(g, a)
    factor = 2.0 / (1.0 + np.sum(g * g, axis=1, keepdims=True))
    turned: np.ndarray = a - factor * (across - np.cross(g, across))
    return turned


def normal_stress(sections: SectionTable, forces: np.ndarray) -> np.ndarray:
    """(.., s, f): normal stress (Pa, tension positive) at the fibres of each section, for forces (.., s, 6)."""
    N, _, _, _, My, Mz = np.moveaxis(forces, -1, 0)
    y, z = sections.fibres[..., 0], sections.fibres[..., 1]
    stress: np.ndarray = (
        (N / sections.A)[..., None] + (My / sections.Iy)[..., None] * z - (Mz / sections.Iz)[..., None] * y
    )
    return stress
