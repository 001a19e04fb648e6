"""Plain frozen values that every other package uses. No I/O, no Spark, no Dagster."""
