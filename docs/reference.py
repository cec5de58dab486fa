"""Hook of the documentation: tables made from the code itself, so that no page is ever behind.

A page has a mark, `<!-- elements -->`, where a table belongs; MARKS says which there are.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
import textwrap
import types
import typing
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from typer.testing import CliRunner

from linkwork.analyses.simulate.dynamics import Options
from linkwork.cli import app
from linkwork.commands.application import app as commands
from linkwork.elements.declarations import DECLARATIONS
from linkwork.elements.joints.joint import JointName
from linkwork.elements.joints.registry import JOINTS
from linkwork.expressions.language.functions import FUNCTIONS
from linkwork.files.model_files import FILE_KEYS, HEAD
from linkwork.files.writing import as_toml
from linkwork.integrators.registry import INTEGRATORS
from linkwork.library import library_model
from linkwork.mechanism import Mechanism
from linkwork.methods.registry import METHODS
from linkwork.reproduce.benchmarks.peers import STORED
from linkwork.results.result import Certificate

EMPTY = {"field(default_factory=dict)": "{}", "field(default_factory=list)": "[]"}
PLAIN = {"float": "number", "int": "whole number", "str": "text", "bool": "true or false", "NoneType": ""}
FUNCTION_MEANINGS = {
    "sin": "`sin(x)`, x in rad", "cos": "`cos(x)`", "tan": "`tan(x)`", "asin": "`asin(x)`, -1 to 1",
    "acos": "`acos(x)`", "atan": "`atan(x)`", "atan2": "`atan2(y, x)`, the angle of the point (x, y)",
    "sinh": "`sinh(x)`", "cosh": "`cosh(x)`", "tanh": "`tanh(x)`", "exp": "`exp(x)`", "log": "`log(x)`, natural",
    "sqrt": "`sqrt(x)`", "abs": "`abs(x)`; the run meets its bend exactly", "sign": "`sign(x)`, -1, 0 or 1",
    "min": "`min(a, b, ...)`", "max": "`max(a, b, ...)`", "clip": "`clip(x, low, high)`: x, kept between the two",
    "floor": "`floor(x)`: the greatest whole number that is not above x; the run meets its jumps exactly",
    "mod": "`mod(x, period)`: x less whole periods, from 0 to the period", "sawtooth": "`sawtooth(x)`: from 0 to 1, "
    "again and again", "if": "`if(condition, a, b)`; conditions compare, `and`, `or`, `not`",
    "step": "`step(x, x0, a, x1, b)`: a before x0, b after x1, a smooth cubic between (as STEP of ADAMS)",
    "table": "`table(NAME, x)`: a table of the model", "noise": "`noise(x, seed)`: a smooth random curve, mean 0 and "
    "variance 1 at whole x, the same for the same seed; it repeats after 1024",
}  # fmt: skip
CHANNELS = (
    ("`BODY.position.x`, `.velocity`, `.angular_velocity`, `.acceleration`, `.angular_acceleration`",
     "of a body or named frame, world axes", "m, m/s, rad/s, m/s2, rad/s2", "yes"),
    ("`BODY.orientation.e0` ... `e3`", "Euler parameters of a body", "1", "no"),
    ("`JOINT.angle`, `JOINT.rate`, `JOINT.rate.dot`", "coordinates of a joint (table below), rates, accelerations",
     "rad, rad/s, rad/s2; m, m/s, m/s2", "yes"),
    ("`JOINT.force`, `JOINT.force.x`, `JOINT.torque.x`", "reaction on the second body at the joint, world axes",
     "N, N m", "after the forces"),
    ("`DRIVER.torque`, `DRIVER.force`", "what a driver gives", "N m, N", "after the forces"),
    ("`FORCE.force`, `FORCE.torque`", "of a spring, motor, controller, joint force, stop, friction: along its line or "
     "axis", "N, N m", "yes"),
    ("`FORCE.force.x`, `FORCE.torque.x`", "of a bushing, beam, contact, applied force on its body B, world axes",
     "N, N m", "yes"),
    ("`LINK.force`", "of a massless link; > 0: it pulls", "N", "after the forces"),
    ("`GEAR.torque`, `RACK.force`", "of coupled joints: on a gear's second joint, on the rack, along a coupler's first "
     "coordinate", "N m, N", "after the forces"),
    ("`TYRE.load`, ...", "what a tyre shows", "", "after the forces"),
    ("`MEASURE`", "a measure of the model", "its own", "yes"),
    ("`energy`, `energy.kinetic`, `.potential`, `.work`, `.balance`", "of the whole", "J", "after the forces"),
)  # fmt: skip


def in_words(annotation: Any) -> str:
    """A type in words."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return in_words(inner[0])
    if origin is typing.Literal or annotation is JointName:
        return ", ".join(f"`{value}`" for value in inner or JointName.known())
    if origin in (typing.Union, types.UnionType):
        return " or ".join(dict.fromkeys(filter(None, map(in_words, inner))))
    if origin is tuple:
        if inner[-1] is Ellipsis:
            return f"list of {in_words(inner[0])}"
        return f"{len(inner)} x {in_words(inner[0])}" if len(set(inner)) == 1 else ", ".join(map(in_words, inner))
    name = getattr(annotation, "__name__", str(annotation))
    return PLAIN.get(name, name.strip("_").lower())


