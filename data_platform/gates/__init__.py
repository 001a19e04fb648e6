"""The gates that judge a batch. A gate runs no Spark job: it answers with column expressions."""
