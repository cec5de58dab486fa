"""The peers linkwork is measured against, each a module of plain functions with the same names.

    chain_forward_dynamics(n), chain_inverse_dynamics(n)   a callable that makes one call
    chain_accelerations(n), chain_torques(n)               what those calls compute
    chain_simulate(n, t_end)                               (seconds, final q)
    n_four_bar(problem, t_end)                             (seconds, theta, thetadot)
    andrews(t_end), bricard(t_end), governor(t_end)        (seconds, angle)

Each takes its step or tolerance as a further, optional argument; `N_FOUR_BAR_VARIANTS`, `ANDREWS_VARIANTS` and so on
name other settings worth measuring.  `bricard_accelerations()` and `governor_accelerations()` are those at the start.
A module lacks a function where the peer cannot do the problem.
Seconds are those of the processor in the run, not in building the model.
"""

from __future__ import annotations

import importlib
from types import ModuleType

MODULES = {"pinocchio": "pinocchio_peer", "mujoco": "mujoco_peer", "exudyn": "exudyn_peer", "dynibo": "dynibo_peer"}


def load(name: str) -> ModuleType | str:
    """The peer's module, or one line that says why it is missing."""
    try:
        return importlib.import_module(f"{__name__}.{MODULES[name]}")
    except ImportError as error:
        return f"{name}: skipped, it cannot be imported here ({error}); pip install 'linkwork[bench]' brings it"


def available() -> dict[str, ModuleType]:
    """The peers that are installed."""
    found = {name: load(name) for name in MODULES}
    return {name: module for name, module in found.items() if isinstance(module, ModuleType)}
