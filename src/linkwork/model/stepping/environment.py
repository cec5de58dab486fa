"""A gymnasium environment over a stepper, and many of them at once on threads (extra `gym`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from linkwork.errors import OptionError
from linkwork.mechanism import Mechanism
from linkwork.model.stepping.side_by_side import advance_together
from linkwork.model.stepping.stepper import Stepper
from linkwork.model.stepping.steppers import Steppers
from linkwork.studies.stepping import here

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise OptionError(
        "an environment needs gymnasium, which is not installed: pip install 'linkwork[gym]'", element="environment"
    ) from None

Numbers = Mapping[str, float]
Reward = Callable[[Numbers, Numbers], float]  # outputs after the step, inputs of it
Done = Callable[[Numbers], bool]
ArrayReward = Callable[[Mapping[str, np.ndarray], Mapping[str, np.ndarray]], Any]  # the same, arrays [environment]
ArrayDone = Callable[[Mapping[str, np.ndarray]], Any]
Start = Callable[[Stepper, np.random.Generator], None]  # what a reset does beside going back to the start


def _no_reward(outputs: Numbers, inputs: Numbers) -> float:
    return 0.0


def _within(actions: np.ndarray, space: Any, names: Sequence[str]) -> Any:
    """Actions between their bounds, as lists; of another shape they are refused."""
    if np.shape(actions) != space.shape:
        each = f"a number for each of {', '.join(names)}" + (", of every environment" if len(space.shape) > 1 else "")
        raise OptionError(f"the action has the shape {np.shape(actions)}; give {space.shape}: {each}", element="action")
    return np.clip(actions, space.low, space.high).tolist()


class Environment(gymnasium.Env):  # type: ignore[misc]
    """Actions are the inputs between their bounds, observations the outputs, both in the order given; SI units."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(
        self, mechanism: Mechanism, dt: float, inputs: Mapping[str, tuple[float, float]], outputs: Sequence[str], *,
        reward: Reward = _no_reward, done: Done = lambda outputs: False, until: float = 10.0,
        start: Start | None = None, **options: Any,
    ) -> None:  # fmt: skip
        self.action_space, self.observation_space = _spaces(inputs, outputs)
        self.stepper = Stepper(mechanism, dt, list(inputs), outputs, until=until, **options)
        self.names, self.reward, self.done, self.start = list(inputs), reward, done, start

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Back to the start; the observation there."""
        super().reset(seed=seed)
        self.stepper.reset()
        if self.start is not None:
            self.start(self.stepper, self.np_random)
        return self._observed(self.stepper.outputs), {"t": self.stepper.t}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """One step with the inputs held: observation, reward, whether it is done, whether its time is up."""
        held = dict(zip(self.names, _within(action, self.action_space, self.names), strict=True))
        outputs = self.stepper.step(held)
        return self._observed(outputs), *self.judged(outputs, held), {"t": self.stepper.t}

    def judged(self, outputs: Numbers, held: Numbers) -> tuple[float, bool, bool]:
        """Reward, whether it is done, whether its time is up."""
        over = self.stepper.count + 1 >= len(self.stepper.run.times)
        done = self.stepper.ended or bool(self.done(outputs))
        return float(self.reward(outputs, held)), done, over

    def _observed(self, outputs: Numbers) -> np.ndarray:
        return np.array(list(outputs.values()))


class Environments(VectorEnv):  # type: ignore[misc]
    """Many of one kind, side by side: one compiled call a thread takes its share of them through a step.

    One that is done begins anew in the step after, as gymnasium has it (AutoresetMode.NEXT_STEP).
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(self, one: Sequence[Environment], threads: int) -> None:
        self.environments, self.num_envs = list(one), len(one)
        self.single_action_space, self.single_observation_space = one[0].action_space, one[0].observation_space
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.pool, self.threads = ThreadPoolExecutor(threads), threads
        self.over = np.zeros(self.num_envs, bool)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """All back to the start; each with a seed of its own."""
        seeds = seed if isinstance(seed, list) else [None if seed is None else seed + k for k in range(self.num_envs)]
        found = [env.reset(seed=own)[0] for env, own in zip(self.environments, seeds, strict=True)]
        self.over[:] = False
        return np.array(found), {}

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One step of each; one that was done before begins anew instead."""
        count, names = self.num_envs, self.environments[0].stepper.names
        observed, reward = np.zeros((count, len(names))), np.zeros(count)
        done, cut = np.zeros(count, bool), np.zeros(count, bool)
        going = np.flatnonzero(~self.over).tolist()
        steppers = [self.environments[k].stepper for k in going]
        within = _within(actions, self.action_space, self.environments[0].names)
        held = [dict(zip(self.environments[k].names, within[k], strict=True)) for k in going]
        for stepper, inputs in zip(steppers, held, strict=True):
            stepper.begin_step(inputs)
        if going:
            advance_together(steppers, self.pool, self.threads)
            observed[going] = steppers[0].read(np.array([one.row for one in steppers]))
        for k, inputs in zip(going, held, strict=True):
            outputs = dict(zip(names, observed[k].tolist(), strict=True))
            reward[k], done[k], cut[k] = self.environments[k].judged(outputs, inputs)
        for k in np.flatnonzero(self.over).tolist():
            observed[k] = self.environments[k].reset()[0]
        self.over = done | cut
        return observed, reward, done, cut, {}

    def close_extras(self, **kwargs: Any) -> None:
        """The threads end."""
        self.pool.shutdown()


class ArrayEnvironments(VectorEnv):  # type: ignore[misc]
    """Many of one kind by steppers side by side (steppers.py), on threads or on a GPU: nothing is done for each alone.

    `reward` and `done` are called once a step, with arrays [environment] by the names of outputs and inputs.  One that
    is done begins anew in the step after, as gymnasium has it (AutoresetMode.NEXT_STEP).
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self, mechanism: Mechanism, dt: float, inputs: Mapping[str, tuple[float, float]], outputs: Sequence[str], *,
        count: int, engine: str, threads: int, reward: ArrayReward = lambda outputs, inputs: 0.0,
        done: ArrayDone = lambda outputs: False, until: float = 10.0, start: Start | None = None, **options: Any,
    ) -> None:  # fmt: skip
        if start is not None:
            raise OptionError(
                "start is a function of one stepper, and with an engine there are arrays of them; write into "
                "`steppers.states`, or leave the engine out",
                element="start",
            )
        self.num_envs, self.reward, self.done, self.last = count, reward, done, round(until / dt)
        self.single_action_space, self.single_observation_space = _spaces(inputs, outputs)
        self.action_space = batch_space(self.single_action_space, count)
        self.observation_space = batch_space(self.single_observation_space, count)
        self.steppers = Steppers(mechanism, count, dt, list(inputs), outputs, engine=engine, threads=threads, **options)
        self.over, self.steps = np.zeros(count, bool), np.zeros(count, np.int64)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """All back to the start."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        self.over[:], self.steps[:] = False, 0
        return here(self.steppers.reset()).T.copy(), {}

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One step of each; one that was done before begins anew instead."""
        sim, begins = self.steppers, self.over
        given = np.ascontiguousarray(np.array(_within(actions, self.action_space, sim.input_names)).T)
        if begins.any():
            sim.restart(begins)
        found = here(sim.step(given))
        self.steps = np.where(begins, 0, self.steps + 1)
        now, held = dict(zip(sim.output_names, found, strict=True)), dict(zip(sim.input_names, given, strict=True))
        reward = np.where(begins, 0.0, np.asarray(self.reward(now, held), float))
        done = ~begins & (sim.ended | np.asarray(self.done(now), bool))
        cut = ~begins & (self.steps >= self.last)
        self.over = done | cut
        return found.T.copy(), reward, done, cut, {}


