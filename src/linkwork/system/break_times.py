"""When an expression of a mechanism, or its derivatives, may jump: known times, and crossings found for a run."""

from __future__ import annotations

import numpy as np

from linkwork.expressions.kernels.crossings import BREAK, INSIDE, crossings
from linkwork.system.compile import Compiled

TOGETHER = 3e-14  # of a run: no step is so short


def break_times(compiled: Compiled, until: float) -> np.ndarray:
    """BREAKs between 0 and `until` (s), ascending: when, and the instants before and after it at which to read."""
    layout, ops = compiled.layout, compiled.system.ops
    found = [known_break(t) for t in layout.break_times]
    found += [crossings(ops, one.first_op, one.op_count, one.thresholds, until) for one in layout.crossings]
    breaks = np.concatenate([np.zeros(0, BREAK), *found])
    breaks = breaks[(breaks["t"] > 0.0) & (breaks["t"] < until * (1.0 - 1e-12))]
    breaks = breaks[np.argsort(breaks["t"], kind="stable")]
    return _merged(breaks, TOGETHER * until)


def known_break(t: float) -> np.ndarray:
    """One at a time that is known."""
    return np.array([(t, t - INSIDE * abs(t), t + INSIDE * abs(t))], BREAK)


def near(breaks: np.ndarray, t: float, until: float) -> np.ndarray:
    """Which of them a run to `until` cannot tell from the instant t."""
    margin = TOGETHER * until
    return (breaks["before"] - margin <= t) & (t <= breaks["after"] + margin)


def stops_between(breaks: np.ndarray, previous: float, end: float, until: float) -> np.ndarray:
    """The breaks after `previous` (s) in a run to `until`, then the instant `end`: each ends a segment."""
    last = known_break(end)
    if not len(breaks):
        return last
    at_end = near(breaks, end, until)
    last["before"] = min(last["before"][0], *breaks["before"][at_end], np.inf)
    apart = ~(near(breaks, previous, until) | at_end)
    return np.concatenate([breaks[apart & (breaks["t"] > previous) & (breaks["t"] < end)], last])


def begin_of_segment(breaks: np.ndarray, t: float, until: float) -> float:
    """From which instant (s) on expressions are read in a segment that begins at t."""
    after = t + INSIDE * abs(t)
    return after if not len(breaks) else float(max(after, *breaks["after"][near(breaks, t, until)], -np.inf))


def _merged(breaks: np.ndarray, margin: float) -> np.ndarray:
    """Those that are not so far apart are one."""
    kept: list[np.void] = []
    for one in breaks:
        if kept and one["before"] <= kept[-1]["after"] + margin:
            kept[-1]["before"] = min(kept[-1]["before"], one["before"])
            kept[-1]["after"] = max(kept[-1]["after"], one["after"])
        else:
            kept.append(one.copy())
    return np.array(kept, BREAK)
