"""The page as it is used: what it shows of names and numbers, selecting, keys, files; on a phone, and for everyone."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from chromium import browser, complaints, js, opened, wait_for
from devtools import Pointer
from linkwork.view.page.page import write_page
from linkwork.view.scene.run_scene import scene_of
from linkwork.view.scene.scene import Channel


@pytest.fixture(scope="module")
def run() -> lw.Run:
    return lw.library_model("four-bar").simulate(1.2, rtol=1e-8, progress=False)


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with browser() as chromium:
        yield chromium


@pytest.fixture(scope="module")
def page(run: lw.Run, driver: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The page of the four-bar; tests that open another one take `driver` and come first."""
    opened(driver, run.view(tmp_path_factory.mktemp("page") / "four-bar.html", open=False))
    return driver


# -- names and numbers that are not harmless --------------------------------------------------------------------------
HOSTILE = ("</script><script>broken = 1</script>", "<!--<script>", "{{content}}", "a & b \"c\" 'd' \\u003c ]]>")


def test_hostile_names_stay_names(driver: Any, tmp_path: Path) -> None:
    """They end no block, start no comment, are no placeholders, and are seen as they are."""
    model = lw.Model(HOSTILE[0] + HOSTILE[1] + HOSTILE[2], gravity=(0, 0, -9.81))
    for k, name in enumerate(HOSTILE):
        model.body(name, lw.rod(mass=1.0, length=1.0), at=(k + 0.5, 0, 0))
        model.revolute(f"pin {name}", HOSTILE[k - 1] if k else model.ground, name, at=(k, 0, 0), axis="y")
    run = model.simulate(0.1, progress=False)
    opened(driver, run.view(tmp_path / "hostile.html", open=False))
    assert js(driver, "window.broken === undefined")
    assert js(driver, "document.title") == f"{run.result.model} - linkwork"
    assert js(driver, "document.getElementById('title').textContent") == run.result.model
    assert js(driver, "[...document.querySelectorAll('#panel .name')].map(e => e.textContent)") == [
        *HOSTILE, *(f"pin {name}" for name in HOSTILE)
    ]  # fmt: skip
    driver.execute_script("document.getElementById('toggle-names').click(); linkwork.select({ kind: 'body', k: 1 })")
    assert js(driver, "document.querySelector('#inspector b').textContent") == HOSTILE[0]
    assert complaints(driver) == []


def test_what_is_no_number_is_a_gap(run: lw.Run, driver: Any, tmp_path: Path) -> None:
    """In the block, in the plots and in the numbers."""
    scene = scene_of(run.result)
    values = np.sin(scene.t)
    values[[0, 5, 6]] = [np.nan, np.inf, -np.inf]
    odd = [Channel("odd", "m", values), Channel("never", "m", np.full_like(values, np.nan))]
    written = replace(scene, channels=[*scene.channels, *odd], plots=[["odd", "never"]])
    opened(driver, write_page([written], tmp_path / "odd.html", open=False))
    got = js(
        driver, "Array.from(linkwork.mechanisms[0].motion.channels.get('odd').values, v => Number.isNaN(v) ? null : v)"
    )
    assert [k for k, value in enumerate(got) if value is None] == [0, 5, 6]
    assert got[100] == pytest.approx(values[100], abs=1e-7)
    assert js(driver, "linkwork.plots.cards[0].values.map(v => v[0].textContent)") == ["-", "0"]
    assert complaints(driver) == []


NUMBERS = """
const done = arguments[arguments.length - 1];
import("lw/numbers").then(({ quantity, rounded, scaled, ticks }) => done([
  [[2.7e-8, 1], [-0.00001, 1], [123.456, 500], [0.123456, 1], [NaN, 1]].map((each) => rounded(...each)),
  [["J", 5e5], ["N m", 14400], ["m", 0.05], ["m", 3], ["rad", 4000], ["m/s2", 98.1], ["bpm", 5e5]]
    .map((each) => scaled(...each).unit),
  [quantity(5e5, "J"), quantity(0.02, "m"), quantity(50, "kg")],
  ticks(0, 450, 5).map(([, text]) => text), ticks(-0.02, 0.03, 5).map(([, text]) => text),
]));
"""


