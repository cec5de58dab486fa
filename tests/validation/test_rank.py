"""Rank is geometry: degrees of freedom and redundant equations do not depend on masses, scale or a special start."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from linkwork.analyses.diagnosis import diagnose
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.analyses.start.assembly import assemble
from linkwork.errors import AssemblyError, DeadCentreError, OptionError
from linkwork.mechanism import Mechanism
from linkwork.results.result import Result
from random_mechanisms import random_linkage, random_planar_linkage
from random_mechanisms.anything import anything
from random_mechanisms.figures import any_masses, bennett, rods_in_line, sarrus
from validation.test_random_loops import DOF, PLANAR, PLANAR_DOF, SPATIAL

FORMULATIONS = ("joint", "absolute")


def counted(mechanism: Mechanism) -> set[int]:
    """Degrees of freedom by both formulations and by the diagnosis."""
    starts = [assemble(mechanism, formulation) for formulation in FORMULATIONS]
    return {start.compiled.layout.v_count - start.rank for start in starts} | {diagnose(mechanism).dof}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", [*SPATIAL, *PLANAR])
def test_masses_of_any_ratio_do_not_change_the_count(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    if name in SPATIAL:
        mechanism, dof = random_linkage(SPATIAL[name], seed), DOF[name]
    else:
        mechanism, dof = random_planar_linkage(PLANAR[name], seed, rng.choice(["xz", None])), PLANAR_DOF[name]
    redundant = len(diagnose(mechanism).redundant)
    for decades in (3.0, 9.0, 15.0):
        other = any_masses(mechanism, rng, decades)
        assert counted(other) == {dof}
        assert len(diagnose(other).redundant) == redundant


def test_a_body_that_rounding_moves_is_named() -> None:
    """The coupler of an RSSR linkage spins for itself."""
    linkage = random_linkage(SPATIAL["RSSR"], 1)
    for decades, noted in ((9.0, False), (15.0, True)):
        start = assemble(any_masses(linkage, np.random.default_rng(0), decades), "joint")
        assert any("kg beside" in note for note in start.notes) == noted


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_a_special_start_is_counted_rightly(size: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    structure = rods_in_line(rng, 2, size)
    assert counted(any_masses(structure, rng, 6.0 * (seed % 2))) == {0}
    apart = 0.2 * (seed % 3)
    flat, raised = (sarrus(np.random.default_rng(seed), height, size, apart) for height in (0.0, 0.7))
    assert counted(flat) == counted(raised) == {1}
    assert len(diagnose(flat).redundant) == len(diagnose(raised).redundant) == 1
    assert counted(bennett(rng, None, size)) == {1}


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("seed", range(4))
def test_a_flat_start_under_a_load_moves_or_says_that_branches_cross(seed: int, formulation: str) -> None:
    """Flat, the knees of Sarrus's linkage may go either way: four branches, each of them a solution from rest."""
    options = Options(until=0.1, rtol=1e-7, formulation=formulation)
    try:
        run = simulate(sarrus(np.random.default_rng(seed), 0.0, apart=0.2), options)
    except DeadCentreError as undecided:
        assert "where branches of the motion cross" in undecided.message
        assert "begin a little beside" in undecided.message
    else:
        assert run.certificate.status in ("finished", "suspect") and run.certificate.dof == 1
    beside = simulate(sarrus(np.random.default_rng(seed), 0.05, apart=0.2), options)
    assert beside.certificate.status == "finished" and beside.certificate.dof == 1


def tilted_four_bar(seed: int, degrees: float) -> Mechanism:
    """A planar four-bar in space, one pin tilted out of its plane."""
    parts = random_planar_linkage(PLANAR["four-bar"], seed, None).model_dump(exclude_unset=True)
    angle = np.radians(degrees)
    parts["joint"][2]["axis"] = (0.0, np.cos(angle), np.sin(angle))
    return Mechanism.model_validate(parts)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("seed", range(4))
