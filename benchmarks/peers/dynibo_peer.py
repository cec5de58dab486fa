"""dynibo (Rust) on the chain: forward and inverse dynamics. It reads URDF, has
standard gravity and no other, and integrates nothing itself.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path

import dynibo
import numpy as np

from benchmarks.problems import Chain

NAME = f"dynibo {version('dynibo')} (g = 9.80665 m/s2)"
AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}


def _chain(c: Chain) -> dynibo.Robot:
    ixx, iyy, izz = c.inertia
    parts = ['<robot name="chain">', '<link name="link0"/>']
    for i, axis in enumerate(c.axes):
        parts.append(
            f'<link name="link{i + 1}"><inertial><origin xyz="{c.length / 2.0} 0 0"/><mass value="{c.mass}"/>'
            f'<inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="joint{i}" type="continuous"><parent link="link{i}"/><child link="link{i + 1}"/>'
            f'<origin xyz="{c.length if i else 0.0} 0 0"/><axis xyz="{AXES[axis]}"/></joint>'
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chain.urdf"
        path.write_text("".join([*parts, "</robot>"]))
        return dynibo.Robot.from_urdf(str(path))


def chain_forward_dynamics(n: int) -> Callable[[], np.ndarray]:
    """One call, into an array of the caller's."""
    c = Chain(n)
    return partial(_chain(c).forward_dynamics, c.q, c.v, c.tau, out=np.zeros(n))


def chain_inverse_dynamics(n: int) -> Callable[[], np.ndarray]:
    """One call, into an array of the caller's."""
    c = Chain(n)
    return partial(_chain(c).inverse_dynamics, c.q, c.v, c.a, out=np.zeros(n))


def chain_accelerations(n: int) -> np.ndarray:
    """What forward dynamics finds, to compare."""
    return np.array(chain_forward_dynamics(n)())


def chain_torques(n: int) -> np.ndarray:
    """What inverse dynamics finds, to compare."""
    return np.array(chain_inverse_dynamics(n)())
