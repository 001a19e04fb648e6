"""Reads the manifest of a delivery, in our form and in those of other tools."""
