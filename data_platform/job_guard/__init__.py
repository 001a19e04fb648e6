"""A frame of a job outside the platform, judged by the approved policy before the job writes it.

``data_platform.guard(frame, urn)`` uses the gates' own code for a Spark frame, and the pandera schema and patterns in
Python for a pandas frame. The job writes the rows itself; nothing here writes a table.
"""
