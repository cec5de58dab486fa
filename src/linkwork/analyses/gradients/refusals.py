"""What a gradient of a run does not follow, refused before the run: which option or element, and what to do."""

from __future__ import annotations

from linkwork.analyses.simulate.dynamics import Options
from linkwork.elements.signals.fmu_block import FmuBlock
from linkwork.errors import OptionError
from linkwork.mechanism import Mechanism
from linkwork.results.result import Result


def refuse(mechanism: Mechanism, options: Options) -> None:
    """An option or element through which no derivative goes."""
    literal = mechanism.literal if options.literal is None else options.literal
    if literal:
        raise OptionError(
            "no gradient of a method as its paper prints it (literal = True); leave `literal` out", element="literal"
        )
    for block in mechanism.of(FmuBlock):
        raise OptionError(
            f"no gradient through fmu block '{block.name}', whose slopes are not known; take it out, or write what it "
            "does as expressions",
            element=block.name,
        )


def singular_reasons(result: Result) -> list[str]:
    """Why a run has no derivative from some time on: where its branches meet."""
    return [
        f"no derivative here: at t = {float(entry['t']):.6g} s the mechanism passes a singular position, where its "
        "branches meet"
        for entry in result.certificate.singular
    ]
