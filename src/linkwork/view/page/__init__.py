"""The page in the browser: page.py writes it from packed scenes (packing.py) and static/; notebook.py."""
