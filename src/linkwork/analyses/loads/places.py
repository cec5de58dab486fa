"""Points and axes that a load is requested for, at every sample: of joints, bodies and named frames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwork.analyses.loads.replay import Replay, Wrenches
from linkwork.errors import OptionError, nearest
from linkwork.numerics.rotations import rotation_matrix

Place = str | Sequence[float] | np.ndarray


def joint_point(replay: Replay, found: Wrenches, joint: str) -> np.ndarray:
    """The joint's point on B [sample, 3], m."""
    frames = replay.layout.joints[joint]
    return np.asarray(found.p[:, frames.body_b] + found.R[:, frames.body_b] @ frames.p_BM)


def place(replay: Replay, found: Wrenches, joint: str, at: Place) -> tuple[np.ndarray, str]:
    """A point in the world at every sample [sample, 3] (m), and its name."""
    if not isinstance(at, str):
        point = np.array(at, float)
        if point.shape != (3,) or not np.isfinite(point).all():
            raise OptionError(f"at is {at}; a point has three finite numbers (m, world)", element="at")
        return np.broadcast_to(point, (len(replay.t), 3)), f"({point[0]:g}, {point[1]:g}, {point[2]:g})"
    if at == "joint":
        return joint_point(replay, found, joint), at
    body, p, _ = _named(replay, at, "at", ["joint"])
    origin, axes = body_frame(replay, found, body)
    return origin + axes @ p, at


def orientation(replay: Replay, found: Wrenches, joint: str, frame: str) -> np.ndarray:
    """Axes in the world at every sample [sample, 3, 3]."""
    if frame == "world":
        return np.broadcast_to(np.eye(3), (len(replay.t), 3, 3))
    if frame == "joint":
        frames = replay.layout.joints[joint]
        return np.asarray(found.R[:, frames.body_a] @ frames.R_AF)
    body, _, R = _named(replay, frame, "frame", ["world", "joint"])
    return np.asarray(body_frame(replay, found, body)[1] @ R)


def _named(replay: Replay, name: str, option: str, words: list[str]) -> tuple[int, np.ndarray, np.ndarray]:
    """The body of a named body or frame, and the frame's place and orientation on it."""
    if name in replay.layout.bodies:
        return replay.layout.body(name), np.zeros(3), np.eye(3)
    frames = {frame.name: frame for frame in replay.mechanism.frame}
    if name not in frames:
        known = [*words, *replay.layout.bodies, *frames]
        what = f"which is neither a body nor a frame nor {' nor '.join(words)}"
        raise OptionError(f"{option} is '{name}', {what}; {nearest(name, known)}", element=name)
    frame = frames[name]
    node = f"{frame.body}.{frame.node}"  # of a flexible body, where something is attached to it
    if frame.node is not None and node in replay.layout.bodies:
        return replay.layout.body(node), np.array(frame.at), rotation_matrix(np.array(frame.orientation))
    if any(body.name == frame.body and body.flexible is not None for body in replay.mechanism.body):
        raise OptionError(
            f"{option} is '{name}', a place of the flexible '{frame.body}' where nothing is attached; name a frame to "
            "which a joint is attached",
            element=name,
        )
    return replay.layout.body(frame.body), np.array(frame.at), rotation_matrix(np.array(frame.orientation))


def body_frame(replay: Replay, found: Wrenches, body: int) -> tuple[np.ndarray, np.ndarray]:
    """Origin [sample, 3] (m) and axes [sample, 3, 3] of a body's own frame."""
    layout = replay.layout
    return found.p[:, body] + found.R[:, body] @ layout.p_LB[body], found.R[:, body] @ layout.R_LB[body]
