"""`@lw.force`: a user's function compiled by Numba is the same force as in Python, and calls no Python."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.elements.forces.callbacks import CompiledForce
from linkwork.errors import KernelError, ModelError, NumericalError

pytestmark = pytest.mark.jit


def drag(t, x):
    """Of a body, against its velocity, and a push along y."""
    return -0.3 * x[0] * abs(x[0]), np.sin(7.0 * t), -0.3 * x[1]


def spring(t, x):
    """Along a coordinate."""
    return -40.0 * x[0] - 5.0 * x[0] ** 3 - 0.2 * x[1]


def thrown(function) -> lw.Model:
    model = lw.Model("thrown", gravity=(0, 0, -9.81))
    model.body("ball", mass=0.5, inertia=(0.01, 0.01, 0.01), velocity=(4, 0, 5))
    model.python_force("drag", function, ["vx(ball)", "vz(ball)"], body="ball")
    return model


def swinging(function) -> lw.Model:
    model = lw.library_model("pendulum")
    model.python_force("spring", function, ["pin.angle", "pin.rate"], joint="pin")
    return model


@pytest.mark.filterwarnings("ignore::linkwork.RunWarning")
@pytest.mark.parametrize(("model", "function"), [(thrown, drag), (swinging, spring)])
def test_compiled_and_called_it_is_one_force(model, function):
    called, compiled = (model(one).simulate(1.0, every=0.1, progress=False) for one in (function, lw.force(function)))
    np.testing.assert_allclose(compiled.result.q, called.result.q, atol=1e-12)
    np.testing.assert_allclose(compiled.result.energy, called.result.energy, atol=1e-10)
    assert any("is called back" in text for text in called.certificate.warnings)
    assert not any("is called back" in text for text in compiled.certificate.warnings)


def test_no_python_is_called():
    calls = []

    def counted(t, x):
        calls.append(t)
        return -40.0 * x[0]

    one = lw.force(spring)
    one.address(2, 1)
    one.function = counted  # its machine code is made already
    swinging(one).simulate(0.1, progress=False)
    assert calls == []


def test_it_can_be_called_in_python_and_differentiated():
    assert lw.force(spring)(0.0, np.array([0.1, 0.0])) == spring(0.0, np.array([0.1, 0.0]))
    found = [swinging(one).linearize().modes()[0].eigenvalue for one in (spring, lw.force(spring))]
    assert found[0] == pytest.approx(found[1], rel=1e-9)


@pytest.mark.parametrize("returned", ["array of 3", "tuple of 6", "array of 6"])
def test_forces_with_and_without_torque(returned):
    functions = {
        "array of 3": lambda t, x: np.array([1.0, 2.0, 3.0]),
        "tuple of 6": lambda t, x: (1.0, 2.0, 3.0, 0, 0, 0.0),
        "array of 6": lambda t, x: np.array([1.0, 2.0, 3.0, 0.0, 0.0, 0.0]),
    }
    model = lw.Model("free", gravity=(0, 0, 0))
    model.body("ball", mass=2.0, inertia=(0.01, 0.01, 0.01))
    model.python_force("push", lw.force(functions[returned]), body="ball")
    end = model.simulate(1.0, progress=False).result.position[-1, 0]
    np.testing.assert_allclose(end, [0.25, 0.5, 0.75], rtol=1e-6)


def test_what_cannot_be_compiled_is_said():
    with pytest.raises(ModelError, match=r"python force 'spring': Numba cannot compile it: .*without @lw.force"):
        swinging(lw.force(lambda t, x: open("x"))).simulate(0.1, progress=False)  # noqa: SIM115
    with pytest.raises(ModelError, match=r"'spring': it returns UniTuple.*, not one number"):
        swinging(lw.force(lambda t, x: (x[0], x[1]))).simulate(0.1, progress=False)


def test_an_exception_ends_the_run():
    def careless(t, x):
        if t > 0.05:
            raise ValueError("too late")
        return -x[0]

    with pytest.raises(NumericalError, match=r"at t = 0\.0"):
        swinging(lw.force(careless)).simulate(0.1, progress=False)


def test_without_numba_that_is_said(monkeypatch):
    def missing(*_):
        raise ModuleNotFoundError("No module named 'numba'", name="numba")

    monkeypatch.setattr(CompiledForce, "address", missing)
    with pytest.raises(KernelError, match=r"'spring': .*compiled by Numba, which is not installed: pip install"):
        swinging(lw.force(spring)).simulate(0.1, progress=False)


def test_slopes_of_functions_of_real_numbers():
    """A comparison and a function of the math module."""
    rotor = lw.Model("rotor", gravity=(0, 0, 0))
    rotor.body("disc", mass=1.0, inertia=(0.1, 0.1, 0.2))
    rotor.revolute("axle", rotor.ground, "disc", at=(0, 0, 0), axis="z")
    rotor.python_force(
        "spring", lw.force(lambda t, x: -20.0 * math.tanh(x[0]) if x[0] > -9.0 else 0.0), ["axle.angle"], joint="axle"
    )
    assert rotor.linearize().K[0, 0] == pytest.approx(20.0, rel=1e-9)
