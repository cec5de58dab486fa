"""The path from a body to the root of its tree: axis by axis, each with the one before it (`system.axes`).

a = last_axis(system.bodies, body)
while a >= 0:
    ...                                 # axis a is that of the motion system.axes[a].dof
    a = system.axes[a].before
"""

from __future__ import annotations

from linkwork.compiler.kernels import part


@part
def last_axis(bodies, body):
    """The axis nearest to a body on its path to the root, -1 for ground: of a node of a flexible body that of a mode;
    a body that is fixed on another moves with it.
    """
    b = body
    while b > 0:
        record = bodies[b]
        count = record.dof_count + record.axis_count
        if count > 0:
            return record.first_axis + count - 1
        b = record.parent
    return -1


@part
def along_axis(S, a, f, n):
    """Power of the wrench (f, n about O) in a unit motion along axis a."""
    return f[0] * S[a, 0] + f[1] * S[a, 1] + f[2] * S[a, 2] + n[0] * S[a, 3] + n[1] * S[a, 4] + n[2] * S[a, 5]
