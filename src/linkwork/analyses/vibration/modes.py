"""Modes: the natural motions of a linearized mechanism, x = shape exp(s t), damped and gyroscopic as it is.

    omega = |s|,   damping = -Re s / |s|,   frequency = |s| / 2 pi;   the oscillation seen is Im s

so that with one coordinate omega = sqrt(K / M) whatever the damping.  `undamped` leaves out the symmetric part of C_hat
(dampers) and keeps the skew one (gyroscopic terms).  A motion without stiffness is a rigid-body mode: s = 0 twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.vibration.element_shares import element_matrices
from linkwork.analyses.vibration.mode_shapes import body_directions, moving_masses, places
from linkwork.errors import OptionError
from linkwork.numerics.quadratic_eigen import independent_shapes, natural_motions
from linkwork.tables import Shown, Table, facts, table, warnings_of

if TYPE_CHECKING:
    from linkwork.analyses.vibration.linearization import Linearization

REAL = 1e-9  # of |s|: an imaginary part below it is rounding
UNDAMPED = 1e-6  # of the frequency: a growth or decay below it is rounding
NOTHING = 1e-12  # of an eigenvalue: a real part below it is rounding
FEW = 8  # modes in tables by default
LEAST_SHARE = 0.005  # of the kinetic energy of a mode: bodies with less are not listed
OSCILLATION, EXPONENTIAL, RIGID_BODY = "oscillation", "exponential", "rigid body"


@dataclass(frozen=True)
class Mode:
    """One natural motion."""

    eigenvalue: complex  # 1/s
    kind: str  # oscillation | exponential | rigid body
    shape: np.ndarray  # [independent] complex, largest entry 1; 0 where only auxiliary states move

    @property
    def omega(self) -> float:
        """|s|, rad/s."""
        return abs(self.eigenvalue)

    @property
    def frequency_hz(self) -> float:
        """|s| / 2 pi, Hz."""
        return self.omega / (2.0 * np.pi)

    @property
    def damping(self) -> float:
        """-Re s / |s|: 0 undamped, 1 and above not oscillating, negative growing."""
        return 0.0 - self.eigenvalue.real / self.omega if self.omega > 0.0 else 0.0

    @property
    def damped_omega(self) -> float:
        """Im s, rad/s: what an oscillation shows."""
        return self.eigenvalue.imag


@dataclass(frozen=True)
class BodyShape:
    """How a body moves in a mode: translation of its frame's origin (m) and rotation (rad), complex, world axes."""

    translation: np.ndarray  # [3]
    rotation: np.ndarray  # [3]


