"""Flexible bodies as tables: where their numbers lie, and which of their nodes are bodies of the tree."""

from __future__ import annotations

import numpy as np

from linkwork.elements.families import FORCES, INERTIA, MASS, MODAL, POSES, TWISTS, Family
from linkwork.numerics.jit import part

# A flexible body: where its numbers lie in system.numbers and in work.scratch.
FLEXIBLE = np.dtype(
    [
        ("body", np.int32),
        ("modes", np.int32),
        ("first_v", np.int32),  # its modal velocities
        ("first_q", np.int32),  # its modal coordinates
        ("data", np.int32),  # mass, h0, J0, C_t, A, G0, G1, M_e, K_e, D_e
        ("scratch", np.int32),  # C, G, modal forces
        ("first_node", np.int32),  # its nodes, in the table of nodes
        ("node_count", np.int32),
    ],
    align=True,
)
# A node of it that is a body of the tree.
NODE = np.dtype(
    [
        ("body", np.int32),  # in the tree
        ("flexible", np.int32),  # of which flexible body
        ("first_axis", np.int32),  # how the modes move it
        ("data", np.int32),  # x, S, Theta, N
    ],
    align=True,
)
BOTH = np.dtype([("is_node", np.int32), ("flexible", FLEXIBLE), ("node", NODE)], align=True)


# Numbers of a body with m modes, from `data` on: mass, h0 (3), J0 (9), C_t (m, 3), G0 (m, 9), A (m, m, 3),
# G1 (m, m, 9), M_e, K_e, D_e (m, m).  Entry (i, j) of A is d2h / d eta_i d eta_j, of G1 it is dG_j / d eta_i.
H0, J0, C_T = 1, 4, 13


@part
def second_order(m):
    """Start of A; G1 follows after 3 m^2, the matrices after 12 m^2."""
    return 13 + 12 * m


def scratch_size(m: int) -> int:
    """What a body keeps from phase to phase: C_t (m, 3) and G (m, 9) at eta, h (3), and its modal forces (m)."""
    return 13 * m + 3


FLEXIBLE_BODIES = Family(  # its kernels are those of formulations/flexible.py
    "flexible bodies", BOTH, dict.fromkeys((POSES, INERTIA, MASS, TWISTS, FORCES, MODAL)),
    lambda places: list(places.flexible_records),
)  # fmt: skip
