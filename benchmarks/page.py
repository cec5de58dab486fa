"""A frame of the page of 200 bodies, in headless Chromium: python -m benchmarks.page

Counted: draw calls and calls of WebGL in a frame.  Timed: what is linkwork's own, the JavaScript from the time of a
frame to its last WebGL call (motion, places, plots, three.js), with the WebGL calls that give nothing back replaced by
empty functions.  Rasterizing is not timed: here it would be software's, on a user's machine it is the graphics card's.
60 frames a second leave 16.7 ms a frame for both.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

from selenium import webdriver

from linkwork.library import library_model

FLAGS = ("--headless=new", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox",
         "--window-size=1200,800")  # fmt: skip
FRAMES = 240
MEASURE = """
let draws = 0, calls = 0;
const gl = WebGL2RenderingContext.prototype;
for (const name of Object.getOwnPropertyNames(gl)) {
  const own = Object.getOwnPropertyDescriptor(gl, name).value;
  const [answers, draw] = [/^(get|create|is|check|fence|clientWait)/.test(name), name.startsWith("draw")];
  if (typeof own !== "function") continue;
  gl[name] = function (...a) { calls++; draws += draw; return answers ? own.apply(this, a) : undefined; };
}
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
const { bodies, parts } = linkwork.mechanisms[0];
const { triangles } = linkwork.stage.renderer.info.render;
return [bodies.length - 1, parts.length, triangles, draws, calls, times[FRAMES >> 1]];
""".replace("FRAMES", str(FRAMES))


def main() -> None:
    """Write the page, open it, measure."""
    run = library_model("n-four-bar", {"n": 99}).simulate(2.0, every=0.01, progress=False)
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    for flag in FLAGS:
        options.add_argument(flag)
    with tempfile.TemporaryDirectory() as folder:
        page = run.view(Path(folder) / "many.html", open=False)
        driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
        try:
            driver.get(page.as_uri())
            while not driver.execute_script("return Boolean(window.linkwork && linkwork.ready)"):
                time.sleep(0.05)
            bodies, parts, triangles, draws, calls, median = driver.execute_script(MEASURE)
        finally:
            driver.quit()
    print(f"{bodies} bodies, {parts} parts, {triangles} triangles: {draws} draw calls, {calls} calls of WebGL a frame")
    print(f"JavaScript a frame: median of {FRAMES} {median:.2f} ms (60 frames a second: 16.7 ms)")


if __name__ == "__main__":
    main()
