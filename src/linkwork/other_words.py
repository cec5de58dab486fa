"""Words by which other programs, and engineers, call what has another name here: hints for names that do not exist."""

from __future__ import annotations

from collections.abc import Collection

NAMES = {  # here: elsewhere, in lower case; of NAME=VALUE only NAME has to exist
    "stiffness": "k rate spring_constant spring_rate",
    "damping": "c damper damping_coefficient",
    "free_length": "l0 rest_length natural_length unstretched_length",
    "free_angle": "q0 theta0 rest_angle",
    "p": "kp", "i": "ki", "d": "kd",
    "target": "setpoint reference desired command",
    "radius": "diameter dia",
    "length": "height thickness", "width": "thickness",
    "at": "pos position location origin place point cm cg cog centre center", "points": "at ends pos",
    "com": "cm cg cog centre center centre_of_mass center_of_mass", "since": "at start t_start",
    "orientation": "rpy euler roll_pitch_yaw quaternion quat rotation rot matrix", "angle": "rotation rot",
    "coefficient": "mu friction_coefficient", "friction": "mu friction_coefficient",
    "outside='repeat'": "periodic cyclic repeat",
    "every": "dt h timestep time_step stepsize step_size output_step sample_time samples fps",
    "step": "dt h timestep time_step stepsize step_size", "hmax": "dt h max_step",
    "rtol": "tol tolerance reltol accuracy eps", "atol": "abstol",
    "t": "time", "until": "t_end tend t_final tfinal t_stop tstop stop_time end_time tmax t_max duration time",
    "duration": "t_end tend t_final tfinal t_stop tstop stop_time end_time tmax t_max time", "times": "time",
    "integrator": "solver scheme", "method": "solver", "progress": "verbose quiet silent",
    "lower": "min low minimum lower_limit", "upper": "max high maximum upper_limit",
    "a": "parent body1 body_1 body_a first_body base", "b": "child body2 body_2 body_b second_body follower",
    "between": "parent child body1 body2 body_1 body_2 body_a body_b bodies",
    "angular_velocity": "omega w", "velocity": "v vel v0 speed omega initial_velocity",
    "inertia": "moi inertia_tensor moments ixx iyy izz", "mass": "m weight", "density": "rho", "gravity": "g",
    "modulus": "e young youngs_modulus elastic_modulus", "axis": "direction axis_of_rotation", "normal": "direction",
    "of": "expr expression formula", "when": "condition trigger",
    "motion": "expr expression formula law", "force": "expr expression formula law",
    "path": "filename file output outfile", "out": "filename file output outfile", "ratio": "n transmission_ratio",
    "size": "dimensions dims extents", "omega": "frequencies frequency freq freqs",
    "frequency_hz": "frequency freq hz", "modes": "eigenvalues eigenvectors shapes",
    "kind": "type", "revolute": "hinge pin rotational rotation", "fixed": "weld welded rigid",
    "prismatic": "slider sliding translational linear slide", "spherical": "ball ball_joint",
    "universal": "cardan hooke", "constant-velocity": "cv", "cylinder": "disk disc wheel tube ring",
    "box": "cube block cuboid brick", "rod": "bar", "sphere": "ball",
}  # fmt: skip

COMMANDS = {  # elsewhere: here
    **dict.fromkeys(("simulate", "solve", "sim", "integrate", "start"), "run MODEL"),
    **dict.fromkeys(("plot", "graph"), "run MODEL --plot FILE.png"), "report": "run MODEL --report FILE.html",
    **dict.fromkeys(("animate", "show", "open", "gui", "visualize", "play"), "run MODEL --view"),
    **dict.fromkeys(("live", "sliders", "serve"), "view MODEL --live"), "resume": "run --resume FILE.h5",
    **dict.fromkeys(("list", "ls", "library", "examples"), "models"),
    **dict.fromkeys(("create", "init", "copy", "template"), "new MODEL --out FILE.toml"),
    **dict.fromkeys(("convert", "save"), "export FILE.h5 --out FILE.csv"), "fmu": "export MODEL --format fmu",
    **dict.fromkeys(("dof", "info", "validate", "verify", "diagnose", "inspect"), "check MODEL"),
    **dict.fromkeys(("reaction", "reactions", "forces"), "loads MODEL"),
    **dict.fromkeys(("static", "statics", "balance"), "equilibrium MODEL"),
    **dict.fromkeys(("eigen", "eigenvalues", "vibration", "linearize", "campbell"), "modes MODEL"),
    **dict.fromkeys(("bode", "frf", "frequency"), "response MODEL"), "fft": "spectrum FILE.h5",
    **dict.fromkeys(("sweep", "batch", "doe", "sensitivity", "vary"), "study MODEL"),
    **dict.fromkeys(("identify", "calibrate"), "fit MODEL"), "benchmark": "reproduce benchmarks",
    **dict.fromkeys(("kinematic", "inverse"), "kinematics MODEL"),
}  # fmt: skip


def meant(name: str, known: Collection[str]) -> list[str]:
    """The names that exist, of those that a word may mean."""
    return [
        here for here, elsewhere in NAMES.items()
        if here.partition("=")[0] in known and here != name and name.lower() in elsewhere.split()
    ]  # fmt: skip
