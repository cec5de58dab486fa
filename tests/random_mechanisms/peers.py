"""Accelerations of a drawn mechanism by Pinocchio and MuJoCo, at the states of a run.

Each program gives what it knows of the open tree (cut_bodies.py): M, h, and J, J' v of any point.  Welds, gears and
drivers are rows C v_dot = c; accelerations are those of least constraint (Gauss; Udwadia and Kalaba 1992),

    v_dot = p + N z,   C p = c,   C N = 0,   N^T M N z = N^T (Q - h - M p),

unique also where rows are redundant.  Springs and friction are forces Q by their laws, written here once more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.results.result import Result
from peer_models import MujocoTree, Peer, PinocchioTree
from random_mechanisms.anything import Drawn, driven_acceleration
from random_mechanisms.cut_bodies import CutOpen, coordinates, cut_open
from random_mechanisms.trees import GROUND, LinkState, from_scalar_first

PEERS: dict[str, type[Peer]] = {"pinocchio": PinocchioTree, "mujoco": MujocoTree}
CLEAR, UNCLEAR = 1e-3, 1e-8  # singular values of C beyond and below; the rank is not clear if any is between
EQUAL = 1e-6  # of the largest acceleration
COMPARED = {  # joints whose coordinates mean the same in either direction, and what their velocities are called
    "revolute": ("rate",), "prismatic": ("speed",), "screw": ("rate",), "cylindrical": ("speed", "rate"),
}  # fmt: skip


@dataclass
class State:
    """The bodies of a sample, lengths in sizes of the mechanism."""

    t: float
    poses: dict[str, tuple[np.ndarray, np.ndarray]]  # R, p
    velocities: dict[str, np.ndarray]  # of the origin, and angular


def sample(run: Result, n: int, size: float) -> State:
    """A sample of a run."""
    R = [from_scalar_first(e) for e in run.orientation[n]]
    names = run.names["bodies"]
    poses = {name: (R[k], run.position[n, k] / size) for k, name in enumerate(names)}
    rates = {
        name: np.concatenate([run.velocity[n, k] / size, run.angular_velocity[n, k]]) for k, name in enumerate(names)
    }
    return State(float(run.t[n]), poses, rates)


def expressible(drawn: Drawn, program: str) -> bool:
    """Rigid bodies, masses that the mass matrix resolves in doubles, loops that close exactly; MuJoCo has no screws."""
    tags = drawn.tags
    screws = program == "mujoco" and any(joint["kind"] == "screw" for joint in drawn.parts["joint"])
    return not (screws or {"flexible", "mass ratio 1e12"} & {*tags} or any(tag.startswith("given to") for tag in tags))


def programs(drawn: Drawn) -> list[Other]:
    """The mechanism in each program that can express it."""
    return [Other(drawn, name) for name in PEERS if expressible(drawn, name)]


class Other:
    """A drawn mechanism in another program."""

    def __init__(self, drawn: Drawn, program: str) -> None:
        self.drawn, self.program = drawn, program
        self.cut: CutOpen = cut_open(drawn)
        self.peer = PEERS[program](self.cut.tree)
        self.compared = 0  # samples

    def differs(self, run: Result) -> str:
        """By how much the accelerations of a run differ, at its start or its end; "" where they are the same."""
        for n in (0, len(run.t) - 1):
            state = sample(run, n, self.drawn.size)
            v_dot = self.accelerations(state, run.certificate.dof)
            if v_dot is None:
                continue
            self.compared += 1
            theirs = self._in_words_of(run, state, v_dot)
            units = [self.drawn.size if unit == "m/s" else 1.0 for unit in run.names["v_units"]]
            ours = dict(zip(run.names["v"], run.v_dot[n] / units, strict=True))
            largest = max(map(abs, theirs.values()), default=0.0) + 1.0
            for name, value in theirs.items():
                if not abs(ours[name] - value) < EQUAL * largest:
                    return f"{self.program}: {name} at t = {state.t:.2f} s: {ours[name]:.9g} instead of {value:.9g}"
        return ""

    def accelerations(self, state: State, dof: int) -> np.ndarray | None:
        """v_dot of the tree in the peer's own velocities; None where the rank of the rows is not clear."""
        q = self.peer._q([LinkState(self._coordinates(i, state), np.zeros(0)) for i in range(len(self.cut.bodies))])
        self.peer.evaluate(q, np.zeros(self.cut.tree.dof()))
        J = [self.peer.motion_of(i, state.poses[name][1])[0] for i, name in enumerate(self.cut.bodies)]
        v = np.linalg.lstsq(np.vstack(J), np.concatenate([state.velocities[name] for name in self.cut.bodies]))[0]
        M, h = self.peer.evaluate(q, v)
        C, c = self._rows(state)
        U, s, Vt = np.linalg.svd(C)
        rank = int(np.sum(s > CLEAR))
        if np.any((s > UNCLEAR) & (s < CLEAR)) or len(v) - rank != dof:
            return None
        p, N = Vt[:rank].T @ (U[:, :rank].T @ c / s[:rank]), Vt[rank:].T
        if np.abs(C @ p - c).max() > EQUAL:  # in a singular position, velocities of no motion that goes on
            return None
        return p + N @ np.linalg.solve(N.T @ M @ N, N.T @ (self._forces(state, v) - h - M @ p)) if dof else p

    def _coordinates(self, i: int, state: State) -> np.ndarray:
        links, parent = self.cut.tree.links, self.cut.tree.links[i].shape.parent
        held = (None, (np.eye(3), np.zeros(3)))
        before = held if parent == GROUND else (links[parent], state.poses[self.cut.bodies[parent]])
        return coordinates(links[i], before[0], state.poses[self.cut.bodies[i]], before[1])

    def _rows(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """C and c of the welds, gears and drivers."""
        count, parts = self.cut.tree.dof(), self.drawn.parts
        rows, values = [np.zeros((1, count))], [np.zeros(1)]
        for one, other in self.cut.welds:
            point = state.poses[self.cut.bodies[one]][1]
            (J, drift), (J_other, drift_other) = (self.peer.motion_of(i, point) for i in (one, other))
            rows.append(J - J_other)
            values.append(drift_other - drift)
        for gear in parts.get("gear", ()):
            first, second = (self._unit(name) for name in gear["joints"])
            rows.append((second - gear["ratio"] * first)[None])
            values.append(np.zeros(1))
        for driver in parts.get("driver", ()):
            rows.append(self._unit(driver["joint"])[None])
            values.append(np.array([driven_acceleration(state.t)]))
        return np.vstack(rows), np.concatenate(values)

    def _unit(self, joint: str, k: int = 0) -> np.ndarray:
        """The row that picks the (k-th) coordinate of a joint."""
        row = np.zeros(self.cut.tree.dof())
        row[self.peer.first_v(self.cut.joints.index(joint)) + k] = 1.0
        return row

    def _forces(self, state: State, v: np.ndarray) -> np.ndarray:
        """Q of springs and friction."""
        Q, size, parts = np.zeros(len(v)), self.drawn.size, self.drawn.parts
        for spring in parts.get("spring_damper", ()):
            name = spring["between"][1]
            i = self.cut.bodies.index(name)
            link, (R, p) = self.cut.tree.links[i], state.poses[name]
            foot, at = (np.array(point, float) / size for point in spring["points"])
            point = p + R @ link.R_WB.T @ (at - link.p_WB)
            J = self.peer.motion_of(i, point)[0][:3]
            length = np.linalg.norm(point - foot)
            along = (point - foot) / length
            stretch = length - np.linalg.norm(at - foot)
            Q -= J.T @ along * (spring["stiffness"] * stretch + spring["damping"] * (along @ J @ v))
        for drag in parts.get("friction", ()):
            row = self._unit(drag["joint"])
            Q -= row * drag["viscous"] / size**2 * (row @ v)
        return Q

    def _in_words_of(self, run: Result, state: State, v_dot: np.ndarray) -> dict[str, float]:
        """Accelerations under the names that the run has for them: of bodies, hinges and slides."""
        found: dict[str, float] = {}
        flat = bool(self.drawn.parts.get("plane"))  # xz, turning from x to z
        words = ("vx", "vy", "rate") if flat else ("vx", "vy", "vz", "wx", "wy", "wz")
        for i, name in enumerate(self.cut.bodies):
            J, drift = self.peer.motion_of(i, state.poses[name][1])
            a = J @ v_dot + drift
            found |= {f"{name}.{word}": x for word, x in zip(words, (a[0], a[2], -a[4]) if flat else a, strict=True)}
        for i, name in enumerate(self.cut.joints):
            kind = self.cut.tree.links[i].shape.kind
            for k, word in enumerate(COMPARED.get(kind, ())):
                found[f"{name}.{word}"] = float(self._unit(name, k) @ v_dot)
        return {name: x for name, x in found.items() if name in run.names["v"]}
