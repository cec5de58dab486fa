"""The native library: nothing is missing, nothing is stale, wrong input is refused, results are those of Numba."""

from __future__ import annotations

import dis
import importlib
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import linkwork
from linkwork.analyses.start.assembly import assemble
from linkwork.compiler import kernels
from linkwork.compiler.argument_types import Structure
from linkwork.compiler.build import (
    Processor,
    all_wanted,
    c_compiler,
    exporting_modules,
    is_up_to_date,
    refuse_changed,
)
from linkwork.compiler.kernels import Kernel
from linkwork.compiler.native import backend
from linkwork.compiler.native.backend import NativeBackend
from linkwork.compiler.native.kernel_sources import _module, kernel_sources
from linkwork.compiler.native.kernel_texts import read_texts
from linkwork.compiler.native.library import CALLER, FOLDER, HEADER, LIBRARY, MANIFEST, Library, load
from linkwork.compiler.native.manifest import digest, full_name, read_manifest, sealed
from linkwork.compiler.references import Reference
from linkwork.compiler.sources import PACKAGE, file_of
from linkwork.elements.family import FAMILY_KERNEL
from linkwork.elements.registry import FAMILIES
from linkwork.errors import KernelError
from linkwork.formulations.equations import Equations, evaluate
from linkwork.library import library_model
from linkwork.numerics.status import LEVEL_ALL

needs_library = pytest.mark.skipif(not is_up_to_date(FOLDER), reason="`make native` builds the library")


@pytest.fixture(scope="module")
def library() -> Library:
    return load(FOLDER)


# -- nothing is missing -----------------------------------------------------------------------------------------------
def test_every_kernel_that_python_calls_is_exported():
    exported = {full_name(one.kernel) for one in all_wanted()}
    found = set()
    for module in pkgutil.walk_packages(linkwork.__path__, "linkwork."):
        path = Path(linkwork.__file__).parent.joinpath(*module.name.split(".")[1:]).with_suffix(".py")
        if "numba_backend" in path.parts:
            continue
        if path.is_file() and "compiler.kernels import" in path.read_text(encoding="utf-8"):
            values = vars(importlib.import_module(module.name)).values()
            found |= {full_name(value) for value in values if isinstance(value, Kernel) and value.kind == "kernel"}
    assert len(found) > 30
    assert sorted(found - exported) == []


def test_every_family_is_exported_for_real_and_complex_numbers():
    signatures = {(one.kernel, one.signature) for one in all_wanted()}
    for family in FAMILIES:
        for function in family.kernels.values():
            if function.__module__.startswith("linkwork."):
                for complex in (False, True):
                    assert (function, FAMILY_KERNEL.with_work(Structure("Work", complex))) in signatures, family.name


ANALYSES = """
import warnings
import numpy as np
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.analyses.single_state import Calls
from linkwork.analyses.start.assembly import assemble
from linkwork.elements.registry import FAMILIES
from linkwork.errors import LinkworkError, KernelError, OptionError
from linkwork.integrators.registry import INTEGRATORS
from linkwork.library import LIBRARY, library_model
from linkwork.methods.registry import METHODS
from linkwork.studies.batch import Batch, run_on_threads

for name in ("four-bar", "pendulum"):
    mechanism = library_model(name).mechanism
    for method in METHODS:
        for integrator in INTEGRATORS.values():
            try:
                simulate(mechanism, Options(until=0.005, method=method, integrator=integrator.name,
                                            step=None if integrator.adaptive else 1e-4))
            except OptionError:
                continue
    start = assemble(mechanism, "joint")
    run_on_threads(Batch(start, start.y[None], Options(until=2e-3, step=1e-3, integrator="rk4")))
    calls = Calls(start)
    q, v = start.y[: len(calls.q_names)].copy(), np.zeros(len(calls.v_names))
    calls.forward(q, v), calls.inverse(q, v, v), calls.mass_matrix(q)
for name in LIBRARY:
    run = library_model(name).simulate(0.01, progress=False)
    for analysis in (run.loads, library_model(name).linearize):
        try:
            analysis()
        except KernelError:
            raise
        except LinkworkError:
            continue
library_model("slider-crank").kinematics(sweep={"main bearing.angle": (0.0, 0.1, 3)})
print("all native")
"""


@needs_library
def test_analyses_find_all_kernels_in_the_library():
    done = python(ANALYSES, LINKWORK_BACKEND="strict")
    assert done.stdout.endswith("all native\n"), done.stderr


