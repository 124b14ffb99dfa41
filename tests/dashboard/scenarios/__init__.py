"""What has to hold, by theme."""
