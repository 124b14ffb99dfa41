"""What the scenarios are played with."""
