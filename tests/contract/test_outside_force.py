"""A force from outside the package (outside_force.py): registered in a public way, it is taken by everything."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.vibration.element_shares import element_matrices
from linkwork.elements.declarations import DECLARATIONS
from linkwork.elements.family import Family, Phase
from linkwork.elements.registry import FAMILIES
from linkwork.files.schema import schema
from linkwork.mechanism.mechanism import Mechanism, admit
from linkwork.view.scene.run_scene import scene_of

pytestmark = pytest.mark.jit
C, K, M = 3.0, 40.0, 2.0  # N m2, N/m, kg


@pytest.fixture(scope="module", autouse=True)
def outside_force() -> Iterator[None]:
    """Registered for this module only: other tests take the forces that they know."""
    sys.modules.pop("outside_force", None)
    registered = importlib.import_module("outside_force").MAGNETS
    yield
    FAMILIES.remove(registered)
    DECLARATIONS.pop("magnet")
    Mechanism.model_fields.pop("magnet")
    admit()


def slider(strength: float | str = C) -> lw.Model:
    """A mass on a rail, a magnet 1 m away on ground, a spring on the other side."""
    m = lw.Model("magnet and spring", gravity=(0, 0, 0))
    m.body("mass", mass=M, inertia=(0.1, 0.1, 0.1), at=(1, 0, 0))
    m.prismatic("rail", m.ground, "mass", at=(1, 0, 0), axis="x")
    m.add("magnet", "pull", between=("ground", "mass"), points=((0, 0, 0), (1, 0, 0)), strength=strength)
    m.spring_damper("spring", "mass", "ground", points=((1, 0, 0), (2, 0, 0)), stiffness=K)
    m.measure("size", "force(pull)")
    m.measure("along x", "force(pull, x)")
    return m


def swinging() -> lw.Model:
    """Two pendulums that attract each other, the second of which closes a loop with a flexible beam between."""
    m = lw.Model("pendulums", gravity=(0, 0, -9.81))
    for k, x in enumerate((0.0, 1.0)):
        m.body(f"bar {k}", lw.rod(mass=1.0, length=1.0, axis="z"), at=(x, 0, -0.5))
        m.revolute(f"pin {k}", m.ground, f"bar {k}", at=(x, 0, 0), axis="y", start=0.4 - k)
    section = {"width": 0.02, "height": 0.02, "material": "steel"}
    m.body(
        "beam", flexible=lw.beam(length=0.5, **section, elements=2, modes=2, supports={"1": "clamped"}), at=(2, 0, 0)
    )
    m.fixed("wall", m.ground, "beam", at=(2, 0, 0))
    m.add("magnet", "between", between=("bar 0", "bar 1"), points=((0, 0, -0.9), (1, 0, -0.9)), strength=C)
    m.add("magnet", "at a node", between=("bar 1", "beam"), points=((1, 0, -0.9), (2.5, 0, 0)), strength=C)
    return m


def test_both_formulations_agree_and_the_energy_balance_closes() -> None:
    runs = [swinging().simulate(1.0, formulation=f, rtol=1e-9, progress=False) for f in ("joint", "absolute")]
    for run in runs:
        assert run.certificate.status == "finished" and run.certificate.energy_drift < 1e-8
    for name in ("bar 0.position.x", "bar 1.position.z", "beam.mode1"):
        np.testing.assert_allclose(runs[0][name], runs[1][name], atol=2e-7)


def test_force_measures_have_its_law_and_unit() -> None:
    run = slider().simulate(0.3, rtol=1e-9, progress=False)
    x = run["mass.position.x"]
    np.testing.assert_allclose(run["size"], C / x**2, rtol=1e-12)
    np.testing.assert_allclose(run["along x"], -C / x**2, rtol=1e-12)
    assert run.result.unit("size") == "N"
    assert run.certificate.energy_drift < 1e-9
    assert np.abs(run.result.energy[:, 2]).max() == 0.0  # it has a potential: there is no work besides


def test_equilibrium_and_linearization_are_those_of_its_law() -> None:
    """C / x^2 = K (1 - x) near x = 1, and K_hat = K - 2 C / x^3."""
    x = max(np.roots([K, -K, 0.0, C]).real)
    balance = slider().equilibrium()
    assert balance.coordinates["rail.distance"] == pytest.approx(x - 1.0, rel=1e-9)
    linear = slider().linearize()
    assert linear.K[0, 0] == pytest.approx(K - 2.0 * C / x**3, rel=1e-9)
    assert element_matrices(linear)["pull"][0][0, 0] == pytest.approx(-2.0 * C / x**3, rel=1e-9)
    assert linear.modes()[0].omega == pytest.approx(np.sqrt((K - 2.0 * C / x**3) / M), rel=1e-9)


def test_a_load_case_lists_it_in_balance() -> None:
    run = slider().simulate(0.3, rtol=1e-9, progress=False)
    case = run.load_case("mass", 0.2)
    (load,) = [load for load in case.loads if load.name == "pull"]
    x = float(np.interp(case.t, run.t, run["mass.position.x"]))
    assert load.kind == "magnet"
    np.testing.assert_allclose(load.force, (-C / x**2, 0, 0), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(case.residual, 0.0, atol=1e-9)


def test_it_is_kept_in_files_and_drawn(tmp_path) -> None:
    m = slider("3 N*m**2")
    for suffix in (".toml", ".yaml", ".json"):
        m.save(tmp_path / f"model{suffix}")
        assert lw.Model.read(tmp_path / f"model{suffix}").mechanism == m.mechanism
    assert m.with_settings({"pull.strength": "500 N*cm**2"}).mechanism.magnet[0].strength == pytest.approx(0.05)
    run = m.simulate(0.2, out=tmp_path / "run.h5", progress=False)
    again = lw.load(tmp_path / "run.h5")
    np.testing.assert_array_equal(again["size"], run["size"])
    assert again.load_case("mass", 0.1).as_dict()["loads"][1]["load"] in ("pull", "spring")
    assert "magnet" in {link.kind for link in scene_of(again.result).links}
    assert "magnet and spring" in again.view(tmp_path / "run.html", open=False).read_text(encoding="utf-8")
    assert schema()["$defs"]["Magnet"]["properties"]["strength"]["unit"] == "N m2"


def test_a_family_that_contradicts_itself_or_takes_a_name_is_refused() -> None:
    known = next(family for family in FAMILIES if family.name == "magnets")
    with pytest.raises(ValueError, match="has no field 'body_a'"):
        Family("odd", np.dtype([("strength", np.float64)]), known.kernels, actions=known.actions)
    with pytest.raises(ValueError, match="1 outputs, and room for 0"):
        Family("odd", known.record, known.kernels, outputs={"force": "N"})
    with pytest.raises(lw.ModelError, match="belongs to a family of linkwork"):
        lw.register(Family("spring dampers", known.record, {Phase.FORCES: known.kernels[Phase.FORCES]}))


def test_a_family_is_found_by_its_entry_point(tmp_path) -> None:
    """In a fresh process: a package that names it in its metadata, and a model file that needs it."""
    info = tmp_path / "magnets-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: magnets\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[linkwork.elements]\nmagnet = outside_force:MAGNETS\n")
    slider().save(tmp_path / "model.toml")
    tests = str(importlib.import_module("outside_force").__file__).rpartition("/")[0]
    path = [str(tmp_path), tests, *sys.path]
    code = f"""import sys; sys.path[:0] = {path!r}
import linkwork as lw
from linkwork.system.compile import compile_mechanism
m = lw.Model.read({str(tmp_path / "model.toml")!r})
print([table.family.name for table in compile_mechanism(m.mechanism, "joint").families])"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "'magnets'" in done.stdout, done.stderr
