"""A table of a database as a delivery: Spark reads the rows, and one connection of this process examines them."""
