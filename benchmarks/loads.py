"""Loads beside the peers and beside P2, in one run: python -m benchmarks.loads

1. Inverse dynamics of 7-, 50- and 200-link chains, called from Python, beside Pinocchio's rnea and MuJoCo's mj_inverse.
2. P2's Table 3: Newton-Euler time / non-recursive time, joint by joint, both compiled, beside the paper's.
3. What the loads of a whole run cost, a sample and joint, by each method.
"""

from __future__ import annotations

import os
import timeit
from functools import partial

from benchmarks import linkwork_side
from benchmarks.peers import load
from benchmarks.rows import CHAINS, relative, seconds_a_call
from linkwork.analyses.loads.replay import MULTIPLIERS, NEWTON_EULER, NON_RECURSIVE, Replay
from linkwork.library import library_model
from linkwork.reproduce.p2 import states_of_the_arm, table_3


def inverse_dynamics() -> None:
    """Microseconds a call; how many times longer than linkwork the peers take."""
    programs = [linkwork_side, *(load(name) for name in ("pinocchio", "mujoco"))]
    for n in CHAINS:
        ours = None
        for program in programs:
            if isinstance(program, str):
                print(program)
                continue
            wall = seconds_a_call(program.chain_inverse_dynamics(n))
            ours = ours or wall
            error = relative(program.chain_torques(n), linkwork_side.chain_torques(n))
            print(f"  n = {n:3}  {program.NAME:20} {1e6 * wall:8.2f} us  x {wall / ours:5.2f}  error {error:.1e}")


def paper_ratios() -> None:
    """Table 3 of P2."""
    for item in table_3(states_of_the_arm()):
        print(f"  {item.item:82} {1e9 * item.ours:6.1f} ns  {item.ratio_ours:.3f} (paper {item.ratio_paper:.3f})")


def whole_run() -> None:
    """Microseconds a sample for two joints of the RRC arm; multipliers: with their solution in absolute coordinates."""
    run = library_model("rrc-arm", {"case": 0}).simulate(5.0, every=1e-3, progress=False)
    replay, joints = Replay.of(run.result), ("joint 2", "joint 4")
    calls = {method: partial(replay.wrenches, joints, method) for method in (NON_RECURSIVE, NEWTON_EULER)}
    calls[MULTIPLIERS] = lambda: replay.in_absolute_coordinates(run.result).wrenches(joints, MULTIPLIERS)
    for method, call in calls.items():
        print(f"  {method:15} {1e6 * min(timeit.repeat(call, number=1, repeat=3)) / len(run.t):6.2f} us a sample")


def main() -> None:
    """All three."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for title, measure in (
        ("inverse dynamics, one call from Python", inverse_dynamics),
        ("P2 Table 3", paper_ratios),
        ("loads of the RRC arm's run A", whole_run),
    ):
        print(title)
        measure()


if __name__ == "__main__":
    main()
