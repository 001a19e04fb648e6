"""XML: the elements of one name are records."""
