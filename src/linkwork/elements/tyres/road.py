"""Road: a surface z = h(x, y) fixed in the world, the sum of pieces along x; tyres read its height and slopes.

A piece may lie on one side only (left: y > 0), so that the two tracks differ.  The road becomes numbers among the
opcodes of the model, which elements/tyres/road_surface.py reads.

Random roughness is that of ISO 8608 (2016): a displacement spectral density G(n) = G0 (n / 0.1)^-2, n in cycles/m, with
G0 = 16e-6 m3 for class A and four times as much for each class after it, between 0.011 and 2.83 cycles/m, theory (7.6).
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from linkwork.elements.declaration.base import Declaration, Element, Number
from linkwork.elements.tyres.road_surface import (
    COSINE,
    HALF_ROUND,
    PLANE,
    SINE,
    SPLINE,
    WALL,
    WIDTH,
    heights,
)
from linkwork.expressions.kernels.program import data_ops
from linkwork.expressions.kernels.tables import tabulated

ENDLESS = 1e30  # m
SIDES = {"both": 0.0, "left": 1.0, "right": -1.0}

LONGEST, SHORTEST = 0.011, 2.83  # cycles/m, the waves that ISO 8608 counts
CLASS_A = 16e-6  # m3, G0 of class A
GRID = 0.04  # m, between the points where random roughness is laid down: nine for the shortest wave


class _Piece(Declaration):
    side: Literal["both", "left", "right"] = Field(default="both", description="the track on which it lies")

    def numbers(self) -> tuple[float, float, float, float]:
        """Start and end (m) of where it is not flat zero, and two numbers of its own."""
        raise NotImplementedError

    def spline(self) -> tuple[float, ...]:
        """The data of its spline, if it is one."""
        return ()


def _positive(piece: _Piece, *keys: str) -> None:
    for key in keys:
        value = getattr(piece, key)
        if value <= 0.0:
            raise ValueError(f"{piece.kind}: {key} is {value:g}; it must be > 0")  # type: ignore[attr-defined]


class HalfRound(_Piece):
    """A half-round bump across the road; its sides are no steeper than 75 degrees."""

    kind: Literal["half-round"] = "half-round"
    at: Number = Field(description="m, x of its middle")
    radius: Number = Field(description="m, > 0")

    @model_validator(mode="after")
    def _sized(self) -> Self:
        _positive(self, "radius")
        return self

    def numbers(self) -> tuple[float, float, float, float]:
        """Middle and radius."""
        half = self.radius / float(np.sin(WALL))
        return self.at - half, self.at + half, self.at, self.radius


class Cosine(_Piece):
    """A bump, or a hollow, of one full cosine wave."""

    kind: Literal["cosine"] = "cosine"
    at: Number = Field(description="m, x where it begins")
    length: Number = Field(description="m, > 0")
    height: Number = Field(description="m, of its top; negative: a hollow")

    @model_validator(mode="after")
    def _sized(self) -> Self:
        _positive(self, "length")
        return self

    def numbers(self) -> tuple[float, float, float, float]:
        """Wave number and height."""
        return self.at, self.at + self.length, 2.0 * np.pi / self.length, self.height


class Step(_Piece):
    """A step up or down, rounded over a short length: 3 u^2 - 2 u^3."""

    kind: Literal["step"] = "step"
    at: Number = Field(description="m, x where it begins")
    height: Number = Field(description="m; negative: down")
    length: Number = Field(default=0.05, description="m, > 0, over which it rises")

    @model_validator(mode="after")
    def _sized(self) -> Self:
        _positive(self, "length")
        return self

    def numbers(self) -> tuple[float, float, float, float]:
        """Where it is: from its begin on."""
        return self.at, ENDLESS, 0.0, 0.0

    def rising(self) -> tuple[float, float, float]:
        """Coefficients of d, d^2 and d^3 on the way up, d from its begin."""
        steep = self.height / self.length**2
        return 0.0, 3.0 * steep, -2.0 * steep / self.length

    def spline(self) -> tuple[float, ...]:
        """Flat, the way up, and on at that height."""
        flat = (0.0, 0.0, 0.0)
        return 2.0, self.at, self.at + self.length, 0.0, *flat, 0.0, *self.rising(), self.height, *flat


class Ramp(Step):
    """A straight rise, after which the road goes on at that height."""

    kind: Literal["ramp"] = "ramp"  # type: ignore[assignment]
    length: Number = Field(description="m, > 0, over which it rises")

    def rising(self) -> tuple[float, float, float]:
        """A line."""
        return self.height / self.length, 0.0, 0.0


class Sine(_Piece):
    """Sine waves along the road, from a place on."""

    kind: Literal["sine"] = "sine"
    at: Number = Field(default=0.0, description="m, x where they begin")
    length: Number = Field(description="m, > 0, of one wave")
    height: Number = Field(description="m, amplitude")
    count: Number | None = Field(default=None, description="how many waves, whole or half; default: they go on")

    @model_validator(mode="after")
    def _sized(self) -> Self:
        _positive(self, "length")
        if self.count is not None and not (self.count > 0.0 and (2.0 * self.count).is_integer()):
            raise ValueError(
                f"sine: count is {self.count:g}; it must be > 0 and whole or half, or the road would end in a wall"
            )
        return self

    def numbers(self) -> tuple[float, float, float, float]:
        """Wave number and amplitude."""
        end = ENDLESS if self.count is None else self.at + self.count * self.length
        return self.at, end, 2.0 * np.pi / self.length, self.height


class Slope(_Piece):
    """An even slope of the whole road."""

    kind: Literal["slope"] = "slope"
    grade: Number = Field(default=0.0, description="dz/dx, uphill > 0")
    bank: Number = Field(default=0.0, description="dz/dy, rising to the left > 0")

    def numbers(self) -> tuple[float, float, float, float]:
        """Grade and bank."""
        return -ENDLESS, ENDLESS, self.grade, self.bank


class Roughness(_Piece):
    """Random roughness by ISO 8608: the same class, seed and length give the same road."""

    kind: Literal["iso-8608"] = "iso-8608"
    roughness: Literal["A", "B", "C", "D", "E", "F", "G", "H"] = Field(description="class, from A, very good, to H")
    seed: int = Field(default=0, ge=0, description="of the random phases; another one for the other track")
    at: Number = Field(default=0.0, description="m, x where it begins, from nothing within its first 3 m")
    length: Number = Field(default=200.0, description="m, > 10")

    @model_validator(mode="after")
    def _sized(self) -> Self:
        if not 10.0 < self.length <= 1e4:
            raise ValueError(f"iso-8608: length is {self.length:g} m; it must be between 10 and 10000 m")
        return self

    def numbers(self) -> tuple[float, float, float, float]:
        """Where it is."""
        return self.at, self.at + self.length, 0.0, 0.0

    def waves(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Wave numbers (rad/m), a whole number of waves in the length, amplitudes (m) and random phases (rad)."""
        step = 1.0 / self.length
        n = np.arange(max(1.0, np.ceil(LONGEST / step)), np.floor(SHORTEST / step) + 1.0) * step
        density = CLASS_A * 4.0 ** "ABCDEFGH".index(self.roughness) * (n / 0.1) ** -2
        phases = np.random.default_rng(self.seed).uniform(0.0, 2.0 * np.pi, len(n))
        return 2.0 * np.pi * n, np.sqrt(2.0 * density * step), phases

    def heights(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Places x from its begin, heights (m) and slopes of the waves there, fading at both ends."""
        k, amplitude, phase = self.waves()
        count = int(np.ceil(self.length / GRID))
        spectrum = np.zeros((2, count // 2 + 1), complex)
        places = np.rint(k * self.length / (2.0 * np.pi)).astype(int)
        spectrum[0, places] = 0.5 * count * amplitude * np.exp(1j * phase)
        spectrum[1, places] = 1j * k * spectrum[0, places]
        z, slope = (np.append(row, row[0]) for row in np.fft.irfft(spectrum, count))
        x = np.linspace(0.0, self.length, count + 1)
        u = np.clip(np.minimum(x, self.length - x) / 3.0, 0.0, 1.0)
        fade, fade_slope = u * u * (3.0 - 2.0 * u), 2.0 * u * (1.0 - u) * np.sign(self.length / 2.0 - x)
        return x, fade * z, fade * slope + fade_slope * z

    def spline(self) -> tuple[float, ...]:
        """Cubics with the heights and slopes of the waves at both ends of each interval."""
        x, z, slope = self.heights()
        h, rise = np.diff(x), np.diff(z)
        c2 = (3.0 * rise / h - 2.0 * slope[:-1] - slope[1:]) / h
        c3 = (slope[:-1] + slope[1:] - 2.0 * rise / h) / h**2
        outside = np.zeros((1, 4))
        cubics = np.vstack([outside, np.column_stack([z[:-1], slope[:-1], c2, c3]), outside])
        return (float(len(x)), *(self.at + x).tolist(), *cubics.ravel().tolist())


class Heights(_Piece):
    """Measured heights: a table over x, held at its ends."""

    kind: Literal["table"] = "table"
    x: tuple[Number, ...] = Field(description="m, increasing")
    z: tuple[Number, ...] = Field(description="m, the height at each x")
    interpolation: Literal["spline", "linear"] = Field(default="spline", description="between the points")

    @model_validator(mode="after")
    def _sized(self) -> Self:
        if len(self.x) != len(self.z) or len(self.x) < 2:
            raise ValueError(f"table of heights: {len(self.x)} x and {len(self.z)} z; give as many of both, at least 2")
        falling = np.flatnonzero(np.diff(self.x) <= 0.0)
        if len(falling):
            k = int(falling[0])
            raise ValueError(
                f"table of heights: x goes from {self.x[k]:g} to {self.x[k + 1]:g} m; x must increase all the way, "
                "since a road has one height at each place: sort the points and leave out what overhangs"
            )
        return self

    def numbers(self) -> tuple[float, float, float, float]:
        """Where it is not zero; held ends go on."""
        return (self.x[0] if not self.z[0] else -ENDLESS), (self.x[-1] if not self.z[-1] else ENDLESS), 0.0, 0.0

    def spline(self) -> tuple[float, ...]:
        """Through the points."""
        return tuple(tabulated(np.array(self.x), np.array(self.z), self.interpolation, "hold").data.tolist())


Piece = Annotated[
    HalfRound | Cosine | Step | Ramp | Sine | Slope | Roughness | Heights, Field(discriminator="kind")
]  # fmt: skip
CODES = {"half-round": HALF_ROUND, "cosine": COSINE, "step": SPLINE, "ramp": SPLINE, "sine": SINE, "slope": PLANE,
         "iso-8608": SPLINE, "table": SPLINE}  # fmt: skip


class Road(Element):
    """A road: the heights of its pieces, added up; without any it is flat, at z = 0."""

    plural: ClassVar[str] = "surfaces for tyres"

    pieces: tuple[Piece, ...] = Field(default=(), description="what lies on it")

    def numbers(self, first: int) -> tuple[float, ...]:
        """The road as numbers that stand from place `first` on."""
        head: list[float] = []
        tail: list[float] = []
        for piece in self.pieces:
            data = piece.spline()
            where = float(first + WIDTH * len(self.pieces) + len(tail)) if data else 0.0
            head += [float(CODES[piece.kind]), SIDES[piece.side], *map(float, piece.numbers()), where]
            tail += data
        return (*head, *tail)

    def height(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Height at places (m), m; arrays of one shape."""
        ops = data_ops(self.numbers(0))
        flat_x, flat_y = np.array(x, float).ravel(), np.array(y, float).ravel()
        z = np.zeros(len(flat_x))
        heights(ops, len(self.pieces), flat_x, flat_y, z)
        return z.reshape(np.shape(x))
