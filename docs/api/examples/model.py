import linkwork as lw
import numpy as np

m = lw.Model("example", gravity=(0, 0, -9.81))
m.body("arm", lw.rod(mass=2.0, length=0.5), at=(0.25, 0, 0))
m.body("hand", lw.rod(mass=1.0, length=0.3), at=(0.65, 0, 0))
m.body("cart", lw.box((0.3, 0.2, 0.1), mass=5.0), at=(0, 0, 1))
m.body("wheel", lw.cylinder(mass=1.0, radius=0.2, length=0.05, axis="y"), at=(0, 1, 0.2))
m.body("gear wheel", lw.cylinder(mass=1.0, radius=0.2, length=0.05, axis="y"), at=(0.4, 1, 0.2))

# -- Model
model = lw.Model("pendulum", gravity=(0, 0, -9.81), duration=2.0)
model.body("bar", lw.rod(mass=1.0, length=1.0), at=(0.5, 0, 0))
model.revolute("pin", model.ground, "bar", at=(0, 0, 0), axis="y")
print(model.simulate().certificate.status)  # finished

# -- Model.of
copy = lw.Model.of(model.mechanism)
copy.remove("pin")  # the first is as it was

# -- Model.body
m.body("crank", lw.rod(mass=0.8, length="5 cm"), at=(0.025, 0, 0), angle="30 deg", axis="y")
m.body("block", mass=2.0, inertia=(0.01, 0.02, 0.02), at=(0, 0, 0.5), velocity=(1, 0, 0))

# -- Model.link
m.link("rod", (0, 0, 0.5), (0.3, 0, 0.7), mass=0.4, width="10 mm")

# -- Model.frame
m.frame("grip", "hand", at=(0.15, 0, 0), orientation={"angle": "90 deg", "axis": "x"})

# -- Model.revolute
m.revolute("shoulder", m.ground, "arm", at=(0, 0, 0), axis="y", rate="10 rpm")

# -- Model.prismatic
m.prismatic("rail", m.ground, "cart", at=(0, 0, 1), axis="x", start="2 cm")

# -- Model.cylindrical
m.cylindrical("sleeve", m.ground, "wheel", at=(0, 1, 0.2), axis="y")

# -- Model.spherical
m.spherical("elbow", "arm", "hand", at=(0.5, 0, 0))

# -- Model.universal
m.universal("cross", "arm", "hand", at=(0.5, 0, 0), axis="y", second_axis="z")

# -- Model.constant_velocity
m.constant_velocity("drive shaft", "arm", "hand", at=(0.5, 0, 0), axis="x")

# -- Model.screw
m.screw("spindle", m.ground, "cart", at=(0, 0, 1), axis="x", pitch="5 mm")  # pitch: of a turn

# -- Model.planar
m.planar("table top", m.ground, "block", at=(0, 0, 0.5), axis="z")

# -- Model.fixed
m.fixed("weld", "arm", "hand", at=(0.5, 0, 0))

# -- Model.free
m.free("flight", m.ground, "block")  # six coordinates, seen from ground; it holds nothing

# -- Model.joint
m.joint("revolute", "hinge", "cart", "crank", at=(0, 0, 0), axis="y")

# -- Model.add
m.add("spring_damper", "strut", between=["cart", "block"], points=[(0, 0, 1), (0, 0, 0.5)], stiffness="2 kN/m")

# -- Model.remove
m.remove("cross", "drive shaft", "weld", "spindle", "flight")

# -- Model.replace
m.replace("strut", stiffness=3000.0)

# -- Model.distance
m.distance("link", "cart", "block", points=[(0.1, 0, 1), (0.1, 0, 0.5)])

# -- Model.constraint
m.constraint("point-on-line", "pin in slot", "cart", "block", at=(0, 0, 0.5), axis="x")

# -- Model.gear
m.revolute("second shaft", m.ground, "gear wheel", at=(0.4, 1, 0.2), axis="y")
m.gear("mesh", "sleeve.angle", "second shaft", ratio=-2.0)

# -- Model.rack_and_pinion
m.rack_and_pinion("steering", "second shaft", "rail", radius="3 cm")

# -- Model.coupler
m.coupler("tie", ["shoulder", "second shaft"], [1.0, -0.5])  # angle - 0.5 angle = const

# -- Model.rolling_disc
m.rolling_disc("rolling", "wheel", radius=0.2, axis="y")

# -- Model.spring_damper
m.spring_damper("damper", m.ground, "cart", points=[(-1, 0, 1), (0, 0, 1)], stiffness="5 N/mm", damping=40.0)

# -- Model.torsional_spring_damper
m.torsional_spring_damper("watch spring", "shoulder", stiffness="2 N*m/rad", damping=0.1, free_angle="20 deg")

# -- Model.applied_force
m.applied_force("push", "cart", force=("10*sin(2*pi*t)", 0, 0), at=(0.1, 0, 0))

