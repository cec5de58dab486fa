"""Vehicles: suspension.py moves a corner, ride.py names the modes, vehicle_loads.py reads forces of a run."""
