"""What came of runs, shown to people: tables, plots, pages."""
