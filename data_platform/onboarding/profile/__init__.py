"""Measures the rows of deliveries in one pass of Spark; what is measured has no personal value."""
