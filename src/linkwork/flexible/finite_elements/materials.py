"""Elastic, isotropic materials, and a word of warning where the units look wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass

from linkwork.errors import ModelError, nearest


@dataclass(frozen=True)
class Material:
    """An isotropic elastic material: modulus E (Pa), density (kg/m3), Poisson's ratio; G = E / (2 (1 + nu))."""

    modulus: float  # Pa, > 0
    density: float  # kg/m3, > 0
    poisson: float = 0.3  # -1 < nu < 0.5
    name: str = "material"

    def __post_init__(self) -> None:
        for key, unit in (("modulus", "Pa"), ("density", "kg/m3")):
            value = getattr(self, key)
            if not isinstance(value, (int, float)):
                raise ModelError(f"material '{self.name}': {key} is {value!r}; it must be a number, in {unit}")
            if not (math.isfinite(value) and value > 0.0):
                raise ModelError(f"material '{self.name}': {key} is {value:g} {unit}; it must be finite and > 0")
        if not -1.0 < self.poisson < 0.5:
            raise ModelError(
                f"material '{self.name}': Poisson's ratio is {self.poisson:g}; it must lie between -1 and 0.5"
            )

    @property
    def shear_modulus(self) -> float:
        """G = E / (2 (1 + nu)), Pa."""
        return self.modulus / (2.0 * (1.0 + self.poisson))

    @classmethod
    def of(cls, modulus: float, shear_modulus: float, density: float, name: str = "material") -> Material:
        """A material known by E and G (Pa) rather than E and nu."""
        return cls(modulus, density, modulus / (2.0 * shear_modulus) - 1.0, name)


# E in Pa, density in kg/m3, nu: room-temperature handbook values (ASM; Ashby), rounded; copper as in P1.
MATERIALS = {
    name: Material(E * 1e9, density, nu, name)
    for name, E, density, nu in (
        ("steel", 210.0, 7850.0, 0.30),
        ("stainless steel", 193.0, 8000.0, 0.29),
        ("cast iron", 110.0, 7200.0, 0.26),
        ("aluminium", 70.0, 2700.0, 0.33),
        ("magnesium", 45.0, 1740.0, 0.35),
        ("titanium", 114.0, 4430.0, 0.34),
        ("copper", 117.0, 8910.0, 0.35),
        ("brass", 105.0, 8500.0, 0.34),
        ("nickel", 200.0, 8900.0, 0.31),
        ("tungsten", 400.0, 19300.0, 0.28),
        ("glass", 70.0, 2500.0, 0.22),
        ("concrete", 30.0, 2400.0, 0.20),
        ("carbon-epoxy", 60.0, 1600.0, 0.30),
        ("nylon", 2.7, 1140.0, 0.39),
        ("wood", 11.0, 500.0, 0.35),
    )
}


def material(name: str) -> Material:
    """A material of the table by its name, e.g. "steel"."""
    if name not in MATERIALS:
        raise ModelError(
            f"material '{name}' is not in the table; {nearest(name, MATERIALS)}",
            remedy="give a Material with modulus (Pa) and density (kg/m3)",
        )
    return MATERIALS[name]


OFF = 500.0  # only a mistaken unit explains it (g/cm3, MPa: 1e3 and more, less the spread of one kind of material)


def unit_warnings(m: Material) -> list[str]:
    """Sentences on a density or modulus that no engineering material has.

    A value is compared with the materials whose *other* property is alike (within a factor 1.5): 7.85 kg/m3 is a
    thousandth of the density of all that is as stiff as steel.  Where nothing is alike, with the whole table.
    """
    found = []
    pairs = (("density", "modulus", "kg/m3", " as stiff"), ("modulus", "density", "Pa", " as dense"))
    for key, other, unit, like in pairs:
        alike = [k for k in MATERIALS.values() if 1 / 1.5 < getattr(k, other) / getattr(m, other) < 1.5]
        values = [getattr(k, key) for k in alike or MATERIALS.values()]
        value = getattr(m, key)
        factor = value / max(values) if value > max(values) else min(values) / value
        if factor >= OFF:
            found.append(
                f"material '{m.name}': {key} {value:g} {unit} is off by a factor {factor:.2g} or more from any "
                f"engineering material{like if alike else ''} ({min(values):g} to {max(values):g} {unit}); are the "
                "units SI?"
            )
    return found
