"""A scene: a plain description of what to draw.

Read scene.py first, then run_scene.py and mode_scene.py (which make one), drawing.py, viewpoint.py, pictures.py,
road_picture.py, meshes.py (looks), bending.py, nodes.py (flexible bodies); snapshot.py, still.py, painting.py draw it.
"""
