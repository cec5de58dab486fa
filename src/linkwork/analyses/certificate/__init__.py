"""What a run says of itself.

trajectory.py keeps the states of the accepted steps, rank_monitor.py measures the conditioning of the constraints
along them, verdict.py finds singular positions, branches left, and warnings.
"""
