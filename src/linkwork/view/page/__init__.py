"""The page in the browser: page.py writes one HTML file from scenes, packed by packing.py, and the sources in static/;
notebook.py shows it inside a notebook.
"""
