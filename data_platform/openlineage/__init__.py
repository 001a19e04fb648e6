"""OpenLineage events: read from any producer, and built for our own runs and for legacy jobs."""
