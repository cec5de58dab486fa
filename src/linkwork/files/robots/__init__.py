"""Robots described elsewhere as data of a model file: urdf.py, sdf.py and mjcf.py read one format each.

Read builder.py first, what the three share.  mujoco_files.py looks through what a MuJoCo file names, before MuJoCo
opens it.
"""
