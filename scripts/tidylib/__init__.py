"""The checks behind scripts/tidy."""