def test_numbers_are_rounded_to_their_scale(page: Any) -> None:
    rounded, units, quantities, large, small = page.execute_async_script(NUMBERS)
    assert rounded == ["0", "0", "123.5", "0.123", "-"]
    assert units == ["kJ", "kN m", "mm", "m", "rad", "m/s²", "bpm"]
    assert quantities == ["500 kJ", "20 mm", "50 kg"]
    assert large == ["0", "100", "200", "300", "400"]
    assert small == ["-0.02", "-0.01", "0", "0.01", "0.02", "0.03"]


# -- reading it -------------------------------------------------------------------------------------------------------
def test_how_it_was_computed_is_in_a_popover(page: Any, run: lw.Run) -> None:
    line = js(page, "document.getElementById('head').textContent")
    assert "1 degree of freedom" in line
    for word in (run.certificate.method, run.certificate.integrator, "drift"):
        assert word not in line
    about = page.find_element("id", "about")
    assert not about.is_displayed()
    page.find_element("id", "status").click()
    assert about.is_displayed()
    assert run.certificate.method in about.text
    assert run.certificate.integrator in about.text
    page.find_element("css selector", "body").send_keys("\ue00c")  # Escape
    assert not about.is_displayed()


def screen_point(driver: Any, place: str) -> tuple[int, int]:
    """Where a point of the mechanism is on the canvas, in pixels from its middle."""
    x, y = driver.execute_script(f"""
const {{ stage, mechanisms: [m] }} = linkwork;
stage.camera.updateMatrixWorld();
const point = {place}.project(stage.camera);
return [0.5 * point.x * stage.canvas.clientWidth, -0.5 * point.y * stage.canvas.clientHeight];""")
    return round(x), round(y)


def test_selecting_shows_numbers_and_plots_them(page: Any, run: lw.Run) -> None:
    page.execute_script("linkwork.stage.frame(); linkwork.setTime(0.5); linkwork.frame()")
    canvas = page.find_element("id", "canvas")
    spot = screen_point(page, "m.centre(1, m.bodies[1].position.clone())")
    Pointer(page).move_to_element_with_offset(canvas, *spot).click().perform()
    assert js(page, "linkwork.state.selected") == {"kind": "body", "k": 1}
    assert "crank" in page.find_element("css selector", ".row.selected").text
    text = page.find_element("id", "inspector").text
    mass = lw.library_model("four-bar").mechanism.body[0].mass_kg
    assert f"{mass:.4g} kg" in text
    numbers = js(page, "[...document.querySelectorAll('#inspector .numbers b')].map(b => Number(b.textContent))")
    n = np.interp(0.5, run.t, np.arange(len(run.t)))
    expected = [np.interp(n, np.arange(len(run.t)), run[f"crank.{what}.{axis}"])
                for what in ("position", "velocity", "angular_velocity") for axis in "xyz"]  # fmt: skip
    assert numbers[3:] == pytest.approx(expected, abs=2e-3)
    page.find_elements("css selector", "#inspector .plot")[1].click()
    assert {f"crank.velocity.{axis}" for axis in "xyz"} <= set(js(page, "linkwork.plots.shown()"))
    spot = screen_point(page, "m.jointPoint(m.joints[0], m.bodies[1].position.clone())")
    Pointer(page).move_to_element_with_offset(canvas, *spot).click().perform()
    assert js(page, "linkwork.state.selected") == {"kind": "joint", "k": 0}
    text = page.find_element("id", "inspector").text
    assert "ground and crank" in text
    shown = float(js(page, "document.querySelectorAll('#inspector .numbers b')[1].textContent"))
    force = np.interp(0.5, run.t, np.linalg.norm(np.nan_to_num(run.reaction("A").force), axis=1))
    assert shown == pytest.approx(force, rel=1e-2)
    page.execute_script("linkwork.plots.hide('crank.velocity.x', 'crank.velocity.y', 'crank.velocity.z')")
    page.find_element("css selector", "#inspector .close").click()
    assert js(page, "linkwork.state.selected") is None
    Pointer(page).move_to_element_with_offset(canvas, *spot).click_and_hold().move_by_offset(40, 0).release().perform()
    assert js(page, "linkwork.state.selected") is None  # that turned the view
    page.execute_script("linkwork.stage.frame()")
    assert complaints(page) == []


