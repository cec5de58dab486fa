"""What each force element adds to the stiffness and damping of a linearized mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.analyses.steady.reduction import Reduction
from linkwork.analyses.vibration.mode_shapes import modal_directions
from linkwork.elements.declarations import DECLARATIONS

if TYPE_CHECKING:
    from linkwork.analyses.vibration.linearization import Linearization

NO_FORCES = (
    "body", "frame", "joint", "driver", "distance", "constraint", "coupler", "gear", "rack_and_pinion", "rolling_disc",
    "table", "measure", "event", "impulse",
)  # fmt: skip
# Elements with auxiliary states stay, so that the states of the others keep their places; so they give nothing.
SILENT = {
    "controller": {"p": 0.0, "i": 0.0, "d": 0.0}, "contact": {"stiffness": 0.0},
    "tyre": {"stiffness": 0.0, "damping": 0.0},
}  # fmt: skip


def element_matrices(linear: Linearization) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """What every force element, gravity and flexible body adds to K_hat and C_hat.

    Of forces the difference that leaving them out makes, the motion held as it is: both are linear in the forces, so
    that the parts add up; what remains of K_hat is that of the motion.  Of flexible bodies what their modal matrices
    make of the bending.
    """
    r = linear.reduction
    mechanism, parts = r.mechanism, {}
    without = {}
    for kind in (key for key in DECLARATIONS if key not in NO_FORCES):
        every = getattr(mechanism, kind)
        for element in every:
            without[element.name] = mechanism.model_copy(update={kind: _without(every, element, SILENT.get(kind))})
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


def _without(every: tuple[Any, ...], element: Any, silent: dict[str, float] | None) -> tuple[Any, ...]:
    """All but one, which is taken out, or gives nothing."""
    if silent is None:
        return tuple(e for e in every if e is not element)
    return tuple(e.model_copy(update=silent) if e is element else e for e in every)


def _without_noise(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.where(np.abs(part) > 1e-12 * np.abs(whole).max(initial=0.0), part, 0.0)
