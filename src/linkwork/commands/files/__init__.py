"""Commands about models, results and pages, one file each."""
