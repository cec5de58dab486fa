"""The verb `study`: what is given in Python, with progress and the estimate shown."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from linkwork.elements.forces.python_force import PythonForce
from linkwork.files.settings import setting_unit
from linkwork.mechanism import Mechanism
from linkwork.studies.found import Study
from linkwork.studies.one_run import Build
from linkwork.studies.study import Wanted, run_study
from linkwork.view.progress import counter

LONG = 5.0  # s: the estimate of a longer study is printed wherever stderr goes
OWN = ("analysis", "runs", "sampling", "seed", "correlated", "engine", "jobs", "scheduler", "out")


def travels(mechanism: Mechanism) -> bool:
    """Whether a model is data alone, without Python functions."""
    return not mechanism.of(PythonForce)


def study_of(
    build: Build, mechanism: Mechanism, vary: Mapping[str, object], outputs: Sequence[str], until: float | None,
    progress: bool | None, more: Mapping[str, Any], parameters: Mapping[str, str] | None = None,
) -> Study:  # fmt: skip
    """Run it; the estimate and the engine go to stderr where progress is shown, and wherever it goes where the study is
    long, grows on disk, or an engine was asked for.

    `parameters`: the units of the model's parameters, which a mechanism does not have.
    """
    options = {name: value for name, value in more.items() if name not in OWN}
    if until is not None:
        options["until"] = until
    own = {name: value for name, value in more.items() if name in OWN}
    units = {name: setting_unit(mechanism, name) for name in vary} | dict(parameters or {})
    shown = progress or (progress is None and sys.stderr.isatty())

    def tell(text: str, seconds: float) -> None:
        counts = own.get("out") is not None or own.get("engine", "auto") != "auto" or seconds > LONG
        if shown or (progress is None and counts):
            print(f"study of {mechanism.name}: {text}", file=sys.stderr, flush=True)

    with counter(mechanism.name, "runs", progress) as advance:
        wanted = Wanted(vary, outputs, options=options, **own)
        return run_study(build, wanted, units=units, travels=travels(mechanism), progress=advance, tell=tell)
