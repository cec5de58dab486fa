"""The motion of the bodies, computed when it is first read: of one body, of all, in parts, as it grows."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.analyses.simulate.stiffness import IntegratorChoice
from linkwork.library import library_model
from linkwork.results import body_motion
from linkwork.results.body_motion import KnownMotion
from linkwork.results.channels import recorded_channel, recorded_channels
from linkwork.results.result import Certificate, Result

MODELS = ("four-bar", "slider-crank", "stewart-platform", "gyroscope", "four-bar-flexible", "hmmwv")


def run(name: str, formulation: str = "joint") -> Result:
    return simulate(library_model(name).mechanism, Options(until=0.05, every=0.005, formulation=formulation))


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("name", MODELS)
def test_one_body_moves_as_it_does_among_all(name, formulation, monkeypatch):
    """To the bit, Euler parameters with their signs included, although fewer bodies are gone through."""
    result = run(name, formulation)
    monkeypatch.setattr(body_motion, "FEW", 0)
    alone = {}
    for body in result.names["bodies"]:
        result.motion.gone_through = -100  # so many bodies more, one by one
        alone[body] = result.moved(body)
    assert result.motion.known[0] == 0
    for k, body in enumerate(result.names["bodies"]):
        for one, every in zip(alone[body], result.motion.all(), strict=True):
            np.testing.assert_array_equal(one, every[:, k])


def test_whoever_asks_for_many_bodies_has_all_of_them_computed_once(monkeypatch):
    monkeypatch.setattr(body_motion, "FEW", 0)
    result = simulate(library_model("n-four-bar", {"n": 30}).mechanism, Options(until=0.05, every=0.005))
    for body in result.names["bodies"]:
        result.moved(body)
    assert result.motion.known[0] == len(result.t)
    assert result.motion.gone_through < 2 * len(result.names["bodies"])


def test_parts_and_pickles_have_the_same_motion():
    result, other = run("gyroscope"), run("gyroscope")
    part = other.part(slice(4, 11, 3))
    np.testing.assert_array_equal(part.orientation, result.orientation[4:11:3])
    np.testing.assert_array_equal(part.moved("rotor").position, result.moved("rotor").position[4:11:3])
    np.testing.assert_array_equal(part.part(slice(1, 2)).velocity, result.velocity[7:8])
    copy = pickle.loads(pickle.dumps(run("gyroscope")))
    assert isinstance(copy.motion, KnownMotion)
    for one, same in zip(copy.motion.all(), result.motion.all(), strict=True):
        np.testing.assert_array_equal(one, same)


class Reader:
    """A recorder that reads the motion of every chunk, or of each second one."""

    def __init__(self, each: int) -> None:
        self.each, self.count, self.seen = each, 0, list[tuple[float, np.ndarray]]()

    def begin(self, empty: Result) -> None:
        assert empty.position.shape[0] == 0

    def append(self, part: Result) -> None:
        self.count += 1
        if self.count % self.each == 0:
            self.seen += zip(part.t, part.orientation, strict=True)

    def finish(self, certificate: Certificate) -> None: ...


@pytest.mark.parametrize("each", [1, 2])
def test_a_recorder_sees_the_motion_of_the_whole_run(each):
    """Whichever chunks it reads, signs of Euler parameters go on from those before."""
    reader, options = Reader(each), Options(until=3.0, every=0.002, rtol=1e-8)
    mechanism = library_model("gyroscope").mechanism
    whole = simulate(mechanism, options, [reader])
    times = whole.t.tolist()
    assert len(reader.seen) > 20
    for t, orientation in reader.seen:
        np.testing.assert_array_equal(orientation, whole.orientation[times.index(t)])
    np.testing.assert_array_equal(whole.orientation, simulate(mechanism, options).orientation)


def test_threads_that_read_a_result_together_see_the_same_motion():
    mechanism, options = library_model("n-four-bar", {"n": 20}).mechanism, Options(until=0.5, every=0.001)
    alone = simulate(mechanism, options).position
    for _ in range(5):
        result = simulate(mechanism, options)
        with ThreadPoolExecutor(4) as pool:
            for found in pool.map(lambda _, result=result: result.position, range(8)):
                np.testing.assert_array_equal(found, alone)


@pytest.mark.parametrize("name", ["four-bar-flexible", "stewart-platform", "rrc-arm", "quarter-car"])
def test_a_channel_is_found_without_a_list_of_all(name):
    """The first one of its name in the list."""
    result, listed = run(name), {}
    for channel in recorded_channels(result):
        listed.setdefault(channel.name, channel)
    for key, channel in listed.items():
        found = recorded_channel(result, key)
        assert found is not None and found.unit == channel.unit
        np.testing.assert_array_equal(found.read(result), channel.read(result))
    for key in ("", ".", "energy.", "nobody.position.x", f"{result.names['bodies'][0]}.position.w"):
        assert recorded_channel(result, key) is None


def test_a_trial_of_another_integrator_leaves_the_samples_alone(monkeypatch):
    """It is made between two chunks: samples of the chunk before must not be overwritten."""
    tried, original = [], IntegratorChoice._trial
    monkeypatch.setattr(IntegratorChoice, "_trial", lambda *given: tried.append(1) or original(*given))
    mechanism = library_model("four-bar").mechanism
    options = {"until": 0.3, "every": 0.001, "hmax": 1e-4, "formulation": "absolute"}
    auto = simulate(mechanism, Options(**options))
    assert tried
    assert auto.certificate.integrator == "adams"
    monkeypatch.setattr(IntegratorChoice, "look", lambda self, status: status)
    alone = simulate(mechanism, Options(**options))
    np.testing.assert_array_equal(auto.q, alone.q)
    np.testing.assert_array_equal(auto.lam, alone.lam)
