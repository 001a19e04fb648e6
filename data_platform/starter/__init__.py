"""A new repository for a team's own datasets: policies, a sample delivery, a workspace, a Makefile and a check for CI.

The files are in ``template``; a name that starts with ``dot_`` there starts with ``.`` in the repository.
"""
