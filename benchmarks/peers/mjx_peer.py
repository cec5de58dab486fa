"""MJX, MuJoCo in JAX, on the GPU of this machine in single precision: batches of the chain and of the four-bar.

The models are those of mujoco_peer.py: RK4, everything that they do not need switched off, loops by `connect`, which
acts as a spring and damper.
"""

from __future__ import annotations

import time

import jax
import mujoco
import numpy as np
from mujoco import mjx

from benchmarks.peers.mujoco_peer import N_FOUR_BAR_SOFT, _chain, _mechanism
from benchmarks.problems import Chain, NFourBar

NAME = f"MJX {mujoco.__version__}"


def chain_batch(n: int, h: float, steps: int, factors: np.ndarray) -> tuple[float, np.ndarray]:
    """(seconds, final q) of chains whose speeds at the start are multiplied by these factors."""
    return _batch(_chain(Chain(n), h), steps, factors)


def four_bar_batch(p: NFourBar, h: float, steps: int, factors: np.ndarray) -> tuple[float, np.ndarray]:
    """(seconds, final q) of four-bars; q of the first body is its crank's angle."""
    return _batch(_mechanism(p.mechanism().in_space(), h, N_FOUR_BAR_SOFT), steps, factors)


def _batch(loaded: tuple[mujoco.MjModel, mujoco.MjData], steps: int, factors: np.ndarray) -> tuple[float, np.ndarray]:
    """Of the second of two runs, so that all is compiled; from NumPy to NumPy."""
    model, data = mjx.put_model(loaded[0]), mjx.put_data(*loaded)

    def run(factor: jax.Array) -> jax.Array:
        begun = data.replace(qvel=data.qvel * factor)
        return jax.lax.fori_loop(0, steps, lambda _, now: mjx.step(model, now), begun).qpos

    several, seconds = jax.jit(jax.vmap(run)), 0.0
    for _ in range(2):
        began = time.perf_counter()
        q = np.asarray(several(factors.astype(np.float32)))
        seconds = time.perf_counter() - began
    return seconds, q
