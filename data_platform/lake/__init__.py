"""The Spark session and Delta tables, and nothing of what is done with them."""
