"""How a dataset joins: its deliveries are profiled, a policy is proposed and tried, and somebody approves it.

``profile`` measures deliveries in one pass, ``proposal`` derives a policy from the profile. ``trial`` runs the last
days with it in a folder of its own, and ``branch`` hands it over for review. ``steps`` runs them one after the other,
and can be stopped and started again at any point.
"""
