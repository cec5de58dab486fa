"""Compile the kernels that the tests use, before they run in parallel: python tests/warm.py"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.analyses.single_state import Calls
from linkwork.analyses.start.assembly import assemble
from linkwork.compiler.meter import METER
from linkwork.elements.declaration.shapes import cylinder
from linkwork.formulations.equations import Equations
from linkwork.integrators.registry import INTEGRATORS
from linkwork.library import library_model
from linkwork.methods.registry import METHODS
from linkwork.model import Model
from linkwork.numerics.status import LEVEL_ALL
from linkwork.studies.batch import Batch, run_on_threads


def main() -> None:
    """First what all share, then the rest in two processes."""
    simulate(library_model("four-bar").mechanism, Options(until=3.0))
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        told = [(METER.count, METER.seconds), *pool.map(_compiled_by, (runs, analyses, every_family))]
    print(f"{sum(count for count, _ in told)} kernels compiled in {sum(seconds for _, seconds in told):.1f} s")


def _compiled_by(part: Callable[[], None]) -> tuple[int, float]:
    before = METER.count, METER.seconds
    part()
    return METER.count - before[0], METER.seconds - before[1]


def runs() -> None:
    """Every integrator and method, a batch."""
    four_bar, pendulum = library_model("four-bar").mechanism, library_model("pendulum").mechanism
    for name, integrator in INTEGRATORS.items():
        for mechanism in (four_bar, pendulum):
            simulate(mechanism, Options(until=0.01, integrator=name, step=None if integrator.adaptive else 1e-3))
    for name, method in METHODS.items():
        simulate(pendulum if method.open_tree else four_bar, Options(until=0.01, method=name))
    for mechanism in (four_bar, pendulum):
        start = assemble(mechanism, "joint")
        run_on_threads(Batch(start, start.y[None], step=1e-3, count=1))


def analyses() -> None:
    """Single calls, loads, kinematics, linearization with complex equations."""
    calls = Calls(assemble(library_model("pendulum").mechanism, "joint"))
    one = np.ones(1)
    calls.forward(one, one), calls.inverse(one, one, one), calls.mass_matrix(one)
    run = library_model("slider-crank").simulate(0.01, progress=False)
    for method in ("non-recursive", "newton-euler", "multipliers"):
        run.loads(["crank pin"], method=method)
    library_model("slider-crank").kinematics(sweep={"main bearing.angle": (0.0, 0.1, 3)})
    library_model("governor").linearize({"spindle": 11.0}).modes()
    library_model("rotating-cantilever", {"masses": 1}).linearize({"spindle": 11.0})


def every_family() -> None:
    """Families of forces and rows, real and complex."""
    model = Model("families", gravity=(0.0, 0.0, -9.81))
    wheel = model.body("wheel", cylinder(mass=1.0, radius=0.3, length=0.1, axis="y"), at=(0, 0, 0.3))
    model.rolling_disc("roll", wheel, radius=0.3, axis="y")
    model.bushing("bushing", "ground", wheel, at=(0, 0, 0), stiffness=(1, 1, 1, 1, 1, 1))
    model.beam("beam", "ground", wheel, points=[(0, 0, 0), (0, 0, 0.3)], modulus=1.0, shear_modulus=1.0, area=1.0,
               Iy=1.0, Iz=1.0, J=1.0)  # fmt: skip
    model.contact("contact", wheel, stiffness=1.0)
    model.tyre("tyre", wheel, radius=0.3, stiffness=1.0, lateral_stiffness=1.0)
    model.python_force("python", lambda t, x: x, inputs=("vx(wheel)", 0.0, 0.0), body=wheel)
    simulate(model.mechanism, Options(until=0.01))
    start = assemble(model.mechanism, "absolute")
    Equations(start.compiled, np.complex128).evaluate(0.0, start.y.astype(complex), start.angles, LEVEL_ALL)


if __name__ == "__main__":
    main()
