"""What an analysis found, with slopes along every parameter: the form that all analyses give."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from linkwork.errors import OptionError


@dataclass(frozen=True)
class Sloped:
    """A number or a history, and its derivatives."""

    data: np.ndarray  # [] or [sample]
    slope: np.ndarray  # [..., parameter], per unit of the parameter
    unit: str = ""  # SI, of data


@dataclass(frozen=True)
class Varied:
    """Numbers by name, and functions that outputs may call; `reasons` grows where a slope asked for does not exist."""

    t: np.ndarray | None  # s, of histories; rad/s of responses; rad or m of a sweep
    names: Callable[[], Collection[str]]
    number: Callable[[str], Sloped]
    functions: Mapping[str, Callable[..., Sloped]] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    mode: str = ""  # how the slopes were found, and why so


@dataclass(frozen=True)
class Reversed:
    """Numbers by name, and the gradients of what outputs make of them: of few outputs and many parameters."""

    t: np.ndarray
    names: Callable[[], Collection[str]]
    number: Callable[[str], Sloped]  # without slopes
    gradients: Callable[[Sequence[Mapping[str, np.ndarray]]], np.ndarray]  # of the slopes of outputs along histories
    reasons: list[str] = field(default_factory=list)
    mode: str = ""
    otherwise: Callable[[str], Varied] | None = None  # where `gradients` are refused, and why: the same with slopes


REMEDY = 'choose mode = "forward"'


class NoAdjointError(OptionError):
    """The adjoint equation does not go through this run, or does not get on; forward mode may."""

    def __init__(self, why: str, element: str = "mode") -> None:
        super().__init__(f"{why}; {REMEDY}", element=element)
        self.why = why
