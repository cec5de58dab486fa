"""A mechanism and a run in words and numbers, for reports and notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from linkwork.elements.bodies.rigid_body import Body
from linkwork.elements.forces.applied_force import AppliedForce
from linkwork.elements.forces.spring_damper import SpringDamper
from linkwork.elements.forces.torsional_spring_damper import TorsionalSpringDamper
from linkwork.errors import LinkworkError
from linkwork.mechanism import Mechanism
from linkwork.results.result import Result
from linkwork.view.report.html import escaped, image, table
from linkwork.view.scene.run_scene import scene_at_start, scene_of
from linkwork.view.scene.scene import Scene
from linkwork.view.scene.still import picture

CARD_STYLE = (
    "<style>.linkwork{font:13px system-ui,sans-serif;max-width:760px}.linkwork h3{margin:4px 0}"
    ".linkwork table{border-collapse:collapse;margin:4px 0}.linkwork th,.linkwork td{text-align:left!important;"
    "padding:2px 10px;vertical-align:top}.linkwork th{font-weight:600;opacity:.7}</style>"
)
CARD_SIZE = (6.4, 3.0)  # inch


def vector_text(values: Sequence[float]) -> str:
    """Three numbers."""
    return ", ".join(f"{value:.5g}" for value in values)


def shape_text(body: Body) -> str:
    """What a body is made of."""
    if body.shape is None:
        return "mass and inertia"
    sizes = ", ".join(f"{name} {value:.4g} m" for name, value in body.shape.sizes().items())
    return f"{body.shape.kind}: {sizes}"


def body_rows(mechanism: Mechanism) -> list[tuple[str, ...]]:
    """Name, mass (kg), principal moments of inertia (kg m2), shape, place at the start (m)."""
    return [
        (b.name, f"{b.mass_kg:.5g}", vector_text([b.J_C[k, k] for k in range(3)]), shape_text(b), vector_text(b.at))
        for b in mechanism.body
    ]


def joint_rows(mechanism: Mechanism) -> list[tuple[str, ...]]:
    """Name, kind, bodies, place."""
    return [
        (j.name, j.kind, " - ".join(j.between),
         f"at {vector_text(j.at)}" if j.at is not None else f"frames {' - '.join(j.frames or ())}")
        for j in mechanism.joint
    ]  # fmt: skip


def element_rows(mechanism: Mechanism) -> list[tuple[str, ...]]:
    """Drivers, springs and forces: name, what it is, its numbers."""
    rows: list[tuple[str, ...]] = [(d.name, "driver", f"{d.joint}: {d.motion}") for d in mechanism.driver]
    rows += [
        (s.name, "spring-damper", f"{' - '.join(s.between)}: {s.stiffness:.4g} N/m, {s.damping:.4g} N s/m")
        for s in mechanism.of(SpringDamper)
    ]
    rows += [
        (s.name, "torsional spring-damper", f"{s.joint}: {s.stiffness:.4g} N m/rad, {s.damping:.4g} N m s/rad")
        for s in mechanism.of(TorsionalSpringDamper)
    ]
    return rows + [
        (f.name, "applied force", f"{f.body}: force {', '.join(map(str, f.force))} N, "
                                  f"torque {', '.join(map(str, f.torque))} N m, {f.axes} axes")
        for f in mechanism.of(AppliedForce)
    ]  # fmt: skip


def certificate_rows(result: Result) -> list[tuple[str, str]]:
    """How the run went."""
    c = result.certificate
    return [
        ("status", f"{c.status} at t = {c.t_end:g} s"),
        ("degrees of freedom", f"{c.dof}"),
        ("formulation, method", f"{c.formulation}, {c.method}"),
        ("why", c.why),
        ("integrator", f"{c.integrator}, rtol {result.options.get('rtol', 0.0):g}"),
        ("steps", f"{c.steps} ({c.rejected} rejected), {c.evaluations} evaluations, {c.factorizations} factorizations"),
        ("energy drift", f"{c.energy_drift:.2e} of the energy exchanged"),
        ("worst violation", f"position {c.max_violation['position']:.1e}, velocity {c.max_violation['velocity']:.1e}"),
        ("samples", f"{len(result.t)}"),
        *(("warning", text) for text in c.warnings),
    ]


def model_card(mechanism: Mechanism) -> str:
    """A model as a notebook shows it: what there is, and a picture of its start."""
    counts = [
        ("bodies", ", ".join(b.name for b in mechanism.body[:12]) + (" ..." if len(mechanism.body) > 12 else "")),
        ("joints", ", ".join(f"{j.name} ({j.kind})" for j in mechanism.joint[:12])
         + (" ..." if len(mechanism.joint) > 12 else "")),
        ("others", ", ".join(f"{name} ({what})" for name, what, _ in element_rows(mechanism)) or "none"),
        ("gravity", f"{vector_text(mechanism.gravity)} m/s2"),
    ]  # fmt: skip
    return _card(mechanism.name, counts, scene_at_start(mechanism) if mechanism.body else None, 0)


def run_card(result: Result) -> str:
    """A run as a notebook shows it: its certificate, and a picture."""
    scene = scene_of(result, loads=False) if len(result.t) and result.names["bodies"] else None
    return _card(result.model, certificate_rows(result), scene, len(scene.t) // 3 if scene is not None else 0)


def _card(title: str, rows: Sequence[tuple[str, str]], scene: Scene | None, sample: int) -> str:
    drawn = ""
    if scene is not None:
        try:
            drawn = image(picture(scene, sample, size=CARD_SIZE), f"picture of {title}")
        except LinkworkError as failure:  # a card without its picture is still a card
            drawn = f"<p>{escaped(failure.message)}</p>"
    return f'{CARD_STYLE}<div class="linkwork"><h3>{escaped(title)}</h3>{drawn}{table((), rows)}</div>'
