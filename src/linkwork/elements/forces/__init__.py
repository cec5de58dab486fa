"""Forces, one file each: declaration, record, kernel, family.

Read force.py (what a declaration answers) and spring_damper.py (the simplest), then bushing.py (between two frames),
contact.py (with kinks that a run must meet), joint_forces.py (laws by expressions), friction.py (with joint loads).
"""
