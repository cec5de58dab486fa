"""Small motions about an equilibrium, and about periodic motion.

Read linearization.py first (instants.py: about an instant of a run), then modes.py (mode_shapes.py, element_shares.py),
state_space.py, frequency_response.py; over_speed/ follows modes over a speed, periodic/ has Floquet's theory;
spectrum.py is of any channel.
"""
