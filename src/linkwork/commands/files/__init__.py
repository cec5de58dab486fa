"""Commands about models, results and pages."""