def default(field: Any) -> str:
    """What holds unless it is given."""
    if field.is_required():
        return "*required*"
    return "" if field.default is None else f"`{field.default!r}`"


def plain(text: str) -> str:
    """Prose in which nothing is Markdown: an expression such as 0.1*sin(2*pi*t) keeps its signs."""
    return re.sub(r"\s+", " ", text).replace("*", r"\*").replace("|", " or ").replace("<", "&lt;").strip()


def rows(head: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    """A table."""
    names = list(head)
    written = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([f"| {' | '.join(names)} |", "|" + "---|" * len(names), *written])


def fields_of(declaration: Any, names: Iterable[str]) -> str:
    """The fields of a declaration."""
    known = declaration.model_fields
    lines = [
        (f"`{name}`", in_words(known[name].annotation), default(known[name]), plain(known[name].description or ""))
        for name in names
    ]
    return rows(("key", "takes", "default", "meaning"), lines)


def elements() -> str:
    """Every kind of element with its fields, and an example as a file has it."""
    shown = elements_in_files()
    return "\n\n".join(
        f"## {kind}\n\n{plain(element.__doc__ or '')}\n\n{fields_of(element, element.model_fields)}"
        + (f"\n\n```toml\n{shown[kind]}\n```" if kind in shown else "")
        for kind, element in DECLARATIONS.items()
    )


def elements_in_files() -> dict[str, str]:
    """The elements of the examples of `Model`, one of each kind, as a model file has them."""
    text = (EXAMPLES / "model.py").read_text().partition("# -- Model.mechanism")[0]
    names: dict[str, Any] = {}
    exec(text.replace("print(model.simulate().certificate.status)", ""), names)
    made = {kind: listed[-1] for kind, listed in names["m"]._elements.items() if listed and listed[-1].in_files}
    return {kind: as_toml(kind, element) for kind, element in made.items()}


def keys() -> str:
    """What a model file has besides its elements."""
    own = {
        "parameters": "names for numbers: `length = '25 mm'`, expressions of each other",
        "include": "other files of the folder: `{file, prefix, parameters}`",
    }
    more = rows(("key", "meaning"), [(f"`{key}`", own[key]) for key in FILE_KEYS])
    return fields_of(Mechanism, HEAD) + "\n\n" + more


def functions() -> str:
    """Functions of numbers in expressions."""
    return "\n".join(f"- {FUNCTION_MEANINGS[name]}" for name in (*FUNCTIONS, "table", "noise"))


def channels() -> str:
    """What a run calls its numbers."""
    return rows(("name", "what it is", "unit", "in expressions"), CHANNELS)


def coordinates() -> str:
    """Names of the coordinates of every kind of joint."""
    lines = [
        (f"`{kind.name}`", *(", ".join(f"`{n}` ({kind.units[n] or '1'})" for n in names)
                             for names in (kind.coordinates, kind.velocities)), plain(kind.__doc__ or ""))
        for kind in JOINTS.values()
    ]  # fmt: skip
    return rows(("joint", "coordinates", "rates", "what moves"), lines)


def commented(cls: type) -> str:
    """The fields of a dataclass, with the remarks that stand behind them in the source."""
    source = textwrap.dedent(inspect.getsource(cls))
    (tree,) = ast.parse(source).body
    assert isinstance(tree, ast.ClassDef)
    text, lines = source.splitlines(), []
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            given = "" if node.value is None else ast.unparse(node.value)
            value = f"`{EMPTY.get(given, given)}`" if given and "lambda" not in given else "" if given else "*required*"
            remark = text[(node.end_lineno or node.lineno) - 1].partition("#")[2]
            kind = ast.unparse(node.annotation).replace("|", "or")
            lines.append((f"`{node.target.id}`", f"`{kind}`", value, plain(remark)))
    return rows(("field", "type", "default", "meaning"), lines)


def methods() -> str:
    """Constraint methods and their options."""
    lines = [
        (f"`{m.name}`", plain(m.title), ", ".join(f"`{key}={option.default:g}`" for key, option in m.options.items()))
        for m in METHODS.values()
    ]
    return rows(("method", "what it is", "options and defaults"), lines)


def integrators() -> str:
    """Integrators."""
    lines = [(f"`{one.name}`", plain(one.title), "chosen" if one.adaptive else "fixed") for one in INTEGRATORS.values()]
    return rows(("integrator", "what it is", "steps"), lines)


def command_lines() -> str:
    """The options of every command, as its help has them."""
    parts = []
    for command in sorted(commands.registered_commands, key=lambda c: c.name or c.callback.__name__):
        name = command.name or command.callback.__name__
        shown = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "100"}, prog_name="linkwork").stdout
        parts.append(f"## {name}\n\n```text\n{shown.strip()}\n```")
    return "\n\n".join(parts)


