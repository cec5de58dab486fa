"""From a state to the equations of motion: M, Q, Phi, Phi_v, nu, gamma.

Read equations.py first; then poses.py, kinematics.py and mass.py (the tree), workspace.py and records.py (memory),
reactions.py, inverse.py, derivatives.py and jacobians.py (what analyses need besides).
"""
