"""A parameter keeps its dimension: random dimensions, defined, set, included and used; only those that agree pass."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pint
import pytest

from linkwork.errors import ModelError
from linkwork.expressions.language.dimensions import measured
from linkwork.files.model_files import read_mechanism

# A field of each dimension, and units of it.
FIELDS = {
    "length": ("[[body]]\nname = 'a'\nmass = 1\ninertia = [1, 1, 1]\nat = ['p', 0, 0]\n", ("m", "mm", "inch", "km")),
    "mass": ("[[body]]\nname = 'a'\nmass = 'p'\ninertia = [1, 1, 1]\n", ("kg", "g", "lb")),
    "inertia": ("[[body]]\nname = 'a'\nmass = 1\ninertia = ['p', 'p', 'p']\n", ("kg m2", "g cm2", "kg m^2")),
    "velocity": ("[[body]]\nname = 'a'\nmass = 1\ninertia = [1, 1, 1]\nvelocity = ['p', 0, 0]\n", ("m/s", "km/h")),
    "spin": ("[[body]]\nname = 'a'\nmass = 1\ninertia = [1, 1, 1]\nangular_velocity = ['p', 0, 0]\n", ("rad/s", "rpm")),
}
HEAD = "gravity = [0, 0, 0]\n"


def read(folder: Path, parameter: str, body: str, **settings: object) -> object:
    path = folder / "model.toml"
    path.write_text(f"{HEAD}[parameters]\np = {parameter}\n{body}")
    return read_mechanism(path, settings)


@pytest.mark.parametrize("seed", range(40))
def test_only_quantities_of_one_dimension_meet(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    kind, other = rng.permutation(list(FIELDS))[:2]
    (body, units), (_, others) = FIELDS[kind], FIELDS[other]
    value, unit, wrong = f"{rng.uniform(1.0, 3.0):.3f}", rng.choice(units), rng.choice(others)
    read(tmp_path, f"'{value} {unit}'", body)
    read(tmp_path, f"'{value} {unit}'", body, p=f"2 {rng.choice(units)}")
    read(tmp_path, value, body, p=f"2 {rng.choice(units)}")
    read(tmp_path, f"'{value} {unit}'", body, p=2.0)
    for parameter, settings in (
        (f"'{value} {wrong}'", {}),  # defined as another
        (f"'{value} {unit}'", {"p": f"5 {wrong}"}),  # defined rightly, set as another
        (value, {"p": f"5 {wrong}"}),  # a plain number, set as another
    ):
        with pytest.raises(ModelError, match=r"'p'.*; it must be|parameter 'p'.*it must be") as refused:
            read(tmp_path, parameter, body, **settings)
        assert refused.value.exit_code == 2 and "model.toml" in refused.value.message


@pytest.mark.parametrize("seed", range(20))
def test_a_plain_number_is_used_for_one_dimension(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, two = rng.permutation(list(FIELDS))[:2]
    bodies = FIELDS[one][0] + FIELDS[two][0].replace("'a'", "'b'")
    with pytest.raises(ModelError, match=r"parameter 'p' is used for \w+ of body 'a'"):
        read(tmp_path, "2.0", bodies)
    read(tmp_path, "2.0", FIELDS[one][0] + FIELDS[one][0].replace("'a'", "'b'"))


def test_a_parameter_that_is_another_one_keeps_its_dimension(tmp_path: Path) -> None:
    body = "q = 'p'\n" + FIELDS["mass"][0].replace("'p'", "'q'")
    with pytest.raises(ModelError, match="parameter 'q' is '25 mm', and here it must be a mass"):
        read(tmp_path, "'25 mm'", body)


def test_an_include_keeps_the_dimension_of_the_file_it_includes(tmp_path: Path) -> None:
    (tmp_path / "part.toml").write_text(f"[parameters]\np = '25 mm'\n{FIELDS['length'][0]}")
    whole = tmp_path / "whole.toml"
    whole.write_text(f"{HEAD}include = [{{file = 'part.toml', parameters = {{p = '3 inch'}}}}]\n")
    assert read_mechanism(whole).body[0].at[0] == pytest.approx(0.0762)
    whole.write_text(f"{HEAD}include = [{{file = 'part.toml', parameters = {{p = '3 kg'}}}}]\n")
    with pytest.raises(ModelError, match="parameter 'p' is 3 kg, but defined as '25 mm'; it must be a quantity in mm"):
        read_mechanism(whole)


# ----------------------------------------------------------------------------------------------------- in expressions
REGISTRY = pint.UnitRegistry()
MEASURES = {"a": "mm", "b": "inch", "m": "kg", "w": "rad/s", "k": "N/mm", "e": "1/s", "u": ""}


def random_expression(rng: np.random.Generator, depth: int = 4) -> str:
    """Of the parameters MEASURES, numbers only as factors: what it measures, pint can say too."""
    if depth == 0 or rng.random() < 0.2:
        return str(rng.choice(list(MEASURES)))
    one, two = random_expression(rng, depth - 1), random_expression(rng, depth - 1)
    forms = ("({0} + {1})", "({0} - {1})", "{0}*{1}", "{0}/({1})", "2*{0}", "({0})^2", "-({0})", "sqrt({0})",
             "max({0}, {1})", "({0} + 3*({0}))", "if({0} > {1}, {0}, {1})", "abs({0})")  # fmt: skip
    return str(rng.choice(forms)).format(one, two)


def by_pint(text: str) -> object:
    """The dimension by pint's own arithmetic; None where it refuses.  Angles are pure numbers to it."""
    names = {name: REGISTRY.Quantity(2.0, unit) for name, unit in MEASURES.items()}

    def common(*parts: pint.Quantity) -> pint.Quantity:
        return sum(parts[1:], parts[0])

    functions = {"sqrt": lambda x: x**0.5, "abs": abs, "max": common, "either": lambda c, x, y: common(x, y)}
    try:
        found = eval(text.replace("^", "**").replace("if(", "either("), {}, {**names, **functions})
    except pint.DimensionalityError:
        return None
    return dict(found.to_base_units().dimensionality)


