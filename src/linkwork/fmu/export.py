"""A model as an FMU: a zip file of modelDescription.xml, the native library and the model as data.

binaries/linux64/NAME.so     the native library, under the name of the model
resources/model.linkwork     the model at its start (model_file.py)
sources/                     the runtime in C, the kernels in LLVM's language
"""

from __future__ import annotations

import re
import uuid
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from linkwork.analyses.simulate.dynamics import Options
from linkwork.analyses.simulate.forward_run import ForwardRun
from linkwork.compiler.native.kernel_texts import read_texts
from linkwork.compiler.native.library import FOLDER, HEADER, KERNEL_TABLE, LIBRARY, runtime_files
from linkwork.compiler.sources import PACKAGE
from linkwork.errors import OptionError
from linkwork.fmu.description import Description, xml
from linkwork.fmu.frozen_run import FrozenRun, freeze, ready_run, start_of
from linkwork.fmu.inputs import Quantity, given_signals, input_variables, place_drivers, with_given, with_inputs
from linkwork.fmu.model_file import CROSSING, Kind, ModelFile, Variable
from linkwork.fmu.outputs import (
    channels,
    indicator_variables,
    names_of,
    output_variables,
    state_variables,
    with_joint_outputs,
)
from linkwork.fmu.parameters import parameter_variables
from linkwork.fmu.refusals import native_library, refuse
from linkwork.mechanism import Mechanism
from linkwork.output_files import output_file, writing

VERSIONS = ("2.0", "3.0")
PLATFORMS = {"linux x86_64": ("linux64", "x86_64-linux"), "linux aarch64": ("aarch64-linux", "aarch64-linux")}
POWERS = "compiler/native/runtime.c"  # of complex numbers, which kernels call
HOW_TO_COMPILE = """\
This model on another machine: clang (16 or newer) makes the binary of these files.

Linux      clang -O2 -fPIC -shared *.c *.ll -lm -o ../binaries/PLATFORM/{identifier}.so
macOS      clang -O2 -dynamiclib *.c *.ll -o ../binaries/PLATFORM/{identifier}.dylib
Windows    clang -O2 -shared *.c *.ll -o ../binaries/PLATFORM/{identifier}.dll

PLATFORM is linux64, darwin64, win64 in FMI 2.0; x86_64-linux, aarch64-linux, aarch64-darwin ... in FMI 3.0.
The machine must have 64 bits and store the lower byte first.
"""


@dataclass(frozen=True)
class Ports:
    """What other programs see of a model."""

    inputs: Sequence[str] | Mapping[str, Quantity] = ()
    outputs: Sequence[str] | None = None  # None: measures, coordinates, velocities and the energy
    parameters: Sequence[str] = ()


@dataclass(frozen=True)
class CompiledModel:
    """A model as the runtime reads it, and what the XML says of it."""

    description: Description
    content: bytes


def compiled_model(mechanism: Mechanism, options: Options, ports: Ports) -> CompiledModel:
    """The model at its start, with its variables."""
    refuse(mechanism)
    library = native_library()
    mechanism, inputs = with_inputs(mechanism, ports.inputs)
    mechanism, measures = with_joint_outputs(mechanism, options, ports.outputs)
    plain = start_of(mechanism, options)
    start, drivers = place_drivers(plain, inputs)
    run = ready_run(start, options)
    for place, value in given_signals(start.compiled, inputs).items():
        run.work.signals[place] = value
    frozen = freeze(run, library, lambda system: with_given(run.compiled, system, inputs))
    names = names_of(run)
    entries, parameters = parameter_variables(plain, options, ports.parameters, frozen.tables)
    shown = [
        Variable("time", Kind.TIME, unit="s"), *state_variables(run, names),
        *input_variables(start, inputs, drivers), *parameters,
        *output_variables(channels(run, names, measures), ports.outputs, run, names),
        Variable("steps", Kind.STEPS, text="accepted steps of co-simulation"),
        Variable("evaluations", Kind.EVALUATIONS, text="evaluations of the equations in co-simulation"),
    ]  # fmt: skip
    variables = [*shown, *indicator_variables(run, frozen)]
    file = _file(run, frozen, library.library.manifest.name, variables, entries)
    content = file.content()
    token = str(uuid.uuid5(uuid.NAMESPACE_URL, f"linkwork:{content.hex()}"))
    description = Description(
        mechanism.name, _identifier(mechanism.name), token, variables, range(len(shown), len(variables)), len(shown),
        options.until, options.rtol,
    )  # fmt: skip
    return CompiledModel(description, replace(file, token=token, _names=bytearray()).content())


def write_fmu(mechanism: Mechanism, path: str | Path, options: Options, ports: Ports, version: str) -> Path:
    """Write the FMU; its path."""
    if version not in VERSIONS:
        raise OptionError(f"there is no FMI version '{version}'; choose {' or '.join(VERSIONS)}", element="version")
    target = output_file(path, "an FMU", (".fmu",))
    model = compiled_model(mechanism, options, ports)
    where = PLATFORMS[native_library().library.manifest.machine][VERSIONS.index(version)]
    with writing(target), zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("modelDescription.xml", xml(model.description, version))
        archive.write(FOLDER / LIBRARY, f"binaries/{where}/{model.description.identifier}.so")
        archive.writestr("resources/model.linkwork", model.content)
        _write_sources(archive, model.description.identifier)
    return target


def _write_sources(archive: zipfile.ZipFile, identifier: str) -> None:
    """The runtime in C and the kernels in LLVM's language, with a word on how to compile them."""
    runtime = (PACKAGE / name for name in (*runtime_files(), POWERS))
    for path in (*runtime, FOLDER / HEADER, FOLDER / KERNEL_TABLE):
        archive.write(path, f"sources/{path.name}")
    for name, text in read_texts(FOLDER).items():
        archive.writestr(f"sources/{name}", text)
    archive.writestr("sources/README.txt", HOW_TO_COMPILE.format(identifier=identifier))


def write_model(mechanism: Mechanism, path: str | Path, options: Options, ports: Ports) -> Path:
    """Write the model as a file for programs in C; its path."""
    target = output_file(path, "a compiled model", (".linkwork",))
    content = compiled_model(mechanism, options, ports).content
    with writing(target):
        target.write_bytes(content)
    return target


def _identifier(name: str) -> str:
    """Of the model, as C allows it."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII)
    return plain if plain[:1].isalpha() else f"model_{plain}"


def _file(
    run: ForwardRun, frozen: FrozenRun, library: str, variables: list[Variable], entries: np.ndarray
) -> ModelFile:
    breaks = [t for t in run.compiled.layout.break_times if t > 0.0]
    return ModelFile(
        library=library, token="", image=frozen.image, parts=frozen.parts, stages=frozen.stages, columns=frozen.columns,
        variables=variables, entries=entries, breaks=np.array(breaks, np.float64),
        crossings=np.array([one[:3] for one in run.compiled.layout.crossings], CROSSING),
        changes=[change.name for change in run.compiled.layout.changes], events=len(run.compiled.layout.events),
        projects=run.method.projects and not run.method.open_tree, bodies=frozen.bodies,
    )  # fmt: skip
