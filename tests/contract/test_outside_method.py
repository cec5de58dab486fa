"""A constraint method and an integrator from outside the package: registered, they pass the contract tests and run in
every analysis, without an edit anywhere else.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint

import numpy as np
import pytest

import linkwork as lw
from contract import test_methods as contracts
from linkwork import catalogue
from linkwork.analyses.comparison import compare
from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.analyses.start.assembly import assemble
from linkwork.compiler.carving import record_at
from linkwork.compiler.kernels import part, stage
from linkwork.errors import OptionError
from linkwork.formulations.records import Factors, Option
from linkwork.formulations.workspace import active_rows
from linkwork.integrators.contract import Integrator
from linkwork.integrators.hermite import cubic
from linkwork.integrators.rates import finite_rate, finite_rate_corrected
from linkwork.integrators.registry import INTEGRATORS
from linkwork.integrators.step_length import accept, time_after, up_to_stop
from linkwork.integrators.vectors import copy
from linkwork.library import library_model
from linkwork.methods.contract import Method
from linkwork.methods.correction import correct
from linkwork.methods.natural_rows import mass_weighted_rows
from linkwork.methods.normal_step import violation_rate
from linkwork.methods.parametrization import finish_acceleration
from linkwork.methods.registry import METHODS
from linkwork.numerics.dense import factor_cholesky, solve_cholesky
from linkwork.numerics.status import ACCELERATE, FACTOR, MASS_SINGULAR, OK
from linkwork.numerics.tree_matrix import solve_inner, solve_outer
from linkwork.studies.batch import Batch, run_on_threads

pytestmark = pytest.mark.jit
reference = contracts.reference

# -- a method: the normal equations, dense ----------------------------------------------------------------------------
NORMAL = 0  # place in work.matrices
REGULARIZATION = 0  # its own option


@stage
def factor_normal(system, work):
    """(A^T A + rho) over the active rows, A = L^-T Phi_v^T."""
    method, A, S = work.method[0], work.dense, work.matrices[NORMAL]
    active = active_rows(work)
    rows = active.shape[0]
    method.factorizations += 1
    method.rank, method.full_rank, method.factors = rows, rows, Factors.REGULAR
    status = mass_weighted_rows(system, work, A)
    if status != OK:
        return status
    for a in range(rows):
        for b in range(a + 1):
            s = 0.0
            for j in range(A.shape[1]):
                s += A[active[a].row, j] * A[active[b].row, j]
            S[a, b] = s
        S[a, a] *= 1.0 + work.options[0].own[REGULARIZATION]
    method.own[0] += 1.0
    return OK if factor_cholesky(S, rows) else MASS_SINGULAR


@stage
def solve_normal(factor, system, work, task):
    if task == FACTOR:
        return factor(system, work)
    if task == ACCELERATE:
        copy(work.Q, work.v_dot)
        solve_outer(system.dofs, work.L, work.v_dot)
        solve_inner(system.dofs, work.L, work.v_dot)
        violation_rate(system, work.J, work.v_dot, work.gamma, work.c)
    least_motion(system, work)
    if task == ACCELERATE:
        finish_acceleration(system, work)
    return OK


@part
def least_motion(system, work):
    """delta and lam for the right-hand side c."""
    active, A, x = active_rows(work), work.dense, work.x
    for a in range(active.shape[0]):
        x[a] = work.c[active[a].row]
    solve_cholesky(work.matrices[NORMAL], active.shape[0], x)
    for r in range(work.lam.shape[0]):
        work.lam[r] = 0.0
    for j in range(work.delta.shape[0]):
        work.delta[j] = 0.0
    for a in range(active.shape[0]):
        work.lam[active[a].row] = x[a]
        for j in range(work.delta.shape[0]):
            work.delta[j] += A[active[a].row, j] * x[a]
    solve_inner(system.dofs, work.L, work.delta)


METHOD = Method(
    "normal-equations", "dense normal equations", factor_normal, solve_normal, correct, dense=True,
    options={"regularization": Option(0.0, "of the diagonal")},
)  # fmt: skip

# -- an integrator: Heun's method of order 2 --------------------------------------------------------------------------
Y_NEW, Y_OLD, F_OLD, F_NEW, VECTORS = range(5)
KEPT = np.dtype([("steps", np.int64)])


@stage
def heun_step(evaluate, factor, solve, correct, system, y, angles, work, memory, control):
    """y + h/2 (f(t, y) + f(t + h, y + h f)), then back onto the constraints."""
    record, kept = control[0], record_at(control[0].own, 0, KEPT)
    y_new, f_new = memory[Y_NEW], memory[F_NEW]
    if record.fresh == 1:
        copy(y, y_new)
        status = finite_rate_corrected(evaluate, factor, solve, correct, system, record.t, y_new, angles, work, control)
        if status != OK:
            return status
        copy(y_new, y)
        copy(work.rate, f_new)
        record.fresh = 0
    h = up_to_stop(record.h, control)
    t_new = time_after(h, control)
    for i in range(y.shape[0]):
        y_new[i] = y[i] + h * f_new[i]
    status = finite_rate(evaluate, factor, solve, system, t_new, y_new, angles, work, control)
    if status != OK:
        return status
    for i in range(y.shape[0]):
        y_new[i] = y[i] + 0.5 * h * (f_new[i] + work.rate[i])
    status = finite_rate_corrected(evaluate, factor, solve, correct, system, t_new, y_new, angles, work, control)
    if status != OK:
        return status
    copy(y, memory[Y_OLD])
    copy(f_new, memory[F_OLD])
    copy(y_new, y)
    copy(work.rate, f_new)
    kept.steps += 1
    accept(t_new, h, 2, 1, control)
    return OK


@stage
def heun_interpolate(evaluate, factor, solve, correct, system, t, y, angles, work, memory, control, y_out):
    h = control[0].h_last
    s = (t - control[0].t_previous) / h
    for i in range(y.shape[0]):
        y_out[i], _ = cubic(s, h, memory[Y_OLD, i], memory[F_OLD, i], y[i], memory[F_NEW, i])
    return OK


INTEGRATOR = Integrator(
    "heun", "Heun's method, fixed step", heun_step, heun_interpolate, VECTORS, adaptive=False, order=2, kept=KEPT
)


@pytest.fixture(scope="module", autouse=True)
def _registered():
    """Known while these tests run, and no longer."""
    lw.register_method(METHOD)
    lw.register_integrator(INTEGRATOR)
    yield
    METHODS.remove(METHOD.name)
    INTEGRATORS.remove(INTEGRATOR.name)


@pytest.mark.parametrize("formulation", ["absolute", "joint"])
@pytest.mark.parametrize("name", contracts.REGULAR)
def test_the_method_agrees_with_the_others(name, formulation, reference):
    contracts.test_all_methods_agree_on_regular_mechanisms(name, METHOD.name, formulation, reference)


def test_the_method_keeps_the_order_of_an_integrator(reference):
    contracts.test_the_order_of_the_integrator_is_kept_through_projection_and_new_bases(METHOD.name, reference)


def test_the_integrator_has_its_stated_order_with_any_method(reference):
    model, until = contracts.REGULAR["four-bar"]
    for method in ("auto", "lu", METHOD.name):
        errors = []
        for step in (0.005, 0.0025):
            run = simulate(model, Options(until=until, method=method, integrator="heun", step=step, every=until))
            errors.append(np.abs(run.position[-1] - reference["four-bar"].position[-1]).max())
        assert np.log2(errors[0] / errors[1]) == pytest.approx(INTEGRATOR.order, abs=0.2)


def test_a_comparison_lists_the_method():
    comparison = compare(library_model("four-bar").mechanism, Options(until=0.3), formulations=["joint"])
    row = comparison.row(METHOD.name, "joint")
    assert row.status == "finished"
    assert row.error < 1e-4
    assert row.max_violation < 1e-10


def test_a_batch_takes_the_integrator():
    start = assemble(library_model("four-bar", {"angle": 60.0}).mechanism, "joint")
    ends = run_on_threads(Batch(start, start.y[None], Options(until=0.1, step=1e-3, integrator="heun")))
    run = simulate(start.compiled.mechanism, Options(until=0.1, integrator="heun", step=1e-3))
    assert not ends.failed.any()
    np.testing.assert_allclose(ends.states[0, : len(run.q[-1])], run.q[-1], atol=1e-12)


def test_its_own_option_is_checked_by_name_and_reaches_it():
    model = library_model("four-bar").mechanism
    plain, regularized = (
        simulate(model, Options(until=0.1, method=METHOD.name, method_options={"regularization": value}))
        for value in (0.0, 1e-3)
    )
    assert np.abs(plain.lam - regularized.lam).max() > 0.0
    with pytest.raises(OptionError, match=r"no option 'regularisation'; did you mean 'regularization'"):
        simulate(model, Options(until=0.1, method=METHOD.name, method_options={"regularisation": 1.0}))


def test_a_name_is_given_once():
    with pytest.raises(OptionError, match="there is a method 'lu' already"):
        lw.register_method(Method("lu", "another", factor_normal, solve_normal, correct))
    with pytest.raises(OptionError, match="cannot be registered as integrator"):
        lw.register_integrator(METHOD)
    assert lw.register_method(METHOD) is METHOD


def test_an_installed_package_brings_its_own_by_entry_point(monkeypatch):
    points = [
        EntryPoint("normal", f"{__name__}:METHOD", "linkwork.methods"),
        EntryPoint("broken", "no_such_package:METHOD", "linkwork.methods"),
    ]
    monkeypatch.setattr(catalogue, "entry_points", lambda group: [p for p in points if p.group == group])
    known = catalogue.Catalogue("method", "linkwork.methods", Method, [METHODS["lu"]])
    with pytest.warns(UserWarning, match=r"method 'broken' .* cannot be loaded"):
        assert METHOD.name in known
    assert list(known) == ["lu", METHOD.name]
