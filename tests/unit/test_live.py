"""Sliders that run a model again: what they move, what a server and a notebook answer, and the page in a browser."""

from __future__ import annotations

import http.client
import json
import sys
import threading
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from chromium import browser, complaints, js, opened, wait_for
from linkwork.cli import app
from linkwork.errors import OptionError
from linkwork.parameter_sliders import Live
from linkwork.view.live.server import LiveServer
from linkwork.view.live.sliders import slider

FILE = """
gravity = [0, 0, -9.81]
duration = 0.5
[parameters]
L = "50 cm"
m = 2
half = "L/2"
[[body]]
name = "bar"
shape = {kind = "rod", mass = "m", length = "L"}
at = ["half", 0, 0]
[[joint]]
name = "pin"
kind = "revolute"
between = ["ground", "bar"]
at = [0, 0, 0]
axis = "-y"
"""


def make_pendulum(length: float = 1.0, bars: int = 1) -> lw.Model:
    m = lw.Model("made", gravity=(0, 0, -9.81), duration=0.5)
    before = m.ground
    for k in range(int(bars)):
        bar = m.body(f"bar {k}", lw.rod(mass=1.0, length=length), at=((k + 0.5) * length, 0, 0))
        m.revolute(f"pin {k}", before, bar, at=(k * length, 0, 0), axis="-y")
        before = bar
    return m


@pytest.mark.parametrize(
    ("value", "unit", "whole", "span", "step"),
    [
        (2.0, "m", False, (1.0, 4.0), 0.01),
        (-3.0, "m/s", False, (-6.0, -1.5), 0.02),
        (0.0, "deg", False, (-90.0, 90.0), 0.5),
        (0.0, "", False, (-1.0, 1.0), 0.01),
        (2.0, "", True, (1.0, 4.0), 1.0),
    ],
)
def test_a_slider_reaches_from_half_of_a_value_to_twice_as_much(value, unit, whole, span, step):
    made = slider("x", value, unit, whole=whole)
    assert ((made.low, made.high), made.step) == (span, step)


def test_every_parameter_is_a_slider_and_moves_the_model(tmp_path):
    """What a slider gives is the run with that setting, whatever the source of the model and the unit of the slider."""
    path = tmp_path / "pendulum.toml"
    path.write_text(FILE)
    whole = lw.library_model("pendulum", {"length": 0.5, "mass": 2.0}).simulate(0.5, progress=False)
    cases = [
        (lw.live("pendulum", until=0.5), {"mass": 2.0, "length": 0.5, "angle": 90.0}),
        (lw.live(path), {"L": 50.0, "m": 2.0}),
        (lw.live(make_pendulum, {"length": (0.3, 2.0)}), {"length": 0.5}),
        (lw.live(make_pendulum(), {"bar 0.length": (0.5, 2.0), "bar 0.at.0": (0.1, 2.0)}),
         {"bar 0.length": 0.5, "bar 0.at.0": 0.25}),
    ]  # fmt: skip
    for live, values in cases:
        assert set(live.values) == set(values)
        answer = live._session.answer({"values": values})
        assert "error" not in answer and live.values == values
        last = next(name for name in live.run.result.recorded() if name.endswith(".angle"))
        assert live.run[last][-1] == pytest.approx(whole["pin.angle"][-1], abs=1e-6)


def test_what_cannot_be_run_is_a_sentence_and_the_last_run_stays():
    live = lw.live("slider-crank", {"crank": (0.05, 0.6), "rod_length": (0.1, 0.5)}, settings={"angle": 60}, until=0.1)
    before = live.run.t
    answer = live._session.answer({"values": {"crank": 0.6, "rod_length": 0.1}})
    assert "lean" in str(answer["error"]) and "no finite value" in str(answer["error"])
    np.testing.assert_array_equal(live.run.t, before)
    for request in (None, {"values": {"crank": 0.1}}, {"values": {"crank": "a", "rod_length": 0.3}}):
        assert "error" in live._session.answer(request)
    far = live._session.answer({"values": {"crank": 0.1, "rod_length": 99.0}})  # kept within its span
    assert "error" not in far and live.values["rod_length"] == 0.5


def test_other_bodies_need_another_page():
    live = lw.live(make_pendulum, {"bars": (1, 3)})
    live._session.page(None)
    assert live._session.answer({"values": {"bars": 2.4}})["other"] and live.values == {"bars": 2}


@pytest.mark.parametrize(
    ("model", "sliders", "message"),
    [
        ("pendulum", {"lenth": (1, 2)}, "no parameter 'lenth'; did you mean 'length'"),
        ("pendulum", {"length": (2, 1)}, "goes from 2 to 1"),
        ("pendulum", {"bar.shape": (1, 2)}, "not a number that can be moved"),
        ("pendullum", None, "did you mean 'pendulum'"),
        ("andrews", None, "no parameters to move"),
        (lambda length: None, None, "no number as its default"),
    ],
)
def test_sliders_that_make_no_sense_are_refused(model, sliders, message):
    with pytest.raises(OptionError, match=message):
        lw.live(model, sliders, until=0.1)


