"""Leaves the objects that stay out of garbage collection, so that no request waits for a search through all of them.

Python searches every object that it tracks once enough new ones are there. The modules of the service and the policies
of 10,000 datasets are millions, and the search takes longer than a page may.
"""

from __future__ import annotations

import gc

MANY_DATASETS = 500
"""So many policies are worth a search of their own."""


def settle() -> None:
    """What is there now stays, until the next call: that one collects what has become garbage since."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
