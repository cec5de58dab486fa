"""Commands about motion, forces and loads."""
