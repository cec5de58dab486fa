"""linkwork with the oldest and the newest dependencies that pyproject.toml allows.

python tests/versions.py FOLDER [oldest] [newest]: make an environment for each in that folder, and test in it
python tests/versions.py smoke: the smoke run alone, in the environment at hand
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import venv
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = [
    "tests/unit/test_shortcuts.py", "tests/unit/test_kernels.py", "tests/unit/test_references.py",
    "tests/unit/test_carving.py", "tests/unit/test_kernel_cache.py", "tests/unit/test_integrators.py",
    "tests/contract/test_compiler_door.py",
]  # fmt: skip


def main(folder: Path, wanted: list[str]) -> None:
    """One environment after the other."""
    for which in wanted or ["oldest", "newest"]:
        print(f"-- {which} dependencies", flush=True)
        python = environment(folder / which, requirements(which))
        subprocess.run([python, "-m", "pip", "list", "--disable-pip-version-check"], check=True)
        given = {"PYTHONPATH": str(ROOT / "src"), "LINKWORK_CACHE": str(folder / which / "kernels")}
        given["LINKWORK_BACKEND"] = "jit"  # what is compiled, not what has been
        for command in ([__file__, "smoke"], ["-m", "pytest", "-q", *TESTS]):
            subprocess.run([python, *command], check=True, cwd=ROOT, env={**os.environ, **given})


def requirements(which: str) -> list[str]:
    """The dependencies of pyproject.toml, with Numba; the oldest: the first release of each bound, and its fixes."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    stated = project["dependencies"] + project["optional-dependencies"]["jit"]
    if which == "newest":
        return stated
    return [re.sub(r"^([\w-]+)>=([\w.]+).*", r"\1==\2.*", dependency) for dependency in stated]


def environment(folder: Path, needed: list[str]) -> Path:
    """A virtual environment with what is needed; the path of its Python."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade"]
    subprocess.run([*install, *needed, "pytest", "hypothesis"], check=True)
    return python


def smoke() -> None:
    """A four-bar by every method and integrator that go together, and a vehicle: finished, and where it should be."""
    import numpy as np

    from linkwork.analyses.simulate.dynamics import Options, simulate
    from linkwork.errors import OptionError
    from linkwork.integrators.registry import INTEGRATORS
    from linkwork.library import library_model
    from linkwork.methods.registry import METHODS

    four_bar, ends = library_model("four-bar").mechanism, {}
    for method, integrator in product(METHODS, INTEGRATORS):
        step = None if INTEGRATORS[integrator].adaptive else 2e-4
        options = Options(until=0.1, method=method, integrator=integrator, step=step)
        try:
            result = simulate(four_bar, options)
        except OptionError:  # they do not go together
            continue
        assert result.certificate.status == "finished", (method, integrator)
        ends[method, integrator] = result.q[-1]
    spread = np.ptp(list(ends.values()), axis=0).max()
    print(f"four-bar: {len(ends)} pairings of method and integrator end within {spread:.1e} rad")
    assert len(ends) > 30 and spread < 1e-3
    vehicle = simulate(library_model("hmmwv").mechanism, Options(until=0.5))
    print(f"hmmwv: {vehicle.certificate.status}")
    assert vehicle.certificate.status == "finished"


if __name__ == "__main__":
    if sys.argv[1:] == ["smoke"]:
        smoke()
    elif len(sys.argv) > 1:
        main(Path(sys.argv[1]).resolve(), sys.argv[2:])
    else:
        sys.exit(__doc__)
