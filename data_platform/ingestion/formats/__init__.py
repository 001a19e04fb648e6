"""The source formats: each is one module or package behind the protocol ``FileFormat``; ``registry`` lists them."""