# -- the server -------------------------------------------------------------------------------------------------------
@contextmanager
def served(live: Live) -> Iterator[LiveServer]:
    with live.server() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def asked(server: LiveServer, method: str, path: str, body: str | None = None, host: str | None = None) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    connection.request(method, path, body, {"Host": host} if host else {})
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


def test_the_server_answers_this_machine_and_the_token_alone():
    live = lw.live("pendulum", {"angle": (10, 170)}, until=0.2)
    with served(live) as server:
        assert server.server_address[0] == "127.0.0.1"
        page = f"/{server.token}/"
        status, headers, text = asked(server, "GET", page)
        assert status == 200 and b"<title>pendulum - linkwork</title>" in text
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        values = json.dumps({"values": {"angle": 30.0}})
        status, _, text = asked(server, "POST", f"{page}run", values)
        assert status == 200 and "block" in json.loads(text) and live.values == {"angle": 30.0}
        strange = [("GET", "/"), ("GET", f"/{server.token}x/"), ("GET", f"{page}../"), ("POST", "/run")]
        assert {asked(server, method, path, "{}")[0] for method, path in strange} == {404}
        assert asked(server, "GET", page, host="elsewhere.example:80")[0] == 404  # a name that was made to point here
        assert asked(server, "POST", f"{page}run", "{")[0] == 400
        assert asked(server, "POST", f"{page}run", "x" * 70_000)[0] == 413


def test_the_command_refuses_what_does_not_go_with_live():
    for arguments, message in (
        (["view", "four-bar", "pendulum", "--live"], "takes one MODEL"),
        (["view", "four-bar", "--live", "--slide", "angle"], "write NAME=FROM:TO"),
        (["view", "run.h5", "--slide", "angle=1:2"], "go with --live"),
        (["view", "four-bar", "--live", "--set", "angel=3"], "did you mean 'angle'"),
    ):
        answer = CliRunner().invoke(app, arguments)
        assert answer.exit_code == 2 and message in answer.output


# -- the widget -------------------------------------------------------------------------------------------------------
def test_a_notebook_passes_requests_on(monkeypatch):
    """With a stand-in for anywidget: messages of the page go to the session, and its answers back."""
    traitlets = pytest.importorskip("traitlets")

    class Widget(traitlets.HasTraits):
        def __init__(self, **traits: Any) -> None:
            super().__init__(**traits)
            self.sent: list[Any] = []

        def on_msg(self, handler: Any) -> None:
            self.handler = handler

        def send(self, content: Any) -> None:
            self.sent.append(content)

    monkeypatch.setitem(sys.modules, "anywidget", types.SimpleNamespace(AnyWidget=Widget))
    live = lw.live("pendulum", {"angle": (10, 170)}, until=0.2)
    widget = live.widget
    widget.handler(widget, {"linkwork": "run", "number": 3, "request": {"values": {"angle": 20.0}}}, [])
    assert widget.sent[0]["number"] == 3 and "block" in widget.sent[0]["answer"] and live.values == {"angle": 20.0}
    before = widget.page
    widget.handler(widget, {"linkwork": "reload"}, [])
    assert widget.page != before and '"address":null' in widget.page


def test_without_anywidget_a_notebook_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(OptionError, match="sliders in a notebook need anywidget; install it: "):
        _ = lw.live("pendulum", {"angle": (10, 170)}, until=0.2).widget


# -- the page ---------------------------------------------------------------------------------------------------------
def test_a_slider_moves_the_mechanism_on_the_page():
    """Dragged, it asks for a run, whose motion and plots take the place of the former; one that is kept stays."""
    live = lw.live("pendulum", {"length": (0.5, 2.0), "angle": (10, 170)}, until=1.0)
    with browser() as driver, served(live) as server:
        opened(driver, server.address)
        driver.find_element("css selector", ".row[data-name='bar'] .name").click()
        driver.execute_script("linkwork.setTime(0.4)")
        driver.find_element("id", "toggle-keep").click()
        assert js(driver, "linkwork.mechanisms.length") == 2
        driver.execute_script(
            "const input = document.querySelector('#live input'); input.value = 0.5;"
            "input.dispatchEvent(new Event('input'))"
        )
        wait_for(driver, "linkwork.live.answered > 0")
        assert live.values["length"] == 0.5 and js(driver, "linkwork.state.time") == 0.4
        x = js(driver, "linkwork.mechanisms.map((m) => m.motion.value('pin.angle', 0.4))")
        known = [lw.library_model("pendulum", {"length": n}).simulate(1.0, progress=False) for n in (0.5, 1.0)]
        for found, run in zip(x, known, strict=True):
            assert found == pytest.approx(np.interp(0.4, run.t, run["pin.angle"]), abs=2e-3)
        assert "computed in" in driver.find_element("css selector", ".live-message").text
        assert "position" in driver.find_element("id", "inspector").text
        driver.find_element("id", "toggle-keep").click()
        assert js(driver, "linkwork.mechanisms.length") == 1 and complaints(driver) == []