def test_what_is_under_the_pointer_is_named(page: Any) -> None:
    page.execute_script("linkwork.stage.frame(); linkwork.setTime(0.5); linkwork.frame()")
    canvas = page.find_element("id", "canvas")
    spot = screen_point(page, "m.centre(2, m.bodies[1].position.clone())")
    Pointer(page).move_to_element_with_offset(canvas, *spot).perform()
    wait_for(page, "document.getElementById('tip').textContent === 'coupler' && !document.getElementById('tip').hidden")
    Pointer(page).move_to_element(page.find_element("id", "title")).perform()
    wait_for(page, "document.getElementById('tip').hidden")


def test_names_have_lines_to_what_they_name(page: Any) -> None:
    """Each ends at its point; no two names cover each other."""
    page.execute_script("linkwork.show('names', true); linkwork.stage.frame(); linkwork.setTime(0.3); linkwork.frame()")
    found = page.execute_script("""
const place = (line) => ["x1", "y1"].map((key) => Number(line.getAttribute(key)));
const lines = [...document.querySelectorAll("#labels line")].map(place);
const boxes = [...document.querySelectorAll("#labels span")].map((name) => name.getBoundingClientRect());
const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
return [lines, boxes.every((a, i) => boxes.every((b, j) => i === j || apart(a, b)))];""")
    lines, apart = found
    assert apart
    width, height = js(page, "[linkwork.stage.canvas.clientWidth, linkwork.stage.canvas.clientHeight]")
    x, y = screen_point(page, "m.jointPoint(m.joints[1], m.bodies[1].position.clone())")
    assert lines[3 + 1] == pytest.approx([x + width / 2, y + height / 2], abs=1.5)
    page.execute_script("linkwork.show('names', false)")


# -- keys, time, files ------------------------------------------------------------------------------------------------
def test_keys(page: Any) -> None:
    body = page.find_element("css selector", "body")
    page.execute_script("linkwork.pause(); linkwork.setTime(0.6); document.activeElement.blur()")
    body.send_keys("\ue014")  # right
    assert js(page, "linkwork.state.time") == pytest.approx(0.606)
    body.send_keys("\ue012")  # left
    assert js(page, "linkwork.state.time") == pytest.approx(0.6)
    body.send_keys("\ue010")  # End
    assert js(page, "linkwork.state.time") == pytest.approx(1.2)
    body.send_keys("\ue011")  # Home
    assert js(page, "linkwork.state.time") == 0.0
    body.send_keys(" ")
    assert js(page, "linkwork.state.playing")
    body.send_keys(" ")
    assert not js(page, "linkwork.state.playing")
    page.execute_script("linkwork.player.setSpeed(1)")
    speeds = []
    for key in "++--- -".replace(" ", ""):
        body.send_keys(key)
        speeds.append(js(page, "linkwork.state.speed"))
    assert speeds == pytest.approx([2.0, 5.0, 2.0, 1.0, 0.5, 0.2])
    body.send_keys("0")
    help_box = page.find_element("id", "help")
    body.send_keys("?")
    assert help_box.is_displayed()
    assert "play or pause" in help_box.text
    body.send_keys("\ue00c")
    assert not help_box.is_displayed()
    page.find_element("id", "speed").send_keys("\ue014")  # a slider keeps its arrows
    assert js(page, "linkwork.state.time") < 0.3
    before = js(page, "document.getElementById('toggle-floor').getAttribute('aria-pressed')")
    floor = page.find_element("id", "toggle-floor")
    page.execute_script("arguments[0].focus()", floor)
    floor.send_keys(" ")  # a button that has the focus is pressed, nothing plays
    assert js(page, "document.getElementById('toggle-floor').getAttribute('aria-pressed')") != before
    assert not js(page, "linkwork.state.playing")
    floor.send_keys(" ")
    page.execute_script("document.activeElement.blur(); linkwork.player.setSpeed(linkwork.player.firstSpeed())")
    assert complaints(page) == []


