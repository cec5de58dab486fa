"""Small motions about an equilibrium.

Read linearization.py first, then modes.py (mode_shapes.py, element_shares.py), state_space.py, frequency_response.py
and unbalance.py, sweeps.py (sweep_path.py, mode_tracking.py, critical_speeds.py).
"""
