"""Plain frozen values that every other package uses, and private files with secret keys. No Spark, no Dagster."""
