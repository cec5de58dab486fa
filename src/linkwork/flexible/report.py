"""The account of a flexible body's import: mass, centre, inertia beside the rigid body's, modes, what was dropped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.errors import ModelError

WRONG = 1e-2  # relative difference of modal and rigid mass that no discretization explains


@dataclass(frozen=True)
class RigidData:
    """Mass, centre and inertia about the centre, body axes, SI; what is not known is None."""

    mass: float
    centre: np.ndarray | None = None
    inertia: np.ndarray | None = None


@dataclass(frozen=True)
class ImportReport:
    """The account of an import; `print` shows it as a table."""

    name: str
    found: RigidData  # of the finite-element model
    rigid: RigidData | None  # of the rigid body it stands for, where known
    unknowns: int
    rigid_modes: int
    frequencies: np.ndarray  # Hz, of the coordinates kept
    dropped: tuple[str, ...]
    warnings: tuple[str, ...]

    def __str__(self) -> str:
        return f"flexible body '{self.name}': {self.words}"

    @property
    def words(self) -> str:
        """The account, line by line."""

        def numbers(a: np.ndarray | float) -> str:
            return ", ".join(f"{x:.6g}" for x in np.ravel(a))

        lines = [f"{self.unknowns} unknowns, {len(self.frequencies)} modes"]
        for key, unit in (("mass", "kg"), ("centre", "m"), ("inertia", "kg m2, about the centre: xx yy zz xy xz yz")):
            ours = getattr(self.found, key)
            ours = _six(ours) if key == "inertia" else ours
            lines.append(f"  {key:<12} {numbers(ours)} {unit}")
            theirs = None if self.rigid is None else getattr(self.rigid, key)
            if theirs is not None:
                theirs = _six(np.asarray(theirs)) if key == "inertia" else theirs
                off = np.max(np.abs(np.asarray(ours) - theirs))
                lines.append(f"    rigid body {numbers(theirs)}; difference {off:.3g}")
        lines.append(f"  rigid modes  {self.rigid_modes} found")
        lines.append(f"  frequencies  {numbers(self.frequencies)} Hz")
        lines += [f"  dropped      {text}" for text in self.dropped] or ["  dropped      nothing"]
        lines += [f"  warning      {text}" for text in self.warnings]
        return "\n".join(lines)


def check_mass(name: str, found: RigidData, rigid: RigidData | None) -> None:
    """Refuse a finite-element model whose mass is not that of the rigid body it stands for."""
    if rigid is not None and abs(found.mass - rigid.mass) > WRONG * rigid.mass:
        raise ModelError(
            f"flexible body '{name}': its modal mass is {found.mass:.6g} kg, its rigid mass {rigid.mass:.6g} kg: "
            f"a difference of {found.mass - rigid.mass:.6g} kg; check that both are in the same units",
            element=name,
        )


def rigid_data(mass: float, h0: np.ndarray, J0: np.ndarray) -> RigidData:
    """Mass, centre and inertia about the centre from the first moment and the inertia about the origin."""
    c = h0 / mass
    return RigidData(mass, c, J0 - mass * (c @ c * np.eye(3) - np.outer(c, c)))


def _six(J: np.ndarray) -> np.ndarray:
    six = np.array([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]) if J.shape == (3, 3) else J
    return np.where(np.abs(six) < 1e-12 * np.abs(six).max(), 0.0, six)  # products that are rounding
