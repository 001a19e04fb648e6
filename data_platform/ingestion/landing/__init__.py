"""Lists the landing folder and decides which of its files are data."""
