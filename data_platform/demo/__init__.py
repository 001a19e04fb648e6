"""The demo's deliveries: real flights of January 2013, made-up passengers, and four bad days.

This package only lands files, without Spark; the platform itself processes and shows them.
"""
