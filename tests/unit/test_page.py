"""The page: one file that needs nothing else; in a real browser it loads, plays, scrubs, plots, and says the truth."""

from __future__ import annotations

import io
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from chromium import browser, complaints, js, opened, wait_for
from devtools import Pointer
from linkwork.elements.joints.registry import JOINTS
from linkwork.errors import FileError, OptionError
from linkwork.view.page.packing import Packer
from linkwork.view.scene import meshes
from linkwork.view.scene.mode_scene import mode_scene, modes_scene, view_mode
from linkwork.view.scene.pictures import solid_parts
from linkwork.view.scene.run_scene import scene_of


@pytest.fixture(scope="module")
def run() -> lw.Run:
    return lw.library_model("four-bar").simulate(1.2, rtol=1e-8, progress=False)


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with browser() as chromium:
        yield chromium


@pytest.fixture(scope="module")
def page(run: lw.Run, driver: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = run.view(tmp_path_factory.mktemp("page") / "four-bar.html", open=False)
    opened(driver, path)
    return driver


# -- what is drawn ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("mesh", "volume"),
    [
        (meshes.cylinder(1.0, 2.0, 1e-9), 2.0 * np.pi),
        (meshes.sphere(1.0), 4.0 / 3.0 * np.pi),
        (meshes.capsule(1.0, 2.0), 10.0 / 3.0 * np.pi),
        (meshes.ring(2.0, 1.0, 1.0), 3.0 * np.pi),
        (meshes.socket(2.0, 1.0), 14.0 / 3.0 * np.pi),
        (meshes.box((1.0, 2.0, 3.0)), 6.0),
        (meshes.plate(meshes.rounded(np.array([[0.0, 0.0], [1.0, 0.0]]), 0.5), 1.0, 1e-9), 1.0 + np.pi / 4.0),
    ],
)
def test_meshes_are_closed_and_as_large_as_what_they_show(mesh: meshes.Mesh, volume: float) -> None:
    assert mesh.volume() == pytest.approx(volume, rel=0.05)
    assert mesh.volume() < volume * (1.0 + 1e-12)  # corners are cut, never added
    corners = [tuple(p) for p in np.round(mesh.vertices, 9) + 0.0]
    edges = [(corners[t[k]], corners[t[(k + 1) % 3]]) for t in mesh.triangles for k in range(3)]
    assert len(set(edges)) == len(edges)
    assert {(b, a) for a, b in edges} == set(edges)
    assert np.linalg.norm(mesh.normals, axis=1) == pytest.approx(1.0)


def test_every_kind_of_joint_has_a_picture() -> None:
    for kind in JOINTS.values():
        on_a, on_b = kind.picture(0.1, (-0.5, 1.0))
        assert solid_parts(on_a) or solid_parts(on_b) or kind.holds_nothing


def test_scene_of_a_slider_crank() -> None:
    """The rail is as long as the slider travels: two cranks (and the picture's own ends)."""
    run = lw.library_model("slider-crank").simulate(1.0, progress=False)
    scene = scene_of(run.result)
    assert [body.name for body in scene.bodies] == ["ground", "crank", "rod", "slider"]
    guide = next(joint for joint in scene.joints if joint.name == "guide")
    travel = np.ptp(run.position("slider")[:, 0])
    assert travel == pytest.approx(0.2, rel=1e-3)
    rail = guide.parts_a[0].mesh.vertices
    assert np.ptp(rail[:, 2]) == pytest.approx(travel + 7.5 * scene.unit, rel=0.02)
    assert np.all(np.array(scene.low) < run.result.position.min(axis=(0, 1)))
    assert np.all(np.array(scene.high) > run.result.position.max(axis=(0, 1)))
    assert len(scene.arrows) == 4
    assert {trace.name for trace in scene.traces if trace.shown} == {"rod"}


