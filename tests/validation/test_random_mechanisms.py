"""Random mechanisms of every kind, computed alike by formulations, methods, integrators and other programs, or refused.

300 in every run of the tests, 10,000 in the slow one; docs/robustness.md has the figures.
"""

from __future__ import annotations

import pytest

from random_mechanisms.trial import OTHER_PROGRAMS, Trial, tried

A_TEST, A_SLOW_TEST = 30, 100  # mechanisms
METHODS = 3  # beside the default one, in the slow test


def assert_none_wrong(trials: list[Trial]) -> None:
    wrong = [
        f"seed {trial.seed} ({', '.join(trial.tags)}): {trial.why}" for trial in trials if trial.verdict == "wrong"
    ]
    assert not wrong, "\n".join(wrong)
    assert sum(trial.verdict == "agreed" for trial in trials) > 0.6 * len(trials)
    if OTHER_PROGRAMS:
        assert sum("pinocchio" in trial.programs for trial in trials) > 0.4 * len(trials)
        assert sum("mujoco" in trial.programs for trial in trials) > 0.3 * len(trials)


@pytest.mark.parametrize("part", range(10))
def test_a_mechanism_is_computed_rightly_or_refused(part: int) -> None:
    assert_none_wrong([tried(seed) for seed in range(part * A_TEST, (part + 1) * A_TEST)])


@pytest.mark.slow
@pytest.mark.parametrize("part", range(3, 100))
def test_ten_thousand_mechanisms(part: int) -> None:
    assert_none_wrong([tried(seed, METHODS) for seed in range(part * A_SLOW_TEST, (part + 1) * A_SLOW_TEST)])
