"""What becomes of samples: tables, charts, budgets, a page, a report for CI."""
