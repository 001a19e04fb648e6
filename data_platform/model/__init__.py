"""Plain frozen values that every other package speaks in. No I/O, no Spark, no Dagster."""
