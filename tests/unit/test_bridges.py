"""The same function by way of JAX, PyTorch and CasADi: values and gradients of linkwork; each where it is installed."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw

X = np.array([1500.0, 2.1e4])
V = np.array([0.7, -1.3])


@pytest.fixture(scope="module")
def function():
    return lw.value_and_grad("quarter-car", ["frequency(1)", "damping(2)"], ["damping", "stiffness"], analysis="modes")


def by_jax(function):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    f = lw.to_jax(function)
    pulled = jax.grad(jax.jit(lambda x: V @ f(x)))(X)
    both = jax.vmap(f)(np.stack([X, 1.1 * X]))
    assert np.asarray(both)[1] == pytest.approx(function(1.1 * X)[0], rel=1e-12)
    return f(X), jax.jacrev(f)(X), pulled


def by_torch(function):
    torch = pytest.importorskip("torch")
    f, x = lw.to_torch(function), torch.tensor(X, requires_grad=True)
    y = f(x)
    (torch.tensor(V) @ y).backward()
    return y.detach().numpy(), torch.autograd.functional.jacobian(f, torch.tensor(X)).numpy(), x.grad.numpy()


def by_casadi(function):
    casadi = pytest.importorskip("casadi")
    f, x = lw.to_casadi(function), casadi.MX.sym("x", 2)
    y = f(x)
    found = casadi.Function("all", [x], [y, casadi.jacobian(y, x), casadi.gradient(casadi.dot(V, y), x)])(X)
    return found[0], found[1], found[2]


@pytest.mark.parametrize("by", [by_jax, by_torch, by_casadi])
def test_values_and_gradients_are_those_of_linkwork(function, by) -> None:
    values, gradient = function(X)
    y, jacobian, pulled = by(function)
    assert np.asarray(y).ravel() == pytest.approx(values, rel=1e-12)
    assert np.asarray(jacobian) == pytest.approx(gradient, rel=1e-12)
    assert np.asarray(pulled).ravel() == pytest.approx(V @ gradient, rel=1e-12)
