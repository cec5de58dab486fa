"""What a joint looks like: a few simple solids on either body, which the view draws."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Solid(NamedTuple):
    """A simple solid in the frame of the joint."""

    shape: Literal["box", "cylinder", "ring", "sphere", "socket"]
    size: tuple[float, ...]  # m; box: along x, y, z; cylinder: radius, length; ring: outer and inner radius, length;
    # sphere: radius; socket: outer and inner radius
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)  # m, its middle
    along: Literal["x", "z"] = "z"  # direction of a cylinder or ring
    steel: bool = False  # bare metal; otherwise in the colour of its body


class JointPicture(NamedTuple):
    """Solids on body A, in frame F, and on body B, in frame M."""

    on_a: tuple[Solid, ...] = ()
    on_b: tuple[Solid, ...] = ()


def rail(u: float, travel: tuple[float, float]) -> tuple[Solid, ...]:
    """A round bar along z with stops at its ends, as long as the slider travels (m); u: unit of the picture, m."""
    low, high = travel
    length, middle = high - low + 7.0 * u, (low + high) / 2.0
    ends = (middle - length / 2.0, middle + length / 2.0)
    bar = Solid("cylinder", (0.4 * u, length), (0.0, 0.0, middle), steel=True)
    return (bar, *(Solid("cylinder", (0.8 * u, 0.5 * u), (0.0, 0.0, z), steel=True) for z in ends))
