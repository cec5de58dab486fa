"""The samples of one run of many, seen as a Result: its columns, and the motion of the bodies when it is read."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from linkwork.analyses.simulate.samples import columns_of, samples_as_result
from linkwork.formulations.equations import Equations
from linkwork.results.body_motion import ComputedMotion
from linkwork.results.channels import Channel, body_motion_channels, multiplier_names, recorded_channels
from linkwork.results.result import Certificate, Result


class View(Result):
    """A Result of which only samples are stored."""

    def __init__(self, by: SampleView, rows: np.ndarray, certificate: Certificate) -> None:
        column, work_place = by.columns, by.work_place
        self.by, self.rows, self.names, self.certificate = by, rows, by.names, certificate
        self.t = by.times[: len(rows)]
        self.q, self.v = rows[:, : by.q_count], rows[:, by.velocities]
        self.v_dot, self.lam = rows[:, column.v_dot : column.lam], rows[:, column.lam : column.kinetic]
        self.energy = rows[:, [column.kinetic, column.potential, work_place]]
        self.measures = rows[:, column.signals :][:, by.measures]
        self.motion = ComputedMotion(lambda: by.sampler, rows, len(by.names["bodies"]))


class SampleView:
    """What the views of all runs share; `sampler`: equations with the tables of the present run."""

    def __init__(self, sampler: Equations, times: np.ndarray) -> None:
        self.sampler, self.times = sampler, times
        layout = sampler.compiled.layout
        self.columns, self.work_place = columns_of(sampler), layout.velocities.stop
        self.q_count, self.velocities = layout.q_count, layout.velocities
        self.measures = list(layout.measures.values())
        empty = samples_as_result(sampler, times[:0], np.zeros((0, self.columns.width)), np.zeros(0), {}, Certificate())
        self.names = empty.names
        self.channels: dict[str, Channel] = {}
        for channel in recorded_channels(empty):
            self.channels.setdefault(channel.name, channel)

    @cached_property
    def places(self) -> dict[str, int]:
        """Of the channels that stand in the rows as they are, where."""
        column, names = self.columns, self.names
        parts = {
            "energy": (["energy.kinetic", "energy.potential", "energy.work"],
                       [column.kinetic, column.potential, self.work_place]),
            "measures": (names["measures"], [column.signals + place for place in self.measures]),
            "q": (names["q"], range(self.q_count)),
            "v": (names["v"], range(self.velocities.start, self.velocities.stop)),
            "v_dot": ([f"{name}.dot" for name in names["v"]], range(column.v_dot, column.lam)),
            "lam": (multiplier_names(names["rows"]), range(column.lam, column.kinetic)),
        }  # fmt: skip
        found: dict[str, int] = {}
        for some, places in parts.values():
            for name, place in zip(some, places, strict=True):
                found.setdefault(name, place)
        moved = {one.name for k, body in enumerate(names["bodies"]) for one in body_motion_channels(body, k)}
        return {name: place for name, place in found.items() if name not in moved}  # as channels, those go before

    def finite(self, rows: np.ndarray) -> bool:
        """Whether all is that a single run looks at."""
        if math.isfinite(rows.sum()):
            return True
        column = self.columns
        return bool(np.isfinite(rows[:, : column.power]).all() and np.isfinite(rows[:, column.signals :]).all())
