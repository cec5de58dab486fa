"""Tyres and the roads they roll on.

road.py declares a road and turns it into numbers, road_surface.py reads height and slopes, tyre.py is the force.
"""
