"""From a Mechanism to tables of numbers: topology, layout of names, compilation."""
