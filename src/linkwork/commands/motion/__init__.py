"""Commands about motion and forces, one file each."""
