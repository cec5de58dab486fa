"""Makes the pictures of the tutorial, the how-tos and the README: python docs/pictures.py

The page is photographed by Chromium; the rest linkwork draws by itself.
"""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import tempfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

import linkwork as lw
from linkwork.files.study_files import read_study_file
from linkwork.view.plots.sheet import legend, sheet
from linkwork.view.scene.run_scene import scene_of
from linkwork.view.scene.snapshot import triangles_at
from linkwork.view.scene.still import picture

HERE = Path(__file__).parent
IMAGES = HERE / "images"
FRAMES, PAUSE, COLOURS = 44, 110, 48  # of the film: pictures, ms each, colours
WINDOW, PIXELS = (0.2, 0.16, 0.72, 0.76), (560, 363)  # what it shows: left, top, right, bottom; its size


def film(name: str = "excavator", size: tuple[float, float] = (9.6, 5.4)) -> None:
    """A mechanism of the library that moves, as a GIF."""
    scene = scene_of(lw.library_model(name).simulate(progress=False).result, loads=False)
    samples = np.linspace(0, len(scene.t) - 1, FRAMES).astype(int)
    corners = np.concatenate([triangles_at(scene, k)[0].reshape(-1, 3) for k in samples])
    scene = replace(scene, low=tuple(corners.min(axis=0)), high=tuple(corners.max(axis=0)))
    frames = []
    for k in samples:
        drawn = BytesIO()
        picture(scene, k, drawn, size=size)  # type: ignore[arg-type]
        image = Image.open(drawn).convert("RGB")
        window = [int(share * size) for share, size in zip(WINDOW, 2 * image.size, strict=True)]
        frames.append(image.crop(window).resize(PIXELS, Image.Resampling.LANCZOS))
    first = frames[0].quantize(COLOURS)
    rest = [frame.quantize(palette=first, dither=Image.Dither.NONE) for frame in frames[1:]]
    first.save(IMAGES / "running.gif", save_all=True, append_images=rest, duration=PAUSE, loop=0, optimize=True)


def tutorial() -> None:
    """The plot and the page of the tutorial, from its own blocks."""
    blocks = re.findall(r"^```python\n(.*?)^```$", (HERE / "tutorial.md").read_text(), re.MULTILINE | re.DOTALL)
    names: dict = {}
    for block in blocks:
        if "run.plot" in block:
            break
        exec(block, names)
    names["run"].plot("piston.position.x", "piston.velocity.x", path=IMAGES / "tutorial-plot.png")
    with tempfile.TemporaryDirectory() as folder:
        page = names["run"].view(Path(folder) / "engine.html", open=False, theme="light")
        later = "<script>(function go() { window.linkwork ? linkwork.setTime(0.012) : setTimeout(go, 50); })()</script>"
        page.write_text(page.read_text() + later)
        photograph(page, IMAGES / "tutorial-page.png")


