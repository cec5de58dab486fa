"""Model files in and out: model_files.py reads them, by source.py (TOML, YAML, JSON), urdf.py or mjcf.py.

limits.py states how much a file may ask for; writing.py writes models.
"""
