"""`verify`: the estimated error of every channel is the true one, measured against a run that is far tighter still."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.analyses.simulate.dynamics import Options, simulate
from random_mechanisms import random_linkage, random_planar_linkage
from validation.test_random_loops import PLANAR, SPATIAL


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("integrator", ["adams", "dop853", "rk4", "generalized-alpha", "radau"])
def test_the_estimate_is_the_error(integrator: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    if seed % 2:
        mechanism = random_planar_linkage(PLANAR[rng.choice(list(PLANAR))], seed, "xz")
    else:
        mechanism = random_linkage(SPATIAL[rng.choice(list(SPATIAL))], seed)
    step = {"step": 0.01} if integrator == "rk4" else {"rtol": 1e-5}
    run = simulate(mechanism, Options(until=0.5, every=0.05, integrator=integrator, verify=True, **step))
    exact = simulate(mechanism, Options(until=0.5, every=0.05, integrator="dop853", rtol=1e-12), times=run.t)
    errors, scale = run.certificate.errors, np.abs(exact.position).max()
    assert set(errors) == set(run.recorded()) and "second run" in run.certificate.verified
    for name in errors:
        if ".position." in name:
            true = np.abs(run.channel(name) - exact.channel(name)).max()
            assert errors[name] == pytest.approx(true, rel=0.35, abs=1e-9 * scale), name


def test_a_chaotic_run_is_not_finished() -> None:
    model = lw.library_model("double-pendulum", {"angle": 150})
    run = model.simulate(60.0, rtol=1e-4, verify=True, progress=False)
    assert run.certificate.status == "suspect" and "amplifies every error" in run.certificate.warnings[-1]
    assert model.simulate(1.0, rtol=1e-8, verify=True, progress=False).certificate.status == "finished"


def test_what_was_verified_is_kept(tmp_path) -> None:
    run = lw.library_model("pendulum").simulate(1.0, verify=True, out=tmp_path / "run.h5", progress=False)
    read = lw.load(tmp_path / "run.h5").certificate
    assert read.errors == run.certificate.errors and read.verified == run.certificate.verified
