"""Deliveries as they arrive: their files, their records, and what their sender says of them."""
