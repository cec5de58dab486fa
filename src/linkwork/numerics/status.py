"""The numbers that kernels and Python exchange: what to evaluate, and how a kernel ended.

A kernel raises nothing; it returns a status, and Python turns it into an error that names the element.
"""

from __future__ import annotations

# How much of the equations `evaluate` fills, for a state (t, q, v).
LEVEL_POSES = 0  # poses of the bodies and Phi
LEVEL_POSITION = 1  # poses, Phi and all that depends on position alone: axes, M, Phi_v, nu
LEVEL_VELOCITY = 2  # what depends on velocity too: Q, gamma; LEVEL_POSITION was evaluated at the same (t, q)
LEVEL_ALL = 3  # everything that the accelerations need: of an open tree neither M nor Q
LEVEL_EQUATIONS = 4  # M and Q in any case; F is summed up along the tree then, and no more that of each body

# Places in `work.settings` that elements read: times in s.
T_LOW, T_HIGH = 25, 26  # expressions are read within these: the present segment between break times
T_ACCEPTED = 27  # of the last accepted step
# Of friction with the joint's load: its change in this round (1: none that matters), the round, whose change it was.
LOAD_CHANGE, LOAD_ROUND, LOAD_WORST = 28, 29, 30

# What a method's `solve` does with the equations evaluated last.
FACTOR = 0  # factor them
ACCELERATE = 1  # v_dot and lam, and dy/dt in `work.rate`
MOVE = 2  # in `work.small[1]` a motion delta with Phi_v delta = c, c in `work.small[0]`

# What `work.counts[KIND]` says of the factors at hand.
NOTHING = 0  # there are none
REGULAR = 1  # good for positions nearby as well
DELICATE = 2  # near a singular position: good for this one alone

# How a kernel ended.
OK = 0
CHUNK_DONE = 1  # not an error: the loop hands control back to Python for a moment
FINISHED = 2  # not an error: the end time is reached
CHOOSE_ROWS = 7  # not an error: another set of active rows would serve better from here on
EVENT = 8  # not an error: the condition of an event has become true during the last step
STEP_TOO_SMALL = 3  # the error control asks for a step below what t can resolve
NEWTON_STALLED = 4  # the position correction does not converge
NOT_FINITE = 5  # a NaN or an infinity in the state or its rate
JAMMED = 9  # friction and the load that makes it do not agree
MASS_SINGULAR = 6  # a motion without inertia: M is not positive definite
