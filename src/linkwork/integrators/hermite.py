"""The cubic through the values and slopes at both ends of a step: error O(h^4).

    y(s) = y_0 + s d + s (s - 1) [(s - 1) (h f_0 - d) + s (h f_1 - d)],  d = y_1 - y_0,  s = (t - t_0) / h

Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.6.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part


@part
def cubic(s, h, y_0, f_0, y_1, f_1):
    """y(s) and dy/ds of one coordinate."""
    d = y_1 - y_0
    a, b = h * f_0 - d, h * f_1 - d
    value = y_0 + s * d + s * (s - 1.0) * ((s - 1.0) * a + s * b)
    slope = d + (s - 1.0) * (3.0 * s - 1.0) * a + s * (3.0 * s - 2.0) * b
    return value, slope