def test_what_models_say_of_looks_is_drawn() -> None:
    """Pictures instead of shapes, massless links, wheels, events on the time line."""
    model = lw.Model("things", gravity=(0, 0, -9.81))
    picture = {"kind": "ellipsoid", "size": (0.1, 0.2, 0.3), "at": (0.0, 0.0, 0.5), "colour": (1.0, 0.5, 0.0, 1.0)}
    model.body("painted", mass=1.0, inertia=(1, 1, 1), pictures=(picture, {"kind": "mesh", "file": "lost.stl"}))
    model.body("wheel", lw.cylinder(radius=0.5, length=0.05, mass=1.0, axis="y"), at=(2.0, 0.0, 0.5))
    model.rolling_disc("tread", "wheel", radius=0.5, axis="y")
    model.distance("rope", model.ground, "painted", points=((0, 0, 2), (0, 0, 0.5)))
    run = model.simulate(0.1, progress=False)
    run.certificate.events.append({"t": 0.05, "name": "bell", "action": "log"})
    scene = scene_of(run.result)
    (ellipsoid,) = scene.bodies[1].parts
    assert ellipsoid.paint == "#ff8000"
    assert np.ptp(ellipsoid.mesh.vertices, axis=0) == pytest.approx([0.2, 0.4, 0.6], rel=0.02)
    assert len(scene.bodies[2].parts) == 2
    assert [(link.name, link.kind, link.at_b) for link in scene.links] == [("rope", "distance", (0.0, 0.0, 0.5))]
    assert [event.text for event in scene.events if event.kind == "event"] == ["bell: log"]


def test_forces_of_contacts_are_arrows() -> None:
    """A box at rest: a quarter of the weight at each lower corner; a ball: the momentum it gains, none in the air."""
    model = lw.Model("box", gravity=(0, 0, -9.81))
    model.body("box", lw.box(size=(0.4, 0.2, 0.2), mass=3.0), at=(0, 0, 0.1), velocity=(0, 0, 0))
    model.contact("floor", "box", shape="box", size=(0.4, 0.2, 0.2), stiffness=1e5, exponent=1.0, damping=2.0)
    arrows = scene_of(model.simulate(3.0, progress=False).result).arrows
    assert [arrow.name for arrow in arrows] == ["floor 1", "floor 3", "floor 5", "floor 7"]
    assert all(arrow.at[2] == -0.1 for arrow in arrows)
    for arrow in arrows:
        assert arrow.force[-1] == pytest.approx([0.0, 0.0, 3.0 * 9.81 / 4.0], rel=1e-3, abs=1e-6)
    ball = lw.library_model("bouncing-ball")
    run = ball.simulate(1.0, every=1e-4, rtol=1e-9, progress=False)
    (arrow,) = scene_of(run.result).arrows
    (body,) = ball.mechanism.body
    gained = body.mass_kg * (run["ball.velocity.z"][-1] - run["ball.velocity.z"][0] + 9.81 * 1.0)
    assert np.trapezoid(arrow.force[:, 2], run.t) == pytest.approx(gained, rel=1e-3)
    assert np.all(arrow.force[run["height"] > 0.0] == 0.0)


def test_arrows_of_a_ball_stand_where_it_touches() -> None:
    """On a table that tips over: the centre less the radius along the table's normal, in the world."""
    model = lw.Model("tipping", gravity=(0, 0, -9.81))
    model.body("table", lw.box(size=(2.0, 2.0, 0.1), mass=50.0), at=(0, 0, 0))
    model.revolute("edge", model.ground, "table", at=(0, 0, 0), axis="y")
    model.driver("tip", "edge", "0.3*t")
    model.body("ball", lw.sphere(radius=0.2, mass=1.0), at=(0, 0, 0.25))
    more = {"against": "table", "plane_at": (0, 0, 0.05), "friction": 0.5, "smoothing": 0.01}
    model.contact("touch", "ball", shape="sphere", radius=0.2, stiffness=1e6, damping=1.0, **more)
    run = model.simulate(0.6, every=0.02, progress=False)
    arrow = next(arrow for arrow in scene_of(run.result).arrows if arrow.name == "touch")
    angle = run["edge.angle"]
    normal = np.column_stack([np.sin(angle), 0.0 * angle, np.cos(angle)])
    assert abs(angle[-1]) > 0.17
    assert arrow.aside == pytest.approx(-0.2 * normal, abs=1e-9)
    foot = run.position("ball") + arrow.aside
    assert np.abs(np.sum(normal * foot, axis=1) - 0.05).max() < 1e-3  # on the table, but for the depth