def _spaces(inputs: Mapping[str, tuple[float, float]], outputs: Sequence[str]) -> tuple[Any, Any]:
    """Of actions, the inputs between their bounds, and of observations."""
    for name, (low, high) in inputs.items():
        if not low < high:
            raise OptionError(f"input '{name}': its bounds are {low:g} and {high:g}; give low < high", element=name)
    bounds = np.array(list(inputs.values()), float).reshape(-1, 2)
    wide = np.full(len(outputs), np.inf)
    return spaces.Box(bounds[:, 0], bounds[:, 1], dtype=np.float64), spaces.Box(-wide, wide, dtype=np.float64)


def make_environment(
    mechanism: Mechanism, dt: float, inputs: Mapping[str, tuple[float, float]], outputs: Sequence[str], *,
    count: int | None = None, threads: int = 2, engine: str | None = None, **more: Any,
) -> Environment | Environments | ArrayEnvironments:  # fmt: skip
    """One environment, or `count` of them as a vector environment on so many threads; with an engine by arrays."""
    if engine is not None:
        if count is None:
            raise OptionError(f"engine is '{engine}', and there is no count; give count = ...", element="count")
        return ArrayEnvironments(
            mechanism, dt, inputs, outputs, count=count, engine=engine, threads=threads, **more
        )  # fmt: skip
    if count is None:
        return Environment(mechanism, dt, inputs, outputs, **more)
    if count < 1 or threads < 1:
        raise OptionError(f"count is {count} and threads is {threads}; both must be at least 1", element="count")
    return Environments([Environment(mechanism, dt, inputs, outputs, **more) for _ in range(count)], threads)
