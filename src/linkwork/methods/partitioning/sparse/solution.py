"""The linear problem of the methods that partition, for very many rows.

Accelerations and multipliers do not depend on the partition: they solve the augmented equations, which P1 solves as
such (its step 5), here by methods/normal_step.py.  A state is brought back onto the constraints along Z alone (theory
(1.4), (3.4)): with LU along the dependent coordinates, with QR and projection along M^-1 Phi_v^T of the position where
the basis was built.  Near a singular position, and wherever a pivot is weak, the basis is that of the present position.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.formulations.records import Factors
from linkwork.formulations.workspace import active_rows
from linkwork.methods.normal_step import factorize, normal_step
from linkwork.methods.parametrization import constrain
from linkwork.methods.partitioning.sparse.kept_rows import along_kept, factor_kept, shares_within
from linkwork.methods.partitioning.sparse.pivot_columns import along_columns, factor_columns
from linkwork.methods.partitioning.sparse.places import TAKEN
from linkwork.methods.reasons import Basis
from linkwork.numerics.status import ACCELERATE, FACTOR, OK
from linkwork.numerics.tree_matrix import multiply_tree

WEAK = 1e-2  # of a row's natural size: a pivot of Phi_v Z below this requires a new basis ...
FALLEN = 0.1  # ... if it is less than this part of the weakest pivot at the best position so far


@part
def solve_sparse(factor, system, work, task):
    """The tasks of contract.py."""
    if task == FACTOR:
        return prepare(factor, system, work)
    if task == ACCELERATE:
        constrain(system, work, ACCELERATE)
    else:
        along_basis(system, work, work.c, work.delta)
    return OK


@part
def prepare(factor, system, work):
    """Factor the equations, then the kept basis; a new one (the method's `factor`) where it is stale or weak."""
    method = work.method[0]
    if method.full_rank != method.active_count:  # other rows: the best position so far was one of other constraints
        method.choice_pivot_best = 0.0
    status = factorize(system, work)
    if status != OK:
        return status
    _mark_taken(work)
    delicate, method.new_basis = method.factors == Factors.DELICATE, 0
    if delicate or method.rebuild != 0 or not _strong(system, work):
        method.new_basis = 1
        status = factor(system, work)
    method.rebuild = 1 if delicate else 0
    return status


@part
def _mark_taken(work):
    """The rows that the factorization has taken as independent."""
    taken, active = work.order[TAKEN], active_rows(work)
    for r in range(work.Phi.shape[0]):
        taken[r] = 0
    if work.method[0].factors == Factors.REGULAR:
        for a in range(active.shape[0]):
            taken[active[a].row] = 1
    else:
        for k in range(work.method[0].rank):
            taken[work.pivots[k]] = 1


@part
def _strong(system, work):
    """Bring the kept basis up to date; whether all pivots of Phi_v Z are strong."""
    method = work.method[0]
    weakest = factor_columns(system, work) if method.basis == Basis.LU else factor_kept(system, work)
    method.strongest_pivot = max(method.strongest_pivot, weakest)
    return weakest >= min(WEAK, FALLEN * method.strongest_pivot)


@part
def along_basis(system, work, c, delta):
    """delta = Zh c over the rows taken."""
    if work.method[0].basis == Basis.LU:
        along_columns(system, work, c, delta)
    elif work.method[0].new_basis != 0:
        normal_step(system, work, c, delta, work.lam)
    else:
        along_kept(system, work, c, delta)


@part
def turned_share(system, work):
    """Of decisions.py: |z'|^2, v_f.M v_f and v.M v; the first two are alike with a basis of the present position."""
    v_f, p, whole = work.delta, work.x, 0.0
    if work.method[0].new_basis != 0:
        return 1.0, 1.0, 1.0
    along_basis(system, work, work.nu, v_f)
    for j in range(v_f.shape[0]):
        v_f[j] = work.v[j] - v_f[j]
    multiply_tree(system.dofs, work.M, work.v, p)
    for j in range(v_f.shape[0]):
        whole += work.v[j] * p[j]
    inside, free = shares_within(system, work, v_f)
    return inside, free, whole