def benchmarks() -> str:
    """What `python -m benchmarks --store` has kept."""
    stored = json.loads(STORED.read_text())
    lines = []
    for problem, entries in stored["problems"].items():
        ours = float(entries[0][-1].split()[0])  # of linkwork's default run
        for k, (who, setting, error, spent) in enumerate(entries):
            ratio = f"{float(spent.split()[0]) / ours:.3g}"
            lines.append((problem if k == 0 else "", f"{who} {setting}".strip(), f"{error:.0e}", spent, ratio))
    head = ("problem", "program", "error", "time", "of linkwork's")
    return f"Measured on {stored['date']}.\n\n" + rows(head, lines)


def whole_calls() -> str:
    """What `python -m benchmarks.whole_call --store` has kept, but for the methods."""
    stored, lines = _whole_calls(), []
    for name, row in stored["rows"].items():
        if name not in PARTITIONING:
            ratio = row["whole"] / row["loop"]
            times = f"{row['loop']:.2g}", f"{row['whole']:.2g}", f"{ratio:.{2 if ratio < 3.0 else 1}f}"
            lines.append((_title(name), f"{row['build']:.2g}", *times, f"{row['each']:.2f}", f"{row['memory']:.0f}"))
    return f"Measured on {stored['date']}.\n\n" + rows(
        ("run", "build", "loop", "whole call", "of the loop", "µs", "MB"), lines
    )


def whole_calls_by_method() -> str:
    """The same of the methods that partition."""
    stored = {name: row for name, row in _whole_calls()["rows"].items() if name in PARTITIONING}
    least = stored["parametrization"]["loop"]
    ordered = sorted(stored.items(), key=lambda one: one[1]["loop"])
    return rows(("method", "loop", "of parametrization's", "whole call"), [
        (name, f"{row['loop']:.2g}", f"{row['loop'] / least:.1f}", f"{row['whole']:.2g}") for name, row in ordered
    ])  # fmt: skip


PARTITIONING = ("parametrization", "lu", "qr", "projection", "hybrid-qr", "hybrid-projection")
RUNS = {
    "four-bar": "four-bar, 3 s", "hmmwv": "HMMWV, 5 s", "chain7": "chain of 7 links in space, 1 s",
    "chain100000": "chain of 100,000 links in a plane, 0.02 s", "andrews 1 s": "Andrews' squeezer, 1 s",
    "four-bar-flexible 100 s": "four-bar with a flexible coupler, 100 s", "hmmwv 60 s": "HMMWV, 60 s",
    "rrc-arm 150 s": "RRC arm, 150 s", "bricard 300 s": "Bricard's linkage, 300 s",
    "governor 5 s": "flyball governor, 5 s",
}  # fmt: skip