def photograph(page: Path, path: Path) -> None:
    """A page as Chromium shows it."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise SystemExit("no Chromium to photograph the page with; install it (Debian: chromium)")
    flags = ("--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
             "--hide-scrollbars", "--window-size=1200,750", "--virtual-time-budget=6000")  # fmt: skip
    subprocess.run([program, *flags, f"--screenshot={path}", page.as_uri()], check=True, capture_output=True)
    Image.open(path).convert("RGB").quantize(128).save(path, optimize=True)


def corners() -> None:
    """Both axles of the HMMWV over the travel of their wheels."""
    truck, travel = lw.library_model("hmmwv"), np.linspace(-0.1, 0.1, 41)
    swept = [truck.corner_sweep(f"{axle} left tyre", travel) for axle in ("front", "rear")]
    lw.plot_corners(swept, IMAGES / "corners.png", "hmmwv: corners over the travel of their wheels")


def campbell() -> None:
    """Frequencies of a rotating blade over its speed."""
    blade = lw.library_model("rotating-cantilever", {"masses": 6})
    sweep = blade.sweep("spindle", np.linspace(0.0, 4000.0, 41), orders=(1, 2), progress=False)
    lw.plot_campbell(sweep, IMAGES / "campbell.png", count=2)


def spin_up() -> None:
    """A boom that spins up, with and without stiffening, from the block of its how-to."""
    text = (HERE / "howto" / "flexible.md").read_text()
    (block,) = [b for b in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL) if "def boom" in b]
    names: dict = {"lw": lw}
    exec(block.partition("print(")[0], names)
    figure = names["stiffened"].plot("lag", against={"without stiffening": names["plain"]})
    figure.axes[0].get_legend().get_texts()[0].set_text("with stiffening")
    figure.savefig(IMAGES / "spin-up.png")


def modes() -> None:
    """The page of mode shapes."""
    blade = lw.library_model("rotating-cantilever", {"masses": 10})
    with tempfile.TemporaryDirectory() as folder:
        found = blade.linearize({"spindle": 1000.0}).modes()
        photograph(lw.view_mode(found, 2, Path(folder) / "m.html", open=False, theme="light"), IMAGES / "modes.png")


def study() -> None:
    """A study of the slider-crank, as in its how-to."""
    told = ["peak(slider.velocity.x)", "rms(crank.angular_velocity.y)"]
    masses = np.linspace(1.0, 4.0, 7).tolist()
    found = lw.library_model("slider-crank").study({"slider.mass": masses}, told, 0.3, progress=False)
    lw.plot_study(found, IMAGES / "study.png")


def tolerances() -> None:
    """The study of examples/tolerances.toml, 20,000 runs: a quarter of an hour on two cores."""
    file = read_study_file(HERE.parent / "examples" / "tolerances.toml")
    lw.plot_study(lw.study(file.model, file.vary, file.outputs, **file.more), IMAGES / "tolerances.png")


def optimum() -> None:
    """The search of the how-to, from four starts."""
    wanted = {"damping": "100 .. 5000 N s/m", "stiffness": "5 .. 30 kN/m"}
    limits = ["frequency(1) >= 1", "damping(2) <= 0.3"]
    found = lw.optimize("quarter-car", wanted, "-damping(1)", limits, analysis="modes", starts=4, progress=False)
    lw.plot_optimum(found, IMAGES / "optimum.png")


def coupler_path() -> None:
    """The coupler curves of examples/coupler_path.py, published and found: half a minute."""
    example = runpy.run_path(str(HERE.parent / "examples" / "coupler_path.py"))
    curves = {"Cabrera et al. 2002: 0.0337 m$^2$": example["PUBLISHED"]}
    best = example["best"]()
    curves[f"found from it: {best.value:.4f} m$^2$"] = best.values
    figure, (axes,) = sheet([2.2])
    for (label, values), color in zip(curves.items(), ("#d55e00", "#0072b2"), strict=True):
        run = example["four_bar"](**values).kinematics(until=2.0 * np.pi, every=np.pi / 180.0)
        path = run.path("coupler")
        axes.plot(path[:, 0], path[:, 1], color=color, label=label)
        at = path[::20][:18]
        axes.plot(at[:, 0], at[:, 1], ".", ms=5, color=color)
    points = np.array(example["POINTS"])
    axes.plot(points[:, 0], points[:, 1], "o", ms=6, mfc="none", color="black", label="wanted")
    axes.set_aspect("equal")
    axes.set_xlabel("x [m]", fontsize=9)
    axes.set_ylabel("y [m]")
    legend(axes, [line for line in axes.get_lines() if not str(line.get_label()).startswith("_")])
    figure.savefig(IMAGES / "coupler-path.png")


def fit() -> None:
    """The fit of its how-to."""
    page = (HERE / "howto" / "identify.md").read_text(encoding="utf-8")
    names: dict = {}
    exec(page.split("```python\n")[1].split("```")[0].partition("print(")[0], names)
    lw.plot_fit(names["found"], IMAGES / "fit.png")


if __name__ == "__main__":
    film()
    tutorial()
    campbell()
    spin_up()
    modes()
    study()
    optimum()
    coupler_path()
    fit()
    tolerances()
    corners()
