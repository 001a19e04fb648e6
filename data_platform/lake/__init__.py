"""The Spark session, and nothing of what is done with it."""
