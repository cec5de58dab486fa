"""Singular positions on the way of a run, compiled.

rank_monitor.py follows the conditioning of the constraints along the path (conditioning.py, at minima.py closer;
dips.py tells what the sign says of a minimum); singular_positions.py looks for those that vanish there: passages.py at
one interval after the other, passage.py at one position, on the motion between_states.py, loose_joints.py which joints
can move there, loose_among_many.py of very many.  weak_direction.py says the same of a position that is given, in
words.
"""
