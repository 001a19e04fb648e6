"""Alerts: the outbox of changes of incidents, their deliveries to channels, and maintenance windows."""
