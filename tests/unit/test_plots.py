"""What a person sees: figures with units and legends, progress on a terminal, silence in a pipe."""

from __future__ import annotations

import io
import subprocess
import sys
import warnings
from contextlib import redirect_stderr
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from linkwork.analyses.simulate.dynamics import Options, simulate
from linkwork.compiler.meter import METER
from linkwork.errors import FileError, OptionError
from linkwork.library import library_model
from linkwork.mechanism import Mechanism
from linkwork.results.result import Result
from linkwork.view import progress
from linkwork.view.plots.histories import plot_result
from linkwork.view.plots.panels import Curve, Panel, plot_panels
from linkwork.view.progress import FIRST, FURTHER, compiling, progress_bar

PENDULUM = Mechanism(
    name="pendulum",
    gravity=(0, 0, -9.81),
    body=[{"name": "bar", "shape": {"kind": "rod", "mass": 1.0, "length": 1.0}, "at": (0.5, 0, 0)}],
    joint=[{"name": "pin", "kind": "revolute", "between": ("ground", "bar"), "at": (0, 0, 0), "axis": "y"}],
)


@pytest.fixture(scope="module")
def run() -> Result:
    return simulate(PENDULUM, Options(until=1.0, rtol=1e-8))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")
    return Terminal()


# -- plots ------------------------------------------------------------------------------------------------------------
def test_channels_by_unit(run: Result) -> None:
    names = ["pin.angle", "bar.position.x", "bar.position.z", "pin.rate", "pin.rate.dot", "bar.position.x"]
    figure = plot_result(run, names, title="Swing")
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["pin.angle [rad]", "length [m]", "pin.rate [rad/s]", "pin.rate.dot [rad/s$^2$]"]
    assert [axes.get_xlabel() for axes in figure.axes] == ["", "", "", "time [s]"]
    legend = figure.axes[1].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["bar.position.x", "bar.position.z"]
    assert figure.get_suptitle() == "Swing"
    line = figure.axes[0].get_lines()[0]
    assert line.get_ydata() == pytest.approx(run.channel("pin.angle"))
    assert figure.axes[0].get_xlim() == (0.0, 1.0)


def test_overview(run: Result) -> None:
    figure = plot_result(run)
    energies, balance, steps, order = figure.axes
    assert [axes.get_ylabel() for axes in figure.axes] == ["energy [J]", "residual [J]", "step size [s]", "order [-]"]
    assert [line.get_label() for line in energies.get_lines()] == ["total", "kinetic", "potential"]
    assert balance.get_lines()[0].get_ydata() == pytest.approx(run.channel("energy.balance"))
    assert steps.get_yscale() == "log"
    low, high = steps.get_ylim()
    assert low < run.steps["h"].min() <= run.steps["h"].max() < high
    assert list(order.get_lines()[0].get_ydata()) == list(run.steps["order"])
    assert figure.get_suptitle() == "pendulum"


def test_nothing_is_hidden_by_something_else(run: Result) -> None:
    """Labels, legends and axes of one row do not reach into the next."""
    figure = plot_result(run, [name for name in run.channels() if name.startswith("bar.")])
    figure.draw_without_rendering()
    boxes = [axes.get_tightbbox() for axes in figure.axes]
    width, height = figure.get_size_inches() * figure.dpi
    for above, below in pairwise(boxes):
        assert above.y0 >= below.y1 - 1.0
    assert all(box.x0 >= 0.0 and box.x1 <= width and box.y0 >= 0.0 and box.y1 <= height for box in boxes)


def test_long_names_are_not_cut_off() -> None:
    """Above a panel and above the figure, in as many lines as they need."""
    t = np.linspace(0.0, 1.0, 3)
    name = (
        "hmax 5e-05 s, constraints to 1e-06: leaves the parallelogram; in the paper: stops at the first flat position"
    )
    curve = Curve("run", t, t, "black")
    figure = plot_panels([Panel("x [m]", [curve], name=f"{name}, {name}"), Panel("y [m]", [curve])], title=name)
    figure.draw_without_rendering()
    texts = [figure.axes[0]._left_title, figure._suptitle]  # matplotlib has no other way to them
    assert [" ".join(text.get_text().split()) for text in texts] == [f"{name}, {name}", name]
    whole = figure.bbox
    for box in (text.get_window_extent() for text in texts):
        assert whole.x0 <= box.x0 and box.x1 <= whole.x1 and whole.y0 <= box.y0 and box.y1 <= whole.y1
    above, below = (axes.get_tightbbox() for axes in figure.axes)
    assert above.y0 >= below.y1 - 1.0


