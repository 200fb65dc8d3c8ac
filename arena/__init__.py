"""Entrants, schedule, leagues, ratings and reports, and the command line."""
