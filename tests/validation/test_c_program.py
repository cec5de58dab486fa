"""The C program of the documentation compiles and computes what linkwork computes; the runtime is clean under ASan."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.compiler.native.library import FOLDER, KERNEL_TABLE, RUNTIME
from native_library import needs_native_library

PAGE = Path(__file__).parents[2] / "docs/howto/fmu.md"
CC = shutil.which(os.environ.get("CC", "gcc")) or ""
OUTPUTS = ["coupler.position.x", "coupler.position.z"]


pytestmark = [needs_native_library, pytest.mark.skipif(not CC, reason="there is no C compiler")]


def compiled(folder: Path, *flags: str, sources: tuple[Path, ...] = ()) -> Path:
    """The program of the page."""
    source, program = folder / "four_bar.c", folder / "four_bar"
    text = re.search(r'```c title="four_bar.c"\n(.*?)```', PAGE.read_text(), re.DOTALL)
    source.write_text(text.group(1))
    found = [f"-I{FOLDER}", f"-I{RUNTIME}", f"-L{FOLDER}", "-llinkwork", f"-Wl,-rpath,{FOLDER}", "-lm"]
    subprocess.run([CC, "-std=gnu11", "-Wall", *flags, source, *sources, *found, "-o", program], check=True)
    return program


def model_in(folder: Path) -> lw.Model:
    model = lw.library_model("four-bar")
    model.export_c(folder / "four-bar.linkwork", inputs=["coupler.force.z"], outputs=OUTPUTS)
    return model


def output_of(program: Path, folder: Path, **environment: str) -> np.ndarray:
    done = subprocess.run([program], cwd=folder, capture_output=True, text=True, env=os.environ | environment)
    assert done.returncode == 0, done.stderr
    return np.array(
        [[float(number) for number in re.findall(r"-?\d+\.\d+", line)] for line in done.stdout.splitlines()]
    )


def test_the_c_program_of_the_page(tmp_path):
    """Compiled without a warning; its force is held for 0.01 s, that of the model acts at once."""
    model = model_in(tmp_path)
    printed = output_of(compiled(tmp_path, "-Werror"), tmp_path)
    model.applied_force("push", "coupler", force=(0.0, 0.0, "if(z(coupler) < 0, 20, 0)"))
    run = model.simulate(1.0, every=0.2, rtol=1e-8, progress=False)
    wanted = np.column_stack([run.t, *(run[name] for name in OUTPUTS)])
    np.testing.assert_allclose(printed, wanted, atol=5e-3)
    assert np.max(np.abs(wanted - printed)) > 1e-6, "the force did not act"


@pytest.mark.slow
def test_the_runtime_is_clean_under_the_address_sanitizer(tmp_path):
    """Its own copy of the runtime, with every access checked; leaks are errors."""
    model_in(tmp_path)
    sources = (*sorted(RUNTIME.glob("*.c")), FOLDER / KERNEL_TABLE)
    program = compiled(tmp_path, "-g", "-fsanitize=address,undefined", "-fno-sanitize=alignment", sources=sources)
    assert len(output_of(program, tmp_path, ASAN_OPTIONS="detect_leaks=1")) == 6
