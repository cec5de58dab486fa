"""Sliders that run a model again: session.py computes, server.py answers a browser, widget.py a notebook."""
