"""Commands about equilibrium and vibration, one file each."""
