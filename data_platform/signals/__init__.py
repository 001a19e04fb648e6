"""What the platform notices by itself about datasets, from policies and the catalog. No Spark, no Dagster."""
