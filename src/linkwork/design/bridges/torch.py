"""PyTorch: an `autograd.Function`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from linkwork.design.bridges.both import Both
from linkwork.errors import OptionError

if TYPE_CHECKING:
    from linkwork.design.bridges.both import Differentiable


def to_torch(function: Differentiable) -> Any:
    """f(x) of tensors, with gradients by linkwork; twice it cannot be differentiated."""
    try:
        import torch
    except ImportError:
        raise OptionError("PyTorch is not installed: pip install 'linkwork[torch]'", element="torch") from None
    model = Both(function)

    class Outputs(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
        """Outputs of the model, and v^T J backwards."""

        @staticmethod
        def forward(context: Any, x: Any) -> Any:
            """The outputs; their Jacobian is kept."""
            values, gradient = model.at(x.detach().cpu().numpy())
            context.save_for_backward(torch.as_tensor(gradient, dtype=x.dtype, device=x.device))
            return torch.as_tensor(values, dtype=x.dtype, device=x.device)

        @staticmethod
        def backward(context: Any, v: Any) -> Any:
            """v^T J."""
            (gradient,) = context.saved_tensors
            return v @ gradient

    return Outputs.apply
