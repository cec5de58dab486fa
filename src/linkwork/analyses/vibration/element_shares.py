"""What each force element adds to the stiffness and damping of a linearized mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.steady.reduction import Reduction
from linkwork.analyses.vibration.mode_shapes import modal_directions
from linkwork.elements.declaration.base import Element
from linkwork.elements.forces.force import Force

if TYPE_CHECKING:
    from linkwork.analyses.vibration.linearization import Linearization


def element_matrices(linear: Linearization) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """What every force element, gravity and flexible body adds to K_hat and C_hat.

    Of forces the difference that leaving them out makes, the motion held as it is: both are linear in the forces, so
    that the parts add up; what remains of K_hat is that of the motion.  Of flexible bodies what their modal matrices
    make of the bending.
    """
    r = linear.reduction
    mechanism, parts = r.mechanism, {}
    without = {
        force.name: mechanism.with_elements(type(force), _without(mechanism.of(type(force)), force))
        for force in mechanism.of(Force)
    }
    if any(mechanism.gravity):
        without["gravity"] = mechanism.model_copy(update={"gravity": (0.0, 0.0, 0.0)})
    for name, rest in without.items():
        twin = Reduction.like(r, rest)
        point = twin.point(linear.point.y, twin.angles, linear.point.v, linear.point.v_dot)
        K, C = linear.K - twin.stiffness(point), linear.C - twin.damping(point)
        parts[name] = (_without_noise(K, linear.K), _without_noise(C, linear.C))
    for body in mechanism.body:
        if body.modal is not None:
            bending = modal_directions(linear, body)[1]
            parts[body.name] = (bending @ body.modal.K_e @ bending.T, bending @ body.modal.D_e @ bending.T)
    return parts


def _without(elements: Sequence[Element], force: Force) -> tuple[Element, ...]:
    """All but one, which is left out; one with auxiliary states stays without effect, so that the states of the others
    keep their places.
    """
    kept = [force.without_effect() if element is force else element for element in elements]
    return tuple(element for element in kept if element is not None)


def _without_noise(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.where(np.abs(part) > 1e-12 * np.abs(whole).max(initial=0.0), part, 0.0)
