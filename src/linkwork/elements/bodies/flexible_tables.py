"""Flexible bodies as tables: where their numbers lie, and which of their nodes are bodies of the tree."""

from __future__ import annotations

import numpy as np

from linkwork.elements.family import record

# A flexible body of m modes and n shapes (flexible_motion.py): where its numbers lie in system.numbers ...
FLEXIBLE = record(
    [
        ("body", np.int32),
        ("modes", np.int64),  # m
        ("shapes", np.int64),  # n: itself, the modes, shifts of second order
        ("first_v", np.int64),  # its modal velocities
        ("first_q", np.int64),  # its modal coordinates
        ("mass", np.float64),  # kg
        ("C", np.int64),  # (n, 3)
        ("G", np.int64),  # (n, n, 9): G_lk
        ("M", np.int64),  # (n, n): M_lk
        ("pairs", np.int64),  # (n, n, 5): stiffness, damping, 2 axial(G_lk)
        ("Q", np.int64),  # (n - m - 1, m, m)
        # ... and in work.scratch.
        ("coupling", np.int64),  # C (m, 3), G (m, 9) of the modes
        ("T", np.int64),  # (m, n)
        ("zeta", np.int64),  # (n,), behind T
        ("rates", np.int64),  # (2, n): zeta', zeta'', behind zeta
        ("G_now", np.int64),  # (n, 9): G_k
        ("row", np.int64),  # (n,)
        ("temporary", np.int64),  # 24 numbers
    ]
)
# A node of it that is a body of the tree.
NODE = record(
    [
        ("body", np.int64),  # in the tree
        ("flexible", np.int64),  # of which flexible body
        ("first_axis", np.int64),  # how the modes move it
        ("data", np.int64),  # (n, 6): displacement, half the rotation vector
    ]
)
BODY_OR_NODE = record([("is_node", np.int64), ("flexible", FLEXIBLE), ("node", NODE)])
