"""SDF: a four-bar with its loop against the same in Python; limits as stops; frames and poses; what is refused."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import FileError, ModelWarning

LINK = """<link name="{name}"><pose>{pose}</pose><inertial><mass>{mass}</mass>
<inertia><ixx>{i}</ixx><iyy>{j}</iyy><izz>{j}</izz></inertia></inertial>{more}</link>"""
JOINT = """<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child><pose{to}>{pose}</pose>
<axis><xyz>0 1 0</xyz>{more}</axis></joint>"""


def four_bar(tmp_path: Path, limit: str = "") -> Path:
    """Cranks of 1 m upright, a coupler of 2 m; the loop is closed by the fourth joint."""
    rod = {1.0: (0.5, 1e-3, 1.0 / 24.0), 2.0: (1.0, 1e-3, 1.0 / 3.0)}
    upright = "0 -1.5707963267948966 0"
    visual = '<visual name="v"><geometry><box><size>1 0.02 0.02</size></box></geometry></visual>'
    links = "".join(
        LINK.format(name=name, pose=pose, mass=rod[l][0], i=rod[l][1], j=rod[l][2], more=visual)
        for name, pose, l in (("left", f"0 0 0.5 {upright}", 1.0), ("coupler", "1 0 1 0 0 0", 2.0),
                              ("right", f"2 0 0.5 {upright}", 1.0))
    )  # fmt: skip
    joints = "".join(
        JOINT.format(name=name, kind="revolute", parent=parent, child=child, pose=pose, to=to, more=more)
        for name, parent, child, pose, to, more in (
            ("A", "world", "left", "0 0 0 0 0 0", ' relative_to="__model__"', limit),
            ("B", "left", "coupler", "-1 0 0 0 0 0", "", ""),
            ("C", "coupler", "right", "0.5 0 0 0 90 0", ' degrees="true"', ""),
            ("D", "world", "right", "2 0 0 0 0 0", ' relative_to="__model__"', ""),
        )
    )
    path = tmp_path / "four.sdf"
    path.write_text(
        f'<sdf version="1.9"><world name="w"><gravity>0 0 -9.81</gravity><model name="four">{links}{joints}'
        "</model></world></sdf>"
    )
    return path


def test_a_four_bar_with_its_loop_moves_as_that_of_python(tmp_path):
    model = lw.Model.read(four_bar(tmp_path))
    assert model.check().dof == 1 and model.check().loops == 1
    model.replace("left", angular_velocity=(0, 1.0, 0))
    run = model.simulate(2.0, rtol=1e-9, progress=False)
    m = lw.Model("four", gravity=(0, 0, -9.81))
    for name, mass, J in (("left", 0.5, 1 / 24), ("coupler", 1.0, 1 / 3), ("right", 0.5, 1 / 24)):
        at, angle = {"left": ((0, 0, 0.5), -90), "coupler": ((1, 0, 1), 0), "right": ((2, 0, 0.5), -90)}[name]
        m.body(name, mass=mass, inertia=(1e-3, J, J), at=at, angle=f"{angle} deg", axis="y",
               angular_velocity=(0, 1.0, 0) if name == "left" else None)  # fmt: skip
    for name, a, b, at in (("A", "ground", "left", (0, 0, 0)), ("B", "left", "coupler", (0, 0, 1)),
                           ("C", "coupler", "right", (2, 0, 1)), ("D", "ground", "right", (2, 0, 0))):  # fmt: skip
        m.revolute(name, a, b, at=at, axis="y")
    other = m.simulate(2.0, rtol=1e-9, progress=False)
    np.testing.assert_allclose(run.position("coupler"), other.position("coupler"), atol=1e-6)


def test_limits_become_stops_on_request(tmp_path):
    path = four_bar(tmp_path, "<limit><lower>-0.2</lower><upper>0.3</upper></limit>")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert not lw.Model.read(path).mechanism.stop
    (warning,) = [w for w in caught if issubclass(w.category, ModelWarning)]
    assert "limits of joints 'A' do not stop them" in str(warning.message)
    shown = warnings.formatwarning(warning.message, warning.category, warning.filename, warning.lineno)
    assert "warnings.warn" not in shown and ".py" not in shown
    (stop,) = lw.Model.read(path, {"stop_stiffness": 1e4}).mechanism.stop
    assert (stop.joint, stop.lower, stop.upper, stop.stiffness) == ("A", -0.2, 0.3, 1e4)
    (tmp_path / "whole.toml").write_text(
        'include = [{file = "four.sdf", prefix = "my ", parameters = {stop_stiffness = 500}}]'
    )
    (stop,) = lw.Model.read(tmp_path / "whole.toml").mechanism.stop
    assert (stop.joint, stop.stiffness) == ("my A", 500.0)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("revolute", "gearbox"), "joint 'A' is 'gearbox'"),
        (("<parent>left", "<parent>lift"), "there is no parent link 'lift'; did you mean 'left'"),
        (("<mass>0.5", "<mass>half"), "cannot be read as SDF"),
        (("</model>", "</modell>"), "is not valid XML"),
        (("0 0 0.5 0 -1.57", "0 0.5 0 -1.57"), "<pose> has 5 numbers, and needs 6"),
        ((' relative_to="__model__"', ' relative_to="B2"'), "name 'B2', which is not there"),
    ],
)
def test_what_cannot_be_read_is_a_sentence(tmp_path, change, sentence):
    path = four_bar(tmp_path)
    path.write_text(path.read_text().replace(*change, 1))
    with pytest.raises(FileError, match=sentence):
        lw.Model.read(path)
