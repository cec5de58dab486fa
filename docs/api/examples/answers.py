import linkwork as lw
import numpy as np

model = lw.library_model("slider-crank")
run = model.simulate(0.3, rtol=1e-8, every=1e-3)
governor = lw.library_model("governor")

# -- Certificate
print(run.certificate.status, run.certificate.method)  # finished parametrization

# -- Result
print(run.result.channel("energy").shape, run.result.unit("energy"))  # (301,) J

# -- Diagnosis
print(model.check().dof, len(model.check().redundant))  # 1 3

# -- Reaction
pin = run.reaction("crank pin")
print(pin.unique["fx"], pin.peaks()[0].of)  # True fx

# -- DrivingForce
wiper = lw.library_model("windscreen-wiper").simulate(1.0, every=0.01)
print(wiper.driving_force("motor shaft").values.shape)  # (101,)

# -- Peak
print(f"{run.reaction('crank pin').peaks()[0].value:.1f} N")  # -151.2 N

# -- Loads
loads = run.loads(["crank pin", "wrist pin"])
print(len(loads.reactions))  # 2

# -- LoadCase
print(run.load_case("rod", t=0.1).body)  # rod

# -- Equilibrium
at_speed = governor.equilibrium({"spindle": 11.0174})
print(f"{at_speed.coordinates['collar.distance']:.3f}", at_speed.units["collar.distance"])  # 0.150 m

# -- Trim
held = governor.trim({"collar": 0.12}, ["slider.force.y"], {"spindle": 11.0174})
print(f"{held.values['slider.force.y']:.0f} N")  # 42 N

# -- Linearization
small = governor.linearize({"spindle": 11.0174})
print(small.M.shape, small.state_space().A.shape)  # (1, 1) (2, 2)

# -- Mode
mode = small.modes()[0]
print(f"{mode.frequency_hz:.3f} Hz")  # 1.043 Hz

# -- Modes
print(len(small.modes()))  # 1

# -- Sweep
over_speed = governor.sweep("spindle", np.linspace(10.0, 12.0, 3), progress=False)
print(over_speed.frequencies.shape)  # (3, 1)

# -- FrequencyResponse
quarter = lw.library_model("quarter-car")
response = quarter.frequency_response("profile", ["car.position.z"], np.linspace(1.0, 100.0, 100))
print(f"{response.peaks('car.position.z')[0][0]:.0f} rad/s")  # 6 rad/s

# -- Floquet
pendulum = lw.Model("shaken pendulum", gravity=(0, 0, -9.81))
pendulum.body("slide", mass=1.0)
pendulum.body("bob", lw.rod(mass=1.0, length=1.0), at=(0, 0, -0.5), angle="90 deg", axis="y")
pendulum.prismatic("shaker", pendulum.ground, "slide", at=(0, 0, 0), axis="z")
pendulum.revolute("pivot", "slide", "bob", at=(0, 0, 0), axis="y")
pendulum.driver("shake", "shaker", "0.05*cos(20*t)")
periodic = pendulum.floquet(period=2 * np.pi / 20)
print(periodic.stable, len(periodic.exponents))  # True 2

# -- StabilityChart
chart = pendulum.stability_chart({"bob.length": [0.9, 1.0, 1.1]}, period=2 * np.pi / 20, progress=False)
print(chart.stable)  # [ True  True  True]

# -- Spectrum
omega, amplitude = run.spectrum("slider.position.x").peaks()[0]
print(f"{omega:.1f} Hz, {1000 * amplitude:.0f} mm")  # 3.3 Hz, 44 mm

# -- Comparison
both = lw.library_model("four-bar").compare(0.3, methods=["lu", "qr"], formulations=["joint"])
print(both.row("lu", "joint").status)  # finished

# -- plot_campbell
lw.plot_campbell(over_speed, "campbell.png")

# -- plot_root_locus
lw.plot_root_locus(over_speed, "locus.png")

# -- plot_response
lw.plot_response(response, "response.png")

# -- plot_multipliers
lw.plot_multipliers(periodic, "multipliers.png")

# -- plot_chart
lw.plot_chart(chart, "chart.png")

# -- view_mode
lw.view_mode(small.modes(), 1, "mode.html", open=False)

# -- CornerSweep
truck = lw.library_model("hmmwv")
corner = truck.corner_sweep("front left tyre", [-0.05, 0.0, 0.05])
print(corner.travel.shape)  # (3,)

# -- RideMode
print(truck.ride_modes("chassis")[0].name)  # bounce