@pytest.mark.parametrize("seed", range(300))
def test_an_expression_measures_what_pint_says(seed: int) -> None:
    text = random_expression(np.random.default_rng(seed))
    units = {name: unit or "radian" for name, unit in MEASURES.items()}
    expected = by_pint(text)
    if expected is None:
        with pytest.raises(ValueError, match="together in"):
            measured(text, units)
        return
    found = measured(f"{text}*w/w", units)  # a pure number times a number may stand for anything
    names = {"meter": "[length]", "kilogram": "[mass]", "second": "[time]"}
    assert found is not None
    assert {names[name]: power for name, power in found.items()} == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(20))
def test_an_expression_of_another_dimension_is_refused(tmp_path: Path, seed: int) -> None:
    """Standing for a number of a field, or as another parameter, which is then used."""
    rng = np.random.default_rng(seed)
    kind, other = rng.permutation(list(FIELDS))[:2]
    (body, units), (_, others) = FIELDS[kind], FIELDS[other]
    for form in ("2*p", "p + 0.25*p", "sqrt(p^2)", "p*p/p", "max(p, 3)"):
        read(tmp_path, f"'2 {rng.choice(units)}'", body.replace("'p'", f"'{form}'"))
        read(tmp_path, f"'2 {rng.choice(units)}'", f"q = '{form}'\n" + body.replace("'p'", "'q'"))
        for text in (body.replace("'p'", f"'{form}'"), f"q = '{form}'\n" + body.replace("'p'", "'q'")):
            with pytest.raises(ModelError, match=r"body 'a'.* that is an? .*, and here it must be"):
                read(tmp_path, f"'2 {rng.choice(others)}'", text)


def test_parts_of_an_expression_of_time_go_together(tmp_path: Path) -> None:
    body = FIELDS["mass"][0].replace("'p'", "1") + (
        "[[joint]]\nname = 'slide'\nkind = 'prismatic'\nbetween = ['ground', 'a']\nat = [0, 0, 0]\naxis = 'x'\n"
        "[[driver]]\nname = 'motor'\njoint = 'slide'\nmotion = 'p*sin(3*t) + 0.1*t + r'\n"
    )
    read(tmp_path, "'2 mm'\nr = '1 m'", body)
    with pytest.raises(ModelError, match=r"driver 'motor': motion.*puts a length \(m\) and a mass \(kg\) together"):
        read(tmp_path, "'2 mm'\nr = '1 kg'", body)
