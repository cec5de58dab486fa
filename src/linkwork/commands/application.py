"""The `linkwork` program, to which every command adds itself, and the arguments and options that commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from linkwork.lazy_import import lazy_module

if TYPE_CHECKING:
    from collections.abc import Sequence

    from linkwork import library
    from linkwork import model as models
    from linkwork.files import model_files, settings
else:
    library = lazy_module("linkwork.library")
    models = lazy_module("linkwork.model")
    model_files = lazy_module("linkwork.files.model_files")
    settings = lazy_module("linkwork.files.settings")

app = typer.Typer(
    help="Dynamics of constrained multibody mechanisms. MODEL is a name from the library (`linkwork models`), "
    "a model file (.toml, .yaml, .json), a robot (.urdf, .xml) or a Python file that makes a `model`.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # help in plain text: the other takes 0.1 s to load
    context_settings={"max_content_width": 120},
)


def _model_names(incomplete: str) -> list[str]:
    """For the Tab key: models of the library, folders, and files that can be models."""
    before = Path(incomplete)
    folder = before if incomplete.endswith("/") else before.parent
    files = [path for path in folder.glob("*") if path.is_dir() or path.suffix in (*model_files.SUFFIXES, ".py")]
    names = [*library.LIBRARY, *sorted(f"{path}/" if path.is_dir() else str(path) for path in files)]
    return [name for name in names if name.startswith(incomplete)]


_MODEL = typer.Argument(
    help="library name, or a .toml, .yaml, .json, .urdf, .xml or .py file", metavar="MODEL",
    autocompletion=_model_names,
)  # fmt: skip
ModelArgument = Annotated[str, _MODEL]
OptionalModelArgument = Annotated[str | None, _MODEL]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", help="NAME=VALUE, a parameter, or ELEMENT.FIELD=VALUE; may be repeated")
]
MethodOption = Annotated[
    list[str] | None, typer.Option("--option", help="NAME=VALUE, a parameter of the method; may be repeated")
]
LiteralOption = Annotated[
    bool | None,
    typer.Option("--literal/--no-literal", help="the method as its paper prints it; default: as in the model"),
]
SpeedOption = Annotated[
    list[str] | None,
    typer.Option("--speed", help="NAME=VALUE, a joint coordinate at constant speed, rad/s or m/s; may be repeated"),
]
FormulationOption = Annotated[str, typer.Option(help="auto, joint or absolute")]
MethodNameOption = Annotated[str, typer.Option("--method", help="auto, or a constraint method by name")]
IntegratorOption = Annotated[str, typer.Option(help="auto, adams, dop853, rk4, ab3 or generalized-alpha")]
UntilOption = Annotated[float | None, typer.Option(help="end time, s")]
ToleranceOption = Annotated[float, typer.Option(help="tolerance of a step")]
LargestStepOption = Annotated[float | None, typer.Option(help="largest step, s")]
StepOption = Annotated[float | None, typer.Option(help="step of rk4 and ab3, s")]
EveryOption = Annotated[float | None, typer.Option(help="time between samples, s")]
ChannelOption = Annotated[list[str] | None, typer.Option(help="a channel for --json and --plot; may be repeated")]
ChannelPlotOption = Annotated[Path | None, typer.Option(help="write a plot of the channels, PNG, SVG or PDF")]
PlotOption = Annotated[Path | None, typer.Option(help="write a plot, PNG, SVG or PDF")]
JsonOption = Annotated[bool, typer.Option("--json", help="answer for machines, on stdout")]


def read_model(name: str, given: Sequence[str] | None) -> models.Model:
    """The model that an argument means, with the parameters and fields that --set gives."""
    path, values = Path(name), dict(settings.setting(text) for text in given or [])
    if path.suffix in model_files.SUFFIXES:
        return models.Model.read(path, values)
    if path.suffix == ".py":
        return models.model_from_python(path).with_settings(values)
    return library.library_model(name, values)
