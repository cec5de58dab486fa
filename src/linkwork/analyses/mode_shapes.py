"""How the bodies move with the independent coordinates: displacements, rotations, masses; a mode as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import OptionError
from linkwork.integrators.loop import HISTORY
from linkwork.numerics.codes import LEVEL_ALL
from linkwork.numerics.rotations import axis_rotation, euler_parameters
from linkwork.results.result import Certificate, Result

if TYPE_CHECKING:
    from linkwork.analyses.linearization import Linearization


def body_directions(linear: Linearization) -> tuple[np.ndarray, np.ndarray]:
    """[coordinate, body, 3] displacement of body origins and rotation for a unit of each independent coordinate."""
    layout, motion = linear.reduction.layout, linear.along_x.motion
    dR = motion[..., :9].reshape(*motion.shape[:2], 3, 3)
    dp = motion[..., 9:12] + np.einsum("kbij,bj->kbi", dR, layout.p_LB)
    R = _places(linear)[0]
    spin = np.einsum("kbij,blj->kbil", dR, R)
    return dp, np.stack([spin[..., 2, 1], spin[..., 0, 2], spin[..., 1, 0]], axis=-1)


def mass_directions(linear: Linearization) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Masses [body], displacement of the centres of mass [coordinate, body, 3], inertias in world axes [body, 3, 3]."""
    bodies, motion = linear.reduction.system.bodies, linear.along_x.motion
    dR = motion[..., :9].reshape(*motion.shape[:2], 3, 3)
    dc = motion[..., 9:12] + np.einsum("kbij,bj->kbi", dR, bodies["p_LC"])
    R = _places(linear)[0]
    return bodies["mass"], dc, np.einsum("bij,bjk,blk->bil", R, bodies["J_C"], R)


def _places(linear: Linearization) -> tuple[np.ndarray, np.ndarray]:
    """Link frames at the reference point."""
    r = linear.reduction
    r.real.evaluate(r.t, linear.point.y, linear.point.angles, LEVEL_ALL)
    return r.real.work.R.copy(), r.real.work.p.copy()


def animated(
    linear: Linearization, shape: np.ndarray, period: float, title: str, amplitude: float, frames: int
) -> Result:
    """The bodies on their way through one period (s): places moved by the shape, orientations turned by it."""
    if frames < 2 or not np.isfinite(amplitude):
        raise OptionError(f"an animation of {frames} frames with amplitude {amplitude}; give at least 2, and a number")
    mechanism, layout = linear.reduction.mechanism, linear.reduction.layout
    t = np.linspace(0.0, period, frames)
    swing = amplitude * np.exp(2j * np.pi * t / period)
    order = [layout.body(body.name) for body in mechanism.body]
    R, p = _places(linear)
    p_WB = (p + np.einsum("bij,bj->bi", R, layout.p_LB))[order]
    R_WB = np.einsum("bij,bjk->bik", R, layout.R_LB)[order]
    dp, turn = body_directions(linear)
    moved, turned = np.tensordot(shape, dp[:, order], 1), np.tensordot(shape, turn[:, order], 1)
    position = p_WB + np.real(swing[:, None, None] * moved)
    angle = np.real(swing[:, None, None] * turned)
    spun = np.array([[_turn(w) @ R_WB[b] for b, w in enumerate(row)] for row in angle])
    rate = 2j * np.pi / period * swing
    dq, dv = linear.along_x.dq.T @ shape, linear.point.T @ shape
    none, count = np.zeros((frames, 0)), len(layout.rows)
    y, v = linear.point.y, linear.point.v
    return Result(
        model=f"{mechanism.name}, {title}", model_text=mechanism.model_dump_json(exclude_none=True),
        options={"amplitude": amplitude},
        names={"bodies": [b.name for b in mechanism.body], "joints": [j.name for j in mechanism.joint],
               "q": list(layout.q_names), "v": list(layout.v_names),
               "rows": [f"{row.element}: {row.equation}" for row in layout.rows], "measures": [], "units": []},
        t=t, q=y[: layout.q_count] + np.real(swing[:, None] * dq), v=v + np.real(rate[:, None] * dv),
        v_dot=np.zeros((frames, len(v))), lam=np.zeros((frames, count)), energy=np.zeros((frames, 3)),
        states=np.zeros((frames, 1)), measures=none, position=position, orientation=_continuous_parameters(spun),
        velocity=np.real(rate[:, None, None] * moved), angular_velocity=np.real(rate[:, None, None] * turned),
        strength=np.zeros(frames), rank=np.full(frames, float(len(linear.reduction.rows))),
        steps=np.zeros(0, HISTORY), certificate=Certificate(formulation=layout.formulation, dof=len(linear.M)),
    )  # fmt: skip


def _turn(w: np.ndarray) -> np.ndarray:
    angle = float(np.linalg.norm(w))
    return axis_rotation(w / angle, angle) if angle > 0.0 else np.eye(3)


def _continuous_parameters(R: np.ndarray) -> np.ndarray:
    """Euler parameters [frame, body, 4] without jumps of sign."""
    e = euler_parameters(R)
    for n in range(1, len(e)):
        e[n] = np.where(np.sum(e[n] * e[n - 1], axis=-1, keepdims=True) < 0.0, -e[n], e[n])
    return e
