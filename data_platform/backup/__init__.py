"""Backups of the catalog and the lake that belong together, and their restoration.

A backup is a folder. The catalog is copied first, in one transaction; then each Delta table, without the commits that
were made after that. So a backup of a platform at work is a state that it could have had after a crash at that moment,
and ``reconcile`` settles it.
"""
