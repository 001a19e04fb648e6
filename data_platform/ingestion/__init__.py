"""Reads deliveries as they arrive: their files, their records and their manifests."""
