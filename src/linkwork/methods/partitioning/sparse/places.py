"""Where a sparse basis stands in the workspace: the arrays of dense bases, in other shapes.

work.basis    [1, numbers]      the basis of QR and projection: L, Y and C of the position where it was built
work.matrices [6, 1, numbers]   numbers of the factors, by the names below
work.order    [14, n]           pivot columns and orders, by the names below and those of basis.py
work.fill     [2, entries]      columns of the rows of U: of the basis in use, of the choice found last
"""

from __future__ import annotations

from linkwork.compiler.kernels import part

# Rows of `work.matrices`: the present rows, packed like Y; sizes of the rows; of the basis in use, then of the choice
# found last, the two factors.
NOW, SIZES, LOWER, VALUES, OTHER_LOWER, OTHER_VALUES = range(6)

# Rows of `work.order` behind those of basis.py, of which ROWS and OTHER_ROWS have the pivot column of each row.
TAKEN, FIRST, LAST, OTHER_FIRST, OTHER_LAST, USES, SEEN, MET = range(6, 14)


@part
def is_sparse(work):
    """Whether the basis is a sparse one: only that has room for fill.  (Dense rows may be none: a tree has no loop.)"""
    return work.fill.shape[1] > 0


@part
def kept_mass(work):
    """L of the position where the basis was built, M = L^T L."""
    return work.basis[0][: work.L.shape[0]]


@part
def kept_rows(work):
    """Y of that position, L^-T Phi_v^T packed."""
    first = work.L.shape[0]
    return work.basis[0][first : first + work.Y.shape[0]]


@part
def kept_factor(work):
    """C of that position, the Cholesky factor of Y Y^T."""
    first = work.L.shape[0] + work.Y.shape[0]
    return work.basis[0][first : first + work.C.shape[0]]