def test_modes_move_as_they_should(tmp_path: Path) -> None:
    """A physical pendulum: one mode, omega = sqrt(3 g / 2 l), its centre on a circle about the pin."""
    model = lw.Model("pendulum", gravity=(0, 0, -9.81))
    model.body("bar", lw.rod(mass=1.0, length=1.0, width=1e-4), at=(0, 0, -0.5), angle=np.pi / 2, axis="y")
    model.revolute("pin", model.ground, "bar", at=(0, 0, 0), axis="y")
    modes = model.linearize().modes()
    scene = mode_scene(modes, 0)
    period = 2.0 * np.pi / np.sqrt(1.5 * 9.81)
    assert scene.t[-1] == pytest.approx(period, rel=1e-6)
    assert scene.position[0, 0] == pytest.approx(scene.position[-1, 0], abs=1e-12)
    assert scene.position[:-1, 0].mean(axis=0) == pytest.approx([0.0, 0.0, -0.5], abs=1e-12)  # as the page has it
    swing = np.abs(scene.position[:, 0, 0]).max()
    assert 0.03 < swing < 0.3
    turn = 2.0 * np.arccos(np.clip(np.abs(np.sum(scene.orientation * scene.orientation[15], axis=-1)), 0.0, 1.0)).max()
    assert turn == pytest.approx(swing / 0.5, rel=1e-6)  # small motion: the arc is the chord
    assert view_mode(modes, 1, tmp_path / "mode.html", open=False).stat().st_size > 2e5
    with pytest.raises(OptionError, match="no mode 2; count from 1 to 1"):
        mode_scene(modes, 1)
    with pytest.raises(OptionError, match="amplitude is -1"):
        mode_scene(modes, 0, -1.0)


