"""LU's choice of independent coordinates, compared with the one kept: as sets, whatever the order."""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.methods.partitioning.basis import CHOSEN, OTHER_COLUMNS


@part
def find_choice(factor, system, work):
    """LU's choice at the present position, by the factor stage; whether it is another than the one kept."""
    method = work.method[0]
    method.choice_requested = 1
    factor(system, work)
    return not same_set(work.order[OTHER_COLUMNS], method.choice_rank, work.v_dot.shape[0], work.order[CHOSEN])


@part
def keep_choice(work):
    """Keep the choice found last, to compare later ones with: mark (1) its independent columns, and no others (0)."""
    method, columns, marks = work.method[0], work.order[OTHER_COLUMNS], work.order[CHOSEN]
    for c in range(work.v_dot.shape[0]):
        marks[columns[c]] = 1 if c >= method.choice_rank else 0
    method.choice_known = 1


@part
def same_set(columns, rank, n, marks):
    """Whether the columns from `rank` to n are those that are marked (1)."""
    same = True
    for c in range(n):
        same = same and (marks[columns[c]] == 1) == (c >= rank)
    return same