@needs_library
def test_nothing_of_the_machine_that_built_it_is_in_the_library():
    contents = [(FOLDER / name).read_bytes() for name in (LIBRARY, CALLER)]
    contents += [text.encode() for text in read_texts(FOLDER).values()]
    assert len(contents) == 5
    for content in contents:
        assert b"site-packages" not in content and str(PACKAGE).encode() not in content


@needs_library
def test_the_library_needs_libc_and_libm_alone():
    if shutil.which("nm") is None:
        pytest.skip("no nm")
    listed = subprocess.run(["nm", "-D", "-u", FOLDER / LIBRARY], capture_output=True, text=True, check=True).stdout
    strong = [line.split()[-1] for line in listed.splitlines() if line.split()[0] == "U"]
    versions = [re.fullmatch(r"\w+@GLIBC_2\.(\d+)(\.\d+)?", symbol) for symbol in strong]
    assert strong and all(version and int(version[1]) <= 17 for version in versions), strong


FOR_ARM = """
import os, struct, sys
os.environ |= {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "LINKWORK_BACKEND": "jit"}
from linkwork.compiler.build import all_wanted
from linkwork.compiler.numba_backend.ahead_of_time import object_file
one = next(one for one in all_wanted() if one.kernel.__name__ == "factor_rows")
made = object_file([one], "generic", "aarch64").object
print(made[:4] == b"\\x7fELF", struct.unpack_from("<H", made, 18)[0], one.stage.encode() in made)
"""


@pytest.mark.jit
def test_kernels_are_compiled_for_another_architecture():
    done = python(FOR_ARM)
    assert done.stdout == "True 183 True\n", done.stderr  # 183: aarch64, in the header of an ELF file


def test_sources_that_change_during_a_build_are_refused(library):
    """The library would hold what they were, and pass for one of what they are."""
    now = replace(library.manifest, files=[(path, str(digest(path))) for path, _ in library.manifest.files])
    refuse_changed(now)
    path = now.files[3][0]
    with pytest.raises(SystemExit, match=f"{re.escape(path)} changed while the native library was built"):
        refuse_changed(replace(now, files=[(path, "another"), *now.files[:3]]))