def test_only_some_of_many_modes_are_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lowest, and that which was asked for; all in one room."""
    monkeypatch.setattr("linkwork.view.scene.mode_scene.MOST", 2)
    modes = lw.library_model("double-pendulum", {"angle": 0.0}).linearize().modes()
    assert len(modes_scene(modes).modes) == 2
    monkeypatch.setattr("linkwork.view.scene.mode_scene.MOST", 1)
    scene = modes_scene(modes, 1)
    assert [(mode.name[:7], mode.shown) for mode in scene.modes] == [("mode 1:", False), ("mode 2:", True)]
    assert all(scene.low[k] <= mode_scene(modes, 0).low[k] for k in range(3))


def test_equal_meshes_are_kept_once() -> None:
    packer = Packer()
    assert packer.plain([meshes.sphere(1.0), meshes.sphere(1.0), meshes.sphere(2.0)]) == [
        {"mesh": 0}, {"mesh": 0}, {"mesh": 1}
    ]  # fmt: skip


# -- the file ---------------------------------------------------------------------------------------------------------
def test_nothing_is_fetched(run: lw.Run, tmp_path: Path) -> None:
    text = run.view(tmp_path / "page.html", open=False).read_text()
    own = text.partition('id="content"')[0]
    assert not re.search(r"(src|href)\s*=", own)
    assert "{{" not in own
    assert "https:" not in text
    content = json.loads(re.search(r'id="content">(.*?)</script>', text, re.S).group(1))  # type: ignore[union-attr]
    assert content["runs"][0]["format"] == "linkwork-scene-1"


def test_sixty_seconds_of_twenty_bodies_in_less_than_five_megabytes(tmp_path: Path) -> None:
    """A chain of pendulums that swings wildly: the least smooth motion there is."""
    model = lw.Model("chain", gravity=(0, 0, -9.81))
    for k in range(20):
        model.body(f"link{k}", lw.rod(mass=1.0, length=0.1), at=(0.1 * k + 0.05, 0, 0))
        model.revolute(f"pin{k}", f"link{k - 1}" if k else model.ground, f"link{k}", at=(0.1 * k, 0, 0), axis="y")
    run = model.simulate(60.0, rtol=1e-4, every=0.01, progress=False)
    assert len(run.t) == 6001
    assert run.view(tmp_path / "chain.html", open=False).stat().st_size < 5e6


def test_what_cannot_be_viewed(run: lw.Run, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no samples; there is nothing to view"):
        lw.Run(run.result.part(slice(0, 0))).view(tmp_path / "page.html", open=False)
    with pytest.raises(OptionError, match=r"must end with \.html"):
        run.view(tmp_path / "page.pdf", open=False)
    with pytest.raises(FileError, match="no folder"):
        run.view(tmp_path / "none" / "page.html", open=False)
    with pytest.raises(OptionError, match="no theme 'blue'"):
        run.view(tmp_path / "page.html", open=False, theme="blue")


# -- in a browser -----------------------------------------------------------------------------------------------------
def pixels(driver: Any) -> np.ndarray:
    image = pytest.importorskip("PIL.Image")
    return np.asarray(image.open(io.BytesIO(driver.get_screenshot_as_png())).convert("RGB"), float)


def test_loads_without_a_word_on_the_console(page: Any) -> None:
    assert complaints(page) == []
    assert js(page, "document.getElementById('title').textContent") == "four-bar"
    assert js(page, "[...document.querySelectorAll('#panel .row')].map(r => r.dataset.name)") == [
        "crank", "coupler", "rocker", "A", "B", "C", "D"
    ]  # fmt: skip


def test_data_come_back_as_they_were(page: Any, run: lw.Run) -> None:
    """Packed by Python, unpacked by the page: equal to single precision of the range."""
    for name in ("energy.kinetic", "coupler.position.z", "A.angle", "rocker.angular_velocity.y", "B.rate.dot"):
        got = np.array(js(page, f"Array.from(linkwork.mechanisms[0].motion.channels.get('{name}').values)"))
        assert np.abs(got - run[name]).max() <= 0.51 * np.ptp(run[name]) / (2**24 - 1)
    force = np.array(js(page, "Array.from(linkwork.mechanisms[0].motion.channels.get('A.force').values)"))
    expected = np.linalg.norm(np.nan_to_num(run.reaction("A").force), axis=1)
    assert force == pytest.approx(expected, rel=1e-5, abs=1e-5 * expected.max())


def test_between_samples_the_motion_is_that_of_a_finer_run(page: Any, run: lw.Run) -> None:
    fine = lw.library_model("four-bar").simulate(1.2, rtol=1e-8, every=1.2 / 2000, progress=False)
    n = 2 * 777 + 1
    page.execute_script(f"linkwork.setTime({fine.t[n]})")
    p = js(page, "linkwork.mechanisms[0].bodies[1].position.toArray()")
    x, y, z, w = js(page, "linkwork.mechanisms[0].bodies[1].quaternion.toArray()")
    assert p == pytest.approx(fine.position("crank")[n], abs=1e-6)
    assert abs(np.dot([w, x, y, z], fine.orientation("crank")[n])) == pytest.approx(1.0, abs=1e-12)


def test_play_moves_bodies_and_pause_stops_them(page: Any) -> None:
    page.execute_script("linkwork.setTime(0.2); linkwork.frame()")
    before = pixels(page)
    page.find_element("id", "play").click()
    frames = js(page, "linkwork.state.frames")
    page.set_script_timeout(30)
    page.execute_async_script(
        "const done = arguments[0];"
        "const look = () => linkwork.state.time > 0.35 ? done() : setTimeout(look, 20); look()"
    )
    page.find_element("id", "play").click()
    stopped = js(page, "linkwork.state.time")
    assert js(page, "linkwork.state.frames") > frames
    assert not js(page, "linkwork.state.playing")
    assert np.mean(np.abs(pixels(page) - before).max(axis=2) > 30) > 0.002
    assert js(page, "linkwork.state.time") == stopped


def test_scrubbing_sets_the_time(page: Any, run: lw.Run) -> None:
    line = page.find_element("id", "timeline")
    Pointer(page).move_to_element(line).click().perform()
    assert js(page, "linkwork.state.time") == pytest.approx(0.6, abs=0.01)
    z = js(page, "linkwork.mechanisms[0].bodies[2].position.z")
    assert z == pytest.approx(np.interp(js(page, "linkwork.state.time"), run.t, run["coupler.position.z"]), abs=1e-3)
    assert js(page, "document.getElementById('clock').textContent") == f"{js(page, 'linkwork.state.time'):.3f} s"


def test_plots_answer(page: Any, run: lw.Run) -> None:
    assert js(page, "linkwork.plots.cards.map(c => c.unit)") == ["rad", "J"]
    page.find_element("id", "choose").click()
    page.find_element("css selector", ".chooser input").send_keys("coupler velocity.z")
    page.find_element("css selector", ".chooser [data-channel='coupler.velocity.z']").click()
    page.find_element("id", "title").click()
    assert js(page, "linkwork.plots.cards.map(c => c.unit)") == ["rad", "J", "m/s"]
    frame = page.find_elements("css selector", ".card .frame")[0]
    Pointer(page).move_to_element(frame).click().perform()  # the middle of the picture sets the time
    t = js(page, "linkwork.state.time")
    middle = js(page, "linkwork.plots.cards[0].frame.clientWidth / 2")
    assert t == pytest.approx(js(page, f"linkwork.plots.cards[0].time({middle})"), abs=0.01)
    shown = js(page, "linkwork.plots.cards[2].values[0][0].textContent")
    assert float(shown) == pytest.approx(np.interp(t, run.t, run["coupler.velocity.z"]), rel=1e-3, abs=1e-3)
    Pointer(page).move_to_element(frame).click_and_hold().move_by_offset(60, 0).release().perform()
    low, high = js(page, "linkwork.plots.range")
    assert 0.02 < high - low < 0.6
    assert js(page, "!linkwork.plots.resetButton.hidden")
    Pointer(page).double_click(frame).perform()
    assert js(page, "linkwork.plots.range") == pytest.approx([0.0, 1.2])
    assert js(page, "linkwork.plots.resetButton.hidden")
    assert complaints(page) == []


NO_DRAWING = """
for (const name of ["drawElements", "drawElementsInstanced", "drawArrays", "drawArraysInstanced", "clear"]) {
  linkwork.stage.renderer.getContext()[name] = () => {};
}
"""


def test_frames_leave_nothing_behind(page: Any) -> None:
    """What the page holds after 300 frames is what it held before them (nothing is rasterized meanwhile)."""

    def held() -> int:
        page.execute_script("for (let k = 0; k < 300; k++) { linkwork.setTime(0.004 * k); linkwork.frame(); }")
        page.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
        return int(page.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"])

    page.execute_script(NO_DRAWING)
    try:
        sizes = [held() for _ in range(5)]  # code is compiled meanwhile; what is left behind is left in every round
        assert min(np.diff(sizes)) < 100 * 300  # bytes: less than one number a body and frame
    finally:
        opened(page, None)


def test_coarser_meshes_are_within_a_pixel(page: Any) -> None:
    """Far away fewer triangles, off by no more than is said, closed in by the same box; near the mesh itself."""
    pools = page.execute_script("""
