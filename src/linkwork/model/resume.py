"""Resume: a run that was killed or stopped goes on, from the newest checkpoint in its file."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from linkwork.analyses.simulate.dynamics import Options, simulate_and_start
from linkwork.elements.declaration.calls import explained
from linkwork.elements.forces.python_force import PythonForce
from linkwork.elements.signals.fmu_block import FmuBlock
from linkwork.errors import FileError, NumericalError, OptionError
from linkwork.results.disk.resumable import load_resumable
from linkwork.results.result import Result
from linkwork.results.storage import Writer
from linkwork.run import Run
from linkwork.view.progress import progress_bar


@explained("resume", OptionError)
def resume(path: str | Path, *, progress: bool | None = None) -> Run:
    """Go on with the run in a file, to its end: the same numbers, to the bit, as if it had never stopped.

    Model and options are those in the file, which grows as that of any run.
    """
    resumed = load_resumable(path)
    mechanism, options = resumed.result.mechanism, Options(**resumed.result.options)
    for force in mechanism.of(PythonForce):
        raise FileError(f"'{path}' cannot be resumed: no file keeps the function of {force.who}", element=force.name)
    for block in mechanism.of(FmuBlock):
        raise FileError(f"'{path}' cannot be resumed: no file keeps the state of {block.who}", element=block.name)
    with ExitStack() as stack:
        bar = stack.enter_context(progress_bar(mechanism.name, options.until, progress))
        file = stack.enter_context(Writer(path, replaces=True))
        try:
            recorders = [recorder for recorder in (bar, file) if recorder is not None]
            return Run(*simulate_and_start(mechanism, options, recorders, resumed=resumed))
        except NumericalError as failure:
            if isinstance(failure.partial, Result):
                failure.partial = Run(failure.partial)
            raise