def test_building_for_another_architecture_needs_its_c_compiler(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(SystemExit, match="no C compiler for aarch64 here: install aarch64-linux-gnu-gcc, or name"):
        c_compiler(Processor("aarch64", "generic"))


@needs_library
def test_the_header_is_one(tmp_path):
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    program = tmp_path / "program.c"
    program.write_text(f'#include "{HEADER}"\nint main(void) {{ return sizeof(lw_System) > sizeof(lw_Work); }}\n')
    flags = ("-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{FOLDER}")
    subprocess.run(["gcc", *flags, str(program), "-o", str(tmp_path / "program")], check=True)
    subprocess.run([str(tmp_path / "program")], check=True)
    assert "sizeof(lw_control) == " in (FOLDER / HEADER).read_text()


# -- wrong input is refused -------------------------------------------------------------------------------------------
@pytest.fixture
def call(library):
    """`evaluate` of the library, and what it takes."""
    start = assemble(library_model("four-bar").mechanism, "joint")
    equations = Equations(start.compiled)
    function = library.entry(library.exports(full_name(evaluate)))
    taken = [equations.system_ref, 0.0, start.y.copy(), start.angles.copy(), equations.work_ref, int(LEVEL_ALL)]

    def with_other(place: int, given: object) -> None:
        function(*taken[:place], given, *taken[place + 1 :])

    with_other.function, with_other.taken, with_other.equations = function, taken, equations
    return with_other


@needs_library
def test_a_kernel_is_called(call):
    assert call.function(*call.taken) is None
    assert np.isfinite(call.equations.work.M).all() and call.equations.work.M.any()


@needs_library
@pytest.mark.parametrize(
    ("place", "given", "why"),
    [
        (0, np.zeros(3), r"evaluate: system is a ndarray; it must be a reference to System"),
        (1, "soon", r"evaluate: t is a str; it must be a number"),
        (1, 1j, r"evaluate: t is a complex; it must be a number"),
        (2, [0.0, 1.0], r"evaluate: y is a list; it must be an array"),
        (2, b"00000000", r"evaluate: y is a bytes; it must be an array"),
        (2, np.zeros(9, np.float32), r"evaluate: y holds float32; it must hold float64"),
        (2, np.zeros(9, ">f8"), r"evaluate: y holds >f8; it must hold float64"),
        (2, np.zeros(9, object), r"evaluate: y holds object; it must hold float64"),
        (2, np.zeros((3, 3)), r"evaluate: y has 2 axes; it must have 1"),
        (2, np.zeros(18)[::2], r"evaluate: y is not contiguous"),
        (2, np.frombuffer(bytes(81), np.float64, 9, 1), r"evaluate: y does not begin at a multiple of 8 bytes"),
        (5, 1.5, r"evaluate: level is a float; it must be an integer of 64 bits"),
        (5, 2**70, r"evaluate: level is a int; it must be an integer of 64 bits"),
    ],
)
def test_a_wrong_argument_is_refused(call, place, given, why):
    with pytest.raises(TypeError, match=why):
        call(place, given)


@needs_library
def test_a_reference_to_something_else_is_refused(call):
    with pytest.raises(TypeError, match="system is a reference to Work; it must be one to System"):
        call(0, call.taken[4])
    with pytest.raises(TypeError, match="work is a reference to complex Work; it must be one to Work"):
        call(4, Equations(call.equations.compiled, np.complex128).work_ref)


@needs_library
def test_a_wrong_number_of_arguments_is_refused(call):
    with pytest.raises(TypeError, match="evaluate takes 6 arguments, not 5"):
        call.function(*call.taken[:5])
    with pytest.raises(TypeError, match="evaluate takes 6 arguments, not 0"):
        call.function()


@needs_library
def test_real_and_complex_are_told_apart(call):
    complex = Equations(call.equations.compiled, np.complex128)
    y = call.taken[2] + 1e-30j
    for _ in range(2):
        call.function(complex.system_ref, 0.0, y, call.taken[3], complex.work_ref, LEVEL_ALL)
        call.function(*call.taken)
    np.testing.assert_allclose(complex.work.M.real, call.equations.work.M, rtol=1e-12)


@needs_library
def test_records_of_another_layout_are_refused(library):
    heights = library.entry(library.exports("linkwork.elements.tyres.road_surface.heights"))
    ops = np.zeros(2, np.dtype([("code", np.int32), ("count", np.int64), ("value", np.float64)], align=True))
    with pytest.raises(TypeError, match=r"heights: ops holds .*; it must hold "):
        heights(ops, 0, *np.zeros((3, 2)))


@needs_library
def test_structures_are_described_as_python_describes_them(library):
    compiled = assemble(library_model("four-bar").mechanism, "joint").compiled
    for scalar in (np.float64, np.complex128):
        equations = Equations(compiled, scalar)
        for reference, structure in ((equations.system_ref, equations.system), (equations.work_ref, equations.work)):
            described, _ = library.describer(reference.type, kernels_layout(reference.type))(tuple(structure))
            words = []
            for array in structure:
                address = array.__array_interface__["data"][0]
                words += (0, 0, array.size, array.itemsize, address, *array.shape, *array.strides)
            made = np.frombuffer(described, np.int64)
            filled = np.array([size != 0 for array in structure for size in [array.size] * (5 + 2 * array.ndim)])
            np.testing.assert_array_equal(made[filled], np.array(words)[filled])
    with pytest.raises(TypeError, match="Work is not a tuple of"):
        library.describer(reference.type, kernels_layout(reference.type))(structure[:3])


def kernels_layout(kind: Structure):
    from linkwork.compiler.references import layout

    return layout(kind)


# -- what does not fit ------------------------------------------------------------------------------------------------
@pytest.fixture
def copy(tmp_path):
    """A copy of the library whose manifest can be changed."""
    for name in (LIBRARY, CALLER, MANIFEST):
        shutil.copy(FOLDER / name, tmp_path / name)

    def changed(**entries: object) -> Path:
        path = tmp_path / MANIFEST
        content = json.loads(path.read_text()) | entries
        content.pop("seal", None)
        path.write_text(sealed(content))
        return tmp_path

    return changed


@needs_library
@pytest.mark.parametrize(
    ("entries", "why"),
    [
        ({"version": "0.0.1"}, r"is for the version 0\.0\.1, and this is "),
        ({"machine": "linux riscv64"}, r"is for the machine linux riscv64, and this is "),
        ({"trees": None, "novelty": 1}, r"cannot be loaded: .*novelty"),
    ],
)
def test_a_library_of_something_else_is_refused(copy, entries, why):
    with pytest.raises(KernelError, match=why):
        load(copy(**entries))


@needs_library
def test_a_damaged_library_is_refused(copy):
    folder = copy()
    (folder / LIBRARY).write_bytes(b"no library")
    with pytest.raises(KernelError, match=r"is damaged: liblinkwork\.so is not as it was built"):
        load(folder)
    (folder / MANIFEST).write_text("{")
    with pytest.raises(KernelError, match="cannot be loaded"):
        load(folder)


@needs_library
def test_a_library_that_does_not_fit_is_left_alone_with_a_word(copy, monkeypatch):
    monkeypatch.setattr(backend, "FOLDER", copy(version="0.0.1"))
    monkeypatch.setattr(backend, "numba_backend", lambda: "Numba")
    monkeypatch.delenv("LINKWORK_BACKEND", raising=False)
    with pytest.warns(RuntimeWarning, match=r"0\.0\.1, and this is .*; kernels are compiled by Numba"):
        assert backend.choose() == "Numba"
    monkeypatch.setenv("LINKWORK_BACKEND", "native")
    with pytest.raises(KernelError, match=r"0\.0\.1"):
        backend.choose()


def no_numba() -> None:
    raise ModuleNotFoundError("No module named 'numba'", name="numba")


def test_without_library_and_numba_one_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(backend, "FOLDER", tmp_path)
    monkeypatch.setattr(backend, "numba_backend", no_numba)
    monkeypatch.delenv("LINKWORK_BACKEND", raising=False)
    with pytest.raises(KernelError) as raised:
        backend.choose()
    assert raised.value.message == (
        "there is no native library here, and Numba is not installed: pip install 'linkwork[jit]' installs it"
    )


def test_a_choice_that_there_is_not_is_refused(monkeypatch):
    monkeypatch.setenv("LINKWORK_BACKEND", "cuda")
    with pytest.raises(KernelError, match="LINKWORK_BACKEND is 'cuda'; it may be jit, native, strict, or unset"):
        backend.choose()


@needs_library
def test_a_kernel_that_is_missing_is_named(library, monkeypatch):
    monkeypatch.setattr(backend, "numba_backend", no_numba)
    monkeypatch.setattr(library, "_exports", {})
    with pytest.raises(KernelError, match=r"kernel linkwork\.formulations\.equations\.evaluate is not in the native"):
        NativeBackend(library, strict=True).entry(evaluate)
    with pytest.raises(KernelError, match=r"not in the native library, and Numba is not installed: .*linkwork\[jit\]"):
        NativeBackend(library).entry(evaluate)
    monkeypatch.setattr(backend, "numba_backend", lambda: SimpleNamespace(entry=lambda kernel, brief: repr(kernel)))
    with pytest.warns(RuntimeWarning, match="not in the native library: compiled by Numba"):
        assert NativeBackend(library).entry(evaluate) == repr(evaluate)


@needs_library
def test_an_edited_kernel_is_never_stale(copy, monkeypatch):
    """An edit anywhere below its module sends a kernel to Numba, with a word; others stay."""
    files = dict(read_manifest(FOLDER / MANIFEST).files) | {"formulations/mass.py": "edited"}
    chosen = NativeBackend(load(copy(files=list(files.items()))))
    monkeypatch.setattr(backend, "numba_backend", lambda: SimpleNamespace(entry=lambda kernel, brief: repr(kernel)))
    with pytest.warns(RuntimeWarning, match=r"not built of these sources \(formulations/mass\.py\): compiled by Numba"):
        assert chosen.entry(evaluate) == repr(evaluate)
    from linkwork.numerics.rank_revealing import factor_rows

    assert chosen.entry(factor_rows).__name__ == "factor_rows"
    assert not chosen.has_kernels("linkwork.formulations.equations")
    assert chosen.has_kernels("linkwork.numerics.rank_revealing")


def test_nothing_of_which_a_kernel_is_made_is_missed():
    """All kernels, classes and functions that the compiled objects themselves lead to are in files that count."""
    for module in sorted({one.kernel.__module__ for one in all_wanted()}):
        of_kernels = (value for value in vars(importlib.import_module(module)).values() if isinstance(value, Kernel))
        own = [value for value in of_kernels if value.__module__ == module]
        reached = {value.__module__ for value in used_by(own)}
        paths = {str(file_of(name).relative_to(PACKAGE)) for name in reached if name.startswith("linkwork.")}
        assert sorted(paths - set(kernel_sources(module))) == []


def used_by(kernels_given: list[Kernel]) -> set[object]:
    """Kernels, classes and functions by the names in the code of kernels, directly or not."""
    seen: set[object] = set()
    waiting: list[object] = list(kernels_given)
    while waiting:
        value = waiting.pop()
        if isinstance(value, type) or callable(value):
            seen.add(value)
        function = value.py_func if isinstance(value, Kernel) else None
        if function is not None:
            named = [each.argval for each in dis.get_instructions(function) if each.opname == "LOAD_GLOBAL"]
            found = (function.__globals__.get(name) for name in named)
            waiting += [each for each in found if getattr(each, "__module__", None) and each not in seen]
    return {value for value in seen if isinstance(value.__module__, str)}


@pytest.mark.parametrize("path", ["errors.py", "elements/declaration/base.py", "elements/joints/registry.py"])
def test_an_edit_of_a_declaration_leaves_the_library_in_use(path):
    modules = {one.kernel.__module__ for one in all_wanted()}
    assert [module for module in sorted(modules) if path in kernel_sources(module)] == []


def test_what_is_computed_into_a_kernel_counts(tmp_path, monkeypatch):
    """A constant that a function of another file makes of a number in a third."""
    for name, text in {
        "a": "from linkwork.b import LIMIT\nfrom linkwork.c import Unused\n@kernel\ndef f(x):\n    return x + LIMIT\n",
        "b": "from linkwork.d import twice\nLIMIT = twice(3)\nclass Other: pass\n",
        "c": "class Unused: pass\n",
        "d": "from linkwork.e import FACTOR\ndef twice(x: Other) -> Other:\n    return FACTOR * x\n",
        "e": "FACTOR = 2\n",
    }.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.setattr("linkwork.compiler.native.kernel_sources.PACKAGE", tmp_path)
    monkeypatch.setattr("linkwork.compiler.native.kernel_sources.COMPILER", [])
    monkeypatch.setattr(
        "linkwork.compiler.native.kernel_sources.file_of", lambda module: tmp_path / f"{module.split('.')[1]}.py"
    )
    _module.cache_clear()
    assert kernel_sources("linkwork.a") == ["a.py", "b.py", "d.py", "e.py"]
    _module.cache_clear()


@needs_library
def test_a_structure_of_another_layout_makes_all_kernels_stale(copy):
    structures = read_manifest(FOLDER / MANIFEST).structures
    structures["Work"] = [["novelty", "d[:]"], *structures["Work"]]
    chosen = NativeBackend(load(copy(structures=structures)), strict=True)
    Reference(Equations(assemble(library_model("pendulum").mechanism, "joint").compiled).work)
    with pytest.raises(KernelError, match=r"not built of these sources \(Work\)"):
        chosen.entry(evaluate)


# -- beside the library -----------------------------------------------------------------------------------------------
OWN_KERNEL = """
import sys
import numpy as np
from linkwork.compiler.kernels import backend, kernel
from linkwork.library import library_model

@kernel
def twice(x, y):
    for k in range(x.shape[0]):
        y[k] = 2.0 * x[k]

library_model("pendulum").simulate(0.01, progress=False)
assert "numba" not in sys.modules
y = np.zeros(3)
twice(np.ones(3), y)
assert (y == 2.0).all() and "numba" in sys.modules
print(type(backend()).__name__)
"""


@needs_library
@pytest.mark.jit
def test_a_kernel_of_ones_own_is_compiled_beside_the_native_rest(tmp_path):
    (tmp_path / "own.py").write_text(OWN_KERNEL)
    done = subprocess.run([sys.executable, tmp_path / "own.py"], capture_output=True, text=True, env=environment())
    assert done.stdout == "NativeBackend\n", done.stderr
    assert "Warning" not in done.stderr


RUN = """
import json, sys
from linkwork.library import library_model
run = library_model({model!r}).simulate({until}, rtol=1e-6, progress=False)
print(json.dumps([run.result.q[-1].tolist(), run.result.v[-1].tolist(), int(run.result.certificate.steps)]))
"""


@needs_library
@pytest.mark.jit
@pytest.mark.parametrize(("model", "until"), [("four-bar", 0.5)])
def test_results_are_those_of_numba(model, until):
    program = RUN.format(model=model, until=until)
    found = [json.loads(python(program, LINKWORK_BACKEND=choice).stdout) for choice in ("native", "jit")]
    (q, v, steps), (q_jit, v_jit, steps_jit) = found
    assert steps == steps_jit
    np.testing.assert_allclose(q, q_jit, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(v, v_jit, rtol=1e-12, atol=1e-11)


def environment(**more: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "LINKWORK_BACKEND"} | more


def python(program: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment(**more))


def test_modules_that_export_are_found_by_their_source():
    modules = exporting_modules()
    assert "linkwork.formulations.exports" in modules and "linkwork.integrators.exports" in modules
    assert all(callable(importlib.import_module(name).exports) for name in modules)
    assert kernels.backend() is kernels.backend()
