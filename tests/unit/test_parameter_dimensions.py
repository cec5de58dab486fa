"""A parameter keeps its dimension: random dimensions, defined, set, included and used; only those that agree pass."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from linkwork.errors import ModelError
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
