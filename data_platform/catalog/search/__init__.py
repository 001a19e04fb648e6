"""Full-text search of datasets and processes by name, owner, labels and columns.

``document`` builds the search document of a node, ``index`` stores it, ``query`` and ``expression`` query it, and
``vocabulary`` corrects mistyped words. Any typed text is a list of words; there is no query syntax.
"""

from data_platform.catalog.search.index import rebuild, reindex
from data_platform.catalog.search.query import search
from data_platform.catalog.search.vocabulary import Vocabulary

__all__ = ["Vocabulary", "rebuild", "reindex", "search"]
