"""A user's function of numbers, compiled to what a kernel calls by its address (elements/forces/callbacks.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba as nb
import numpy as np
from numba import carray  # type: ignore[attr-defined]
from numba.core.errors import NumbaError

from linkwork.errors import KernelError

ROWS = 40  # of the buffer: inputs in column 0, outputs in column 1
MOST = 6  # outputs
RELATIVE, LEAST = 1e-3, 1e-6  # of an input, and in its unit: step of the differences


def compiled_callback(function: Callable[..., Any], inputs: int, outputs: int) -> tuple[int, object]:
    """The address of `void (double *buffer, int64 item, double t)`, and what must live as long as it is used.

    `item`: 8 of real numbers, 16 of complex ones, whose imaginary parts are a direction: the function itself takes real
    numbers, and its slope along the direction is a difference of fourth order.  Exceptions leave NaN.
    """
    compiled = nb.njit(error_model="numpy", boundscheck=True)(function)
    store = _store(_returned(compiled), outputs)

    @nb.njit
    def values(t: float, x: Any, found: Any) -> None:
        found[:] = 0.0
        store(compiled(t, x), found)

    @nb.njit
    def call_real(buffer: Any, t: float) -> None:
        table, x, found = carray(buffer, (ROWS, 4)), np.empty(inputs), np.empty(MOST)
        table[:outputs, 1] = np.nan
        for k in range(inputs):
            x[k] = table[k, 0]
        values(t, x, found)
        table[:outputs, 1] = found[:outputs]

    @nb.njit
    def call_complex(buffer: Any, t: float) -> None:
        table, x, found = carray(buffer, (ROWS, 8)), np.empty(inputs), np.empty(MOST)
        direction, slope = np.empty(inputs), np.zeros(MOST)
        table[:outputs, 2] = np.nan
        for k in range(inputs):
            x[k], direction[k] = table[k, 0], table[k, 1]
        longest = np.abs(direction).max() if inputs > 0 else 0.0
        if longest > 0.0:
            direction /= longest
            h = max(RELATIVE * np.abs(direction * x).max(), LEAST)
            for place, weight in ((-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)):
                values(t, x + place * h * direction, found)
                slope += weight / (12.0 * h) * found
        values(t, x, found)
        table[:outputs, 2], table[:outputs, 3] = found[:outputs], longest * slope[:outputs]

    def call(buffer: Any, item: int, t: float) -> None:
        if item == 8:
            call_real(buffer, t)
        else:
            call_complex(buffer, t)

    made = nb.cfunc(nb.void(nb.types.CPointer(nb.float64), nb.int64, nb.float64))(call)
    return int(made.address or 0), made


def _returned(compiled: Any) -> Any:
    """The type that the function returns; refused where Numba cannot compile it."""
    wanted = nb.float64, nb.float64[::1]
    try:
        compiled.compile(wanted)
    except NumbaError as error:
        told = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise KernelError(f"Numba cannot compile it: {' '.join(told[:3])}") from None
    return compiled.overloads[wanted].signature.return_type


def _store(returned: Any, outputs: int) -> Any:
    """A compiled function that writes what is returned to an array of MOST numbers."""
    count = len(returned) if isinstance(returned, nb.types.BaseTuple) else 0

    def one(given: Any, found: Any) -> None:
        found[0] = given

    def three(given: Any, found: Any) -> None:
        found[0], found[1], found[2] = given[0], given[1], given[2]

    def six(given: Any, found: Any) -> None:
        found[0], found[1], found[2] = given[0], given[1], given[2]
        found[3], found[4], found[5] = given[3], given[4], given[5]

    def some(given: Any, found: Any) -> None:
        fits = len(given) == 3 or len(given) == MOST
        for k in range(MOST):
            found[k] = np.nan if not fits else given[k] if k < len(given) else 0.0

    wanted = "one number" if outputs == 1 else "three (N) or six (N, N m) numbers"
    if isinstance(returned, nb.types.Number) and outputs == 1:
        return nb.njit(one)
    if outputs == MOST and count in (3, MOST):
        return nb.njit(three if count == 3 else six)
    if outputs == MOST and isinstance(returned, nb.types.Array) and returned.ndim == 1:
        return nb.njit(some)
    raise KernelError(f"it returns {returned}, not {wanted}")
