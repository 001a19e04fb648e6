"""Declarative Spark SQL: a process's steps as views, and what they read, column by column."""
