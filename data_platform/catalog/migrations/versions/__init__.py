"""The steps; each names the one that it follows."""
