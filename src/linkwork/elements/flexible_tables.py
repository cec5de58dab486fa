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
        ("data", np.int32),  # mass, h0, J0, C_t, G0, G1, M_e, K_e, D_e, and where it foreshortens P0, P1, shifts
        ("scratch", np.int32),  # C, G, h, J, modal forces
        ("first_node", np.int32),  # its nodes, in the table of nodes
        ("node_count", np.int32),
        ("foreshortens", np.int32),  # geometric stiffening was asked for
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


# Numbers of a body with m modes, from `data` on: mass, h0 (3), J0 (9), C_t (m, 3), G0 (m, 9), G1 (m, m, 9), M_e, K_e,
# D_e (m, m); entry (i, j) of G1 is dG_j / d eta_i.  Where it foreshortens P0 (9), P1 (m, 9), a and B (m, m, 12) follow.
H0, J0, C_T = 1, 4, 13


@part
def second_order(m):
    """Start of G1; the matrices follow after 9 m^2."""
    return 13 + 12 * m


@part
def shift_numbers(m):
    """Start of P0 (formulations/foreshortening.py)."""
    return 13 + 12 * m + 12 * m * m


@part
def shift_scratch(m):
    """Start of what foreshortening keeps, behind C_t (m, 3) and G (m, 9) at eta, h (3), J (9) and modal forces (m)."""
    return 13 * m + 12


def scratch_size(m: int, foreshortens: bool) -> int:
    """What a body keeps from phase to phase; foreshortening needs (a, B), E of each mode, and five matrices."""
    return 13 * m + 12 + (21 * m + 42 if foreshortens else 0)


FLEXIBLE_BODIES = Family(  # its kernels are those of formulations/flexible.py
    "flexible bodies", BOTH, dict.fromkeys((POSES, INERTIA, MASS, TWISTS, FORCES, MODAL)),
    lambda places: list(places.flexible_records),
)  # fmt: skip
