"""A method as its paper prints it: where that is requested, by the run or by the model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from linkwork.mechanism import Mechanism
from linkwork.methods.contract import Method

if TYPE_CHECKING:
    from linkwork.analyses.simulate.dynamics import Options


def as_printed(mechanism: Mechanism, method: Method, options: Options) -> tuple[Method, Options]:
    """Where the method is requested as its paper prints it: with that option, and with room for dense matrices."""
    requested = mechanism.literal if options.literal is None else options.literal
    chosen = {"literal": 1.0, **options.method_options} if requested else options.method_options
    if not chosen.get("literal"):
        return method, options
    return replace(method, dense=True), replace(options, method_options=chosen)
