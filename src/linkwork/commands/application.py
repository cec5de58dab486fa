"""The `linkwork` program, to which every command adds itself, and the arguments and options that commands share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import BadParameter
from typer.core import TyperGroup

from linkwork.commands.arguments import by_name
from linkwork.errors import FileError, alike
from linkwork.lazy_import import lazy_functions, lazy_module
from linkwork.other_words import COMMANDS

if TYPE_CHECKING:
    from linkwork import library
    from linkwork import model as models
    from linkwork import run as runs
    from linkwork.files import model_files, settings
    from linkwork.library.by_name.any_model import any_model
else:
    library = lazy_module("linkwork.library")
    models = lazy_module("linkwork.model")
    runs = lazy_module("linkwork.run")
    model_files = lazy_module("linkwork.files.model_files")
    settings = lazy_module("linkwork.files.settings")
    (any_model,) = lazy_functions("linkwork.library.by_name.any_model", "any_model")

UsageError: Any = BadParameter.__mro__[1]  # of click, which typer may carry itself


class Program(TyperGroup):
    """The commands: `--set a=1 b=2` means `--set a=1 --set b=2`, and values are called what they are."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The command and its words."""
        return super().parse_args(ctx, settings_apart(args))

    def invoke(self, ctx: Any) -> Any:
        """Run the command; a value that cannot be read is refused in words of ours."""
        try:
            return super().invoke(ctx)
        except BadParameter as failure:
            failure.message = next((words for sign, words in UNREADABLE.items() if sign in failure.message),
                                   failure.message)  # fmt: skip
            raise
        except UsageError as failure:
            if hasattr(failure, "possibilities"):  # of an option that does not exist
                options = [name for one in failure.ctx.command.params for name in one.opts if name.startswith("--")]
                named = alike(failure.option_name.lstrip("-"), [name[2:] for name in options])
                failure.possibilities = [f"--{name}" for name in named]
            raise

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """A command by what was typed; one of other programs is answered by what does it here."""
        try:
            return super().resolve_command(ctx, args)
        except UsageError as failure:
            if args and args[0].lower() in COMMANDS:
                failure.message = f"There is no command '{args[0]}'; write: linkwork {COMMANDS[args[0].lower()]}"
            raise

    def list_commands(self, ctx: Any) -> list[str]:
        """In the order in which they are needed."""
        names = super().list_commands(ctx)
        return sorted(names, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by name."""
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            vars(command)["parse_args"] = partial(_each_once, command)
        for parameter in command.params if command is not None else ():
            if hasattr(parameter, "display_type_rich"):  # since typer 0.29 help has the types of Python
                is_argument = parameter.param_type_name == "argument"
                vars(parameter)["display_type_rich"] = partial(_kind_of_value, parameter.display_type_rich, is_argument)
            if parameter.param_type_name == "argument":
                vars(parameter)["get_usage_pieces"] = partial(_usage, parameter)
        return command


def _each_once(command: Any, ctx: Any, args: list[str]) -> list[str]:
    """The words of a command; an option that takes one value is refused where it comes a second time."""
    _, _, order = command.make_parser(ctx).parse_args(args=list(args))
    for option, count in Counter(order).items():
        if count > 1 and option.param_type_name == "option" and not option.multiple:
            raise BadParameter("it is given twice; give it once", ctx=ctx, param=option)
    words: list[str] = type(command).parse_args(command, ctx, args)
    return words


def _usage(argument: Any, ctx: Any) -> list[str]:
    """An argument in the line of usage: MODEL, [MODEL], FILES...; nothing where it is hidden."""
    if argument.hidden:
        return []
    name = (argument.metavar or argument.name).strip("[]").upper() + ("..." if argument.nargs == -1 else "")
    return [name if argument.required else f"[{name}]"]


def _kind_of_value(type_of: Callable[..., str], is_argument: bool, ctx: Any) -> str:
    """What help calls the value of an option; the name of an argument says it all."""
    return "" if is_argument else next((word for part, word in WORDS.items() if part in type_of(ctx=ctx)), "TEXT")


ORDER = (
    "run", "check", "view", "models", "new", "kinematics", "loads", "equilibrium", "modes", "response", "floquet",
    "spectrum", "trim", "suspension", "study", "optimize", "fit", "compare", "export", "reproduce", "schema",
)  # fmt: skip
UNREADABLE = {  # by typer's words
    "valid number": "it must be a number, without its unit", "valid integer": "it must be a whole number",
}  # fmt: skip
WORDS = {"float": "NUMBER", "int": "COUNT", "path": "FILE", "file": "FILE", "bool": ""}  # by the type of Python
_SETTING = re.compile(r"[^-=\s][^=]*=.*", re.DOTALL)


def settings_apart(words: Sequence[str]) -> list[str]:
    """Words with a `--set` before each of several settings."""
    apart: list[str] = []
    following = False
    for word in words:
        if following and _SETTING.fullmatch(word):
            apart += ["--set", word]
            continue
        following = apart[-1:] == ["--set"] and _SETTING.fullmatch(word) is not None
        apart.append(word)
    return apart


app = typer.Typer(
    cls=Program,
    help="Dynamics of constrained multibody mechanisms. MODEL is a name from the library (`linkwork models`), "
    "a model file (.toml, .yaml, .json), a robot (.sdf; with the extras urdf and mjcf .urdf and .xml) or a Python file "
    "that makes a `model`.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # help in plain text: the other takes 0.1 s to load
    context_settings={"max_content_width": 120, "help_option_names": ["-h", "--help"]},
)


def _model_names(incomplete: str) -> list[str]:
    """For the Tab key: models of the library, folders, and files that can be models."""
    before = Path(incomplete)
    folder = before if incomplete.endswith("/") else before.parent
    files = [path for path in folder.glob("*") if path.is_dir() or path.suffix in (*model_files.SUFFIXES, ".py")]
    names = [*library.LIBRARY, *sorted(f"{path}/" if path.is_dir() else str(path) for path in files)]
    return [name for name in names if name.startswith(incomplete)]


_MODEL = typer.Argument(
    help="library name, or a .toml, .yaml, .json, .urdf, .sdf, .xml or .py file", metavar="MODEL",
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
EquilibriumOption = Annotated[
    bool | None,
    typer.Option(
        "--from-equilibrium/--no-from-equilibrium",
        help="start where the forces are in balance; default: as in the model",
    ),
]
SpeedOption = Annotated[
    list[str] | None,
    typer.Option(
        "--speed",
        help="NAME=VALUE, a joint coordinate at constant speed, rad/s or m/s, or 'NAME=105 rpm'; may be repeated",
    ),
]
FormulationOption = Annotated[str, typer.Option(help="auto, joint or absolute")]
MethodNameOption = Annotated[str, typer.Option("--method", help="auto, or a constraint method by name")]
IntegratorOption = Annotated[str, typer.Option(help="auto, adams, dop853, radau, generalized-alpha, rk4 or ab3")]
UntilOption = Annotated[float | None, typer.Option(help="end time, s")]
ToleranceOption = Annotated[float | None, typer.Option(help="tolerance of a step; default: 1e-6")]
FineToleranceOption = Annotated[float | None, typer.Option(help="tolerance of a step; default: 1e-8")]
LargestStepOption = Annotated[float | None, typer.Option(help="largest step, s")]
StepOption = Annotated[float | None, typer.Option(help="step of rk4 and ab3, s")]
EveryOption = Annotated[float | None, typer.Option(help="time between samples, s")]
ChannelOption = Annotated[list[str] | None, typer.Option(help="a channel for --json and --plot; may be repeated")]
ChannelPlotOption = Annotated[Path | None, typer.Option(help="write a plot of the channels, PNG, SVG or PDF")]
PlotOption = Annotated[Path | None, typer.Option(help="write a plot, PNG, SVG or PDF")]
JsonOption = Annotated[bool, typer.Option("--json", help="answer for machines, on stdout")]


def read_run(name: str | Path, directly: str = "") -> runs.Run:
    """The run of a file; the name of a model is answered by how to make one, or by what takes the model `directly`."""
    path = Path(name)
    if str(name) in library.LIBRARY or path.suffix in (*model_files.SUFFIXES, ".py"):
        also = f"; or from the model directly: linkwork {directly.replace('MODEL', str(name))}" if directly else ""
        raise FileError(
            f"'{name}' is a model, and this reads the file of a run; make one: linkwork run {name} --out run.h5{also}",
            element=str(name),
        )
    return runs.load(path)


def read_model(name: str, given: Sequence[str] | None) -> models.Model:
    """The model that an argument means, with the parameters and fields that --set gives."""
    return any_model(name, by_name("--set", [settings.setting(text) for text in given or []]))
