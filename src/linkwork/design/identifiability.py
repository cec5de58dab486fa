"""What data can tell: directions in the space of the unknowns that leave every measured channel as it is.

With the Jacobian J of the residuals and the unknowns in their own size, S = J diag(size), the singular vectors of S
with vanishing singular values are such directions (Walter & Pronzato 1997, section 2.6).  Only what is perpendicular to
them is identified: of two unknowns one combination a + k b, of one unknown alone nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

CUT = 1e-7  # of the largest singular value: derivatives are not better known
TAKES_PART = 1e-3  # of a direction: an unknown with less is none of it


ALIKE = 1e-4  # unknowns whose relative shares differ by no more change in proportion


@dataclass(frozen=True)
class Blind:
    """Unknowns that the data do not tell apart, and how they may change together."""

    names: tuple[str, ...]
    direction: np.ndarray  # in units of the unknowns, the largest share 1
    in_proportion: bool = False

    def __str__(self) -> str:
        """A sentence."""
        if len(self.names) == 1:
            return f"'{self.names[0]}' has no influence on the data"
        listed = f"{', '.join(repr(name) for name in self.names[:-1])} and {self.names[-1]!r}"
        if self.in_proportion:
            return f"{listed} only in their ratios: the data do not notice all of them larger in proportion"
        if len(self.names) == 2:
            factor = -self.direction[0] / self.direction[1]
            sign = "+" if factor >= 0.0 else "-"
            return f"{listed} only in the combination {self.names[0]} {sign} {abs(factor):.6g} {self.names[1]}"
        together = ", ".join(f"{name} by {part:+.4g}" for name, part in zip(self.names, self.direction, strict=True))
        return f"{listed} only in combinations: the data do not notice {together} together"


def blind_directions(J: np.ndarray, names: Sequence[str], size: np.ndarray) -> tuple[list[Blind], np.ndarray]:
    """The directions, each of as few unknowns as there can be; and a basis of them [unknown, direction], scaled."""
    _, sizes, V = np.linalg.svd(J * size, full_matrices=True)
    sizes = np.concatenate([sizes, np.zeros(len(names) - len(sizes))])
    null = V[sizes <= CUT * max(float(sizes.max(initial=0.0)), 1e-300)].T
    found = []
    for direction in _sparse(null).T:
        part = np.abs(direction) > TAKES_PART * np.abs(direction).max()
        own, relative = (direction * size)[part], direction[part] / direction[part][0]
        taking_part = tuple(name for name, is_part in zip(names, part, strict=True) if is_part)
        in_proportion = len(own) > 1 and bool(np.all(np.abs(relative - 1.0) < ALIKE))
        found.append(Blind(taking_part, own / own[np.argmax(np.abs(own))], in_proportion))
    return found, null


def _sparse(null: np.ndarray) -> np.ndarray:
    """Another basis of the same space, with as many zeros as elimination with pivots gives."""
    basis = null.T.copy()
    for k in range(len(basis)):
        row, column = divmod(int(np.argmax(np.abs(basis[k:]))), basis.shape[1])
        basis[[k, k + row]] = basis[[k + row, k]]
        basis[k] /= basis[k, column]
        others = np.arange(len(basis)) != k
        basis[others] -= np.outer(basis[others, column], basis[k])
    return np.asarray(basis.T)
