"""Dynamics of constrained rigid and flexible multibody mechanisms: linkages, robots, rotating machines, vehicles.

>>> import linkwork as lw
>>> m = lw.Model("pendulum", gravity=(0, 0, -9.81))
>>> bar = m.body("bar", lw.rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
>>> m.revolute("pin", m.ground, bar, at=(0, 0, 0), axis="y")
>>> run = m.simulate(2.0)
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0.dev0"

if TYPE_CHECKING:
    from linkwork.analyses.vibration.over_speed.sweeps import sweep
    from linkwork.design.bridges.casadi import to_casadi
    from linkwork.design.bridges.jax import to_jax
    from linkwork.design.bridges.torch import to_torch
    from linkwork.design.fitted import Fitted
    from linkwork.design.optimum import Optimum
    from linkwork.elements.forces.callbacks import force
    from linkwork.elements.joints.kind import JointKind
    from linkwork.elements.joints.registry import register_joint
    from linkwork.elements.solids.composite import composite, part
    from linkwork.elements.solids.shapes import box, cylinder, mesh, rod, sphere
    from linkwork.errors import (
        AssemblyError,
        FileError,
        LinkworkError,
        ModelError,
        ModelWarning,
        NumericalError,
        OptionError,
        RunWarning,
    )
    from linkwork.flexible.arrays import body_from_arrays
    from linkwork.flexible.finite_elements.materials import Material, material
    from linkwork.flexible.finite_elements.meshes import Interface, solid_body
    from linkwork.integrators.contract import Integrator
    from linkwork.integrators.registry import register_integrator
    from linkwork.library import library_model
    from linkwork.library.by_name.design import fit, optimize
    from linkwork.library.by_name.gradients import value_and_grad
    from linkwork.library.by_name.study import study
    from linkwork.mechanism.registration import register, register_element
    from linkwork.methods.contract import Method
    from linkwork.methods.registry import register_method
    from linkwork.model import Model, beam
    from linkwork.model.resume import resume
    from linkwork.parameter_sliders import Live, live
    from linkwork.run import Run, load
    from linkwork.studies.found import Study
    from linkwork.view.plots.designs import plot_fit, plot_optimum
    from linkwork.view.plots.floquet import plot_chart, plot_multipliers
    from linkwork.view.plots.studies import plot_study
    from linkwork.view.plots.suspension import plot_corners
    from linkwork.view.plots.vibration import plot_campbell, plot_response, plot_root_locus
    from linkwork.view.scene.mode_scene import view_mode

_WHERE = {
    "linkwork.analyses.vibration.over_speed.sweeps": ("sweep",),
    "linkwork.model": ("Model", "beam"),
    "linkwork.model.resume": ("resume",),
    "linkwork.run": ("Run", "load"),
    "linkwork.flexible.arrays": ("body_from_arrays",),
    "linkwork.flexible.finite_elements.materials": ("Material", "material"),
    "linkwork.flexible.finite_elements.meshes": ("Interface", "solid_body"),
    "linkwork.elements.forces.callbacks": ("force",),
    "linkwork.elements.joints.kind": ("JointKind",),
    "linkwork.elements.joints.registry": ("register_joint",),
    "linkwork.mechanism.registration": ("register", "register_element"),
    "linkwork.elements.solids.composite": ("composite", "part"),
    "linkwork.elements.solids.shapes": ("rod", "box", "cylinder", "mesh", "sphere"),
    "linkwork.errors": (
        "LinkworkError", "ModelError", "OptionError", "FileError", "AssemblyError", "NumericalError",
        "RunWarning", "ModelWarning",
    ),
    "linkwork.integrators.contract": ("Integrator",),
    "linkwork.integrators.registry": ("register_integrator",),
    "linkwork.library": ("library_model",),
    "linkwork.parameter_sliders": ("Live", "live"),
    "linkwork.library.by_name.study": ("study",),
    "linkwork.library.by_name.design": ("optimize", "fit"),
    "linkwork.library.by_name.gradients": ("value_and_grad",),
    "linkwork.design.optimum": ("Optimum",),
    "linkwork.design.bridges.jax": ("to_jax",),
    "linkwork.design.bridges.torch": ("to_torch",),
    "linkwork.design.bridges.casadi": ("to_casadi",),
    "linkwork.view.plots.designs": ("plot_optimum", "plot_fit"),
    "linkwork.design.fitted": ("Fitted",),
    "linkwork.studies.found": ("Study",),
    "linkwork.methods.contract": ("Method",),
    "linkwork.methods.registry": ("register_method",),
    "linkwork.view.scene.mode_scene": ("view_mode",),
    "linkwork.view.plots.floquet": ("plot_chart", "plot_multipliers"),
    "linkwork.view.plots.studies": ("plot_study",),
    "linkwork.view.plots.suspension": ("plot_corners",),
    "linkwork.view.plots.vibration": ("plot_campbell", "plot_response", "plot_root_locus"),
}  # fmt: skip
_HOME = {name: module for module, names in _WHERE.items() for name in names}

__all__ = [
    "AssemblyError", "FileError", "Fitted", "Integrator", "Interface", "JointKind", "LinkworkError", "Live",
    "Material", "Method", "Model", "ModelError", "ModelWarning", "NumericalError", "Optimum", "OptionError",
    "Run", "RunWarning", "Study", "beam", "body_from_arrays", "box", "composite", "cylinder", "fit", "force",
    "library_model", "live", "load", "material", "mesh", "optimize", "part", "plot_campbell", "plot_chart",
    "plot_corners", "plot_fit", "plot_multipliers", "plot_optimum", "plot_response", "plot_root_locus",
    "plot_study", "register", "register_element", "register_integrator", "register_joint", "register_method",
    "resume", "rod", "solid_body", "sphere", "study", "sweep", "to_casadi", "to_jax", "to_torch",
    "value_and_grad", "view_mode",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: `linkwork --help` needs none of them."""
    if name not in _HOME:
        raise AttributeError(f"module 'linkwork' has no attribute '{name}'{_hint(name)}")
    return getattr(importlib.import_module(_HOME[name]), name)


def _hint(name: str) -> str:
    """Where a name is to be found that is a verb of models, once these are loaded, or one that is nearly the same."""
    if name.startswith("_"):
        return ""
    models = sys.modules.get("linkwork.model")
    if hasattr(getattr(models, "Model", None), name):
        return f"; it is a verb of a model: model.{name}(...)"
    from linkwork.errors import nearest

    hint = nearest(name, __all__)
    return f"; {hint}" if hint.startswith("did you mean") else ""


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return [*__all__, "__version__"]
