"""Numbers of elements as measures of a model: what a loop writes into its samples, and so what is known without Python
in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from linkwork.analyses.loads.number_channels import quoted
from linkwork.elements.signals.measures import Measure
from linkwork.mechanism import Mechanism
from linkwork.mechanism.numbers import Number


def with_measures(
    mechanism: Mechanism, names: Sequence[str], known: Iterable[Number]
) -> tuple[Mechanism, dict[str, str]]:
    """With a measure for each name that is one of the known numbers; the measures' names by those of the numbers."""
    numbers = {number.name: number for number in known}
    taken = {element.name for element in mechanism.elements()}
    made = {}
    for k, name in enumerate(names):
        if name in numbers:
            own = f"output {k}"
            while own in taken:
                own += " again"
            made[name] = own
    more = [Measure(name=own, of=quoted(name), unit=numbers[name].unit) for name, own in made.items()]
    whole = mechanism.with_elements(Measure, (*mechanism.of(Measure), *more)) if more else mechanism
    return whole, made
