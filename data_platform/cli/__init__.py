"""The command line ``data-platform …``, for people at a terminal and for job schedulers.

Exit codes: 0 done and certified, 3 a gate held something, 2 the command or a policy was wrong, 1 an error.
"""