class Modes(Shown):
    """All modes of a linearization, by growing |s|."""

    def __init__(self, linear: Linearization, modes: tuple[Mode, ...]) -> None:
        self.linear, self.modes = linear, modes

    def __len__(self) -> int:
        return len(self.modes)

    def __iter__(self) -> Iterator[Mode]:
        return iter(self.modes)

    def __getitem__(self, n: int) -> Mode:
        return self.modes[n]

    @property
    def omega(self) -> np.ndarray:
        """|s| of every mode, rad/s."""
        return np.array([mode.omega for mode in self.modes])

    @property
    def eigenvalues(self) -> np.ndarray:
        """s of every mode, 1/s; of a conjugate pair the one that turns forwards."""
        return np.array([mode.eigenvalue for mode in self.modes])

    @property
    def undamped(self) -> np.ndarray:
        """Frequencies without the dampers, rad/s; gyroscopic terms kept, motions that do not oscillate left out."""
        linear = self.linear
        s, _, rigid = natural_motions(linear.M, 0.5 * (linear.C - linear.C.T), linear.K)
        return np.sort(s.imag[~rigid & (np.abs(s.real) < UNDAMPED * s.imag)])

    @property
    def rigid(self) -> int:
        """How many rigid-body modes there are."""
        return sum(mode.kind == RIGID_BODY for mode in self.modes)

    def tables(self, count: int = FEW) -> list[Table]:
        """Frequencies, damping and what moves, of the lowest modes; frequencies without dampers."""
        linear = self.linear
        at = "".join(f", {name} = {value:g}" for name, value in linear.reduction.speeds_by_name().items())
        stability = linear.equilibrium.stability if linear.equilibrium else "not an equilibrium"
        heads = ("mode", "kind", "omega, rad/s", "frequency, Hz", "damping ratio", "eigenvalue, 1/s", "kinetic energy")
        rows = [self._row(n) for n in range(min(count, len(self)))]
        undamped = ", ".join(f"{w:.6g}" for w in self.undamped[:count])
        left = len(self) - len(rows)
        return [
            table(f"{linear.reduction.mechanism.name}{at}: {stability}", heads, rows),
            facts("", [
                *([("more modes", f"{left} (--count {len(self)} shows them)")] if left > 0 else []),
                ("undamped", f"{undamped} rad/s" if undamped else "no oscillation"),
                *warnings_of(linear.notes),
            ]),
        ]  # fmt: skip

    def _row(self, n: int) -> tuple[str, ...]:
        mode = self.modes[n]
        s, main = mode.eigenvalue, sorted(self.participation(n).items(), key=lambda item: -item[1])[:3]
        moving = ", ".join(f"{name} {100 * share:.0f} %" for name, share in main if share > LEAST_SHARE)
        return (
            f"{n + 1}", mode.kind, f"{mode.omega:.6g}", f"{mode.frequency_hz:.6g}", f"{mode.damping:.4g}",
            f"{0.0 if abs(s.real) < NOTHING * abs(s) else s.real:.5g} {s.imag:+.6g}i", moving,
        )  # fmt: skip

    # -- shapes -------------------------------------------------------------------------------------------------
    def body_shapes(self, n: int) -> dict[str, BodyShape]:
        """Mode n on every body."""
        linear, shape = self.linear, self[n].shape
        layout = linear.reduction.layout
        dp, turn = body_directions(linear)
        return {
            body: BodyShape(
                np.tensordot(shape, dp[:, layout.body(body)], 1), np.tensordot(shape, turn[:, layout.body(body)], 1)
            )
            for body in (b.name for b in linear.reduction.mechanism.body)
        }

    def body_places(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Axes [3, 3] and origin [3] (m) of every body frame at the point of the linearization, world."""
        layout = self.linear.reduction.layout
        R, p = places(self.linear)
        found = {}
        for body in self.linear.reduction.mechanism.body:
            k = layout.body(body.name)
            found[body.name] = (R[k] @ layout.R_LB[k], p[k] + R[k] @ layout.p_LB[k])
        return found

    def participation(self, n: int) -> dict[str, float]:
        """Share of each independent coordinate in the kinetic energy of mode n; the shares add up to 1."""
        phi, M = self[n].shape, self.linear.M
        return _shares(dict(zip(self.linear.independent, np.real(np.conj(phi) * (M @ phi)).tolist(), strict=True)))

    def effective_mass(self, n: int) -> np.ndarray:
        """Mass (kg) that mode n moves along x, y, z when the ground shakes: |phi^H g|^2 / phi^H M phi."""
        linear, phi = self.linear, self[n].shape
        g = sum(((body.z @ body.M)[:, :3] @ body.R.T for body in moving_masses(linear).values()), np.zeros(3))
        size = np.real(np.conj(phi) @ linear.M @ phi)
        return np.asarray(np.abs(np.conj(phi) @ g) ** 2 / (size if size > 0.0 else 1.0))

    # -- energy -------------------------------------------------------------------------------------------------
    def kinetic_energy(self, n: int) -> dict[str, float]:
        """Share of each body in the kinetic energy of mode n."""
        moving = {name: (self[n].shape @ body.z, body.M) for name, body in moving_masses(self.linear).items()}
        return _shares({name: float(np.real(np.conj(z) @ M @ z)) for name, (z, M) in moving.items()})

    def potential_energy(self, n: int) -> dict[str, float]:
        """Share of each force element, gravity, flexible body and the steady rotation in the stiffness of mode n.

        An element's stiffness is what K_hat loses without it, geometric stiffness by its preload included.  About a
        state that is not an equilibrium, what is left is that of its motion.
        """
        phi, K = self[n].shape, self.linear.K
        total = np.real(np.conj(phi) @ K @ phi)
        if total == 0.0:
            return {}
        parts = element_matrices(self.linear)
        shares = {name: float(np.real(np.conj(phi) @ part @ phi) / total) for name, (part, _) in parts.items()}
        rest = 1.0 - sum(shares.values())
        left = "motion" if self.linear.equilibrium is None else "rotation"
        return shares | ({left: rest} if abs(rest) > 1e-9 else {})

    def dissipation(self, n: int) -> dict[str, float]:
        """Share of each force element in what damps mode n."""
        phi = self[n].shape
        each = {
            name: float(np.real(np.conj(phi) @ part @ phi)) for name, (_, part) in element_matrices(self.linear).items()
        }
        total = sum(abs(value) for value in each.values())
        return {name: value / total for name, value in each.items() if value != 0.0} if total > 0.0 else {}

    # -- for machines -------------------------------------------------------------------------------------------
    def as_list(self) -> list[dict[str, object]]:
        """The modes for a JSON answer."""
        names = self.linear.independent
        return [
            {
                "omega": mode.omega,
                "frequency_hz": mode.frequency_hz,
                "damping": mode.damping,
                "eigenvalue": [mode.eigenvalue.real, mode.eigenvalue.imag],
                "kind": mode.kind,
                "shape": {n: [float(c.real), float(c.imag)] for n, c in zip(names, mode.shape, strict=True)},
            }
            for mode in self.modes
        ]


def modes_of(linear: Linearization) -> Modes:
    """All s and shapes of M_hat x'' + C_hat x' + K_hat x = 0, one of each conjugate pair, rigid-body modes recognized.

    Auxiliary states of controllers take part; the shape shows the displacements.  Refused: no degree of freedom left.
    (Meirovitch 1974 where the system is conservative and gyroscopic; numerics/quadratic_eigen.py)
    """
    if not len(linear.M):
        raise OptionError("the mechanism has no degree of freedom left: nothing can vibrate; free a coordinate")
    s, X, rigid = natural_motions(linear.M, linear.C, linear.K, linear.A if linear.needs_states else None)
    still = X[:, rigid]
    found = [Mode(0j, RIGID_BODY, _scaled(still[:, k])) for k in independent_shapes(still, linear.M)]
    for k in np.flatnonzero(~rigid):
        if abs(s[k].imag) <= REAL * abs(s[k]):
            found.append(Mode(complex(s[k].real), EXPONENTIAL, _scaled(X[:, k])))
        elif s[k].imag > 0.0:
            found.append(Mode(complex(s[k]), OSCILLATION, _scaled(X[:, k])))
    return Modes(linear, tuple(found))


def _shares(parts: dict[str, float]) -> dict[str, float]:
    """Of their sum; of nothing, where only auxiliary states move, nothing."""
    total = sum(parts.values())
    return {name: value / total if total > 0.0 else 0.0 for name, value in parts.items()}


def _scaled(shape: np.ndarray) -> np.ndarray:
    """The largest entry (the first of equals) is made 1."""
    size = np.abs(shape)
    if not size.any():  # only auxiliary states move
        return shape
    largest = int(np.flatnonzero(size >= (1.0 - 1e-9) * size.max())[0])
    scaled: np.ndarray = shape / shape[largest]
    return np.where(np.abs(scaled.imag) < 1e-13, scaled.real, scaled)
