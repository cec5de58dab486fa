"""The way back: tapes of the nodes, what samples and instants add, and the sweep of the compiled adjoint
(integrators/sensitivities/adjoint.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from linkwork.analyses.gradients.adjoint.motion import Instant, Motion
from linkwork.analyses.gradients.adjoint.panels import Nodes, Panels
from linkwork.analyses.gradients.trace.equations import filled_of, given_of, trace
from linkwork.analyses.gradients.trace.numbers import NotTracedError
from linkwork.analyses.gradients.trace.words import Word
from linkwork.analyses.gradients.varied import NoAdjointError
from linkwork.analyses.simulate.samples import columns_of
from linkwork.analyses.start.assembly import Start
from linkwork.analyses.start.scales import state_scales
from linkwork.compiler.references import Reference
from linkwork.formulations.equations import Equations
from linkwork.integrators.sensitivities.adjoint import (
    Places,
    choose_programs,
    new_backward,
    pull_back_at,
    solve_nodes,
    sweep_back,
)
from linkwork.integrators.sensitivities.tape import Program, new_program
from linkwork.numerics.status import Status

MOST_BRANCHES = 64  # tapes of one motion


class Tapes:
    """The tapes of a mechanism, one for each way that its branches go."""

    def __init__(self, start: Start, words: Sequence[Word]) -> None:
        self.equations, self.words, self.start = Equations(start.compiled), words, start
        self.programs: list[Program] = []
        self._layout = Reference(new_program())  # which kernels know before the first is written
        self._references: list[Reference] = []

    def write(self, given: np.ndarray) -> None:
        """One more, at these numbers."""
        if len(self.programs) == MOST_BRANCHES:
            raise NoAdjointError(f"the equations of motion take more than {MOST_BRANCHES} branches")
        try:
            self.programs.append(trace(self.equations, given, self.words))
        except NotTracedError as refused:
            raise NoAdjointError(f"the equations of motion cannot be traced: {refused}") from None
        self._references.append(Reference(self.programs[-1]))

    @property
    def addresses(self) -> np.ndarray:
        """For kernels."""
        return np.array([one.address for one in self._references], np.int64)

    @property
    def late(self) -> bool:
        """Whether an output of some tape needs accelerations or multipliers."""
        place = given_of(self.equations, len(self.words))
        return any(
            np.any((one.inputs[:, 1] >= place.v_dot.start) & (one.inputs[:, 1] < place.lam.stop))
            for one in self.programs
        )


class Sweep:
    """A motion by its nodes, ready to be gone back."""

    def __init__(self, tapes: Tapes, nodes: Nodes, panels: Panels, motion: Motion, values: np.ndarray) -> None:
        """`motion`: sampled at the nodes' times; `values`: of what rows hold, then of the words."""
        self.tapes, self.nodes, self.panels, self.motion = tapes, nodes, panels, motion
        self.equations = equations = tapes.equations
        work = equations.work
        self.place = given_of(equations, len(tapes.words))
        self.columns = columns_of(equations)
        n = len(work.rate)
        self.back = new_backward(
            n, len(work.v_dot), len(work.lam), len(work.signals), len(work.switches), self.place.held.start,
            len(values), len(nodes.t), len(panels.segment), len(panels.segment), len(motion.instants), 0,
        )  # fmt: skip
        self.back.given[self.place.held.start :] = values
        self.back.scales[:] = state_scales(tapes.start.compiled)
        self.back.stages[:], self.back.lengths[:] = nodes.stages, np.diff(panels.ends)
        self._fill_nodes()
        self._choose()
        self._find_instants()

    # -- nodes --------------------------------------------------------------------------------------------------
    def _fill_nodes(self) -> None:
        back, nodes, place = self.back, self.nodes, self.place
        sample = np.searchsorted(self.motion.t, nodes.t)
        back.nodes[:, 0] = nodes.t
        back.nodes[:, place.y] = self.motion.rows[sample, : place.y.stop - place.y.start]
        for k, one in enumerate(self.motion.instants):
            here = nodes.t == one.t
            back.nodes[here & (nodes.segment == k), 0] = one.before
            back.nodes[here & (nodes.segment == k + 1), 0] = one.after
        back.chosen[nodes.borrowed >= 0] = -2

    def _places(self) -> Places:
        place, filled = self.place, filled_of(self.equations)
        return Places(
            place.y.start, place.angles.start, place.v_dot.start, place.lam.start, words=place.held.start,
            switches=filled.switches.start, late=int(self.tapes.late),
            **{name: part.start for name, part in filled.parts.items()},
        )  # fmt: skip

    def _choose(self) -> None:
        """A tape for every node; where none fits, one is written."""
        equations, k = self.equations, 0
        angles = self.tapes.start.angles.copy()
        while k >= 0:
            self._refer()
            k = choose_programs(equations.system_ref, equations.work_ref, angles, k, self._reference.address)
            if k >= 0:
                self.tapes.write(np.concatenate([self.back.nodes[k], self.back.given[self.place.held.start :]]))
        borrowed = self.nodes.borrowed
        at = np.flatnonzero(borrowed >= 0)
        self.back.chosen[at] = self.back.chosen[borrowed[at]]
        self._refer()
        self._check(solve_nodes(equations.system_ref, equations.work_ref, self._reference.address))

    def _refer(self) -> None:
        self.back = self.back._replace(programs=self.tapes.addresses)
        self.back.places[:] = self._places()
        self._reference = Reference(self.back)

    def _check(self, status: int) -> None:
        if Status(status) != Status.OK:
            raise NoAdjointError(f"the adjoint equation cannot be solved: {Status(status).name}")

    # -- samples and instants -----------------------------------------------------------------------------------
    def pulled(self, node: int, **seeds: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """The derivatives of what is seeded at a node with respect to t, y and the words."""
        for name in ("rate", "v_dot", "lam", "energy", "signals", "switches", "Phi", "nu"):
            getattr(self.back, f"seed_{name}")[:] = seeds.get(name, 0.0)
        equations = self.equations
        self._check(pull_back_at(equations.system_ref, equations.work_ref, node, self._reference.address))
        back = self.back
        return float(back.bar_t[0]), back.bar_y.copy(), back.bar_words.copy()

    def onto_constraints(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """w and dJ/dwords of the start brought onto the constraints by the least motion: the transpose of (13.2)."""
        node, work = int(self.nodes.stages[0, -1]), self.equations.work
        if not len(work.lam):
            return w, np.zeros_like(self.back.words)
        first = len(work.q)
        motions = slice(first, first + len(work.v_dot))
        self.pulled(node, v_dot=w[motions])
        _, y, words = self.pulled(node, nu=work.lam.copy())
        w = w + y
        turned = np.zeros_like(w)
        turned[:first] = w[:first]
        tangent = self.pulled(node, rate=turned)[1][motions]
        self.pulled(node, v_dot=tangent)
        _, y, more = self.pulled(node, Phi=-work.lam)
        return w + y, words + more

    def sample(self, node: int, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """dJ/dy and dJ/dwords, of dJ/d(row of a sample)."""
        place = self.columns
        energy = row[place.kinetic : place.power + 1]
        seeds = {
            "v_dot": row[place.v_dot : place.lam], "lam": row[place.lam : place.kinetic], "energy": energy,
            "signals": row[place.signals :],
        }  # fmt: skip
        if not any(np.any(seed) for seed in seeds.values()):
            return row[: place.v_dot].copy(), np.zeros_like(self.back.words)
        _, y, words = self.pulled(node, **seeds)
        return y + row[: place.v_dot], words

    def _find_instants(self) -> None:
        """How each instant moves with state and words, and by how much the rate jumps there."""
        back = self.back
        for k, one in enumerate(self.motion.instants):
            panel = int(np.searchsorted(self.panels.ends[1:], one.t))
            left, right = self.nodes.at_end(panel), int(self.nodes.stages[panel + 1, -1])
            back.instant[panel] = k
            back.instant_rates[k] = back.rates[left] - back.rates[right]
            if one.watch >= 0:
                back.instant_y[k], back.instant_words[k] = self._instant_slopes(left, one)

    def _instant_slopes(self, node: int, one: Instant) -> tuple[np.ndarray, np.ndarray]:
        """dtau/dy and dtau/dwords of the number that passes zero, theory (13.4)."""
        watch = self.equations.work.watch[one.watch]
        if watch["switch"] >= 0:
            seed = np.zeros_like(self.back.seed_switches)
            seed[watch["switch"]] = 1.0
            t, y, words = self.pulled(node, switches=seed)
        else:
            seed = np.zeros_like(self.back.seed_signals)
            seed[watch["signal"]] = watch["sign"]
            t, y, words = self.pulled(node, signals=seed)
        speed = t + y @ self.back.rates[node]
        return -y / speed, -words / speed

    # -- the way back -------------------------------------------------------------------------------------------
    def back_from(self, reads: Mapping[int, np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """w at the start, dJ/dwords of the motion, and the share of every instant; `reads`: dJ/dy by the panel at whose
        end an output reads the motion.
        """
        back = self.back
        back.jump[:] = -1
        for k, (panel, y) in enumerate(reads.items()):
            back.jump[panel], back.jumps[k] = k, y
        back.shares[:] = 0.0
        equations = self.equations
        self._check(sweep_back(equations.system_ref, equations.work_ref, self._reference.address))
        return back.w.copy(), back.words.copy(), back.shares.copy()

    @property
    def errors(self) -> np.ndarray:
        """Of the last way back: of each panel, relative."""
        return self.back.errors.copy()
