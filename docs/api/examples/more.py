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

# -- Steppers
many = lw.library_model("pendulum").steppers(100, 0.01, outputs=["pin.angle"])
many.step()
many.restart([0, 7])
print(many.step().shape, many.t[:2].tolist())  # (1, 100) [0.0, 0.02]

# -- Stepper
sim = lw.library_model("pendulum").stepper(0.01, outputs=["pin.angle"])
print(sim.step()["pin.angle"] == sim.outputs["pin.angle"])  # True

# -- plot_study
lw.plot_study(study, "study.png")

# -- optimize
soft = lw.optimize("quarter-car", {"damping": (100, 5000)}, "(damping(1) - 0.3)**2", analysis="modes", progress=False)
print(f"{soft['damping']:.1f} N s/m by {soft.method}")  # 1960.0 N s/m by l-bfgs-b

# -- Optimum
best = lw.optimize(
    "quarter-car",
    {"damping": "100 .. 5000 N s/m"},
    "-damping(1)",
    ["damping(2) <= 0.3"],
    analysis="modes",
    progress=False,
)
print(best.met, best.settings["damping"].endswith("N s/m"))  # True True
best.to_csv("trials.csv")

# -- plot_optimum
lw.plot_optimum(best, "search.png")

# -- fit
swing = lw.library_model("pendulum", {"length": 1.25}).simulate(1.0, every=0.05, rtol=1e-9, progress=False)
data = {"t": swing.t, "pin.angle": swing["pin.angle"]}
fitted = lw.fit("pendulum", data, {"length": (0.5, 2.0)}, progress=False)
print(f"{fitted['length']:.4f}")  # 1.2500

# -- Fitted
low, high = fitted.intervals["length"]
print(low <= 1.25 <= high, fitted.blind)  # True ()

# -- plot_fit
lw.plot_fit(fitted, "fit.png")

# -- value_and_grad
end = lw.value_and_grad("pendulum", "end(bar.position.x)", ["length", "angle"], until=1.0)
value, slopes = end([1.0, 60.0])
print(slopes.shape)  # (2,)

# -- Slopes
slopes = lw.library_model("quarter-car").gradient(["frequency(1)"], ["suspension.stiffness"], analysis="modes")
print(slopes.units, slopes.reasons)  # ('Hz',) ()

# -- to_jax
from importlib.util import find_spec

smooth = lw.value_and_grad("quarter-car", "damping(1)", ["damping"], analysis="modes")
if find_spec("jax"):
    print(lw.to_jax(smooth)(smooth.x0).shape == (1,))

# -- to_torch
if find_spec("torch"):
    import torch

    print(lw.to_torch(smooth)(torch.tensor(smooth.x0)).shape == (1,))

# -- to_casadi
if find_spec("casadi"):
    print(lw.to_casadi(smooth)(smooth.x0).shape == (1, 1))

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

# -- Sampling
from dataclasses import replace

from linkwork.studies.batch import Sampling

angles = Sampling(times=np.linspace(0.0, 1.0, 101), columns=np.array([0]), kept=np.array([100]))
sampled = run_on_threads(replace(batch, sampling=angles), threads=2)

# -- Samples
print(sampled.samples.largest.shape, sampled.samples.values.shape)  # (100, 1) (100, 1, 1)

# -- run_on_gpu
# the same on an NVIDIA GPU (extra `gpu`): from linkwork.studies.gpu import run_on_gpu; run_on_gpu(batch)

# -- run_and_stay
# the ends stay in the memory of the GPU: from linkwork.studies.gpu import run_and_stay; ends = run_and_stay(batch)

# -- DeviceEnds
# torch.from_dlpack(ends.states), jax.numpy.from_dlpack(ends.states), without a copy
