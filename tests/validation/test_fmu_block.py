"""FMUs in a model: an exported one in another model moves as both in one model, the better the shorter the steps."""

from __future__ import annotations

import shutil
import subprocess
import zipfile

import numpy as np
import pytest

import linkwork as lw
from fmus import fmpy, needs_native_library
from linkwork.library import library_model

assert fmpy
K, C, L = 200.0, 3.0, 0.5  # N/m, N s/m, m: of the spring between two masses


def sliding(m: lw.Model, name: str, x: float) -> None:
    m.body(name, lw.sphere(mass=1.5, radius=0.05), at=(x, 0, 0))
    m.prismatic(f"{name} guide", m.ground, name, at=(x, 0, 0), axis="x")


def both() -> lw.Model:
    m = lw.Model("both", gravity=(0, 0, 0))
    sliding(m, "left", 0.0)
    sliding(m, "right", 0.8)
    m.spring_damper(
        "between", "left", "right", points=[(0, 0, 0), (0.8, 0, 0)], stiffness=K, damping=C, free_length=L
    )  # fmt: skip
    m.joint_force("push", "left guide", "5*sin(9*t)")
    return m


def right_alone() -> lw.Model:
    m = lw.Model("right", gravity=(0, 0, 0), duration=1.0)
    sliding(m, "right", 0.8)
    return m


def left_with(path, every: float) -> lw.Model:
    """The left mass and the spring; the right one is an FMU that gets the spring's force and gives its position."""
    m = lw.Model("left", gravity=(0, 0, 0))
    sliding(m, "left", 0.0)
    gap = "fmu('other mass', right.position.x) - x(left)"
    rate = "fmu('other mass', right.velocity.x) - vx(left)"
    m.measure(
        "pull",
        f"{K}*({gap} - {L}) + {C}*({rate})".replace("right.position.x", "'right.position.x'").replace(
            "right.velocity.x", "'right.velocity.x'"
        ),
        unit="N",
    )
    m.fmu_block("other mass", path, every=every, inputs={"right.force.x": "-pull"})
    m.joint_force("spring", "left guide", "pull")
    m.joint_force("push", "left guide", "5*sin(9*t)")
    m.measure("right x", "fmu('other mass', 'right.position.x')")
    return m


@needs_native_library
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_two_halves_are_the_whole(version, tmp_path):
    """First order in the communication step, as held values are; in every formulation of the same motion."""
    path = right_alone().fmu(
        tmp_path / "right.fmu", inputs=["right.force.x"], outputs=["right.position.x", "right.velocity.x"],
        version=version,
    )  # fmt: skip
    wanted = both().simulate(0.5, every=0.05, rtol=1e-9, progress=False)
    errors = []
    for every in (2e-3, 1e-3, 5e-4):
        run = left_with(path, every).simulate(0.5, every=0.05, rtol=1e-9, progress=False)
        errors.append(np.max(np.abs(run["left.position.x"] - wanted["left.position.x"])))
        held = np.max(np.abs(run["right x"] - wanted["right.position.x"]))
        assert held < 5.0 * every
        assert run.certificate.status == "finished"
    assert errors[2] < 2.5e-3  # of 0.3 m
    assert errors[1] == pytest.approx(errors[0] / 2, rel=0.15)
    assert errors[2] == pytest.approx(errors[1] / 2, rel=0.15)


@needs_native_library
def test_a_run_can_be_repeated_and_its_loads_are_those_of_the_run(tmp_path):
    """Held outputs are states of the result: nothing depends on the FMU after the run."""
    path = right_alone().fmu(
        tmp_path / "right.fmu", inputs=["right.force.x"], outputs=["right.position.x", "right.velocity.x"]
    )
    model = left_with(path, 1e-3)
    one, two = (model.simulate(0.1, every=0.01, progress=False) for _ in range(2))
    np.testing.assert_array_equal(one["left.position.x"], two["left.position.x"])
    force = one["pull"] + 5.0 * np.sin(9.0 * one.t)
    np.testing.assert_allclose(1.5 * one.result.v_dot[1:, 0], force[1:], atol=1e-9)
    assert np.isfinite(one.reaction("left guide").force).all()
    np.testing.assert_allclose(one.load_case("left", 0.05).residual, 0.0, atol=1e-9)


