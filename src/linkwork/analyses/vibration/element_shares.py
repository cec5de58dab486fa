"""What each force element adds to the stiffness and damping of a linearized mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.steady.reduction import Reduction
from linkwork.analyses.vibration.mode_shapes import modal_directions
from linkwork.elements.declaration.base import Element
from linkwork.elements.forces.force import Force
from linkwork.elements.signals.measures import Event, Measure
from linkwork.expressions import parse
from linkwork.mechanism import Mechanism

if TYPE_CHECKING:
    from linkwork.analyses.vibration.linearization import Linearization


def element_matrices(linear: Linearization) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """What every force element, gravity and flexible body adds to K_hat and C_hat.

    Of forces the difference that leaving them out makes, the motion held as it is: both are linear in the forces, so
    that the parts add up; what remains of K_hat is that of the motion.  Of flexible bodies what their modal matrices
    make of the bending.
    """
    r = linear.reduction
    mechanism, parts = with_needed_measures(r.mechanism), {}
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


def with_needed_measures(mechanism: Mechanism) -> Mechanism:
    """Without events, and with only those measures that forces use: others may show a force that is left out."""
    tables, measures = mechanism.tables(), {measure.name: measure for measure in mechanism.of(Measure)}

    def used_by(element: Element) -> set[str]:
        programs = [parse(text, element=element.who, scope=mechanism.scope(own, tables))
                    for text, own in element.expressions()]  # fmt: skip
        return {names[0] for program in programs for kind, names in program.references if kind == "measure"}

    needed: set[str] = set()
    new = {name for force in mechanism.of(Force) for name in used_by(force)}
    while new:
        needed |= new
        new = {name for measure in new for name in used_by(measures[measure])} - needed
    kept = tuple(measure for name, measure in measures.items() if name in needed)
    return mechanism.with_elements(Measure, kept).with_elements(Event, ())


def _without(elements: Sequence[Element], force: Force) -> tuple[Element, ...]:
    """All but one, which is left out; one with auxiliary states stays without effect, so that the states of the others
    keep their places.
    """
    kept = [force.without_effect() if element is force else element for element in elements]
    return tuple(element for element in kept if element is not None)


def _without_noise(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.where(np.abs(part) > 1e-12 * np.abs(whole).max(initial=0.0), part, 0.0)
