"""What becomes of a judged candidate: rows set aside in quarantine, and views of certified versions."""
