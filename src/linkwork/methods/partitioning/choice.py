"""LU's choice of independent coordinates, compared with the one before: as sets, whatever the order."""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.methods.partitioning.partitioned import CHOSEN, OTHER_COLUMNS


@part
def find_choice(factor, system, work):
    """LU's choice at the present position, by the factor stage; whether it is another than the one kept."""
    method = work.method[0]
    method.choice_requested = 1
    factor(system, work)
    if method.choice_known == 0:
        return True
    return not same_set(work.order[OTHER_COLUMNS], method.choice_rank, work.v_dot.shape[0], work.order[CHOSEN])


@part
def keep_choice(work):
    """Keep the choice found last, to compare later ones with."""
    mark_set(work.order[OTHER_COLUMNS], work.method[0].choice_rank, work.v_dot.shape[0], work.order[CHOSEN])
    work.method[0].choice_known = 1


@part
def same_set(columns, rank, n, marks):
    """Whether the columns from `rank` to n are those that are marked."""
    marked, shared = 0, 0
    for j in range(n):
        marked += marks[j]
    for c in range(rank, n):
        shared += marks[columns[c]]
    return marked == n - rank and shared == n - rank


@part
def mark_set(columns, rank, n, marks):
    """Mark (1) the columns from `rank` to n, and no others (0)."""
    for j in range(n):
        marks[j] = 0
    for c in range(rank, n):
        marks[columns[c]] = 1
