"""Flexible bodies of the tree as records: where their numbers, nodes and scratch lie."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.elements.bodies.flexible_motion import FLEXIBLE_BODIES
from linkwork.elements.bodies.flexible_tables import FLEXIBLE, NODE
from linkwork.elements.bodies.foreshortening import SHIFTS
from linkwork.flexible.modal_body import ModalBody
from linkwork.system.compilation.family_tables import FamilyTables
from linkwork.system.flexible import Shapes, body_parts, scratch_sizes


class ModalTables:
    """Records of flexible bodies and of their nodes in use, and the numbers that they share."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.bodies: list[tuple[Any, ...]] = []
        self.nodes: list[tuple[str, tuple[Any, ...]]] = []  # with the name of the body
        self.numbers: list[np.ndarray] = []
        self.scratch_count = 0

    def add_body(self, name: str, index: int, modal: ModalBody, shapes: Shapes, first_v: int, first_q: int) -> None:
        """A body with its modal coordinates from first_q on, their rates from first_v on."""
        count = len(shapes.C)
        data = [self._put(part.ravel()) for part in body_parts(modal, shapes)]
        sizes = scratch_sizes(modal.modes, count)
        *places, self.scratch_count = np.cumsum([self.scratch_count, *sizes]).tolist()
        self.names.append(name)
        self.bodies.append((index, modal.modes, count, first_v, first_q, modal.mass, *data, *places))

    def add_node(self, index: int, first_axis: int, at_node: np.ndarray) -> None:
        """A node of the body added last, as a body of the tree that its modes move by the axes from first_axis on."""
        record = (index, len(self.bodies) - 1, first_axis, self._put(at_node.ravel()))
        self.nodes.append((self.names[-1], record))

    def _put(self, values: np.ndarray) -> int:
        """Where among the numbers of the System these are put."""
        first = sum(len(part) for part in self.numbers)
        self.numbers.append(values)
        return first

    def enter(self, tables: FamilyTables) -> None:
        """Bodies, then nodes: one table; bodies with more shapes than modes also as those that foreshorten."""
        no_node, no_body = np.zeros((), NODE).item(), np.zeros((), FLEXIBLE).item()
        for name, body in zip(self.names, self.bodies, strict=True):
            tables.add(FLEXIBLE_BODIES, name, (0, body, no_node))
            if body[2] > body[1] + 1:
                tables.add(SHIFTS, name, body)
        for name, node in self.nodes:
            tables.add(FLEXIBLE_BODIES, name, (1, no_body, node))
