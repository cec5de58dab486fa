"""What a command loads: imports are most of the time of a short run, so that each must be needed."""

from __future__ import annotations

import gc
import json
import subprocess
import sys

import pytest
from pydantic import ValidationError

import linkwork.cli
from linkwork.compiler.build import is_up_to_date
from linkwork.compiler.native.library import FOLDER
from linkwork.elements.declarations import DECLARATIONS
from linkwork.mechanism import Mechanism

COMMAND = {"typer", "rich", "shellingham", "annotated_doc", "click"}  # typer's own, and what it imports itself
MODEL = {"numpy", "pydantic", "pydantic_core", "annotated_types", "typing_inspection", "typing_extensions"}
OTHERS = {"cython_runtime", "cmeel_pth", "sitecustomize"}  # no packages that anyone imports
UNUSED = (  # rooms that a run has no use for
    "linkwork.analyses.vibration", "linkwork.analyses.steady", "linkwork.analyses.kinematics",
    "linkwork.files.robots.urdf",
    "linkwork.flexible.bodies", "linkwork.view.page", "linkwork.view.plots", "linkwork.studies", "linkwork.reproduce",
)  # fmt: skip

COMPLETE = "[key for key, kind in DECLARATIONS.items() if kind.__pydantic_complete__]"
RUN = """
import sys
from linkwork.cli import main
sys.argv = ["linkwork", "run", "{model}", "--until", "0.01"]
try:
    main()
except SystemExit as end:
    assert not end.code
from linkwork.elements.declarations import DECLARATIONS
"""


def after(program: str, wanted: str = "list(sys.modules)") -> set[str]:
    """What there is after a program: the modules, unless something else is wanted."""
    code = f"{program}\nimport json, sys\nprint(json.dumps({wanted}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def packages(modules: set[str]) -> set[str]:
    """Packages that are neither linkwork nor Python's own."""
    names = {name.partition(".")[0] for name in modules}
    return {name for name in names if not name.startswith("_")} - sys.stdlib_module_names - OTHERS - {"linkwork"}


def test_the_package_loads_nothing():
    assert packages(after("import linkwork")) == set()


def test_help_loads_no_arithmetic():
    assert packages(after("import linkwork.cli; linkwork.cli.program()")) <= COMMAND


def test_a_model_loads_no_files_and_no_plots():
    assert packages(after("import linkwork.model")) <= MODEL | {"rich"}


@pytest.mark.skipif(not is_up_to_date(FOLDER), reason="`make native` builds the library")
@pytest.mark.parametrize("model", ["pendulum", "four-bar", "n-four-bar"])
def test_a_run_loads_what_it_needs(model):
    """No compiler, no SciPy, no HDF5, no plots; and builds of the elements the kinds that the model has."""
    modules = after(RUN.format(model=model))
    assert packages(modules) <= COMMAND | MODEL
    assert not [name for name in modules if name.startswith(UNUSED)]
    assert after(RUN.format(model=model), COMPLETE) == {"body", "joint"}


def test_elements_are_checked_by_their_own_class():
    """In the schema as ever; data become elements; what is wrong with one keeps its place."""
    schema = Mechanism.model_json_schema()
    for key, kind in DECLARATIONS.items():
        assert schema["properties"][key]["items"]["$ref"].endswith(f"/{kind.__name__}")
    frame = {"name": "corner", "body": "ground", "at": (0, 0, 1)}
    mechanism = Mechanism.model_validate({"gravity": (0, 0, 0), "frame": [frame]})
    assert mechanism.frame == (DECLARATIONS["frame"].model_validate(frame),)
    assert Mechanism.model_validate_json(mechanism.model_dump_json(exclude_none=True)) == mechanism
    with pytest.raises(ValidationError) as raised:
        Mechanism.model_validate({"gravity": (0, 0, 0), "frame": [frame, {**frame, "at": (0, 0)}]})
    assert raised.value.errors()[0]["loc"][:3] == ("frame", 1, "at")


def test_garbage_is_still_collected(monkeypatch):
    """A command looks through its memory seldom, but it does."""
    monkeypatch.setattr(linkwork.cli, "program", lambda name: lambda: None)
    before = gc.get_threshold()
    try:
        linkwork.cli.main()
        assert gc.isenabled() and gc.get_threshold()[0] > before[0] > 0
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
