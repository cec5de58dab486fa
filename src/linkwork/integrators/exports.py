"""What the native library holds of runs: the stages of every method and integrator, and the loops that take them."""

from __future__ import annotations

from linkwork.compiler.argument_types import REAL, STATUS, SYSTEM, VECTOR, VOID, WHOLE, WORK
from linkwork.compiler.kernels import Exports, export
from linkwork.compiler.references import Reference
from linkwork.elements.family import FAMILY_KERNEL
from linkwork.integrators import stages
from linkwork.integrators.loop.advance import advance
from linkwork.integrators.loop.at_states import moves_at, samples_at
from linkwork.integrators.loop.changes import apply_changes
from linkwork.integrators.loop.chunks import run_chunk
from linkwork.integrators.loop.fixed_steps import fixed_steps
from linkwork.integrators.loop.follow import follow
from linkwork.integrators.loop.locate import begin_to_watch
from linkwork.integrators.loop.share import run_share
from linkwork.integrators.loop.side_by_side import advance_each, no_run
from linkwork.integrators.loop.step_share import step_share
from linkwork.integrators.registry import INTEGRATORS
from linkwork.integrators.sensitivities.adjoint import (
    choose_programs,
    new_backward,
    pull_back_at,
    solve_nodes,
    sweep_back,
)
from linkwork.integrators.sensitivities.corrected_slopes import slopes_of_change
from linkwork.integrators.sensitivities.directional import directional_derivative
from linkwork.integrators.sensitivities.saltation import slopes_of_watch, state_before
from linkwork.integrators.sensitivities.saltation import step as varied_step
from linkwork.integrators.sensitivities.slopes_of_rates import slopes_of_rates
from linkwork.integrators.sensitivities.tape import new_program
from linkwork.integrators.sensitivities.variation import new_variation
from linkwork.methods.registry import METHODS


def exports() -> Exports:
    """By their contracts."""
    for method in METHODS.values():
        yield method.factor, stages.FACTOR
        yield method.solve, stages.SOLVE
        yield method.correct, stages.CORRECT
        yield method.accept, stages.ACCEPT
    for integrator in INTEGRATORS.values():
        yield integrator.step, stages.STEP
        yield integrator.interpolate, stages.INTERPOLATE
    yield advance, stages.ADVANCE
    Reference(no_run())
    yield advance_each, stages.ADVANCE_EACH
    yield run_share, stages.RUN_SHARE
    yield step_share, stages.STEP_SHARE
    yield begin_to_watch, stages.BEGIN_TO_WATCH
    yield run_chunk, stages.RUN_CHUNK
    yield apply_changes, stages.APPLY_CHANGES
    yield directional_derivative, stages.DIRECTIONAL_DERIVATIVE
    yield from _of_sensitivities()
    yield from _of_adjoints()
    yield follow, stages.FOLLOW
    yield samples_at, stages.SAMPLES_AT
    yield moves_at, stages.MOVES_AT
    yield fixed_steps, stages.FIXED_STEPS


def _of_sensitivities() -> Exports:
    """Their structure is laid out alike for all mechanisms, as for none."""
    Reference(new_variation())
    yield slopes_of_rates, FAMILY_KERNEL
    yield slopes_of_change, FAMILY_KERNEL
    yield varied_step, stages.STEP
    yield export(slopes_of_watch, VOID, WORK, VECTOR, REAL, WHOLE, WHOLE)
    yield export(state_before, VOID, REAL, WHOLE)


def _of_adjoints() -> Exports:
    Reference(new_program())
    Reference(new_backward())
    yield export(choose_programs, WHOLE, SYSTEM, WORK, VECTOR, WHOLE, WHOLE)
    yield export(solve_nodes, STATUS, SYSTEM, WORK, WHOLE)
    yield export(pull_back_at, STATUS, SYSTEM, WORK, WHOLE, WHOLE)
    yield export(sweep_back, STATUS, SYSTEM, WORK, WHOLE)
