"""Avro container files: records with the schema that the file has."""
