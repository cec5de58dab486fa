"""`python -m linkwork`."""

from linkwork.cli import main

main()
