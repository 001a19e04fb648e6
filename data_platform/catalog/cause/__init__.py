"""Facts around an incident, from which its root cause is concluded: a few queries, limited to its upstream and time."""
