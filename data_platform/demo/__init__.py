"""The demo's deliveries: real flights of January 2013, made-up passengers, and four days that go wrong.

Files are landed here, without Spark, and nothing else is done: judging and showing them is the
platform's own work.
"""
