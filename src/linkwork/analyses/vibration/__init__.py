"""Small motions about an equilibrium.

Read linearization.py first, with ports.py (inputs and outputs by name), then modes.py, mode_shapes.py, sweeps.py with
mode_tracking.py, frequency_response.py, element_shares.py.
"""