# -- Model.joint_force
m.joint_force("drag", "rail", "-3*v*abs(v)")  # q, v: the coordinate and its rate

# -- Model.motor
m.table("torque curve", ["0 rpm", "1500 rpm", "3000 rpm"], ["4 N*m", "5 N*m", "0 N*m"])
m.motor("drive", "second shaft", "torque curve", throttle="step(t, 0, 0, 0.5, 1)")

# -- Model.controller
m.controller("servo", "shoulder", "0.3*sin(t)", p="80 N*m/rad", d=4.0, limit="50 N*m")

# -- Model.friction
m.friction("rubbing", "rail", viscous=2.0, coulomb="5 N")

# -- Model.stop
m.stop("end stops", "rail", lower=-0.4, upper=0.4, stiffness=1e6)

# -- Model.bushing
m.bushing("mount", "cart", "block", at=(0, 0, 0.7), stiffness=[1e6, 1e6, 1e5, 100, 100, 100])

# -- Model.beam
m.beam("leaf", "cart", "block", points=[(0, 0.1, 1), (0, 0.1, 0.5)], modulus="210 GPa", shear_modulus="80 GPa",
       area=1e-4, Iy=1e-9, Iz=1e-9, J=2e-9, second_axis="y")  # fmt: skip

# -- Model.lumped_beam
tower = lw.Model("tower", gravity=(0, 0, -9.81))
tower.lumped_beam("mast", (0, 0, 0), (0, 0, 10), segments=5, density=7850, modulus=210e9, shear_modulus=80e9,
                  area=0.01, Iy=1e-5, Iz=1e-5, J=2e-5, ends=("ground", None))  # fmt: skip

# -- Model.contact
m.contact("floor", "block", shape="sphere", radius=0.1, stiffness=1e6, friction=0.3)

# -- Model.road
m.road("test track", {"kind": "half-round", "at": 10.0, "radius": "10 cm"})

# -- Model.tyre
m.tyre("tyre", "wheel", radius=0.22, road="test track", stiffness="200 kN/m", lateral_stiffness=5e4)

# -- Model.table
m.table("lift", ["0 deg", "90 deg", "180 deg", "360 deg"], [0.0, 0.004, 0.008, 0.0], outside="repeat")


# -- Model.python_force
def magnet(t, gap):
    return 0.01 / max(gap, 1e-3) ** 2


m.python_force("magnet", magnet, ["rail.distance"], joint="rail")

# -- Model.driver
m.driver("feed", "rail", "0.1*sin(2*pi*t)")  # or velocity=, acceleration=

# -- Model.lock
m.lock("brake", "second shaft", since=2.0)

# -- Model.impulse
m.impulse("blow", "block", t=0.5, impulse=(0, 0, 3.0))  # N s

# -- Model.measure
m.measure("grip height", "z(grip)", unit="m")

# -- Model.event
m.event("low", "z(grip) < -0.4", once=True)

# -- Model.fmu_block
# a controller that another program has exported, every 10 ms; FMPy runs it (extra `fmu`)
# m.fmu_block("ecu", "controller.fmu", every="10 ms", inputs={"angle": "shoulder.angle"})
# m.joint_force("ecu torque", "shoulder", "fmu(ecu, torque)")

# -- Model.mechanism
print(len(model.mechanism.body), model.mechanism.joint[0].kind)  # 1 revolute

# -- Model.simulate
run = model.simulate(1.0, rtol=1e-8, every=0.01)
print(len(run.t), run.certificate.warnings)  # 101 []

# -- Model.check
print(lw.library_model("slider-crank").check().dof)  # 1

# -- Model.calls
calls = model.calls()  # accelerations, forces and mass matrix of a state, for a loop of your own
print(calls.forward(q=np.zeros(1), v=np.zeros(1)))  # [14.71352865]

# -- Model.assemble
print(model.assemble("joint").rank)  # 0

# -- Model.compare
print(lw.library_model("four-bar").compare(0.5, methods=["lu", "qr"], formulations=["joint"]).rows[0].method)  # lu

# -- Model.kinematics
crank = lw.library_model("windscreen-wiper")
print(crank.kinematics(until=1.0, every=0.01)["left angle"].shape)  # (101,)

# -- Model.loads
print(lw.library_model("rrc-arm").loads(["joint 2"], during=(0.0, 0.2)).t[-1])  # 0.2

# -- Model.equilibrium
governor = lw.library_model("governor")
print(f"{governor.equilibrium({'spindle': 11.0174}).coordinates['collar.distance']:.3f} m")  # 0.150 m

# -- Model.trim
found = governor.trim({"collar": 0.12}, ["slider.force.y"], {"spindle": 11.0174})
print(f"{found.values['slider.force.y']:.1f} N")  # 42.1 N

# -- Model.linearize
print(f"{governor.linearize({'spindle': 11.0174}).modes()[0].omega:.3f} rad/s")  # 6.553 rad/s

