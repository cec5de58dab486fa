import linkwork as lw
import numpy as np

model = lw.library_model("slider-crank")
run = model.simulate(0.3, rtol=1e-8, every=1e-3)

# -- Run
run = lw.library_model("slider-crank").simulate(0.3, rtol=1e-8, every=1e-3)
print(run["slider.position.x"].shape, run.certificate.status)  # (301,) finished

# -- Run.t
print(run.t[-1])  # 0.3

# -- Run.certificate
print(run.certificate.dof, run.certificate.energy_drift < 1e-6)  # 1 True

# -- Run.energy
print(np.ptp(run.energy) < 1e-6)  # True

# -- Run.channels
print(list(run.channels("guide"))[:2])  # ['guide.distance', 'guide.speed']

# -- Run.position
print(run.position("slider").shape)  # (301, 3)

# -- Run.orientation
print(run.orientation("crank")[0])  # [1. 0. 0. 0.]

# -- Run.velocity
print(run.velocity("slider").shape)  # (301, 3)

# -- Run.angular_velocity
print(run.angular_velocity("crank")[0])  # [  0.    -21.648   0.   ]

# -- Run.path
print(run.path("rod", at=(0.1, 0, 0)).shape)  # (301, 3)

# -- Run.transmission_angle
print(f"{np.degrees(run.transmission_angle('wrist pin').min()):.0f} deg")  # 71 deg

# -- Run.spectrum
print(run.spectrum("slider.position.x").unit)  # m

# -- Run.plot_spectrum
run.plot_spectrum("slider.position.x", path="spectrum.png")

# -- Run.linearize
print(run.linearize(t=0.1).K.shape)  # (1, 1)

# -- Run.gradient
slopes = run.gradient(["end(slider.position.x)", "max(energy)"], ["crank.mass", "slider.mass"])
print(slopes.gradient.shape, slopes.reasons)  # (2, 2) ()

# -- Run.reaction
print(run.reaction("crank pin").force.shape)  # (301, 3)

# -- Run.driving_force
wiper = lw.library_model("windscreen-wiper").simulate(1.0, every=0.01)
print(wiper.driving_force("motor shaft").unit)  # N m

# -- Run.loads
print(run.loads(["crank pin"], during=(0.1, 0.2)).t[0])  # 0.1

# -- Run.load_cases
print(len(run.load_cases("rod", during=(0.1, 0.2))) > 0)  # True

# -- Run.load_case
print(run.load_case("rod", t=0.1).t)  # 0.1

# -- Run.shock_loads
truck = lw.library_model("hmmwv").simulate(0.5, every=0.01)
print(sorted(truck.shock_loads())[0])  # front left spring

# -- Run.nodes
bent = lw.library_model("four-bar-flexible").simulate(0.2, every=0.01)
print(bent.nodes("coupler").shape)  # (21, 11, 3)

# -- Run.deflection
print(bent.deflection("coupler", "6").shape)  # (21, 3)

# -- Run.beam_loads
print(bent.beam_loads("coupler").x.shape)  # (11,)

# -- Run.plot_beam
bent.plot_beam("coupler", "beam.png")

# -- Run.plot
run.plot("slider.position.x", "energy", path="run.png")

# -- Run.view
run.view("run.html", open=False)  # run.view() opens it in the browser

# -- Run.page
run.page(height=480)  # the last line of a cell: the page in a notebook

# -- Run.report
run.report("report.html")

# -- Run.to_xarray
print(run.to_xarray()["position"].dims)  # ('t', 'body', 'axis')

# -- Run.to_dataframe
print(run.to_dataframe("energy").shape)  # (301, 1)

# -- Run.export
run.export("run.csv", "slider.position.x")
run.export("run.glb")  # the motion in 3D

# -- Run.save
run.save("run.h5")

# -- load
print(lw.load("run.h5").t[-1])  # 0.3

# -- resume
try:
    lw.resume("run.h5")  # goes on where a run with out="run.h5" was killed
except lw.FileError as failure:
    print("the run has ended" in failure.message)  # True

# -- library_model
print(lw.library_model("four-bar", {"angle": 30, "crank.density": 7850}).mechanism.name)  # four-bar

