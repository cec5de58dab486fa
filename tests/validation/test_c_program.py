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
from fmus import Unpacked, needs_native_library
from linkwork.compiler.native.library import FOLDER, KERNEL_TABLE, RUNTIME

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


MASTER = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef void *instance;
typedef struct { void *logger, *allocate, *release, *finished, *environment; } callbacks;
instance fmi2Instantiate(const char *, int, const char *, const char *, const callbacks *, int, int);
void fmi2FreeInstance(instance);
int fmi2SetupExperiment(instance, int, double, double, int, double);
int fmi2EnterInitializationMode(instance), fmi2ExitInitializationMode(instance), fmi2Reset(instance);
int fmi2SetReal(instance, const uint32_t *, size_t, const double *);
int fmi2DoStep(instance, double, double, int);
int fmi2GetDirectionalDerivative(
    instance, const uint32_t *, size_t, const uint32_t *, size_t, const double *, double *);
int fmi2GetFMUstate(instance, void **), fmi2SetFMUstate(instance, void *), fmi2FreeFMUstate(instance, void **);
int fmi2SerializedFMUstateSize(instance, void *, size_t *);
int fmi2SerializeFMUstate(instance, void *, char *, size_t);
int fmi2DeSerializeFMUstate(instance, const char *, size_t, void **);
#define DO(call) if (call) return printf("failed: %s\\n", #call), 1

int main(int n, char **given) {
    callbacks none = {0};
    double seed[] = {1.0, 2.0, 0.5}, slopes[64];
    uint32_t known[3], unknown[64], count = 0;
    for (int k = 0; k < 3; k++) known[k] = strtoul(given[3 + k], NULL, 10);
    for (int k = 6; k < n; k++) unknown[count++] = strtoul(given[k], NULL, 10);
    for (int round = 0; round < 20; round++) {
        instance one = fmi2Instantiate("one", round % 2, given[1], given[2], &none, 0, 0);
        if (!one) return 1;
        void *state = NULL, *other = NULL;
        size_t size;
        DO(fmi2SetupExperiment(one, 0, 0, 0, 0, 0));
        DO(fmi2EnterInitializationMode(one));
        DO(fmi2ExitInitializationMode(one));
        if (round % 2) DO(fmi2DoStep(one, 0.0, 0.01, 0));
        DO(fmi2GetDirectionalDerivative(one, unknown, count, known, 3, seed, slopes));
        if (!fmi2GetDirectionalDerivative(one, unknown, count, unknown, 1, seed, slopes + count)) return 2;
        DO(fmi2GetFMUstate(one, &state));
        DO(fmi2SerializedFMUstateSize(one, state, &size));
        char *bytes = malloc(size);
        DO(fmi2SerializeFMUstate(one, state, bytes, size));
        DO(fmi2DeSerializeFMUstate(one, bytes, size, &other));
        DO(fmi2SetFMUstate(one, other));
        DO(fmi2FreeFMUstate(one, &state));
        DO(fmi2FreeFMUstate(one, &other));
        free(bytes);
        DO(fmi2Reset(one));
        fmi2FreeInstance(one);
    }
    for (uint32_t k = 0; k < count; k++) printf("%.6f\\n", slopes[k]);
    return 0;
}
"""


@pytest.mark.slow
def test_a_master_finds_the_runtime_clean_under_the_address_sanitizer(tmp_path):
    """Instances of both kinds come and go; derivatives, also wrong ones, and states; leaks are errors."""
    model = lw.library_model("slider-crank")
    fmu = Unpacked(model.fmu(tmp_path / "m.fmu", inputs=["slider.force.x"], parameters=["slider.mass"]))
    known = [fmu.number[name] for name in ("state.guide.speed", "slider.force.x", "slider.mass")]
    unknown = [number for name, number in fmu.number.items() if name.startswith("der(") or name == "energy"]
    source, program = tmp_path / "master.c", tmp_path / "master"
    source.write_text(MASTER)
    runtime = (*sorted(RUNTIME.glob("*.c")), FOLDER / KERNEL_TABLE)
    flags = [
        "-std=gnu11",
        "-g",
        "-fsanitize=address,undefined",
        "-fno-sanitize=alignment",
        f"-I{FOLDER}",
        f"-I{RUNTIME}",
    ]
    found = [f"-L{FOLDER}", "-llinkwork", f"-Wl,-rpath,{FOLDER}", "-lm"]
    subprocess.run([CC, *flags, source, *runtime, *found, "-o", program], check=True)
    arguments = [fmu.description.guid, str(fmu.folder / "resources"), *map(str, [*known, *unknown])]
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    one = fmu.instance().begin()
    one.step(0.01)
    wanted = one.fmu.getDirectionalDerivative(unknown, known, [1.0, 2.0, 0.5])
    np.testing.assert_allclose([float(line) for line in done.stdout.split()], wanted, atol=1e-5)
    one.end()


@pytest.mark.slow
def test_the_runtime_is_clean_under_the_address_sanitizer(tmp_path):
    """Its own copy of the runtime, with every access checked; leaks are errors."""
    model_in(tmp_path)
    sources = (*sorted(RUNTIME.glob("*.c")), FOLDER / KERNEL_TABLE)
    program = compiled(tmp_path, "-g", "-fsanitize=address,undefined", "-fno-sanitize=alignment", sources=sources)
    assert len(output_of(program, tmp_path, ASAN_OPTIONS="detect_leaks=1")) == 6
