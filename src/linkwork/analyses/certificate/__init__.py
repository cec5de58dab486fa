"""How far a run can be trusted.

trajectory.py keeps the states of the accepted steps, rank_monitor.py the conditioning of the constraints along them
(conditioning.py, compiled); singular_positions.py (one after the other: passage.py, between_states.py, compiled) and
branches.py find what happened where it is worst; open_constraints.py finds rows that are not met, weak_direction.py
what is in line, resolution.py steps too long, global_error.py what a second run says; verdict.py decides.
"""
