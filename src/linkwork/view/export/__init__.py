"""A run in the formats of others: formats.py lists them, gltf.py writes glTF."""
