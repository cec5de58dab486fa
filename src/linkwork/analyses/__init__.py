"""What can be asked of a mechanism: assembly, forward dynamics, diagnosis."""
