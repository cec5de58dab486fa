"""A run in the formats of other programs, one file each with a function `write`; formats.py lists them by suffix.

Tables: csv_table.py, matlab.py, netcdf.py.  The motion in 3D: gltf.py.  Films: gif.py and video.py, frames by film.py.
"""
