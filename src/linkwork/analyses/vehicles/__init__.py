"""Vehicles.

suspension.py moves a corner through its travel, ride.py names the modes of a vehicle on its springs and tyres,
vehicle_loads.py reads forces of shock absorbers and tyres from a run.
"""
