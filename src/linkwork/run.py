"""Run: a Result with verbs; what `Model.simulate` gives and `load` reads."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from linkwork.analyses.loads import registered as _registered  # noqa: F401
from linkwork.analyses.loads.reactions import DrivingForce, Loads, Reaction
from linkwork.elements.declaration.calls import Verbs, explained, stack_level
from linkwork.errors import Entry, OptionError, RunWarning, nearest
from linkwork.lazy_import import lazy_functions
from linkwork.results.body_motion import Moved
from linkwork.results.channel_list import Channels
from linkwork.results.result import Certificate, Result
from linkwork.results.storage import save
from linkwork.view.progress import compiling

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure

    from linkwork.analyses.gradients.simulation import slopes_of_run
    from linkwork.analyses.kinematics.linkage import path, transmission_angle
    from linkwork.analyses.loads.cases.beam_sections import beam_loads
    from linkwork.analyses.loads.cases.load_cases import LoadCase, load_case, load_cases
    from linkwork.analyses.loads.loads import all_loads, driving_force, joint_loads
    from linkwork.analyses.loads.places import Place
    from linkwork.analyses.start.assembly import Start
    from linkwork.analyses.vehicles.vehicle_loads import shock_loads
    from linkwork.analyses.vibration.instants import linearize_run
    from linkwork.analyses.vibration.linearization import Linearization
    from linkwork.analyses.vibration.spectrum import Spectrum, spectrum
    from linkwork.files.nearby import Nearby
    from linkwork.model.origin import OfParameters, Origin
    from linkwork.results.flexible import BeamLoads, deflections, modal_body, node_positions
    from linkwork.results.reading import load_result
    from linkwork.results.tables import to_dataframe, to_xarray
    from linkwork.studies.slopes import Slopes, check_listed, requested, slopes_of
    from linkwork.view.export.formats import export
    from linkwork.view.page.notebook import Page, run_page
    from linkwork.view.page.page import view
    from linkwork.view.plots.beams import plot_beam
    from linkwork.view.plots.histories import plot_result
    from linkwork.view.plots.loads import plot_loads
    from linkwork.view.plots.spectra import plot_spectra
    from linkwork.view.report.cards import run_card
    from linkwork.view.report.report import write_report
else:  # what a simulation does not need loads when it is used
    (slopes_of_run,) = lazy_functions("linkwork.analyses.gradients.simulation", "slopes_of_run")
    (Nearby,) = lazy_functions("linkwork.files.nearby", "Nearby")
    check_listed, requested, slopes_of = lazy_functions(
        "linkwork.studies.slopes", "check_listed", "requested", "slopes_of"
    )
    path, transmission_angle = lazy_functions("linkwork.analyses.kinematics.linkage", "path", "transmission_angle")
    (beam_loads,) = lazy_functions("linkwork.analyses.loads.cases.beam_sections", "beam_loads")
    load_case, load_cases = lazy_functions("linkwork.analyses.loads.cases.load_cases", "load_case", "load_cases")
    all_loads, driving_force, joint_loads = lazy_functions(
        "linkwork.analyses.loads.loads", "all_loads", "driving_force", "joint_loads"
    )
    (linearize_run,) = lazy_functions("linkwork.analyses.vibration.instants", "linearize_run")
    (spectrum,) = lazy_functions("linkwork.analyses.vibration.spectrum", "spectrum")
    (shock_loads,) = lazy_functions("linkwork.analyses.vehicles.vehicle_loads", "shock_loads")
    deflections, modal_body, node_positions = lazy_functions(
        "linkwork.results.flexible", "deflections", "modal_body", "node_positions"
    )
    (load_result,) = lazy_functions("linkwork.results.reading", "load_result")
    to_dataframe, to_xarray = lazy_functions("linkwork.results.tables", "to_dataframe", "to_xarray")
    (plot_beam,) = lazy_functions("linkwork.view.plots.beams", "plot_beam")
    (export,) = lazy_functions("linkwork.view.export.formats", "export")
    (run_page,) = lazy_functions("linkwork.view.page.notebook", "run_page")
    (view,) = lazy_functions("linkwork.view.page.page", "view")
    (plot_result,) = lazy_functions("linkwork.view.plots.histories", "plot_result")
    (plot_spectra,) = lazy_functions("linkwork.view.plots.spectra", "plot_spectra")
    (plot_loads,) = lazy_functions("linkwork.view.plots.loads", "plot_loads")
    (run_card,) = lazy_functions("linkwork.view.report.cards", "run_card")
    (write_report,) = lazy_functions("linkwork.view.report.report", "write_report")


NAMES_ELSEWHERE = {  # what other programs call what a run has
    "time": "t", "times": "t", "status": "certificate.status", "warnings": "certificate.warnings",
    "events": "certificate.events", "names": "channels", "keys": "channels", "channel": "channels",
    "forces": "reaction", "force": "reaction", "torque": "driving_force", "acceleration": 'channels("acceleration")',
    "animate": "view", "show": "view", "write": "save", "to_csv": 'export("run.csv")', "to_pandas": "to_dataframe",
    "fft": "spectrum", "modes": "linearize(t).modes",
}  # fmt: skip


class JointLoads(Loads):
    """Loads with verbs."""

    def plot(self, path: str | Path | None = None) -> Figure:
        """A figure of forces, torques and driving forces over time, only of what is unique; written to `path`."""
        return plot_loads(self, path)


class Run(Verbs):
    """A result with verbs: channels by name, plots, files."""

    _called = "run"
    _elsewhere = NAMES_ELSEWHERE

    def __init__(self, result: Result, start: Start | None = None, origin: Origin | None = None) -> None:
        self.result = result
        self._start = start  # tables and state that it was simulated from, for its gradient; None: made again
        self._origin = origin  # of its parameters, for its gradient; None: it has fields only
        self._warned: set[str] = set()  # channels of which a warning has said that they are not unique

    def __getstate__(self) -> dict[str, object]:
        """What travels to other processes: all but the tables, which are made again there when they are needed."""
        return vars(self) | {"_start": None}

    @property
    def t(self) -> np.ndarray:
        """Sample times, s."""
        return self.result.t

    @property
    def certificate(self) -> Certificate:
        """What was chosen and why, and how well it went."""
        return self.result.certificate

    @property
    def energy(self) -> np.ndarray:
        """Kinetic + potential energy, J."""
        return self.result.channel("energy")

    @property
    def channels(self) -> Channels:
        """All that `run["..."]` gives, with units: `run.channels` shows them, `run.channels("pin")` those with a text.

        Loads and accelerations are computed when they are read.
        """
        return Channels({name: self.result.unit(name) for name in self.result.channels()}, self.result.model)

    def __getitem__(self, channel: str) -> np.ndarray:
        if not isinstance(channel, str):
            raise OptionError(f"run[{channel!r}]: give the name of one channel, as in run['energy']")
        values = self.result.channel(channel)
        if channel not in self._warned and np.isnan(values).any() and not self.result.is_recorded(channel):
            self._warned.add(channel)
            what = f"'{channel}' is not unique (NaN): redundant joints share it, which rigid bodies do not determine"
            warnings.warn(f"{what}. {Entry.NOT_UNIQUE.reference}", RunWarning, stacklevel=stack_level())
        return values

    def position(self, body: str) -> np.ndarray:
        """Origin of the body frame, [sample, 3], m."""
        return self._moved(body).position

    def orientation(self, body: str) -> np.ndarray:
        """Euler parameters of the body frame, [sample, 4], scalar first."""
        return self._moved(body).orientation

    def velocity(self, body: str) -> np.ndarray:
        """Velocity of the body frame's origin, [sample, 3], m/s."""
        return self._moved(body).velocity

    def angular_velocity(self, body: str) -> np.ndarray:
        """Angular velocity in world axes, [sample, 3], rad/s."""
        return self._moved(body).angular_velocity

    def path(self, of: str, at: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0)) -> np.ndarray:
        """Path of a point of a body or of a named frame, `at` (m) in its axes: [sample, 3], m, world."""
        if len(at) != 3:
            raise OptionError(f"at is {at!r}; a point has three numbers (m, axes of '{of}')", element="at")
        return path(self.result, of, (float(at[0]), float(at[1]), float(at[2])))

    def transmission_angle(self, joint: str) -> np.ndarray:
        """Angle between the two links that meet at a joint, [sample], rad from 0 to pi/2."""
        return transmission_angle(self.result, joint)

    def _moved(self, body: str) -> Moved:
        names = self.result.names["bodies"]
        if body not in names:
            raise OptionError(f"there is no body '{body}'; {nearest(body, names)}", element=body)
        return self.result.moved(body)

    # -- flexible bodies ----------------------------------------------------------------------------------------
    def nodes(self, body: str) -> np.ndarray:
        """Every node of a flexible body, deformed, in the world, [sample, node, 3], m."""
        return node_positions(self.result, body)

    def deflection(self, body: str, node: str) -> np.ndarray:
        """Displacement of a node of a flexible body against its body frame, [sample, 3], m, body axes."""
        found = modal_body(self.result, body)
        return deflections(self.result, body)[:, found.nodes.index(node)]

    def beam_loads(self, body: str) -> BeamLoads:
        """Internal forces (N, N m) and normal stress (Pa) along a flexible beam at every sample.

        From all that acts on the beam, inertia included: they balance the reactions, whatever modes are kept.
        """
        return beam_loads(self.result, body)

    def plot_beam(self, body: str, path: str | Path | None = None) -> Figure:
        """A figure of bending moment and normal stress along a beam: where and when; written to `path`."""
        return plot_beam(beam_loads(self.result, body), path)

    # -- vibration ----------------------------------------------------------------------------------------------
    def linearize(self, t: float, *, independent: Sequence[str] | None = None) -> Linearization:
        """Small motions about the sample nearest to a time (s), as it moves: M, C, K, `.modes()` of that instant."""
        with compiling(None):
            return linearize_run(self.result, t, independent)

    def spectrum(
        self,
        channel: str,
        *,
        window: str = "hann",
        during: tuple[float, float] | None = None,
        padding: int = 1,
        mean: bool = False,
    ) -> Spectrum:
        """Amplitudes of a channel over the frequency (Hz), of all samples or `during` a span (s).

        `window`: rectangular, hann, hamming, blackman or flat-top.  `padding`: so many times the length with zeros.
        `mean`: keep the mean value.  Samples must be equally spaced.
        """
        return spectrum(self.result, channel, window=window, during=during, padding=padding, mean=mean)

    def plot_spectrum(
        self,
        *channels: str,
        path: str | Path | None = None,
        window: str = "hann",
        during: tuple[float, float] | None = None,
        padding: int = 1,
        log: bool = False,
        until: float | None = None,
    ) -> Figure:
        """A figure of the spectra of the named channels, `until` a frequency (Hz); the rest as in `spectrum`."""
        if not channels:
            raise OptionError('no channel is named; write plot_spectrum("energy.kinetic")', element="channels")
        spectra = [self.spectrum(name, window=window, during=during, padding=padding) for name in channels]
        return plot_spectra(spectra, path, title=f"{self.result.model}: spectrum", log=log, until=until)

    # -- gradients ----------------------------------------------------------------------------------------------
    def gradient(self, outputs: Sequence[str], parameters: Sequence[str], *, mode: str = "auto") -> Slopes:
        """Outputs of this run, as of a study, and their exact derivatives with respect to numbers of its model.

        `parameters`: "bar.mass", "spring.stiffness", "pin.at.0", as in `Model.with_settings`, per SI unit, and of
        a model of the library or of a file its parameters, each per unit of its own (a run read from disk has none).
        The sensitivities are integrated with the tolerance of the run ("forward"), or, for few outputs of many
        parameters, the adjoint equation ("adjoint"); "auto" takes what costs less, and `.mode` says which and why.
        `.reasons` say when and why there is no derivative, where it is NaN.
        """
        with compiling(None):
            texts = requested(outputs)
            check_listed(parameters, "parameters", "crank.mass")
            build = self._varying(parameters)
            varied = slopes_of_run(self.result, build, build.values, list(parameters), mode, len(outputs), self._start)
            found = slopes_of(varied, texts, len(parameters))
        return replace(found, outputs=tuple(outputs), parameters=tuple(parameters))

    def _varying(self, parameters: Sequence[str]) -> OfParameters | Nearby:
        """Its mechanism as a function of parameters and fields."""
        mechanism, origin = self.result.mechanism, self._origin
        if origin is not None and origin.means(parameters):
            return origin.varying(mechanism, parameters)
        return Nearby(mechanism, parameters)

    # -- loads --------------------------------------------------------------------------------------------------
    def reaction(
        self, joint: str, *, on: str | None = None, at: Place = "joint", frame: str = "world", method: str = "auto"
    ) -> Reaction:
        """The load that a joint transmits, drivers included: force [sample, 3] (N) and torque [sample, 3] (N m).

        `on`: on which of its two bodies, by name, "A" or "B" (default B, the second).  `at`: the point about which
        the torque is taken, "joint", a body, a named frame, or three numbers (m, world).  `frame`: the axes, "world",
        "joint", a body or a named frame.  `method`: "non-recursive", "newton-euler" or "multipliers".  Components that
        are not unique are NaN, and `unique` shows which those are.
        """
        return joint_loads(self.result, [joint], on=on, at=at, frame=frame, method=method)[joint]

    def driving_force(self, joint: str, coordinate: str | None = None, *, method: str = "auto") -> DrivingForce:
        """Force or torque of the driver of a joint (N or N m), at every sample."""
        return driving_force(self.result, joint, coordinate, method)

    def loads(
        self,
        joints: Sequence[str] | None = None,
        *,
        on: str | None = None,
        at: Place = "joint",
        frame: str = "world",
        method: str = "auto",
        during: tuple[float, float] | None = None,
    ) -> JointLoads:
        """The reactions of several joints, by name, with peaks, envelopes and notes; in `.along` what massless links,
        couplings and drivers of a distance transmit, which may be named as well (default: all of both).
        """
        chosen = all_loads(self.result) if joints is None else joints
        found = joint_loads(self.result, chosen, on=on, at=at, frame=frame, method=method, during=during)
        return JointLoads(found.result, found.reactions, found.along)

    def load_cases(self, body: str, during: tuple[float, float] | None = None) -> list[LoadCase]:
        """All loads on a body, in balance, at the instants when its joints transmit their largest force or moment."""
        return load_cases(self.result, body, during)

    def load_case(self, body: str, t: float) -> LoadCase:
        """All loads on a body, in balance, at the sample nearest to a time (s)."""
        return load_case(self.result, body, t)

    def shock_loads(self) -> dict[str, np.ndarray]:
        """Force of every spring-damper at the samples, N; > 0: it pulls its ends together."""
        return shock_loads(self.result)

    def plot(
        self,
        *channels: str,
        path: str | Path | None = None,
        title: str | None = None,
        against: Run | Mapping[str, Run] | None = None,
    ) -> Figure:
        """A figure of the named channels (default: energy, drift, step size), with units.

        `path`: written there, PNG, SVG or PDF.  `against`: another run, or several by label, drawn over this one.
        """
        others = {"other": against} if isinstance(against, Run) else against or {}
        return plot_result(self.result, channels, path, title, {label: run.result for label, run in others.items()})

    def view(
        self,
        path: str | Path | None = None,
        *,
        open: bool = True,
        against: Run | Sequence[Run] = (),
        theme: str = "auto",
        forces: bool = True,
    ) -> Path:
        """Write the page - the mechanism moving in 3D, plots, time line, all in one HTML file - and open it.

        Without `path` it goes to a temporary folder.  `against`: other runs to lay over this one.  `theme`: "auto" as
        the browser prefers, "dark" or "light".  `forces`: with the loads of the joints as arrows, which take time to
        compute in a large model.
        """
        others = [against] if isinstance(against, Run) else against
        with compiling(None):
            results = [self.result, *(other.result for other in others)]
            return view(results, path, open=open, theme=theme, forces=forces)

    def page(self, *, height: int = 560, theme: str = "light", forces: bool = False) -> Page:
        """The page for a notebook: as the last line of a cell it shows the moving mechanism, `height` pixels high."""
        with compiling(None):
            return run_page(self.result, height, theme, forces)

    def report(self, path: str | Path) -> Path:
        """Write a report, HTML or (where Chromium is installed) PDF: pictures, method and why, plots, loads, model."""
        with compiling(None):
            return write_report(self.result, path)

    def __repr__(self) -> str:
        """The model, how the run ended, how much there is of it."""
        c = self.certificate
        return f"<Run of '{self.result.model}': {c.status} at t = {c.t_end:g} s, {len(self.t)} samples>"

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        return run_card(self.result)

    # -- for other programs -------------------------------------------------------------------------------------
    def to_xarray(self) -> xarray.Dataset:
        """The samples as an xarray.Dataset, with names as coordinates and units as attributes."""
        return to_xarray(self.result)

    def to_dataframe(self, *channels: str) -> pandas.DataFrame:
        """The named channels (default: all) as a pandas.DataFrame over time; units in `frame.attrs["units"]`."""
        return to_dataframe(self.result, channels)

    def export(self, path: str | Path, *channels: str) -> Path:
        """Write the run for other programs; the suffix gives the format: .csv .mat .nc .glb .gif .mp4."""
        return export(self.result, path, channels)

    def save(self, path: str | Path) -> None:
        """Write the result to an HDF5 file."""
        save(self.result, path)


@explained("load", OptionError)
def load(path: str | Path) -> Run:
    """A run from its file, also that of a run that was killed."""
    return Run(load_result(path))