@needs_native_library
def test_parameters_of_the_fmu_and_several_rates(tmp_path):
    """Two blocks of one FMU, at rates of their own, one with another parameter: each as its model alone."""
    m = right_alone()
    m.spring_damper("spring", m.ground, "right", points=[(0, 0, 0), (0.8, 0, 0)], stiffness=50.0, free_length=0.5)
    path = m.fmu(tmp_path / "m.fmu", outputs=["right.position.x"], parameters=["spring.stiffness"], rtol=1e-8)
    host = library_model("pendulum")
    host.fmu_block("soft", path, every=0.03)
    host.fmu_block("hard", path, every="25 ms", start={"spring.stiffness": 120.0})
    host.measure("a", "fmu(soft, 'right.position.x')")
    host.measure("b", "fmu(hard, 'right.position.x')")
    run = host.simulate(0.3, every=0.001, progress=False)
    for name, every, stiffness in (("a", 0.03, 50.0), ("b", 0.025, 120.0)):
        alone = m.with_settings({"spring.stiffness": stiffness}).simulate(0.3, every=every, rtol=1e-8, progress=False)
        held = alone["right.position.x"][np.maximum(np.ceil(run.t / every - 1e-9).astype(int) - 1, 0)]
        np.testing.assert_allclose(run[name][1:], held[1:], atol=1e-7)


@needs_native_library
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"file": "nowhere.fmu"}, "there is no file 'nowhere.fmu'; check the path"),
        ({"inputs": {"right.forse.x": 1.0}}, "has no input 'right.forse.x'; did you mean 'right.force.x'?"),
        ({"start": {"mass": 1.0}}, "has no parameter 'mass'"),
        ({"every": 0.0}, "every is 0 s; it must be > 0"),
        ({"output": "left.position.x"}, "FMU 'block' has no output 'left.position.x'; did you mean 'right.position.x'"),
        ({"block": "blok"}, "there is no FMU 'blok'; did you mean 'block'?"),
    ],
)
def test_what_does_not_fit_is_refused(change, words, tmp_path):
    path = right_alone().fmu(tmp_path / "m.fmu", inputs=["right.force.x"], outputs=["right.position.x"])
    m = library_model("pendulum")
    given = {"file": path, "every": 0.1} | {
        k: v for k, v in change.items() if k in ("file", "inputs", "start", "every")
    }
    with pytest.raises(lw.ModelError, match=r"fmu block 'block'|measure 'held'") as failure:
        m.fmu_block("block", **given)
        m.measure("held", f"fmu({change.get('block', 'block')}, '{change.get('output', 'right.position.x')}')")
        m.simulate(0.2, progress=False)
    assert words in failure.value.message


@needs_native_library
def test_files_that_are_no_fmu_and_a_missing_fmpy(tmp_path, monkeypatch):
    (tmp_path / "text.fmu").write_text("no zip")
    m = library_model("pendulum")
    m.fmu_block("block", tmp_path / "text.fmu", every=0.1)
    with pytest.raises(lw.ModelError, match=r"is not an FMU \(File is not a zip file\)"):
        m.simulate(0.2, progress=False)
    path = right_alone().fmu(tmp_path / "m.fmu", outputs=["right.position.x"])
    m = library_model("pendulum")
    m.fmu_block("block", path, every=0.1)

    class Missing:
        def __getattr__(self, name):
            raise ModuleNotFoundError("No module named 'fmpy'")

    monkeypatch.setattr("linkwork.elements.signals.fmu_block.fmpy", Missing())
    with pytest.raises(lw.ModelError, match=r"FMPy, which runs FMUs, is not installed; install it: "):
        m.simulate(0.2, progress=False)
    with pytest.raises(
        lw.ModelError, match=r"fmu block 'block': an FMU cannot hold another; make what it gives an input"
    ):
        m.fmu(tmp_path / "two.fmu")


LAG = r"""
#include <math.h>
#include <stdlib.h>
typedef struct { double u, x, gain, tau; } lag; /* x' = (u - x) / tau, y = gain u */
typedef const unsigned *numbers;
const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }
lag *fmi2Instantiate(const char *n, int t, const char *g, const char *r, const void *f, int v, int l) {
    lag *c = calloc(1, sizeof *c);
    c->gain = c->tau = 1.0;
    return c;
}
void fmi2FreeInstance(lag *c) { free(c); }
int fmi2SetupExperiment(lag *c, int td, double tol, double t, int sd, double stop) { return 0; }
int fmi2EnterInitializationMode(lag *c) { return 0; }
int fmi2ExitInitializationMode(lag *c) { return 0; }
int fmi2Terminate(lag *c) { return 0; }
int fmi2SetReal(lag *c, numbers r, size_t n, const double *v) {
    for (size_t k = 0; k < n; k++) (&c->u)[r[k]] = v[k];
    return 0;
}
int fmi2GetReal(lag *c, numbers r, size_t n, double *v) {
    for (size_t k = 0; k < n; k++) v[k] = r[k] == 4 ? c->gain * c->u : (&c->u)[r[k]];
    return 0;
}
int fmi2DoStep(lag *c, double t, double h, int no) {
    if (c->u > 1e3) return 3;
    c->x = c->u + (c->x - c->u) * exp(-h / c->tau);
    return 0;
}
"""
OTHERS = """SetDebugLogging Reset GetInteger GetBoolean GetString SetInteger SetBoolean SetString GetFMUstate
SetFMUstate FreeFMUstate SerializedFMUstateSize SerializeFMUstate DeSerializeFMUstate GetDirectionalDerivative
CancelStep SetRealInputDerivatives GetRealOutputDerivatives GetStatus GetRealStatus GetIntegerStatus GetBooleanStatus
GetStringStatus"""
LAG_XML = """<?xml version="1.0"?><fmiModelDescription fmiVersion="2.0" modelName="lag" guid="1">
<CoSimulation modelIdentifier="lag"/><ModelVariables>
<ScalarVariable name="u" valueReference="0" causality="input"><Real start="0"/></ScalarVariable>
<ScalarVariable name="x" valueReference="1" causality="output"><Real unit="m"/></ScalarVariable>
<ScalarVariable name="gain" valueReference="2" causality="parameter" variability="fixed"><Real start="1"/>
</ScalarVariable>
<ScalarVariable name="tau" valueReference="3" causality="parameter" variability="fixed"><Real start="1"/>
</ScalarVariable>
<ScalarVariable name="y" valueReference="4" causality="output"><Real/></ScalarVariable></ModelVariables>
<ModelStructure><Outputs><Unknown index="2"/><Unknown index="5"/></Outputs></ModelStructure></fmiModelDescription>"""


