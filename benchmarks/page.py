"""The page of a run of 200 bodies as it plays in headless Chromium: python -m benchmarks.page [WIDTHxHEIGHT ...]

What is seen, at some sizes of the window: frames a second by the times that the browser gives to requestAnimationFrame,
and processor time a frame of the process that draws.  Where there is no graphics card (SwiftShader), that process
rasterizes on the processor, and the page draws more coarsely until frames come in time (view/page/static/pace.js); it
reports which grade it took.  And what is linkwork's own: triangles, draw calls and calls of WebGL in a frame, and the
JavaScript of a frame (motion, places, plots, three.js) with the WebGL calls that give nothing back replaced by empty
functions.  60 frames a second leave 16.7 ms a frame.
"""

from __future__ import annotations

import itertools
import math
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium import webdriver

import linkwork as lw

FLAGS = ("--headless=new", "--use-angle=swiftshader-webgl", "--enable-unsafe-swiftshader", "--no-sandbox",
         "--disable-dev-shm-usage", "--hide-scrollbars")  # fmt: skip
SIZES = ("1200x800", "1920x1080")
FRAMES = 240
SETTLE_S, PLAY_S = 6.0, 5.0
PLAY = """
const done = arguments[1];
const stamps = [];
const look = (now) => {
  stamps.push(now);
  if (now - stamps[0] < 1000 * arguments[0]) requestAnimationFrame(look);
  else done(stamps);
};
linkwork.play();
requestAnimationFrame(look);
"""
STATE = """
const { canvas, renderer, software } = linkwork.stage;
const { bodies, parts } = linkwork.mechanisms[0];
return { bodies: bodies.length - 1, parts: parts.length, triangles: renderer.info.render.triangles, software,
  grade: linkwork.pace.grade, size: [canvas.clientWidth, canvas.clientHeight], drawn: [canvas.width, canvas.height] };
"""
OWN_WORK = """
let draws = 0, calls = 0;
const gl = WebGL2RenderingContext.prototype;
for (const name of Object.getOwnPropertyNames(gl)) {
  const own = Object.getOwnPropertyDescriptor(gl, name).value;
  const [answers, draw] = [/^(get|create|is|check|fence|clientWait)/.test(name), name.startsWith("draw")];
  if (typeof own !== "function") continue;
  gl[name] = function (...a) { calls++; draws += draw; return answers ? own.apply(this, a) : undefined; };
}
linkwork.pause();
linkwork.stage.setGrade({ sharp: 1, shadows: true, off: 0.5 });
const { end } = linkwork.mechanisms[0].motion;
const times = [];
for (let k = 0; k < FRAMES; k++) {
  [draws, calls] = [0, 0];
  const begin = performance.now();
  linkwork.setTime((end * k) / FRAMES);
  linkwork.frame();
  times.push(performance.now() - begin);
}
times.sort((a, b) => a - b);
return [linkwork.stage.renderer.info.render.triangles, draws, calls, times[FRAMES >> 1]];
""".replace("FRAMES", str(FRAMES))


def main(sizes: list[str]) -> None:
    """Write the page, open it, play it at each size of the window."""
    run = curtain(20, 10).simulate(4.0, every=0.02, progress=False)
    with tempfile.TemporaryDirectory() as folder, browser() as driver:
        page = run.view(Path(folder) / "many.html", open=False)
        for size in sizes:
            driver.set_window_size(*map(int, size.split("x")))
            load(driver, page)
            print(played(driver, size))
        triangles, draws, calls, median = driver.execute_script(OWN_WORK)
    print(
        f"at the finest grade: {triangles} triangles, {draws} draw calls with those for shadows, {calls} calls of WebGL"
    )
    print(f"JavaScript a frame: median of {FRAMES} {median:.2f} ms")


def curtain(chains: int, links: int) -> lw.Model:
    """Chains of rods side by side, let go at different angles: a wave of pendulums that fills the picture."""
    model = lw.Model("curtain", gravity=(0, 0, -9.81))
    for c in range(chains):
        above = model.ground
        tilt = 0.9 * c / chains - 1.2
        along = (math.sin(tilt), 0.0, -math.cos(tilt))
        for k in range(links):
            at = (0.2 * (k + 0.5) * along[0], 0.12 * c, 0.2 * (k + 0.5) * along[2])
            pin = (0.2 * k * along[0], 0.12 * c, 0.2 * k * along[2])
            link = model.body(f"link {c}-{k}", lw.rod(mass=0.1, length=0.2), at=at, angle=math.pi / 2 - tilt, axis="y")
            model.revolute(f"pin {c}-{k}", above, link, at=pin, axis="y")
            above = link
    return model


def played(driver: Any, size: str) -> str:
    """Frames a second and processor time a frame, after the page has found its grade."""
    driver.execute_async_script(PLAY, SETTLE_S)
    before, begin = drawing_seconds(driver), time.perf_counter()
    stamps = driver.execute_async_script(PLAY, PLAY_S)
    spent, wall = drawing_seconds(driver) - before, time.perf_counter() - begin
    now = driver.execute_script(STATE)
    frames = len(stamps) - 1
    gaps = sorted(b - a for a, b in itertools.pairwise(stamps))
    rate = 1000.0 * frames / (stamps[-1] - stamps[0])
    return (
        f"window {size}: {now['bodies']} bodies, {now['parts']} parts, {now['triangles']} triangles; "
        f"canvas {told(now['size'])}, drawn at {told(now['drawn'])}, grade {now['grade']}"
        f"{' (in software)' if now['software'] else ''}: {rate:.1f} frames a second, "
        f"median gap {gaps[frames // 2]:.1f} ms; drawing takes {1000 * spent / frames:.1f} ms of processor time "
        f"a frame, {100 * spent / wall:.0f} % of one of {os.cpu_count()} processors"
    )


def told(size: list[int]) -> str:
    """Width and height."""
    return f"{size[0]}x{size[1]}"


def load(driver: Any, page: Path) -> None:
    """Open the page and wait until it is ready."""
    driver.get(page.as_uri())
    while not driver.execute_script("return Boolean(window.linkwork && linkwork.ready)"):
        time.sleep(0.05)


def drawing_seconds(driver: Any) -> float:
    """Processor time of Chromium's drawing process so far, s (Linux)."""
    own = {str(driver.service.process.pid)}
    seconds = 0.0
    for folder in sorted(Path("/proc").glob("[0-9]*"), key=lambda path: int(path.name)):
        try:
            stat = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (folder / "cmdline").read_text()
        except OSError:
            continue  # it has ended meanwhile
        if stat[1] in own:
            own.add(folder.name)
            if "--type=gpu-process" in command:
                seconds += (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")
    return seconds


@contextmanager
def browser() -> Iterator[Any]:
    """Headless Chromium."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    for flag in FLAGS:
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    driver.set_script_timeout(60)
    try:
        yield driver
    finally:
        driver.quit()


if __name__ == "__main__":
    main(sys.argv[1:] or list(SIZES))
