"""What has arrived: completion markers, listings and digests of deliveries, and whether each of them is complete."""
