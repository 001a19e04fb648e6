"""How a catalog came to its schema, one module a step. They are never edited: a change is a new step."""
