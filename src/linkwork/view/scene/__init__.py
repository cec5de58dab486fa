"""A scene: a plain description of what to draw.

Read scene.py first, then run_scene.py and mode_scene.py (which make one), drawing.py, pictures.py, road_picture.py,
meshes.py (what things look like), bending.py, nodes.py (flexible bodies); snapshot.py, still.py, painting.py paint it.
"""
