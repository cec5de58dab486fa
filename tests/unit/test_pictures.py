"""Pictures without a browser, films, and glTF files that other programs read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import ModelWarning, OptionError
from linkwork.view.export.video import ffmpeg
from linkwork.view.scene.meshes import box, mesh_from_file
from linkwork.view.scene.painting import paint_triangles
from linkwork.view.scene.run_scene import scene_at_start, scene_of
from linkwork.view.scene.snapshot import triangles_at
from linkwork.view.scene.still import picture


@pytest.fixture(scope="module")
def run() -> lw.Run:
    return lw.library_model("andrews").simulate(0.03, progress=False, every=0.002)


def test_nearest_triangle_is_seen() -> None:
    """Two triangles that pass through each other: each is seen where it is nearer; areas are those of the triangles."""
    square = np.array([[0.0, 0.0], [100.0, 0.0], [0.0, 100.0]])
    level = np.column_stack([square, np.zeros(3)])
    sloped = np.column_stack([square, 40.0 - square[:, 0]])  # nearer than the level one where x < 40
    colors = np.zeros((2, 3, 3))
    colors[0, :, 0] = colors[1, :, 2] = 1.0
    image, depth = np.zeros((100, 100, 4)), np.full((100, 100), -np.inf)
    paint_triangles(np.stack([level, sloped]), colors, depth, image)
    assert image[:, :, 3].sum() == pytest.approx(5000.0, rel=0.02)
    assert image[:, :40, 2].sum() == image[:, :40, 3].sum()
    assert image[:, 40:, 0].sum() == image[:, 40:, 3].sum() > 0
    back = np.stack([level[::-1]])
    empty = np.zeros((100, 100, 4))
    paint_triangles(back, colors[:1], np.full((100, 100), -np.inf), empty)
    assert not empty.any()


def test_picture_shows_every_body(run: lw.Run, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    figure = picture(scene_of(run.result, loads=False), 5, tmp_path / "andrews.png", size=(6.4, 3.6))
    assert figure.axes
    pixels = np.asarray(image.open(tmp_path / "andrews.png").convert("RGB"), float)
    assert pixels.shape == (540, 960, 3)
    for color in ((0x1F, 0x9E, 0x79), (0xD0, 0xA2, 0x15), (0x2F, 0x78, 0xC9)):  # K3, K5, K1: hue under any light
        wanted = np.array(color) / np.linalg.norm(color)
        seen = pixels / np.maximum(np.linalg.norm(pixels, axis=2, keepdims=True), 1.0)
        assert np.mean(seen @ wanted > 0.995) > 2e-4


def test_start_of_a_model_is_drawn_where_it_is_said(tmp_path: Path) -> None:
    model = lw.Model("block", gravity=(0, 0, -9.81))
    model.body("block", lw.box((0.2, 0.4, 0.6), mass=1.0), at=(1.0, 2.0, 3.0))
    corners, normals, _ = triangles_at(scene_at_start(model.mechanism), 0)
    assert corners.reshape(-1, 3).min(axis=0) == pytest.approx([0.9, 1.8, 2.7])
    assert corners.reshape(-1, 3).max(axis=0) == pytest.approx([1.1, 2.2, 3.3])
    assert len(corners) == len(normals) == len(box((0.2, 0.4, 0.6)).triangles)
    picture(scene_at_start(lw.Model("nothing", gravity=(0, 0, 0)).mechanism), 0, tmp_path / "nothing.png")


def test_gif_moves(run: lw.Run, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    run.export(tmp_path / "andrews.gif")
    with image.open(tmp_path / "andrews.gif") as film:
        assert film.n_frames == len(run.t)
        first = np.asarray(film.convert("RGB"), float)
        film.seek(film.n_frames - 1)
        assert np.mean(np.abs(np.asarray(film.convert("RGB"), float) - first).max(axis=2) > 40) > 0.005


def test_video_is_made_by_ffmpeg(run: lw.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program in its place that keeps what it is told and given: every frame, raw, at the rate and size said."""
    given, told = tmp_path / "frames", tmp_path / "told"
    program = tmp_path / "ffmpeg"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {told}\ncat > {given}\n')
    program.chmod(0o755)
    monkeypatch.setattr("linkwork.view.export.video.ffmpeg", lambda: str(program))
    run.export(tmp_path / "andrews.mp4")
    words = told.read_text().splitlines()
    assert words[words.index("-s") + 1] == "640x360"
    assert words[words.index("-framerate" if "-framerate" in words else "-r") + 1] == "20"
    assert words[-1] == str(tmp_path / "andrews.mp4")
    frames = np.frombuffer(given.read_bytes(), np.uint8).reshape(-1, 360, 640, 4)
    assert len(frames) == len(run.t)
    assert np.mean(np.abs(frames[-1].astype(float) - frames[0]).max(axis=2) > 40) > 0.005
    monkeypatch.setattr("linkwork.view.export.video.ffmpeg", lambda: None)
    with pytest.raises(OptionError, match=r"needs ffmpeg, which is not installed; install it .*, or write a \.gif"):
        run.export(tmp_path / "andrews.mp4")


