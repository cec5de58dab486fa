"""Files in and out: models in TOML and JSON."""
