"""JAX: a `custom_vjp` around a host callback."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.design.bridges.both import Both
from linkwork.errors import OptionError

if TYPE_CHECKING:
    from linkwork.design.bridges.both import Differentiable


def to_jax(function: Differentiable) -> Any:
    """f(x) of JAX arrays; jit, grad, jacrev and vmap pass through it.  Twice it cannot be differentiated."""
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        raise OptionError("JAX is not installed: pip install 'linkwork[jax]'", element="jax") from None
    model = Both(function)

    def shape(*sizes: int) -> Any:
        return jax.ShapeDtypeStruct(sizes, jnp.result_type(float))

    def both(x: Any) -> tuple[np.ndarray, np.ndarray]:
        kind = jnp.result_type(float)
        values, gradient = model.at(x)
        return values.astype(kind), gradient.astype(kind)

    def called(x: Any) -> Any:
        return jax.pure_callback(
            both, (shape(model.outputs), shape(model.outputs, model.count)), x, vmap_method="sequential"
        )

    f = jax.custom_vjp(lambda x: called(x)[0])
    f.defvjp(lambda x: called(x), lambda gradient, v: (v @ gradient,))
    return f
