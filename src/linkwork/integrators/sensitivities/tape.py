"""A tape of operations run again at another state, and read forward or backward for derivatives.

The equations of motion as one list of elementary operations (analyses/gradients/trace/ writes it), theory (13.9):

    x_k = phi_k(x_a, x_b),      dx_k = slope_a dx_a + slope_b dx_b            along directions
                                bar_a += slope_a bar_k,  bar_b += slope_b bar_k    from the last to the first

so that the gradient of one number with respect to all inputs takes the time of some evaluations, whatever their number
(Linnainmaa 1970; Griewank & Walther 2008).  Operations of one kind that do not depend on each other stand together:
a batch is one loop.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from linkwork.compiler.argument_types import Structure
from linkwork.compiler.kernels import part
from linkwork.compiler.references import opener

# What an operation does with its one or two arguments.
INPUT, CONSTANT, ADD, SUB, MUL, DIV, POW, ATAN2 = range(8)
NEG, REAL, FLOOR, SQRT, SIN, COS, TAN, ASIN, ACOS, ATAN = range(8, 18)
SINH, COSH, TANH, EXP, LOG, ABS = range(18, 24)
LESS, LESS_OR_EQUAL, EQUAL = range(3)  # what a guard compares


class Program(NamedTuple):
    """A tape in the order in which it is run; a place is that of a value."""

    batches: np.ndarray  # [batch, 3] operation, first and last+1 place
    a: np.ndarray  # [place] of the arguments; 0 where there is none
    b: np.ndarray
    values: np.ndarray  # [place]; constants stay
    slope_a: np.ndarray  # [place]
    slope_b: np.ndarray
    bar: np.ndarray  # [place] derivatives of one number with respect to the values
    tangent: np.ndarray  # [place, direction]
    inputs: np.ndarray  # [input, 2] place, and which of the numbers given it is
    guards: np.ndarray  # [guard, 4] what is compared, two places, what came out
    outputs: np.ndarray  # [output] places


PROGRAM = Structure("Program")
open_program = opener(PROGRAM)


def new_program(
    places: int = 0, batches: int = 0, inputs: int = 0, guards: int = 0, outputs: int = 0, directions: int = 0
) -> Program:  # fmt: skip
    """Room for a tape."""
    real = {name: np.zeros(places) for name in ("values", "slope_a", "slope_b", "bar")}
    return Program(
        batches=np.zeros((batches, 3), np.int32), a=np.zeros(places, np.int32), b=np.zeros(places, np.int32),
        tangent=np.zeros((places, directions)), inputs=np.zeros((inputs, 2), np.int32),
        guards=np.zeros((guards, 4), np.int32), outputs=np.zeros(outputs, np.int32), **real,
    )  # fmt: skip


@part
def run_tape(program, given):
    """The values at the numbers given, and the slopes of the operations."""
    for k in range(program.inputs.shape[0]):
        program.values[program.inputs[k, 0]] = given[program.inputs[k, 1]]
    for n in range(program.batches.shape[0]):
        code, first, last = program.batches[n, 0], program.batches[n, 1], program.batches[n, 2]
        if code <= ATAN2:
            _of_two(program, code, first, last)
        else:
            _of_one(program, code, first, last)


@part
def _of_two(program, code, first, last):
    x, a, b, slope_a, slope_b = program.values, program.a, program.b, program.slope_a, program.slope_b
    if code == ADD:
        for k in range(first, last):
            x[k] = x[a[k]] + x[b[k]]
    elif code == SUB:
        for k in range(first, last):
            x[k] = x[a[k]] - x[b[k]]
    elif code == MUL:
        for k in range(first, last):
            slope_b[k], slope_a[k] = x[a[k]], x[b[k]]
            x[k] = slope_a[k] * slope_b[k]
    elif code == DIV:
        for k in range(first, last):
            slope_a[k] = 1.0 / x[b[k]]
            x[k] = x[a[k]] / x[b[k]]
            slope_b[k] = -x[k] * slope_a[k]
    elif code == POW:
        for k in range(first, last):
            base, exponent = x[a[k]], x[b[k]]
            if not base > 0.0 and exponent != math.floor(exponent):  # at the end of a branch, by rounding
                x[k], slope_a[k], slope_b[k] = 0.0, 0.0, 0.0
                continue
            x[k] = base**exponent
            slope_a[k] = exponent * base ** (exponent - 1.0)
            slope_b[k] = x[k] * math.log(base) if base > 0.0 else 0.0
    else:
        for k in range(first, last):
            up, along = x[a[k]], x[b[k]]
            square = up * up + along * along
            x[k] = math.atan2(up, along)
            slope_a[k], slope_b[k] = along / square, -up / square


@part
def _of_one(program, code, first, last):
    x, a, slope = program.values, program.a, program.slope_a
    for k in range(first, last):
        u = x[a[k]]
        if code == NEG:
            x[k] = -u
        elif code == REAL:
            x[k] = u
        elif code == FLOOR:
            x[k] = math.floor(u)
        elif code == SQRT:
            x[k] = math.sqrt(max(u, 0.0))
            slope[k] = 0.5 / x[k] if x[k] > 0.0 else 0.0
        elif code == SIN:
            x[k], slope[k] = math.sin(u), math.cos(u)
        elif code == COS:
            x[k], slope[k] = math.cos(u), -math.sin(u)
        elif code == TAN:
            x[k] = math.tan(u)
            slope[k] = 1.0 + x[k] * x[k]
        elif code == ASIN:
            x[k], slope[k] = math.asin(u), 1.0 / math.sqrt(1.0 - u * u)
        elif code == ACOS:
            x[k], slope[k] = math.acos(u), -1.0 / math.sqrt(1.0 - u * u)
        elif code == ATAN:
            x[k], slope[k] = math.atan(u), 1.0 / (1.0 + u * u)
        elif code == SINH:
            x[k], slope[k] = math.sinh(u), math.cosh(u)
        elif code == COSH:
            x[k], slope[k] = math.cosh(u), math.sinh(u)
        elif code == TANH:
            x[k] = math.tanh(u)
            slope[k] = 1.0 - x[k] * x[k]
        elif code == EXP:
            x[k] = math.exp(u)
            slope[k] = x[k]
        elif code == LOG:
            x[k], slope[k] = math.log(u), 1.0 / u
        else:
            x[k], slope[k] = abs(u), (1.0 if u >= 0.0 else -1.0)


@part
def guards_hold(program):
    """Whether every comparison comes out as it did when the tape was written."""
    x = program.values
    for n in range(program.guards.shape[0]):
        code, a, b = program.guards[n, 0], x[program.guards[n, 1]], x[program.guards[n, 2]]
        found = a < b if code == LESS else (a <= b if code == LESS_OR_EQUAL else a == b)
        if found != (program.guards[n, 3] == 1):
            return False
    return True


@part
def clear_bars(program):
    """No number is differentiated."""
    for k in range(program.bar.shape[0]):
        program.bar[k] = 0.0


@part
def read_backward(program):
    """From the bars of outputs to those of inputs."""
    a, b, slope_a, slope_b, bar = program.a, program.b, program.slope_a, program.slope_b, program.bar
    for n in range(program.batches.shape[0] - 1, -1, -1):
        code, first, last = program.batches[n, 0], program.batches[n, 1], program.batches[n, 2]
        if code <= ATAN2:
            for k in range(first, last):
                x = bar[k]
                bar[a[k]] += slope_a[k] * x
                bar[b[k]] += slope_b[k] * x
        elif code != REAL and code != FLOOR:
            for k in range(first, last):
                bar[a[k]] += slope_a[k] * bar[k]


@part
def read_forward(program, count):
    """From the tangents of inputs to those of outputs, along `count` directions."""
    a, b, slope_a, slope_b, d = program.a, program.b, program.slope_a, program.slope_b, program.tangent
    for n in range(program.batches.shape[0]):
        code, first, last = program.batches[n, 0], program.batches[n, 1], program.batches[n, 2]
        if code <= ATAN2:
            for k in range(first, last):
                i, j, at_a, at_b = a[k], b[k], slope_a[k], slope_b[k]
                for n_direction in range(count):
                    d[k, n_direction] = at_a * d[i, n_direction] + at_b * d[j, n_direction]
        else:
            for k in range(first, last):
                i, at_a = a[k], slope_a[k]
                for n_direction in range(count):
                    d[k, n_direction] = at_a * d[i, n_direction]
