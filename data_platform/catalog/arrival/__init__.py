"""What has arrived and has to be passed on: versions, completion markers, reports of checks."""