def _title(name: str) -> str:
    """A run of benchmarks/whole_call.py in words."""
    if name.isdigit():
        return f"N = {int(name):,}, 10 s"
    return RUNS.get(name, re.sub(r" (\S+ s)$", r", \1", name))


def _whole_calls() -> dict[str, Any]:
    return json.loads((Path(__file__).parents[1] / "benchmarks" / "whole_call.json").read_text())


# -- examples ---------------------------------------------------------------------------------------------------------
EXAMPLES = Path(__file__).parent / "api" / "examples"
ENTRY = re.compile(r"^::: (\S+)\n((?:    .*\n)*)", re.MULTILINE)
VERBS = ("Model", "Run")  # every method of these is an entry of its own


def examples() -> dict[str, str]:
    """The example of each entry, by its name: `Model.revolute`, `rod`.

    In a file of docs/api/examples a line `# -- NAME` is before each; what is before the first is not shown.
    """
    found: dict[str, str] = {}
    for file in sorted(EXAMPLES.glob("*.py")):
        parts = re.split(r"^# -- (\S+)\n", file.read_text(), flags=re.MULTILINE)
        found |= {name: text.strip() for name, text in zip(parts[1::2], parts[2::2], strict=True)}
    return found


def entries() -> dict[str, str]:
    """All entries of the reference: name -> path, as the heading on its page has it."""
    found: dict[str, str] = {}
    for page in sorted(EXAMPLES.parent.glob("*.md")):
        for path, options in ENTRY.findall(page.read_text()):
            listed = re.search(r"members: \[(.*)\]", options)
            for one in [f"{path}.{name.strip()}" for name in listed[1].split(",")] if listed else [path]:
                found |= {one.rsplit(".", 1)[1]: one}
    for verb in VERBS:
        public = [name for name in dir(_object(found[verb])) if not name.startswith("_") and name != "ground"]
        found |= {f"{verb}.{name}": f"{found[verb]}.{name}" for name in public}
    return found


def _object(path: str) -> Any:
    module, name = path.rsplit(".", 1)
    return getattr(importlib.import_module(module), name)


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Called by MkDocs with the HTML of each page: examples go below the text of their entries."""
    if not page.file.src_uri.startswith("api/"):
        return html
    written = examples()
    for name, path in entries().items():
        shown = highlight(written[name], PythonLexer(), HtmlFormatter(cssclass="highlight", wrapcode=True))
        mark = re.compile(rf'(id="{re.escape(path)}".*?<div class="doc doc-contents[^>]*>.*?</p>)', re.DOTALL)
        html = mark.sub(lambda found, shown=shown: f"{found[1]}\n{shown}", html, count=1)
    return html


def validation() -> str:
    """What each file of tests/validation is about: the first line of its docstring."""
    files = sorted((Path(__file__).parents[1] / "tests" / "validation").glob("test_*.py"))
    texts = [(file.name, ast.get_docstring(ast.parse(file.read_text())) or "") for file in files]
    return rows(("file", "checks"), [(f"`{name}`", plain(text.split("\n\n")[0])) for name, text in texts])


MARKS: dict[str, Callable[[], str]] = {
    "elements": elements, "keys": keys, "functions": functions, "channels": channels, "coordinates": coordinates,
    "options": lambda: commented(Options), "certificate": lambda: commented(Certificate), "methods": methods,
    "integrators": integrators, "commands": command_lines, "benchmarks": benchmarks,
    "whole calls": whole_calls, "whole calls by method": whole_calls_by_method, "validation": validation,
}  # fmt: skip


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by MkDocs for each page."""
    for name, make in MARKS.items():
        mark = f"<!-- {name} -->"
        if mark in markdown:
            markdown = markdown.replace(mark, make())
    return markdown


def on_post_build(config: Any, **_: Any) -> None:
    """Called by MkDocs at the end: the page of the excavator, which the first page holds."""
    run = library_model("excavator").simulate(progress=False)
    run.view(Path(config["site_dir"]) / "excavator.html", open=False, forces=False)
