"""Commands about equilibrium and vibration."""
