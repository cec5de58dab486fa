"""From a tape as it was written to a program that is run again (integrators/loop/tape.py): what no output and no guard
needs is left out, and operations of one kind that are ready together become a batch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.analyses.gradients.trace.numbers import Tape
from linkwork.integrators.loop import tape as ops
from linkwork.integrators.loop.tape import Program, new_program

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
    live = np.zeros(len(codes), bool)
    live[list(needed)] = True
    for k in range(len(codes) - 1, -1, -1):
        if live[k] and codes[k] not in LEAVES:
            live[first[k]] = True
            if second[k] >= 0:
                live[second[k]] = True
    return live


def _scheduled(
    codes: np.ndarray, first: np.ndarray, second: np.ndarray, live: np.ndarray
) -> tuple[list[tuple[int, int, int]], np.ndarray]:
    """Batches, and the places in their order: always the kind of operation of which most are ready."""
    leaves = [k for k in np.flatnonzero(live).tolist() if codes[k] in LEAVES]
    users: dict[int, list[int]] = {}
    waits: dict[int, int] = {}
    for k in np.flatnonzero(live).tolist():
        if codes[k] in LEAVES:
            continue
        arguments = {int(first[k]), int(second[k])} - {-1}
        waits[k] = len(arguments)
        for argument in arguments:
            users.setdefault(argument, []).append(k)
    ready: dict[int, list[int]] = {}
    order, batches = list(leaves), list[tuple[int, int, int]]()

    def done(k: int) -> None:
        for user in users.get(k, ()):
            waits[user] -= 1
            if not waits[user]:
                ready.setdefault(int(codes[user]), []).append(user)

    for k in leaves:
        done(k)
    while ready:
        code = max(ready, key=lambda one: len(ready[one]))
        batch = ready.pop(code)
        batches.append((code, len(order), len(order) + len(batch)))
        order += batch
        for k in batch:
            done(k)
    return batches, np.array(order, np.int64)
