"""Laws: an effort, given by a signal, against a number between two bodies; the family is LAWS of joint_forces.py.

A nonlinear spring acts against a distance, a motor against a joint coordinate: the effort e (N or N m) draws the number
towards smaller values, as a spring does,

    force -e f at M and moment -e n on B, the reverse on A, power -e x_dot     (elements/signals/frame_pairs.py)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import kernel
from linkwork.elements.context import Context, PairNumber
from linkwork.elements.declaration.base import Element
from linkwork.elements.family import record
from linkwork.elements.signals.frame_pairs import PAIR, add_effort, direction, ends, pair_of, relative_motion

LAW = record(
    [
        ("effort", np.int32),  # which signal
        ("kind", np.int32),  # of the number between two bodies
        ("i", np.int32),
        ("sign", np.float64),  # 1 where the signal is a pull; -1 where it drives the number onwards
        *PAIR,
    ]
)
SIZE = LAW.itemsize


@kernel
def laws(system, t, angles, work, first, last):
    """Add the wrenches of the efforts, and their power."""
    R, p, O, V = work.R, work.p, work.O, work.V
    for at in range(first, last, SIZE):
        law = record_at(system.block, at, LAW)
        pair = pair_of(law)
        f, n = direction(law.kind, law.i, law.i, R, p, pair)  # a second axis has no part in it
        _, p_M = ends(R, p, pair)
        e = work.signals[law.effort] * law.sign
        add_effort(work.F, O, pair, p_M, e, f, n)
        work.energy[2] -= e * relative_motion(V, O, pair, p_M, f, n)


def own_signals(context: Context, number: PairNumber, name: str = "q") -> dict[str, int]:
    """The number and its rate, under the names by which an element's own expression knows them."""
    return {name: context.signals.value(number), "v": context.signals.rate(number)}


def law_record(
    context: Context, element: Element, number: PairNumber, text: str | float, own: dict[str, int], sign: float
) -> tuple[Any, ...]:
    """A law by an expression; sign -1 where it is a pull (a spring's), +1 where it drives the number onwards.

    `own`: signals by names that only this expression may use.  The effort is kept for those who request it.
    """
    signals, who = context.signals, element.who
    place = signals.needed_now(signals.expression(text, who, own), who)
    signals.efforts[element.name] = (place,)
    return (place, number.kind, number.i, -sign, *number.pair)
