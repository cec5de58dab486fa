"""The entries of "Why did my run fail" (docs/why-failed.md): each error names the one that explains it.

An error of a run says which it is where it is made.  A refusal (of a model, a file, an option) is found by the words of
its sentence, which the page shows too; what has none of them belongs to the entry of its class.
"""

from __future__ import annotations

from enum import StrEnum


class Entry(StrEnum):
    """The entries, by their headings."""

    UNKNOWN_NAME = "Name that is not known"
    VALUE = "Value that is refused"
    UNIT = "Quantity of another kind"
    TWICE = "Given twice or not at all"
    INERTIA = "Inertia that no body has"
    WRONG_BODY = "Attached to the wrong body"
    COORDINATE = "Coordinate that the joint does not have"
    PLANE = "Out of the plane"
    EXPRESSION = "Expression that cannot be read"
    TIME_ONLY = "Expression of time alone"
    ACTS_BACK = "Force that acts back on itself"
    NOT_UNIQUE = "Load that is not unique"
    TABLE = "Table that cannot be used"
    MESH = "Mesh that is not closed"
    FLEXIBLE = "Flexible body that cannot be reduced"
    FILE = "File that cannot be read"
    WRITE = "File that cannot be written"
    PYTHON_FILE = "Python file that fails"
    PACKAGE = "Package that is not installed"
    KERNEL = "Kernel that is not compiled"
    OPTION = "Option that does not fit"
    TOO_MUCH = "Too much to compute or to keep"
    ONLY_PYTHON = "Model that only Python can run"
    OPEN_LOOP = "Loop that cannot be closed"
    CONTRADICTION = "Constraints that contradict"
    MISFIT = "Loop that closes only nearly"
    NO_INERTIA = "Motion without inertia"
    DRIVER_JUMPS = "Driver that jumps"
    IN_LINE = "Immobile and in line"
    DEAD_CENTRE = "Dead centre"
    SINGULAR_START = "Singular start"
    DRIVER_APART = "Driver that begins elsewhere"
    NOT_MET = "Constraint that is not met"
    STEP_COLLAPSED = "Step size collapsed"
    TOO_MANY_STEPS = "Too many steps"
    NO_CONVERGENCE = "Newton iteration without solution"
    NOT_FINITE = "Value that is not finite"
    JAM = "Joint that jams"
    CALLBACK = "Function that fails"
    ENERGY = "Energy balance"
    BRANCH_LEFT = "Branch left"
    UNRESOLVED = "Step too long"
    NOT_VERIFIED = "Not verified"
    NOT_DRIVEN = "Not fully driven"
    NO_EQUILIBRIUM = "No equilibrium"
    NOT_HELD = "Pose that cannot be held"
    NOTHING_MOVES = "Nothing left that moves"
    INDEPENDENT = "Coordinates that do not describe the motion"
    NOT_LINEARIZED = "Instant that cannot be linearized"
    NO_DERIVATIVE = "No derivative"
    NO_PERIOD = "No periodic motion"
    SAMPLES = "Samples that are missing"
    NO_PLAN = "Study without a plan"
    ALL_FAILED = "Every run of a study fails"
    INPUT = "Input that cannot be one"

    @property
    def reference(self) -> str:
        """A sentence that points to it."""
        return f"See '{self.value}' in \"Why did my run fail\"."


