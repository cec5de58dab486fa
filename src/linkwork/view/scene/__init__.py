"""A scene: a plain description of what to draw.

Read scene.py first, then run_scene.py and mode_scene.py (who makes one), drawing.py, viewpoint.py, pictures.py,
road_picture.py, meshes.py (what things look like), bending.py, nodes.py (flexible bodies), placed.py, still.py.
"""
