"""Model: a Mechanism with verbs, the first of the two things that a user touches (the other: run.py).

Read builder.py (how elements are added), origin.py (parameters of a library model or file), then the verbs: elements/
adds bodies, joints and the rest; motion, vibration, designing and studying are the analyses, exchange is for other
programs; stepping/ goes step by step; model.py puts them together.
"""

from linkwork.model.elements.bodies import beam
from linkwork.model.model import Model, model_from_python

__all__ = ["Model", "beam", "model_from_python"]
