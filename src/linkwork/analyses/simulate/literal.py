"""A method as its paper prints it: where that is requested, by the run or by the model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from linkwork.mechanism import Mechanism
from linkwork.methods.contract import Method

if TYPE_CHECKING:
    from linkwork.analyses.simulate.dynamics import Options

OF_OTHERS = ("synthesis", "proximal")  # methods of other papers, whose own forms are not built in


def as_printed(mechanism: Mechanism, method: Method, options: Options) -> tuple[Method, Options]:
    """Where the method is requested as its paper prints it: with that option, and with room for dense matrices."""
    if not is_printed(mechanism, options):
        return method, options
    return replace(method, dense=True), replace(options, method_options={"literal": 1.0, **options.method_options})


def how_printed(mechanism: Mechanism, method: Method, options: Options) -> str:
    """What a run says of that; a method of none of the five papers takes what theirs have in common."""
    if not is_printed(mechanism, options):
        return ""
    if method.name in OF_OTHERS:
        return ", corrected before every evaluation"
    return ", as printed" + (", corrected" if options.method_options.get("corrected") else "")


def is_printed(mechanism: Mechanism, options: Options) -> bool:
    """Whether that is requested: by an option of the method, which decides, by the run, or by the model."""
    requested = mechanism.literal if options.literal is None else options.literal
    return bool(options.method_options.get("literal", requested))