def test_video_where_there_is_ffmpeg(run: lw.Run, tmp_path: Path) -> None:
    program = ffmpeg()
    if program is None:
        pytest.skip("no ffmpeg on this machine")
    run.export(tmp_path / "andrews.mp4")
    assert (tmp_path / "andrews.mp4").read_bytes()[4:8] == b"ftyp"
    said = subprocess.run([program, "-i", str(tmp_path / "andrews.mp4")], capture_output=True, text=True).stderr
    assert "h264" in said
    assert "640x360" in said


def test_meshes_of_robots_are_drawn_or_said_not_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A box of 0.1 x 0.2 x 0.3 m in millimetres, as STL beside the robot's file and as OBJ in its package."""
    trimesh = pytest.importorskip("trimesh")
    (tmp_path / "robot" / "urdf").mkdir(parents=True)
    (tmp_path / "robot" / "meshes").mkdir()
    brick = trimesh.creation.box((100.0, 200.0, 300.0))
    brick.export(tmp_path / "robot" / "urdf" / "brick.stl")
    brick.export(tmp_path / "robot" / "meshes" / "brick.obj")
    link = (
        '<link name="{0}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
        '</inertial><visual><geometry><mesh filename="{1}" scale="0.001 0.001 0.001"/></geometry></visual></link>'
    )
    hinge = '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/><axis xyz="0 1 0"/></joint>'
    text = "".join([
        "<robot name='r'><link name='base'/>", link.format("one", "brick.stl"), hinge.format("j1", "base", "one"),
        link.format("two", "package://robot/meshes/brick.obj"), hinge.format("j2", "one", "two"),
        link.format("three", "lost.stl"), hinge.format("j3", "two", "three"), "</robot>",
    ])  # fmt: skip
    path = tmp_path / "robot" / "urdf" / "r.urdf"
    path.write_text(text)
    pytest.importorskip("yourdfpy")
    monkeypatch.chdir(tmp_path)
    with pytest.warns(ModelWarning, match=r"r\.urdf: there is no mesh 'lost\.stl'; what it shows is not drawn"):
        mechanism = lw.Model.read(path).mechanism
    with pytest.warns(ModelWarning, match=r"there is no mesh 'lost\.stl'"):
        one, two, three = scene_at_start(mechanism).bodies[1:]
    for body in (one, two):
        (part,) = body.parts
        assert np.ptp(part.mesh.vertices, axis=0) == pytest.approx([0.1, 0.2, 0.3])
    assert three.parts  # a stand-in
    brick.export(tmp_path / "brick.ply")
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.warns(ModelWarning, match=r"brick\.ply' is not drawn: that needs trimesh, .* install it: "):
        assert mesh_from_file(str(tmp_path / "brick.ply"), (1.0, 1.0, 1.0)) is None
    assert mesh_from_file(str(tmp_path / "robot" / "urdf" / "brick.stl"), (1.0, 1.0, 1.0)) is not None


def test_gltf_is_read_by_others(run: lw.Run, tmp_path: Path) -> None:
    """By trimesh: the meshes stand where the bodies are; by pygltflib: the animation has the poses of the run."""
    trimesh, pygltflib = pytest.importorskip("trimesh"), pytest.importorskip("pygltflib")
    run.export(tmp_path / "run.glb")
    scene = scene_of(run.result, loads=False)

    file = pygltflib.GLTF2().load_binary(str(tmp_path / "run.glb"))
    blob, names = file.binary_blob(), [node.name for node in file.nodes]
    (motion,) = file.animations
    assert len(motion.channels) == 2 * 7 + 3  # seven bodies, and a spring that stretches
    channel = next(c for c in motion.channels if c.target.node == names.index("K3") and c.target.path == "rotation")
    sampler = motion.samplers[channel.sampler]

    def floats(number: int, width: int) -> np.ndarray:
        accessor = file.accessors[number]
        start = file.bufferViews[accessor.bufferView].byteOffset
        return np.frombuffer(blob, np.float32, accessor.count * width, start).reshape(-1, width)

    assert floats(sampler.input, 1)[:, 0] == pytest.approx(run.t)
    assert floats(sampler.output, 4) == pytest.approx(np.roll(run.orientation("K3"), -1, axis=1), abs=1e-6)

    still = tmp_path / "still.glb"
    from linkwork.view.export.gltf import glb

    still.write_bytes(glb(scene_at_start(lw.library_model("andrews").mechanism)))
    loaded = trimesh.load(still)
    assert len(loaded.geometry) == len(file.meshes)
    assert sum(len(g.faces) for g in loaded.dump()) == len(triangles_at(scene, 0)[0])
    ground = [part for joint in scene.joints for part in joint.parts_ground]
    low, high = loaded.bounds
    assert high[1] - low[1] > 0.05  # y is upwards there
    assert len(ground) == 2 * 4  # a post and its arm for each joint on ground