@pytest.mark.parametrize(("suffix", "begins"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_files(run: Result, tmp_path: Path, suffix: str, begins: bytes) -> None:
    path = tmp_path / f"plot{suffix}"
    plot_result(run, ["pin.angle"], path)
    content = path.read_bytes()
    assert content.startswith(begins)
    assert len(content) > 5000


def test_several_runs_overlaid(run: Result, tmp_path: Path) -> None:
    coarse = simulate(PENDULUM, Options(until=0.6, rtol=1e-3))
    figure = plot_result(run, ["pin.angle", "energy"], tmp_path / "both.svg", against={"coarse": coarse})
    assert [axes.get_ylabel() for axes in figure.axes] == ["pin.angle [rad]", "energy [J]"]
    assert [line.get_label() for line in figure.axes[0].get_lines()] == [run.certificate.method, "coarse"]
    assert figure.axes[0].get_lines()[1].get_ydata() == pytest.approx(coarse.channel("pin.angle"))
    assert figure.axes[0].get_xlim() == (0.0, 1.0)
    assert len(plot_result(run, against={"coarse": coarse}).axes) == 3
    with pytest.raises(OptionError, match=r"no channel 'pin\.angel'"):
        plot_result(run, ["pin.angel"], against={"coarse": coarse})


def test_loads_plot_themselves(tmp_path: Path) -> None:
    loads = library_model("slider-crank").loads(["crank pin"], 0.1)
    figure = loads.plot(tmp_path / "loads.pdf")
    assert [axes.get_ylabel() for axes in figure.axes] == ["crank pin\nforce [N]"]  # its torque is zero
    assert (tmp_path / "loads.pdf").read_bytes().startswith(b"%PDF")


def test_odd_results(run: Result) -> None:
    """One sample, no steps, a switch: no warning, and nothing breaks."""
    run.certificate.switches.append({"t": 0.5})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plot_result(replace(run.part(slice(0, 1)), steps=run.steps[:0])).draw_without_rendering()
        switched = plot_result(run)
    run.certificate.switches.clear()
    assert "switch of coordinates" in [text.get_text() for text in switched.axes[2].get_legend().get_texts()]  # type: ignore[union-attr]
    with pytest.raises(OptionError, match="no samples"):
        plot_result(run.part(slice(0, 0)))


def test_what_cannot_be_plotted(run: Result, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"no channel 'pin.angel'; did you mean .*'pin.angle'"):
        plot_result(run, ["pin.angel"])
    with pytest.raises(OptionError, match=r"must end with \.png or \.svg or \.pdf"):
        plot_result(run, ["pin.angle"], tmp_path / "plot.xyz")
    with pytest.raises(FileError, match="no folder"):
        plot_result(run, ["pin.angle"], tmp_path / "none" / "plot.png")


def test_import_is_cheap() -> None:
    """matplotlib, rich and h5py wait until they are needed."""
    code = (
        "import sys, linkwork.view.plots.histories, linkwork.view.progress, linkwork.results.storage\n"
        "print([name for name in ('matplotlib', 'rich', 'h5py') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# -- progress ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("fresh", "line"), [(True, FIRST), (False, FURTHER)])
def test_pipe_gets_one_line_when_kernels_are_compiled(
    fresh: bool, line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a machine without kernels another than where some are new."""
    monkeypatch.setattr(progress, "has_kernels", lambda module: not fresh)
    with progress_bar("pendulum", 1.0, None):
        assert METER.tell is not None
        for count in range(METER.count + 1, METER.count + 5):
            METER.tell(count)
    assert METER.tell is None
    told = capsys.readouterr()
    assert told.err == line + "\n"
    assert told.out == ""


def test_pipe_gets_nothing_of_a_run(run: Result, capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("pendulum", 1.0, None) as watch:  # what it needs is compiled by now
        simulate(PENDULUM, Options(until=1.0, rtol=1e-8), [watch] if watch else [])
    with progress_bar("pendulum", 1.0, False) as watch:
        assert watch is None
        assert METER.tell is None
    told = capsys.readouterr()
    assert told.err == told.out == ""


def test_bar_on_a_terminal(run: Result, terminal: Terminal) -> None:
    with redirect_stderr(terminal), progress_bar("pendulum", 1.0, None) as watch:
        assert watch is not None
        simulate(PENDULUM, Options(until=1.0, rtol=1e-8), [watch])
    shown = terminal.getvalue()
    assert "pendulum" in shown
    assert "1 of 1 s, step " in shown
    assert METER.tell is None


def test_no_bar_if_not_wanted(terminal: Terminal) -> None:
    with redirect_stderr(terminal), progress_bar("pendulum", 1.0, False) as watch:
        assert watch is None
    assert terminal.getvalue() == ""


def test_compiling_on_a_terminal(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "has_kernels", lambda module: False)

    def before(count: int) -> None:
        raise AssertionError("told the wrong one")

    METER.tell = before
    try:
        with redirect_stderr(terminal), compiling(None):
            METER.tell(METER.count + 57)
        assert METER.tell is before
    finally:
        METER.tell = None
    assert "compiling kernels, once on this machine ..." in terminal.getvalue()
    assert "57 of about 210" in terminal.getvalue()
