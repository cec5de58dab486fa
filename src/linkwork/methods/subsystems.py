"""How a mechanism falls into subsystems: parts that touch each other only by way of one body, the base.

The base is a body with all that carries it, from the root of its tree on: then M has no entry between motions of two
parts, and no constraint row has either.  Of all bodies that one is taken whose parts are eliminated with the least
effort, for a vehicle its chassis: `sum (n^3 + 3 b n^2) + b^3`, n motions and rows of a part, b of the base.

Unknowns of the augmented equations, a motion j as j and the multiplier of row r as n + r, are then put in this order:
part by part, first its motions, then its rows; last the base.  Rows that move the base too are those of a part, unless
it had more rows than motions: a part that ground holds as well could not move with the base at rest.
"""

from __future__ import annotations

from linkwork.compiler.kernels import part
from linkwork.formulations.workspace import active_rows

UNKNOWN, PLACE, FIRST = range(3)  # rows of `work.augmented_order`: unknown at a place, its place, begin of its envelope
PART, MOTIONS, ROWS = range(3)  # rows of `work.order`: of each motion the part, named by one of them; their counts
BASE = -1  # the part of the base


@part
def lay_out_subsystems(system, work):
    """The order of the unknowns, for the rows that are active now."""
    least, base = find_parts(system, work, 0), 0
    for body in range(1, system.bodies.shape[0]):
        effort = find_parts(system, work, body)
        if effort < least:
            least, base = effort, body
    find_parts(system, work, base)
    place = 0
    for name in range(system.dofs.shape[0]):
        if work.order[PART, name] == name:
            place = put(system, work, name, place, place)
    put(system, work, BASE, place, 0)


@part
def put(system, work, name, place, first):
    """The unknowns of a part at the places from `place` on; the place after them."""
    n, active = system.dofs.shape[0], active_rows(work)
    unknown, places, begin = work.augmented_order[UNKNOWN], work.augmented_order[PLACE], work.augmented_order[FIRST]
    for j in range(n):
        if work.order[PART, j] == name:
            unknown[place], places[j], begin[place] = j, place, first
            place += 1
    for a in range(active.shape[0]):
        if home(system, work, active[a].constraint) == name:
            r = active[a].row
            unknown[place], places[n + r], begin[place] = n + r, place, first
            place += 1
    return place


@part
def find_parts(system, work, base):
    """The parts beside a base (0: ground, nothing); their effort."""
    dofs, parts, active = system.dofs, work.order[PART], active_rows(work)
    for j in range(dofs.shape[0]):
        parts[j] = j
    while base > 0:
        body = system.bodies[base]
        for j in range(body.first_dof, body.first_dof + body.dof_count):
            parts[j] = BASE
        base = body.parent
    for j in range(dofs.shape[0]):
        if dofs[j].parent >= 0:
            join(parts, j, dofs[j].parent)
    for a in range(active.shape[0]):
        con = system.constraints[active[a].constraint]
        one, _ = parts_of(system, parts, active[a].constraint)
        for k in range(con.column_count):
            if one != BASE:
                join(parts, one, system.columns[con.first_column + k].dof)
    count_unknowns(system, work)
    return effort(system, work)


@part
def count_unknowns(system, work):
    """Of each part the motions, which then have its name themselves, and all rows that move some of them."""
    parts, active = work.order[PART], active_rows(work)
    for j in range(system.dofs.shape[0]):
        work.order[MOTIONS, j] = work.order[ROWS, j] = 0
    for j in range(system.dofs.shape[0]):
        parts[j] = named(parts, j)
        if parts[j] != BASE:
            work.order[MOTIONS, parts[j]] += 1
    for a in range(active.shape[0]):
        one, _ = parts_of(system, parts, active[a].constraint)
        if one != BASE:
            work.order[ROWS, one] += 1


@part
def effort(system, work):
    """`sum (n^3 + 3 b n^2) + b^3`, in terms of 1 / 6 of a multiplication and addition."""
    active, base, total = active_rows(work), 0.0, 0.0
    for j in range(system.dofs.shape[0]):
        if work.order[PART, j] == BASE:
            base += 1.0
    for a in range(active.shape[0]):
        if home(system, work, active[a].constraint) == BASE:
            base += 1.0
    for j in range(system.dofs.shape[0]):
        n = work.order[MOTIONS, j] + min(work.order[ROWS, j], work.order[MOTIONS, j])
        total += (n + 3.0 * base) * n * n
    return total + base**3


@part
def home(system, work, constraint):
    """The part in which a constraint's rows are eliminated."""
    one, moves_base = parts_of(system, work.order[PART], constraint)
    if one != BASE and moves_base and work.order[ROWS, one] > work.order[MOTIONS, one]:
        return BASE
    return one


@part
def parts_of(system, parts, constraint):
    """The part whose motions a constraint moves, or BASE; and whether it moves the base."""
    con, one, moves_base = system.constraints[constraint], BASE, False
    for k in range(con.column_count):
        found = named(parts, system.columns[con.first_column + k].dof)
        if found == BASE:
            moves_base = True
        elif one == BASE:
            one = found
    return one, moves_base


@part
def named(parts, j):
    """The name of the part to which motion j belongs."""
    while parts[j] != BASE and parts[j] != j:
        j = parts[j]
    return parts[j]


@part
def join(parts, i, j):
    """Make the parts of two motions one, unless one of them is the base's."""
    a, b = named(parts, i), named(parts, j)
    if a != BASE and b != BASE:
        parts[max(a, b)] = min(a, b)
