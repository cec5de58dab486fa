"""Model: elements by verbs, analyses by verbs, files."""

from __future__ import annotations

import runpy
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from linkwork.elements.declaration.quantities import Setting
from linkwork.elements.declarations import DECLARATIONS
from linkwork.errors import FileError, LinkworkError
from linkwork.files.model_files import ROBOTS, read_model_file
from linkwork.lazy_import import lazy_functions
from linkwork.mechanism import Mechanism
from linkwork.model.elements.bodies import BodyVerbs
from linkwork.model.elements.constraints import ConstraintVerbs
from linkwork.model.elements.contacts import ContactVerbs
from linkwork.model.elements.forces import ForceVerbs
from linkwork.model.elements.joints import JointVerbs
from linkwork.model.elements.signals import SignalVerbs
from linkwork.model.exchange import ExchangeVerbs
from linkwork.model.origin import file_origin
from linkwork.model.vibration import VibrationVerbs

if TYPE_CHECKING:
    from linkwork.files.writing import write_mechanism
    from linkwork.view.report.cards import model_card
else:  # what a run does not need loads when it is used
    (write_mechanism,) = lazy_functions("linkwork.files.writing", "write_mechanism")
    (model_card,) = lazy_functions("linkwork.view.report.cards", "model_card")


class Model(
    BodyVerbs, JointVerbs, ConstraintVerbs, ForceVerbs, ContactVerbs, SignalVerbs, ExchangeVerbs, VibrationVerbs
):  # fmt: skip
    """A mechanism under construction, with the analyses as its verbs.  SI units, radians.

    Args:
        name: title of the model.
        gravity: m/s2, always given; (0, 0, 0) for none.
        plane: "xy", "xz" or "yz" for a planar mechanism, which moves in this plane only.
        duration: s, how long a run lasts unless another end is given.
        from_equilibrium: start where the forces are in balance at rest, with the velocities given.
        loop_tolerance: rad, and of the size of the bodies joined: what redundant equations of a loop may be off (1e-4).
        literal: methods as their papers print them, slips included.

    Examples:
        >>> m = Model("pendulum", gravity=(0, 0, -9.81))
        >>> bar = m.body("bar", rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
        >>> m.revolute("pin", m.ground, bar, at=(0, 0, 0), axis="y")
    """

    @classmethod
    def of(cls, mechanism: Mechanism) -> Model:
        """A model with the elements of a mechanism, to be run or added to."""
        model = cls(mechanism.name, gravity=mechanism.gravity, plane=mechanism.plane, duration=mechanism.duration,
                    from_equilibrium=mechanism.from_equilibrium, loop_tolerance=mechanism.loop_tolerance,
                    literal=mechanism.literal)  # fmt: skip
        model._elements = {key: list(mechanism.of(kind)) for key, kind in DECLARATIONS.items()}
        model._kinds = {element.name: element.title() for element in mechanism.elements()}
        return model

    @classmethod
    def read(cls, path: str | Path, settings: Mapping[str, Setting] | None = None) -> Model:
        """The model of a file (.toml, .yaml, .json); `settings` give parameters, or fields as in `with_settings`."""
        mechanism, as_given = read_model_file(Path(path), settings)
        model = cls.of(mechanism)
        model._as_given = as_given
        model._origin = file_origin(Path(path), as_given, settings or {})
        if Path(path).suffix in ROBOTS:
            as_given.parameters = {}  # of the import: a file that is written from the model has no use for them
        return model

    def with_settings(self, settings: Mapping[str, Setting]) -> Model:
        """A copy with fields of elements changed: {"crank.mass": 2.0, "crank.length": "10 in", "pin.at.0": 0.1}.

        Of a model of the library or of a file parameters may be given as well.
        """
        model = Model.of(self._changed(settings))
        model._as_given = self._as_given
        model._origin = self._origin.with_given(settings) if self._origin is not None else None
        return model

    def save(self, path: str | Path) -> None:
        """Write the model to a file that can be edited and read back: .toml, .yaml or .json.

        A model that was read from a file keeps its parameters, expressions and units, but for what was changed since.
        """
        write_mechanism(self.mechanism, Path(path), self._as_given)

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        return model_card(self.mechanism)


def model_from_python(path: Path) -> Model:
    """The model that a Python file makes: the one called `model`, or the only one there is."""
    if not path.is_file():
        raise FileError(f"there is no file '{path}'; check the path")
    try:
        made = runpy.run_path(str(path))
    except LinkworkError as error:
        line = _line_in(path, error)
        raise error.located(f"{path.name}, line {line}") if line and path.name not in error.message else error from None
    except Exception as failure:
        line = _line_in(path, failure)
        what = f"{type(failure).__name__}: {failure}"
        at = f", line {line}" if line else ""
        raise FileError(f"'{path.name}'{at}: stopped with {what}; fix the file") from failure
    found = {name: value for name, value in made.items() if isinstance(value, Model)}
    if "model" in found:
        return found["model"]
    if len(found) != 1:
        raise FileError(f"'{path.name}' makes {len(found)} models; call the one to run `model`")
    return next(iter(found.values()))


def _line_in(path: Path, failure: Exception) -> int | None:
    """The line of a Python file at which it failed."""
    lines = [entry.lineno for entry in traceback.extract_tb(failure.__traceback__) if entry.filename == str(path)]
    return lines[-1] if lines else None
