"""Row counts of deliveries: which are usual, and how well a rule would have told them apart."""