# -- live
lw.live("four-bar", {"angle": (5, 60)}, until=1.0)  # the last line of a cell: sliders that run the model again

# -- Live
print(lw.live("pendulum", {"length": (0.5, 2)}, until=0.5).values)  # {'length': 1.0}

# -- Options
from linkwork.analyses.simulate.dynamics import Options

print(Options(until=1.0, rtol=1e-8).integrator)  # auto

# -- rod
print(lw.rod(mass=1.0, length="1 m", width="2 cm").sizes())  # {'length': 1.0, 'width': 0.02}

# -- box
print(f"{lw.box((0.1, 0.2, 0.3), density=7850).mass_kg:.1f} kg")  # 47.1 kg

# -- cylinder
print(lw.cylinder(mass=2.0, radius=0.1, length=0.2, axis="x").axis)  # (1.0, 0.0, 0.0)

# -- sphere
print(f"{lw.sphere(radius=0.1, density=1000).mass_kg:.3f} kg")  # 4.189 kg

# -- part
arm = lw.part(lw.rod(mass=1.0, length=0.4), at=(0.2, 0, 0))
print(lw.part(lw.sphere(radius=0.05, mass=2.0), orientation={"angle": "30 deg", "axis": "y"}).at)  # (0.0, 0.0, 0.0)

# -- composite
hammer = lw.composite(arm, lw.part(lw.box((0.1, 0.04, 0.04), mass=2.0), at=(0.4, 0, 0)))
print(f"{hammer.mass_kg:g} kg, centre at {hammer.centre[0]:.3f} m")  # 3 kg, centre at 0.333 m

# -- mesh
from pathlib import Path

wedge = """v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
"""
Path("wedge.obj").write_text(wedge)
print(f"{lw.mesh('wedge.obj', density=6000).mass_kg:.0f} kg")  # 1000 kg

# -- register_joint
# a kind of your own, declared as tests/outside_joint.py does, is known everywhere after
# lw.register_joint(HALF_NUT)

# -- JointKind
from linkwork.elements.joints.registry import JOINTS

print(JOINTS["cylindrical"].velocities)  # ('speed', 'rate')

# -- register_element
# lw.register_element(MyConstraint), a declaration with `constrain`; CONTRIBUTING.md does it step by step

# -- LinkworkError
try:
    lw.library_model("four-bar", {"angel": 3})
except lw.LinkworkError as failure:
    print(failure.message)  # model 'four-bar' has no parameter 'angel'; did you mean 'angle'?

# -- ModelError
try:
    lw.rod(mass=-1.0, length=1.0)
except lw.ModelError as failure:
    print(failure.exit_code)  # 2

# -- OptionError
try:
    model.simulate(0.1, method="lv")
except lw.OptionError as failure:
    print("did you mean 'lu'" in failure.message)  # True

# -- FileError
try:
    lw.load("nowhere.h5")
except lw.FileError as failure:
    print(failure.exit_code)  # 2

# -- AssemblyError
apart = lw.Model("apart", gravity=(0, 0, 0))
apart.body("bar", mass=1.0, inertia=(1, 1, 1))
apart.distance("rope", "ground", "bar", points=[(0, 0, 1), (0, 0, 0)], length=0.5)
apart.distance("other rope", "ground", "bar", points=[(0, 0, -1), (0, 0, 0)], length=0.5)
try:
    apart.simulate(0.1)
except lw.AssemblyError as failure:
    print("rope" in failure.message)  # True

# -- NumericalError
try:
    model.simulate(0.1, max_steps=3)
except lw.NumericalError as failure:
    print(failure.exit_code)  # 3

# -- RunWarning
import warnings

warnings.simplefilter("error", lw.RunWarning)  # what a run warns of ends the program
warnings.simplefilter("default", lw.RunWarning)

# -- ModelWarning
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always", lw.ModelWarning)
    slack = lw.Model("slack", gravity=(0, 0, 0))
    slack.body("block", mass=1.0, inertia=(1, 1, 1))
    slack.spring_damper("spring", "ground", "block", points=[(0, 0, 1), (0, 0, 0)])
print(said[0].message)  # spring damper 'spring' does nothing; give stiffness, damping, preload or force
