"""Gradients of analyses with respect to numbers of a model."""