const box = (geometry) => {
  geometry.computeBoundingBox();
  return [geometry.boundingBox.min.toArray(), geometry.boundingBox.max.toArray()];
};
return [...linkwork.mechanisms[0].pools.pools.values()].filter((pool) => !pool.stretched).map((pool) =>
  pool.levels.slice(1).map(({ geometry, error }) => [geometry.getIndex().count / 3, error, box(geometry)]));""")
    for levels in pools:
        count, error, (low, high) = levels[-1]
        assert error == 0.0
        for fewer, off, (at_low, at_high) in levels[:-1]:
            assert 0 < fewer < 0.6 * count
            assert np.abs(np.array([at_low, at_high]) - [low, high]).max() <= off + 1e-6
    near, far, farthest = page.execute_script("""
const { stage, frame } = linkwork;
stage.setGrade({ sharp: 1, shadows: true, off: 0.5 });
return [0.5, 20, 20].map((times) => {
  stage.camera.position.sub(stage.controls.target).multiplyScalar(times).add(stage.controls.target);
  frame();
  return stage.renderer.info.render.triangles;
});""")
    page.find_element("css selector", "#views button").click()
    assert near > 2 * far > 4 * farthest
    assert complaints(page) == []


PACE = """
const [times, frames] = arguments;
const grades = [];
const pace = new linkwork.pace.constructor({ software: false, setGrade: (grade) => grades.push(grade.sharp) });
for (let k = 0; k < frames; k++) pace.due(times[pace.grade], true);
const grade = pace.grade;
const rests = [0, 1, 2].map(() => pace.due(0.2, false));
return [grade, grades, rests];
"""


def test_late_frames_are_drawn_more_coarsely(page: Any) -> None:
    """Until they come in time; not where that does not help; finest again when nothing moves."""
    grade, grades, rests = page.execute_script(PACE, [0.1, 0.08, 0.05, 0.016, 0.01, 0.01], 500)
    assert (grade, grades) == (3, [1, 0.75, 0.5, 1])
    assert rests == [False, True, False]  # one more frame, once
    assert page.execute_script(PACE, [0.0167] * 6, 500) == [0, [1], [False, False, False]]
    grade, grades, _ = page.execute_script(PACE, [0.033] * 6, 500)  # a screen of 30 frames a second
    assert (grade, len(grades)) == (0, 7)


SEEN = """
const { stage } = linkwork;
stage.camera.updateMatrixWorld();
const seen = stage.viewpoint.outline.map((point) => point.clone().project(stage.camera));
const ends = (axis) => [Math.min(...seen.map((p) => p[axis])), Math.max(...seen.map((p) => p[axis]))];
return [...ends("x"), ...ends("y")];"""


def test_everything_stays_in_view_when_the_window_changes(page: Any) -> None:
    """The outermost points on the screen fill it from side to side or from bottom to top, with or without perspective,
    in a wide window and in a narrow one.
    """
    page.execute_script("linkwork.stage.frame()")
    before = page.get_window_size()
    try:
        for size in ((1500, 700), (700, 1100)):
            page.set_window_size(*size)
            time.sleep(0.3)
            for _ in ("in perspective", "parallel", "in perspective again"):
                left, right, low, high = page.execute_script(SEEN)
                assert max(right - left, high - low) == pytest.approx(2 * 0.92, abs=0.03)
                assert min(left, low) > -0.95
                assert max(right, high) < 0.95
                page.execute_script("document.getElementById('toggle-parallel').click()")
            page.execute_script("document.getElementById('toggle-parallel').click()")
    finally:
        page.set_window_size(before["width"], before["height"])
        time.sleep(0.3)


def test_bodies_hide_and_can_be_followed(page: Any) -> None:
    page.execute_script("linkwork.setTime(0.4); linkwork.frame()")
    before = pixels(page)
    eye = page.find_element("css selector", ".row[data-name='coupler'] .eye")
    eye.click()
    assert not js(page, "linkwork.mechanisms[0].bodies[2].shown")
    page.execute_script("linkwork.frame()")
    assert np.mean(np.abs(pixels(page) - before).max(axis=2) > 30) > 0.0005
    eye.click()
    page.find_element("css selector", ".row[data-name='crank'] .follow").click()
    page.execute_script("linkwork.setTime(0.9)")
    at = js(page, "linkwork.stage.controls.target.toArray()")
    assert at == pytest.approx(js(page, "linkwork.mechanisms[0].bodies[1].position.toArray()"), abs=1e-9)
    page.find_element("css selector", ".row[data-name='crank'] .follow").click()


def test_forces_names_and_light(page: Any) -> None:
    page.execute_script("linkwork.setTime(0.6)")
    page.find_element("id", "toggle-forces").click()
    assert js(page, "linkwork.mechanisms[0].arrows.filter(a => a.seen).length") == 4
    assert "fy not unique" in js(page, "document.getElementById('legend').textContent")
    page.find_element("id", "toggle-names").click()
    page.execute_script("linkwork.frame()")
    assert js(page, "[...document.querySelectorAll('#labels span')].length") == 7
    assert complaints(page) == []


def test_a_page_is_as_light_as_the_browser_prefers_until_the_reader_chooses(page: Any) -> None:
    def preferred(theme: str) -> float:
        feature = {"name": "prefers-color-scheme", "value": theme}
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        wait_for(page, f"linkwork.state.theme === {theme!r}")
        page.execute_script("linkwork.frame()")
        return float(pixels(page).mean())

    dark = preferred("dark")
    assert preferred("light") > dark + 60
    page.find_element("id", "theme").click()
    assert js(page, "linkwork.state.theme") == "dark"
    page.find_element("id", "theme").click()
    assert js(page, "linkwork.state.theme") == "light"


def test_two_runs_and_a_run_without_motion(run: lw.Run, driver: Any, tmp_path: Path) -> None:
    other = lw.library_model("four-bar", {"angle": 30.0}).simulate(0.5, progress=False)
    opened(driver, run.view(tmp_path / "two.html", open=False, against=other, theme="light"))
    assert js(driver, "linkwork.mechanisms.length") == 2
    assert js(driver, "[...document.querySelectorAll('#hint .chip')].map(chip => chip.textContent)") == [
        "four-bar (run 1)", "four-bar (run 2)"
    ]  # fmt: skip
    assert js(driver, "linkwork.plots.cards[0].values[0].map(value => value.textContent)") == ["0", "0"]
    driver.execute_script("linkwork.setTime(0.4)")
    shown = js(driver, "linkwork.plots.cards[0].values[0].map(value => Number(value.textContent))")
    assert shown == pytest.approx([np.interp(0.4, each.t, each["A.angle"]) for each in (run, other)], abs=2e-3)
    still = lw.Run(run.result.part(slice(0, 1)))
    opened(driver, still.view(tmp_path / "still.html", open=False))
    assert "no motion" in js(driver, "document.getElementById('hint').textContent")
    assert not driver.find_element("id", "play").is_enabled()
    assert complaints(driver) == []


def test_modes_can_be_chosen_and_their_amplitude_set(driver: Any, tmp_path: Path) -> None:
    """Two swinging bars hanging down: the second mode has the ends against each other; twice the amplitude is twice the
    displacement and twice the angle, at once in bodies and plots.
    """
    model = lw.Model("double pendulum", gravity=(0, 0, -9.81))
    for k, name in enumerate(("upper", "lower")):
        model.body(name, lw.rod(mass=1.0, length=1.0), at=(0, 0, -0.5 - k), angle=np.pi / 2, axis="y")
        model.revolute(f"pin {k}", "upper" if k else model.ground, name, at=(0, 0, -k), axis="y")
    modes = model.linearize().modes()
    opened(driver, view_mode(modes, 1, tmp_path / "modes.html", open=False))
    assert js(driver, "linkwork.state.playing")
    assert js(driver, "document.getElementById('speed-value').textContent") == "4 s a cycle"
    driver.execute_script("linkwork.pause()")
    angle = ("(k => { const m = linkwork.mechanisms[0], q = m.bodies[k].quaternion;"
             "return 2 * Math.atan2(q.y, q.w) - Math.PI / 2; })")  # fmt: skip
    page_x = "linkwork.mechanisms[0].motion.value('upper.position.x', 0)"

    def shape() -> list[float]:
        driver.execute_script("linkwork.setTime(0)")
        return [js(driver, f"{angle}({k})") for k in (1, 2)] + [js(driver, page_x)]

    for n, entry in ((0, "mode 1"), (1, "mode 2")):
        select = driver.find_element("css selector", "#modes select")
        select.find_element("css selector", f"option[value='{n}']").click()
        assert select.find_element("css selector", "option:checked").text.startswith(entry)
        told = js(driver, "document.getElementById('facts').textContent")
        assert f"{modes[n].omega:.5g} rad/s, {modes[n].frequency_hz:.5g} Hz, damping ratio 0 " in told
        assert js(driver, "linkwork.mechanisms[0].motion.end") == pytest.approx(2 * np.pi / modes[n].omega, rel=1e-6)
        driver.execute_script(f"linkwork.modes.choose({n}, 1)")
        once = shape()
        turns = [float(np.real(modes.body_shapes(n)[body].rotation[1])) for body in ("upper", "lower")]
        assert once[1] / once[0] == pytest.approx(turns[1] / turns[0], rel=1e-4)
        driver.execute_script(f"linkwork.setTime({np.pi / 2.0 / modes[n].omega})")
        assert js(driver, "document.getElementById('clock').textContent") == "phase 90°"
        slider = driver.find_element("css selector", "#modes input")
        driver.execute_script("arguments[0].value = 2; arguments[0].dispatchEvent(new Event('input'))", slider)
        assert shape() == pytest.approx([2.0 * value for value in once], rel=1e-4)
    assert turns[0] * turns[1] < 0.0
    driver.execute_script("linkwork.select({ kind: 'body', k: 2 })")
    numbers = js(driver, "document.getElementById('inspector').textContent")
    assert re.search(r"amplitude mm[\d.]+00", numbers)  # along x, not along y and z
    assert re.search(r"phase(0|180|-180)°--", numbers)
    assert complaints(driver) == []


WORK_OF_A_FRAME = """
let draws = 0, calls = 0;
const gl = WebGL2RenderingContext.prototype;
for (const name of Object.getOwnPropertyNames(gl)) {
  const own = Object.getOwnPropertyDescriptor(gl, name).value;
  const draw = name.startsWith("draw");
  if (typeof own === "function") gl[name] = function (...a) { calls++; draws += draw; return own.apply(this, a); };
}
linkwork.stage.setGrade({ sharp: 1, shadows: true, off: 0.5 });
linkwork.setTime(0.1);
linkwork.frame();
return [draws, calls, linkwork.stage.renderer.info.render.triangles];
"""


@pytest.mark.parametrize("n", [9, 99])
def test_the_work_of_a_frame_does_not_grow_with_the_bodies(driver: Any, tmp_path: Path, n: int) -> None:
    """Equal links and pins are one draw call each, whether there are 20 bodies or 200 (and one more for the shadow)."""
    run = lw.library_model("n-four-bar", {"n": n}).simulate(0.2, every=0.02, progress=False)
    opened(driver, run.view(tmp_path / "many.html", open=False, forces=False))
    assert js(driver, "linkwork.mechanisms[0].bodies.length") == 2 * n + 2
    draws, calls, triangles = driver.execute_script(WORK_OF_A_FRAME)
    assert draws <= 16
    assert calls <= 120
    assert triangles <= 150_000  # of 530 000 in the meshes of 200 bodies
    assert complaints(driver) == []
