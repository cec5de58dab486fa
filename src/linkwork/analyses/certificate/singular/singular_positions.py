"""Singular positions that a run passed.

Where the conditioning of the constraints is worst (rank_monitor.py) singular values of their rows may vanish: then the
position is singular, and as many rows are dependent (passages.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linkwork.analyses.certificate.singular.loose_joints import loose_room
from linkwork.analyses.certificate.singular.passage import Sought, room_to_search
from linkwork.analyses.certificate.singular.passages import (
    BEFORE,
    NEW,
    Passages,
    bind_passages,
    find_passages,
    looking,
    no_passages,
)
from linkwork.analyses.certificate.singular.rank_monitor import RankMonitor
from linkwork.analyses.certificate.singular.weak_direction import LooseJoints
from linkwork.analyses.start.row_space import is_large
from linkwork.analyses.start.scales import motion_sizes, row_sizes
from linkwork.compiler.references import Reference
from linkwork.formulations.equations import evaluate
from linkwork.formulations.motion_rows import joint_table
from linkwork.methods.natural_rows import natural_rows
from linkwork.methods.normal_step import factorize
from linkwork.numerics.rank_revealing import factor_rows

Checking = Callable[[str, int, int], None]  # what is being checked, how many are done, of how many

ROOM = 64  # passages at first
ROWS_AT_ONCE = 2**13  # of intervals that are looked at between two reports, rows of all of them


def singular_positions(
    monitor: RankMonitor, known: Sequence[dict[str, Any]] = (), checking: Checking | None = None
) -> list[dict[str, Any]]:
    """Times (s) at which the constraints lost rank, the rank there, of how many, and the joints that are loose then;
    but for those that are known.  `checking` hears how many of the positions in doubt have been looked at.
    """
    intervals = np.flatnonzero(monitor.doubtful.any(axis=1))
    if not len(intervals):
        return []
    passages = _search(monitor, intervals, [float(entry["t"]) for entry in known], checking)
    new = np.flatnonzero(passages.news[: passages.entered[0]] == NEW)
    full = int(monitor.equations.work.method[0]["active_count"])
    joints = _names(monitor, passages, new)
    t, rank = passages.t[new].tolist(), passages.rank[new].tolist()
    order = np.argsort(monitor.along * passages.t[new], kind="stable").tolist()
    return [{"t": t[k], "rank": rank[k], "of": full, "joints": joints[k]} for k in order]


def _search(monitor: RankMonitor, intervals: np.ndarray, known: Sequence[float], checking: Checking | None) -> Passages:
    """The passages in these intervals, behind those that are known."""
    equations, path, small = monitor.equations, monitor.path, not is_large(monitor.equations)
    compiled, columns = equations.compiled, monitor.columns
    rows, dofs, coordinates = len(compiled.system.rows), len(compiled.system.dofs), compiled.layout.q_count
    table = joint_table(compiled)
    sought = Sought(
        path.t, path.y, path.rate, path.angles, monitor.state, monitor.t, monitor.span, monitor.conditioning,
        monitor.largest, monitor.doubtful, monitor.crosses, monitor.column, motion_sizes(compiled), row_sizes(compiled),
    )  # fmt: skip
    rooms = room_to_search(coordinates, rows, dofs, small), looking(columns)
    tables = table, loose_room(equations, table, small)
    passages = _with_known(no_passages(max(ROOM, 2 * len(known)), columns, coordinates), known, monitor.along)
    arguments, found = [Reference(one) for one in (sought, *rooms, *tables)], Reference(passages)
    works = equations.work_ref, monitor.in_space.work_ref
    bind_passages()
    done, portion = 0, max(ROWS_AT_ONCE // rows, 1)
    while done < len(intervals):
        if checking is not None:
            checking("singular positions", done, len(intervals))
        done = find_passages(
            evaluate, factorize, natural_rows, factor_rows, equations.system_ref, *works, *arguments,
            intervals[: done + portion], done, found,
        )  # fmt: skip
        if done < len(intervals) and passages.entered[0] > len(passages.t) // 2:
            passages = _with_more_room(passages)
            found = Reference(passages)
    return passages


def _with_known(passages: Passages, known: Sequence[float], along: float) -> Passages:
    """Those that have been found before; of few rows, which are one column, it has vanished there."""
    count, one = len(known), passages.gone.shape[1] == 1
    passages.t[:count], passages.news[:count] = known, BEFORE
    passages.reach[:count] = along * np.maximum.accumulate(along * passages.t[:count])
    passages.gone[:count] = one
    passages.entered[0] = count
    if one:
        passages.last[0] = count - 1
    return passages


def _with_more_room(passages: Passages) -> Passages:
    """The same, with room for twice as many."""
    entered, last, *tables = passages
    return Passages(entered, last, *(np.concatenate([table, np.zeros_like(table)]) for table in tables))


def _names(monitor: RankMonitor, passages: Passages, which: np.ndarray) -> list[list[str]]:
    """The joints that are loose at these passages."""
    equations = monitor.in_space
    if not is_large(equations):
        names = [joint.name for joint in equations.compiled.mechanism.joint]
        return [[names[j] for j in loose if j >= 0] for loose in passages.joints[which].tolist()]
    loose, path, y = LooseJoints(equations), monitor.path, np.zeros(len(equations.work.rate))
    found = list[list[str]]()
    for k in which:
        y[: passages.q.shape[1]] = passages.q[k]
        found.append(list(loose.at(float(passages.t[k]), y, path.angles[passages.state[k]])))
    return found