SLOW = """
const done = arguments[0];
const { stage, state, player } = linkwork;
const own = stage.render.bind(stage);
stage.render = (mechanisms) => {
  const end = performance.now() + 250;
  while (performance.now() < end);
  own(mechanisms);
};
player.setSpeed(0.2);
linkwork.setTime(0);
linkwork.play();
let begin = null;
const look = (now) => {
  begin ??= [now, state.time];
  if (now - begin[0] < 2500) return requestAnimationFrame(look);
  const passed = (now - begin[0]) / 1000;
  linkwork.pause();
  delete stage.render;
  done([passed, (state.time - begin[1]) / state.speed, state.frames]);
};
requestAnimationFrame(look);
"""


def test_late_frames_are_left_out_and_time_is_kept(page: Any) -> None:
    """With four frames a second the motion takes as long as it does with sixty."""
    frames = js(page, "linkwork.state.frames")
    page.set_script_timeout(60)
    passed, shown, now = page.execute_async_script(SLOW)
    assert now - frames < 15
    assert shown == pytest.approx(passed, abs=0.6)  # within a frame or two
    page.execute_script("linkwork.player.setSpeed(linkwork.player.firstSpeed())")


def test_repeating_keeps_time(page: Any) -> None:
    page.execute_script("linkwork.setTime(1.1); linkwork.player.setSpeed(1); linkwork.player.advance(0.35)")
    assert js(page, "linkwork.state.time") == pytest.approx(0.25)
    page.execute_script("linkwork.player.setSpeed(linkwork.player.firstSpeed())")


def test_pictures_and_videos_are_saved(page: Any, tmp_path: Path) -> None:
    """A PNG larger than the view, and a WebM of the whole motion."""
    image = pytest.importorskip("PIL.Image")
    page.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    page.execute_script("linkwork.stage.frame(); linkwork.setTime(0.5)")
    page.find_element("id", "save-picture").click()
    found = saved(tmp_path / "four-bar.png")
    size = js(page, "[linkwork.stage.canvas.clientWidth, linkwork.stage.canvas.clientHeight]")
    picture = image.open(io.BytesIO(found)).convert("RGB")
    assert picture.size == pytest.approx(tuple(2 * pixel for pixel in size), abs=1)
    assert np.asarray(picture, float).std() > 5.0
    page.execute_script("linkwork.player.setSpeed(1)")
    page.find_element("id", "save-video").click()
    found = saved(tmp_path / "four-bar.webm")
    assert found[:4] == b"\x1aE\xdf\xa3"  # EBML
    assert len(found) > 5000
    assert not js(page, "linkwork.state.recording")
    assert js(page, "linkwork.state.time") == pytest.approx(1.2)
    page.execute_script("linkwork.player.setSpeed(linkwork.player.firstSpeed())")
    assert complaints(page) == []


def saved(path: Path) -> bytes:
    """What a download holds when it is complete."""
    end = time.monotonic() + 60.0
    while not path.exists() or not path.stat().st_size:
        assert time.monotonic() < end, path
        time.sleep(0.1)
    return path.read_bytes()


# -- for everyone -----------------------------------------------------------------------------------------------------
@pytest.fixture
def phone(page: Any) -> Iterator[Any]:
    """The page 390 pixels wide."""
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    opened(page, None)
    yield page
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    opened(page, None)


CUT = """
const own = (element) => element.closest(".cards, #labels, .list, svg, #panel");
const off = [...document.querySelectorAll("body *")].filter((element) => {
  const box = element.getBoundingClientRect();
  const inside = box.left >= -0.5 && box.right <= innerWidth + 0.5 && box.bottom <= innerHeight + 0.5;
  return box.width && !own(element) && !inside;
});
const wide = [...document.querySelectorAll("button, #clock, #title, .quantity, label")].filter((element) =>
  element.offsetWidth && element.scrollWidth > element.clientWidth + 1 && !element.title);
const names = (elements) => elements.map((e) => e.id || e.className || e.textContent);
return [document.documentElement.scrollWidth, names(off), names(wide)];
"""


