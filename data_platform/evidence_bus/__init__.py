"""Sends the evidence log to a Kafka topic: at least once, in the order of each dataset, never in the way of a run."""
