"""Dynamics of constrained rigid and flexible multibody mechanisms."""
