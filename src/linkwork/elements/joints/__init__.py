"""Joints: the motions that each allows, and its equations where it is cut."""
