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
    if not is_printed(mechanism, options):
        return method, options
    return replace(method, dense=True), replace(options, method_options={"literal": 1.0, **options.method_options})


def is_printed(mechanism: Mechanism, options: Options) -> bool:
    """Whether that is requested: by an option of the method, which decides, by the run, or by the model."""
    requested = mechanism.literal if options.literal is None else options.literal
    return bool(options.method_options.get("literal", requested))
