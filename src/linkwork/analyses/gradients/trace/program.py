"""From a tape as it was written to a program that is run again (integrators/sensitivities/tape.py): what no output and
no guard needs is left out, and operations of one kind that are ready together become a batch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.analyses.gradients.trace.numbers import Tape
from linkwork.integrators.sensitivities import tape as ops
from linkwork.integrators.sensitivities.tape import Program, new_program

LEAVES = (ops.INPUT, ops.CONSTANT)


def program_of(tape: Tape, outputs: Sequence[int], directions: int = 0) -> Program:
    """The program of a tape with these places as outputs, with room for so many directions."""
    codes, first, second = np.array(tape.codes), np.array(tape.first), np.array(tape.second)
    live = _live(codes, first, second, [*outputs, *(place for guard in tape.guards for place in guard[1:3])])
    batches, order = _scheduled(codes, first, second, live)
    place = np.zeros(len(codes), np.int64)
    place[order] = np.arange(len(order))
    inputs = [k for k in order if codes[k] == ops.INPUT]
    program = new_program(len(order), len(batches), len(inputs), len(tape.guards), len(outputs), directions)
    program.batches[:] = np.reshape(batches, (-1, 3))
    one, two = ~np.isin(codes[order], LEAVES), (codes[order] >= ops.ADD) & (codes[order] <= ops.ATAN2)
    program.a[one], program.b[two] = place[first[order[one]]], place[second[order[two]]]
    program.values[:] = np.array(tape.values)[order]
    of = codes[order]
    program.slope_a[np.isin(of, (ops.ADD, ops.SUB))], program.slope_a[of == ops.NEG] = 1.0, -1.0
    program.slope_b[of == ops.ADD], program.slope_b[of == ops.SUB] = 1.0, -1.0
    program.inputs[:] = np.reshape([(place[k], tape.inputs[first[k]]) for k in inputs], (-1, 2))
    program.guards[:] = np.reshape([(c, place[a], place[b], found) for c, a, b, found in tape.guards], (-1, 4))
    program.outputs[:] = place[list(outputs)]
    return program


def _live(codes: np.ndarray, first: np.ndarray, second: np.ndarray, needed: Sequence[int]) -> np.ndarray:
    """Which places something needs."""
    live, arguments = [False] * len(codes), list(zip(first.tolist(), second.tolist(), strict=True))
    for k in needed:
        live[k] = True
    for k in np.flatnonzero(~np.isin(codes, LEAVES))[::-1].tolist():
        if live[k]:
            a, b = arguments[k]
            live[a] = True
            if b >= 0:
                live[b] = True
    return np.array(live, bool)


def _scheduled(
    codes: np.ndarray, first: np.ndarray, second: np.ndarray, live: np.ndarray
) -> tuple[list[tuple[int, int, int]], np.ndarray]:
    """Batches, and the places in their order: always the kind of operation of which most are ready."""
    leaf = np.isin(codes, LEAVES)
    inner = np.flatnonzero(live & ~leaf)
    a, b = first[inner], second[inner]
    two = (b >= 0) & (b != a)
    of, user = np.concatenate([a, b[two]]), np.concatenate([inner, inner[two]])
    users, begin = user[np.argsort(of, kind="stable")].tolist(), np.searchsorted(np.sort(of), np.arange(len(codes) + 1))
    waits, kinds = np.bincount(user, minlength=len(codes)).tolist(), codes.tolist()
    ends = begin.tolist()
    ready: dict[int, list[int]] = {}
    order, batches = np.flatnonzero(live & leaf).tolist(), list[tuple[int, int, int]]()

    def finish(done: list[int]) -> None:
        for k in done:
            for one in users[ends[k] : ends[k + 1]]:
                waits[one] -= 1
                if not waits[one]:
                    ready.setdefault(kinds[one], []).append(one)

    finish(order)
    while ready:
        code = max(ready, key=lambda one: len(ready[one]))
        batch = ready.pop(code)
        batches.append((code, len(order), len(order) + len(batch)))
        order += batch
        finish(batch)
    return batches, np.array(order, np.int64)