# -- Model.sweep
print(governor.sweep("spindle", np.linspace(10, 12, 3), progress=False).values)  # [10. 11. 12.]

# -- Model.frequency_response
quarter = lw.library_model("quarter-car")
response = quarter.frequency_response("profile", ["car.position.z"], np.linspace(1, 100, 50))
print(response.amplitude("car.position.z").shape)  # (50,)

# -- Model.unbalance_response
rotor = lw.Model("rotor", gravity=(0, 0, 0))
rotor.body("housing", mass=1.0, inertia=(0.01, 0.01, 0.01))
rotor.body("disc", mass=2.0, inertia=(0.02, 0.02, 0.04))
rotor.bushing("bearing", rotor.ground, "housing", at=(0, 0, 0), stiffness=[1e5, 1e5, 1e6, 1e3, 1e3, 1e3])
rotor.revolute("spin", "housing", "disc", at=(0, 0, 0), axis="z")
whirl = rotor.unbalance_response("spin", [50.0, 100.0], "housing", 1e-4, ["housing.position.x"], progress=False)
print(whirl.amplitude("housing.position.x").shape)  # (2,)

# -- Model.floquet
pendulum = lw.Model("shaken pendulum", gravity=(0, 0, -9.81))
pendulum.body("slide", mass=1.0)
pendulum.body("bob", lw.rod(mass=1.0, length=1.0), at=(0, 0, -0.5), angle="90 deg", axis="y")
pendulum.prismatic("shaker", pendulum.ground, "slide", at=(0, 0, 0), axis="z")
pendulum.revolute("pivot", "slide", "bob", at=(0, 0, 0), axis="y")
pendulum.driver("shake", "shaker", "0.05*cos(20*t)")
print(pendulum.floquet(period=2 * np.pi / 20).stable)  # True

# -- Model.stability_chart
chart = pendulum.stability_chart({"bob.length": [0.9, 1.0, 1.1]}, period=2 * np.pi / 20, progress=False)
print(chart.stable.shape)  # (3,)

# -- Model.ride_modes
truck = lw.library_model("hmmwv")
print(truck.ride_modes("chassis")[0].name)  # bounce

# -- Model.corner_sweep
print(truck.corner_sweep("front left tyre", [-0.05, 0.0, 0.05]).travel)  # [-0.05  0.    0.05]

# -- Model.study
slider = lw.library_model("slider-crank")
study = slider.study({"slider.mass": [1.0, 2.0, 3.0]}, ["peak(slider.velocity.x)"], 0.2, progress=False)
print(len(study["slider.mass"]), study.units)  # 3 {'peak(slider.velocity.x)': 'm/s'}

# -- Model.gradient
slope = lw.library_model("quarter-car").gradient(["frequency(1)"], ["suspension.stiffness"], analysis="modes")
print(slope.gradient.shape, slope.units)  # (1, 1) ('Hz',)

# -- Model.optimize
governor = lw.library_model("governor")
wish = ["'arm 1.angle' - 0.6"]
best = governor.optimize(
    {"spring.stiffness": (50, 1e5)}, wish, analysis="equilibrium", speeds={"spindle": 14.0}, progress=False
)
print(f"{best['spring.stiffness']:.2f} {best.variables[0].unit}")  # 616.94 N/m

# -- Model.fit
swing = lw.library_model("pendulum")
record = swing.simulate(0.5, every=0.05, rtol=1e-9, progress=False)
measured = {"t": record.t, "pin.force.x": record["pin.force.x"]}
print(f"{swing.fit(measured, {'bar.mass': (0.5, 1.5, 2.0)}, progress=False)['bar.mass']:.4f}")  # 1.0000

# -- Model.stepper
bar = lw.library_model("pendulum")
sim = bar.stepper(0.01, outputs=["pin.angle"])
print(sim.step().keys())  # dict_keys(['pin.angle'])

# -- Model.steppers
many = bar.steppers(1000, 0.01, outputs=["pin.angle"])
print(many.step().shape)  # (1, 1000)

# -- Model.environment
cart = lw.Model("cart", gravity=(0, 0, -9.81))
cart.body("cart", mass=1.0, inertia=(0.01, 0.01, 0.01))
cart.prismatic("rail", cart.ground, "cart", at=(0, 0, 0), axis="x")
world = cart.environment(0.02, {"cart.force.x": (-1.0, 1.0)}, ["rail.distance"], until=1.0)
print(world.action_space.shape)  # (1,)

# -- Model.with_settings
print(slider.with_settings({"crank.mass": "2 kg"}).mechanism.body[0].mass)  # 2.0

# -- Model.save
model.save("pendulum.toml")

# -- Model.read
print(lw.Model.read("pendulum.toml").mechanism == model.mechanism)  # True

# -- Model.fmu
model.joint_force("torque", "pin", 0.0)
model.fmu("pendulum.fmu", inputs=["torque"], outputs=["pin.angle"])

# -- Model.export_c
model.export_c("pendulum.linkwork", outputs=["pin.angle"])
