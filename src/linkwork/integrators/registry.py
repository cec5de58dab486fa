"""The integrators by name: a new one is one file and one line here, or `register_integrator` from outside."""

from __future__ import annotations

from linkwork.catalogue import Catalogue
from linkwork.errors import OptionError, nearest
from linkwork.integrators import ab3, adams, dop853, rk4
from linkwork.integrators.contract import Integrator
from linkwork.integrators.implicit import generalized_alpha
from linkwork.integrators.radau import radau

INTEGRATORS = Catalogue("integrator", "linkwork.integrators", Integrator, (
    adams.INTEGRATOR,
    dop853.INTEGRATOR,
    generalized_alpha.INTEGRATOR,
    radau.INTEGRATOR,
    rk4.INTEGRATOR,
    ab3.INTEGRATOR,
))  # fmt: skip


def register_integrator(integrator: Integrator) -> Integrator:
    """Make an integrator from outside the package known by its name: to runs, batches and commands."""
    return INTEGRATORS.register(integrator)


def integrator(name: str) -> Integrator:
    """The integrator of that name."""
    if name not in INTEGRATORS:
        raise OptionError(f"there is no integrator '{name}'; {nearest(name, INTEGRATORS)}", element=name)
    return INTEGRATORS[name]