def test_a_bennett_linkage_given_to_some_digits_moves_or_is_refused(seed: int, formulation: str) -> None:
    options = Options(until=0.5, formulation=formulation, every=0.05, rtol=1e-9)
    exact = simulate(bennett(np.random.default_rng(seed)), options)
    for digits in (9, 7, 6, 5, 4):
        mechanism = bennett(np.random.default_rng(seed), digits)
        assert diagnose(mechanism.model_copy(update={"loop_tolerance": 0.01})).dof == 1
        try:
            run = simulate(mechanism, options)
        except AssemblyError as refused:
            assert digits < 6 and "loop_tolerance" in refused.message and "'H0'" in refused.message
            continue
        (misfit,) = run.certificate.misfits
        assert set(misfit["joints"]) == {"H0", "H1", "H2", "H3"}
        assert 0.0 < misfit["length"] + misfit["angle"] < 10.0 ** (1 - digits)
        assert run.certificate.status == "finished" and run.certificate.dof == 1
        assert np.abs(run.position - exact.position).max() < 10.0 ** (2 - digits)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("seed", range(3))
def test_a_bennett_linkage_given_to_some_digits_moves_whatever_its_masses(seed: int, formulation: str) -> None:
    for decades, digits in ((3.0, 5), (6.0, 6), (12.0, 4), (12.0, 8)):
        exact, nearly = (
            simulate(
                any_masses(bennett(np.random.default_rng(seed), given), np.random.default_rng([seed, 1]), decades)
                .model_copy(update={"loop_tolerance": 1e-3}),
                Options(until=0.25, formulation=formulation, every=0.05),
            )
            for given in (None, digits)
        )  # fmt: skip
        assert nearly.certificate.status == "finished" and nearly.certificate.dof == 1, nearly.certificate.error
        assert np.abs(nearly.position - exact.position).max() < 10.0 ** (2 - digits)


@pytest.mark.parametrize("cut", [1e-10, 1e-5])
@pytest.mark.parametrize("method", ["lu", "qr", "svd", "gram-schmidt", "projection", "hybrid-qr", "hybrid-projection"])
def test_a_bennett_linkage_given_to_some_digits_moves_by_every_method(method: str, cut: float) -> None:
    """However small a pivot counts: none takes the misfit for one more equation, which would hold the linkage still."""
    for seed in range(8):
        mechanism = bennett(np.random.default_rng([seed, 7]), 4).model_copy(update={"loop_tolerance": 1e-3})
        default = simulate(mechanism, Options(until=0.1, formulation="joint", every=0.05))
        run = simulate(mechanism, replace(Options(**default.options), method=method, method_options={"rank_cut": cut}))
        assert default.certificate.status == "finished"
        assert run.certificate.status == "finished"
        assert np.abs(run.position - default.position).max() < 1e-2 * np.ptp(default.position, axis=0).max(), seed


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("seed", range(6))
def test_a_tilted_pin_moves_is_refused_or_stands_still(seed: int, formulation: str) -> None:
    def run(degrees: float) -> Result:
        return simulate(tilted_four_bar(seed, degrees), Options(until=0.5, formulation=formulation, every=0.05))

    exact = run(0.0)
    assert exact.certificate.misfits == []
    for degrees in (1e-9, 1e-6, 1e-5, 1e-4, 1e-3):
        nearly = run(degrees)
        assert nearly.certificate.dof == 1 and nearly.certificate.status == "finished", nearly.certificate.error
        assert np.abs(nearly.position - exact.position).max() < max(1e-5, np.radians(degrees))
    with pytest.raises(AssemblyError, match=r"loop_tolerance = .*: strictly speaking it cannot move"):
        run(0.1)
    rigid = run(20.0)
    assert rigid.certificate.dof == 0 and "it stands still" in rigid.certificate.warnings[-1]
    assert np.abs(rigid.position - rigid.position[0]).max() < 1e-9


def test_a_method_that_leaves_out_no_equation_is_refused_where_a_loop_closes_only_nearly() -> None:
    with pytest.raises(OptionError, match="method 'proximal' leaves out no equation"):
        simulate(bennett(np.random.default_rng(0), 6), Options(until=0.1, method="proximal"))
    simulate(bennett(np.random.default_rng(0)), Options(until=0.1, method="proximal"))


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("seed", [698, 879, 2256, 5474])
def test_a_gear_or_driver_near_its_dead_centre_is_no_loop_that_closes_badly(seed: int, formulation: str) -> None:
    """Of the random mechanisms: each moves for a while, or stands still by 0 degrees of freedom."""
    try:
        run = simulate(anything(seed).mechanism(), Options(until=0.25, formulation=formulation))
    except DeadCentreError as stopped:
        assert "driver 'motor'" in stopped.message
    else:
        assert run.certificate.misfits == []
