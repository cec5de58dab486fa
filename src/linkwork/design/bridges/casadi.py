"""CasADi: a `Callback` with a Jacobian of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linkwork.design.bridges.both import Both
from linkwork.errors import OptionError

if TYPE_CHECKING:
    from linkwork.design.bridges.both import Differentiable


def to_casadi(function: Differentiable, name: str = "linkwork") -> Any:
    """f(x) for expressions of CasADi, its NLP solvers included; keep it as long as what is made of it."""
    try:
        import casadi
    except ImportError:
        raise OptionError("CasADi is not installed: pip install 'linkwork[casadi]'", element="casadi") from None
    return _outputs_of(casadi, Both(function), name)


def _jacobian_of(casadi: Any, model: Both, name: str, options: dict[str, Any]) -> Any:
    """df/dx as a function of (x, f)."""

    class Jacobian(casadi.Callback):  # type: ignore[misc, unused-ignore]
        """df/dx of (x, f)."""

        def __init__(self) -> None:
            casadi.Callback.__init__(self)
            self.construct(name, options)

        def get_n_in(self) -> int:
            """x, and f as known."""
            return 2

        def get_n_out(self) -> int:
            """df/dx."""
            return 1

        def get_sparsity_in(self, i: int) -> Any:
            """Columns."""
            return casadi.Sparsity.dense(model.count if i == 0 else model.outputs, 1)

        def get_sparsity_out(self, i: int) -> Any:
            """Dense."""
            return casadi.Sparsity.dense(model.outputs, model.count)

        def eval(self, given: Any) -> list[Any]:
            """At numbers."""
            return [model.at(given[0])[1]]

    return Jacobian()


def _outputs_of(casadi: Any, model: Both, name: str) -> Any:
    """f as a function of x."""

    class Outputs(casadi.Callback):  # type: ignore[misc, unused-ignore]
        """f of x."""

        def __init__(self) -> None:
            casadi.Callback.__init__(self)
            self.construct(name, {})

        def get_n_in(self) -> int:
            """x."""
            return 1

        def get_n_out(self) -> int:
            """f."""
            return 1

        def get_sparsity_in(self, i: int) -> Any:
            """A column."""
            return casadi.Sparsity.dense(model.count, 1)

        def get_sparsity_out(self, i: int) -> Any:
            """A column."""
            return casadi.Sparsity.dense(model.outputs, 1)

        def eval(self, given: Any) -> list[Any]:
            """At numbers."""
            return [model.at(given[0])[0]]

        def has_jacobian(self) -> bool:
            """By linkwork."""
            return True

        def get_jacobian(self, name: str, inames: Any, onames: Any, opts: Any) -> Any:
            """Kept here, since CasADi does not own it."""
            self.jacobian_function = _jacobian_of(casadi, model, name, opts)
            return self.jacobian_function

    return Outputs()