WORDS: dict[Entry, tuple[str, ...]] = {  # the first that a sentence has decides
    Entry.PACKAGE: ("not installed", "install it:", "needs Chromium", "needs ffmpeg"),
    Entry.KERNEL: ("no GPU",),
    Entry.ACTS_BACK: ("known only after the forces", "it needs itself", "in a cycle", "cannot be one itself"),
    Entry.ONLY_PYTHON: (
        "Python function", "an FMU runs without Python", "an FMU cannot hold another", "no file keeps",
        "Python would hold up", "a batch has no FMUs", "which files do not keep",
    ),
    Entry.PYTHON_FILE: ("stopped with", "call the one to run `model`", "not a Model"),
    Entry.WRITE: (
        "cannot write", "cannot be written", "is written to a file", "exists already", "is a folder with other files",
        "cannot create", "is not open for writing", "could not be printed", "holds another study",
    ),
    Entry.TOO_MUCH: (
        "are too many", "are kept", "no run can finish", "of memory", "free;", " MB", "more than",
        "at most",
    ),
    Entry.TABLE: (
        "csv '", "table '", "table of heights", "x must increase", "a spline that repeats", "arguments and",
    ),
    Entry.MESH: ("mesh: '", "mesh: scale", "encloses no volume"),
    Entry.FLEXIBLE: (
        "flexible body", "flexible bodies", "modal data", "material '", "material by name", "section '", "its section",
        "a section by", "a beam has", "a beam needs", "body frame", "where it has no node", "supported stiffness",
        "sections for", "rotary inertia", "modes; give one for each", "is not flexible",
    ),
    Entry.FILE: (
        "there is no file", "cannot be read:", "cannot be read as", "is not valid", "' is not a model", "cut short",
        "not an HDF5 file", "outside the model's folder", "include is", "files include each other", "' is not an FMU",
        "cannot be run here", "cannot be resumed",
    ),
    Entry.NO_INERTIA: ("it is a point mass", "its inertia is so small"),
    Entry.OPEN_LOOP: ("do not meet over", "cannot turn round"),
    Entry.INERTIA: ("no body has one larger", "inertia is not symmetric", "principal value"),
    Entry.TIME_ONLY: ("depends on how the mechanism moves", "depends on the time t"),
    Entry.NOT_UNIQUE: ("is not unique", "loads is unique", "out-of-plane loads", "needs the joint's load"),
    Entry.UNIT: (
        ", e.g. '", "there is no unit", "the unit", "but defined as", "and here", "without a unit", "write a unit",
        "together in '", "only a number or an angle",
    ),
    Entry.NOT_DRIVEN: ("not fully driven", "acts for a part of the time only", "constrains velocities alone"),
    Entry.NOTHING_MOVES: ("no degree of freedom left",),
    Entry.NOT_LINEARIZED: ("cannot be linearized", "linearize about", "the derivative of an input"),
    Entry.NO_PERIOD: ("give the period",),
    Entry.INDEPENDENT: (
        "independent coordinate", "the coordinate is not free", "the coordinate is named twice", "turn with the rotor",
        "does not determine how",
    ),
    Entry.SAMPLES: (
        "no samples", "are too few", "not equally spaced", "outside of the run", "too far apart to count",
        "nothing to plot", "nothing to draw", "nothing to compare", "needs at least one run", "needs at least 4 runs",
        "has no joints whose loads",
    ),
    Entry.NO_PLAN: (
        "nothing is varied", "no output is requested", "scatter", "correlated", "has no width", "Sobol's indices",
        "write '0.1, 0.2'", "keep it fixed", "draws of", "is varied over texts",
        "varied number", "varied names", "none of its forms", "the condition", "of a vector", "is a vector",
    ),
    Entry.COORDINATE: (
        "has no coordinate", "has the coordinates", "that turns", "that slides", "turns; give the radius",
        "slides there", "name different coordinates", "has no driver", "has drivers on", "of a body drive",
        "drop coordinate", "coordinate that is one number", "coefficient is for joints",
    ),
    Entry.PLANE: ("the plane '", "in a planar mechanism"),
    Entry.WRONG_BODY: (
        "with itself", "does not move; name", "not on '", "acts on itself", "is on both sides", "swap the frames",
        "other joints; it needs one", "gives no direction", "where nothing is attached",
    ),
    Entry.INPUT: (
        "in an FMU", "input '", "is not a number of the model", "FMI version",
        "for an FMU",
    ),
    Entry.EXPRESSION: (
        "    ^", "the expression", "not an expression", "argument of step()", "step() begins", "is not an axis",
    ),
    Entry.TWICE: (
        "is missing; give it", "give one of", "keep one of the two", "give either", "give its ends either",
        "give its place either", "no mass or inertia", "has no bodies", "no place; give", "is given twice",
        "comes twice", "is taken by", "already; choose", "has no kind; give it", "an axis without an angle",
        "one of the two", "needs an axis", "needs second_axis", "give second_axis", "neither lower nor upper",
        "drop it", "others none", "needs one, which", "others have none", "other shapes have none",
        "other joints have none", "its flexibility",
    ),
    Entry.OPTION: ("option '", "cannot be reached within"),
    Entry.UNKNOWN_NAME: (
        "unknown key", "unknown name", "unknown function", "unknown support", "did you mean", "there is no ",
        "there are '", "there are none", "is unknown", "is none of", "is not known", "is not in the mesh",
    ),
    Entry.VALUE: ("must be > 0", "must be >= 0", "must be a finite number", "must not all be zero"),
}  # fmt: skip


def entry_in(sentence: str) -> Entry | None:
    """The entry that explains a refusal, by its words; None: it has none of them."""
    return next((entry for entry, words in WORDS.items() if any(word in sentence for word in words)), None)
