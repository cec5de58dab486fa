"""How far a run can be trusted.

trajectory.py keeps the states of the accepted steps, rank_monitor.py measures the conditioning of the constraints
along them, singular_positions.py and branches.py find what happened where it is worst; open_constraints.py finds rows
that are not met, weak_direction.py what is in line, global_error.py what a second run says; verdict.py decides.
"""
