"""Joints.  Read kind.py first: the questions that a kind of joint answers; then one of kinds/, such as revolute.py.

motions.py and equations.py hold what kinds are made of, bearing.py and picture.py two of their answers, registry.py
the kinds that there are, joint.py the declaration that users write.
"""
