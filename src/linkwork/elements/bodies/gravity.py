"""Gravity: a force at every centre of mass.

It acts on all bodies through the inertia that `evaluate` has at hand, like the inertia forces beside which it stands;
so it is no family with records of its own.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part


@part
def gravity(field, inertia, O, F, energy):
    """(m g, h x g) on every body; energy[1] gains -m g . c = -g . (h + m O)."""
    g = field
    for i in range(1, inertia.shape[0]):
        m = inertia[i, 0]
        h0, h1, h2 = inertia[i, 1], inertia[i, 2], inertia[i, 3]
        F[i, 0] += m * g[0]
        F[i, 1] += m * g[1]
        F[i, 2] += m * g[2]
        F[i, 3] += h1 * g[2] - h2 * g[1]
        F[i, 4] += h2 * g[0] - h0 * g[2]
        F[i, 5] += h0 * g[1] - h1 * g[0]
        energy[1] -= g[0] * (h0 + m * O[i, 0]) + g[1] * (h1 + m * O[i, 1]) + g[2] * (h2 + m * O[i, 2])
