"""Model files in and out: model_files.py reads them, by source.py (TOML, YAML, JSON) or robots/ (URDF, SDF, MJCF).

limits.py states how much a file may ask for; writing.py writes models.
"""