def test_a_phone_shows_all_of_it(phone: Any) -> None:
    """Nothing beyond the edges, no words cut without a tooltip: as it opens, and with each thing opened."""
    assert phone.execute_script(CUT) == [390, [], []]
    assert js(phone, "linkwork.stage.canvas.clientHeight") > 250
    assert js(phone, "document.querySelector('.card').clientWidth") > 250
    for opener, opened_box in (
        ("tools-toggle", "tools"),
        ("help-toggle", "help"),
        ("status", "about"),
        ("panel-toggle", "panel"),
    ):
        phone.find_element("id", opener).click()
        assert phone.find_element("id", opened_box).is_displayed()
        assert phone.execute_script(CUT) == [390, [], []]
        phone.find_element("id", opener).click()
        assert not phone.find_element("id", opened_box).is_displayed()
    phone.execute_script("linkwork.select({ kind: 'joint', k: 0 })")
    assert phone.execute_script(CUT) == [390, [], []]
    assert complaints(phone) == []


CONTRAST = """
const channel = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const numbers = (color) => {
  const found = color.match(/[\\d.]+/g).map(Number);
  const whole = color.startsWith("color(srgb") ? 1 : 255;
  return [...found.slice(0, 3).map((c) => c / whole), found[3] ?? 1];
};
const light = (color) => {
  const [r, g, b] = numbers(color).map(channel);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const color = getComputedStyle(at).backgroundColor;
    if (numbers(color)[3] > 0.5) return color;
  }
  return getComputedStyle(document.body).backgroundColor;
};
const weak = [];
for (const element of document.querySelectorAll("body *")) {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  if (!own || !element.offsetWidth || element.closest("noscript, script, option, :disabled")) continue;
  const [a, b] = [light(getComputedStyle(element).color), light(behind(element))].sort((p, q) => q - p);
  const ratio = (a + 0.05) / (b + 0.05);
  if (ratio < 4.5) weak.push([element.textContent.slice(0, 30), ratio.toFixed(2)]);
}
return weak;
"""


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_texts_have_contrast(page: Any, theme: str) -> None:
    """At least 4.5 : 1 against what is behind them (WCAG 2, AA)."""
    page.execute_script(
        f"linkwork.setTheme('{theme}'); linkwork.select({{ kind: 'joint', k: 0 }}); linkwork.show('forces', true);"
        "linkwork.show('names', true); linkwork.frame();"
        "for (const id of ['help', 'about']) document.getElementById(id).hidden = false;"
    )
    weak = page.execute_script(CONTRAST)
    page.execute_script(
        "linkwork.setTheme('dark'); linkwork.select(null);"
        "linkwork.show('forces', false); linkwork.show('names', false);"
        "for (const id of ['help', 'about']) document.getElementById(id).hidden = true;"
    )
    assert weak == []


UNNAMED = """
const name = (e) => (e.getAttribute("aria-label") || e.textContent || e.labels?.[0]?.textContent || "").trim();
const things = document.querySelectorAll("button, input, select, canvas:not([aria-hidden]), [role], [tabindex]");
return [...things].filter((e) => !name(e)).map((e) => e.outerHTML.slice(0, 80));
"""


def test_everything_to_press_has_a_name(page: Any) -> None:
    """For those who do not see it; and what is on or off says so."""
    page.execute_script("linkwork.select({ kind: 'body', k: 1 })")
    assert page.execute_script(UNNAMED) == []
    assert js(page, "document.getElementById('timeline').getAttribute('aria-valuetext')").endswith(" s")
    pressed = js(page, "[...document.querySelectorAll('#switches button')].map(b => b.getAttribute('aria-pressed'))")
    assert pressed[:2] == ["true", "true"]
    page.execute_script("linkwork.select(null)")
    long = js(page, "[...document.querySelectorAll('.row .name')].every(name => name.title === name.textContent)")
    assert long
