"""Hunt and Crossley's law (1975) of what is pressed in by a depth d, for contacts and stops:

N = max(k d^n (1 + c d_dot), 0)      it never pulls; k d^n is elastic, with the potential k d^(n+1) / (n + 1)
"""

from __future__ import annotations

from linkwork.compiler.kernels import part


@part
def hunt_crossley(depth, rate, stiffness, exponent, damping):
    """Force, and its elastic part; zero above the surface."""
    if not depth.real > 0.0:
        return 0.0 * depth, 0.0 * depth
    elastic = stiffness * depth**exponent
    force = elastic * (1.0 + damping * rate)
    if force.real < 0.0:
        force = 0.0 * force
    return force, elastic