@pytest.fixture(scope="module")
def lag(tmp_path_factory):
    """An FMU that linkwork did not make."""
    if shutil.which("gcc") is None:
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("lag")
    (folder / "lag.c").write_text(LAG + "".join(f"int fmi2{name}(void) {{ return 3; }}\n" for name in OTHERS.split()))
    subprocess.run(["gcc", "-fPIC", "-shared", folder / "lag.c", "-lm", "-o", folder / "lag.so"], check=True)
    with zipfile.ZipFile(folder / "lag.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", LAG_XML)
        archive.write(folder / "lag.so", "binaries/linux64/lag.so")
    return folder / "lag.fmu"


def test_inputs_and_outputs_are_of_the_communication_points(lag):
    """y is of the inputs of the point itself, x of those of the points before: the recurrence by hand."""
    every, tau = 0.02, 0.3
    m = library_model("pendulum")
    m.fmu_block("lag", lag, every=every, inputs={"u": "coordinate(pin)"}, start={"tau": tau, "gain": 4.0})
    m.measure("x", "fmu(lag, x)")
    m.measure("y", "fmu(lag, y)")
    run = m.simulate(1.0, every=every, rtol=1e-9, progress=False)
    angle, x = run["pin.angle"], 0.0
    for k in range(1, len(run.t)):  # a sample at a communication point is taken before it
        assert run["y"][k] == pytest.approx(4.0 * angle[k - 1], abs=1e-12)
        assert run["x"][k] == pytest.approx(x, abs=1e-12)
        x = angle[k - 1] + (x - angle[k - 1]) * np.exp(-every / tau)
    assert run.result.unit("x") == "m"


def test_an_fmu_without_a_binary_for_this_machine(lag, tmp_path):
    with zipfile.ZipFile(tmp_path / "other.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", LAG_XML)
    with zipfile.ZipFile(tmp_path / "exchange.fmu", "w") as archive:
        archive.writestr("modelDescription.xml", LAG_XML.replace("CoSimulation", "ModelExchange"))
    m = library_model("pendulum")
    m.fmu_block("lag", tmp_path / "exchange.fmu", every=0.1)
    with pytest.raises(lw.ModelError, match=r"cannot be run here \(it is for model exchange alone\)"):
        m.simulate(1.0, progress=False)
    m = library_model("pendulum")
    m.fmu_block("lag", tmp_path / "other.fmu", every=0.1)
    with pytest.raises(lw.ModelError, match=r"cannot be run here \(.*\); export it anew, for this machine"):
        m.simulate(1.0, progress=False)


def test_an_fmu_that_fails_ends_the_run(lag):
    m = library_model("pendulum")
    m.fmu_block("lag", lag, every=0.1, inputs={"u": "2e4*t"})
    with pytest.raises(lw.NumericalError, match=r"fmu block 'lag': the FMU failed at t = 0\.1 s") as failure:
        m.simulate(1.0, progress=False)
    assert failure.value.partial.t[-1] <= 0.2


@needs_native_library
def test_a_block_is_kept_in_files(tmp_path):
    path = right_alone().fmu(tmp_path / "m.fmu", inputs=["right.force.x"], outputs=["right.position.x"])
    m = library_model("pendulum")
    m.fmu_block("block", path, every="10 ms", inputs={"right.force.x": "2*t"})
    m.measure("held", "fmu(block, 'right.position.x')")
    m.save(tmp_path / "model.toml")
    again = lw.Model.read(tmp_path / "model.toml")
    assert again.mechanism == m.mechanism
    one, two = (each.simulate(0.2, every=0.05, progress=False)["held"] for each in (m, again))
    np.testing.assert_array_equal(one, two)
    assert one[-1] > one[0]
