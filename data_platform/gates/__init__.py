"""What a batch is judged by. A gate runs no Spark job: it answers with column expressions."""
