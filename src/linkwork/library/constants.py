"""Numbers that several models share."""

GRAVITY = (0.0, 0.0, -9.81)  # m/s2
INCH = 0.0254  # m
POUND = 0.45359237  # kg
POUND_INCH_SECOND2 = 0.1129848290276167  # kg m2
