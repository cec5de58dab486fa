import linkwork as lw
import numpy as np

# -- beam
boom = lw.beam(length=2.0, width=0.04, height=0.06, material="steel", elements=8, modes=3, supports={"1": "clamped"})
model = lw.Model("boom", gravity=(0, 0, -9.81))
model.body("boom", flexible=boom)

# -- Beam
from linkwork.flexible.finite_elements.beam_elements import Beam, finite_model
from linkwork.flexible.finite_elements.sections import rectangle

boom = Beam("boom", 2.0, rectangle(0.04, 0.06), lw.material("steel"), elements=8)
print(boom.x[-1])  # 2.0

# -- flexible_beam
from linkwork.flexible.bodies import flexible_beam

print(flexible_beam(boom, modes=3, supports={"1": "clamped"}).omega.shape)  # (3,)

# -- modal_body
from linkwork.flexible.bodies import modal_body

print(f"{modal_body(finite_model(boom), modes=2, supports={}).mass:.2f} kg")  # 37.68 kg

# -- Interface
eye = lw.Interface("left", kind="averaged")

# -- solid_body
# tetrahedra or hexahedra of a mesh file, with boundaries "left" and "right" (extra `flexible`)
# lw.solid_body("link", "link.msh", lw.material("steel"), modes=6, interfaces={"left": eye})

# -- body_from_arrays
finite = finite_model(boom)  # here from our own; M and K may come from any program
part = lw.body_from_arrays("part", finite.M, finite.K, finite.nodes.x, modes=2, supports={"1": "clamped"})
print(part.omega.shape)  # (2,)

# -- ModalBody
print(model.mechanism.body[0].modal.omega.shape)  # (3,)

# -- Study
slider = lw.library_model("slider-crank")
study = slider.study({"slider.mass": [1.0, 2.0]}, ["peak(slider.velocity.x)"], 0.2, progress=False)
study.to_csv("study.csv")


# -- force
@lw.force
def rubber(t, x):
    return -4e3 * x[0] ** 3 - 0.1 * x[1]


soft = lw.library_model("pendulum")
print(soft.python_force("buffer", rubber, ["pin.angle", "pin.rate"], joint="pin"))  # buffer

# -- study
found = lw.study("pendulum", {"angle": [20.0, 40.0]}, ["max(pin.rate)"], 1.0, progress=False)
print(found.status)  # ['finished' 'finished']

# -- Wanted
from linkwork.studies.study import Wanted

print(Wanted({"angle": [20.0, 40.0]}, ["max(pin.rate)"]).engine)  # auto

# -- sensitivity
from linkwork.studies.sensitivity import sensitivity

scattered = lw.study(
    "pendulum",
    {"angle": "40 +/- 1", "length": "1 m +/- 0.01"},
    ["max(abs(pin.rate))"],
    0.5,
    runs=8,
    sampling="saltelli",
    progress=False,
)
print(sensitivity(scattered, "max(abs(pin.rate))").names)  # ['angle', 'length']

# -- Stepper
sim = lw.library_model("pendulum").stepper(0.01, outputs=["pin.angle"])
print(sim.step()["pin.angle"] == sim.outputs["pin.angle"])  # True

# -- plot_study
lw.plot_study(study, "study.png")

# -- Batch
from linkwork.analyses.simulate.dynamics import Options
from linkwork.analyses.start.assembly import assemble
from linkwork.studies.batch import Batch, run_on_threads

start = assemble(lw.library_model("pendulum").mechanism, "joint")
states = np.tile(start.y, (100, 1))
states[:, 0] = np.linspace(-1.0, 1.0, 100)
batch = Batch(start, states, Options(until=1.0, step=1e-3, integrator="rk4"))

# -- run_on_threads
ends = run_on_threads(batch, threads=2)

# -- Ends
print(ends.failed.any())  # False

# -- run_on_gpu
# the same on an NVIDIA GPU (extra `gpu`): from linkwork.studies.gpu import run_on_gpu; run_on_gpu(batch)
