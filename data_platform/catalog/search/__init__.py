"""Finding datasets and processes by words: what they are called, who owns them, what columns they have.

``document`` says what is found of a node, ``index`` keeps it, ``query`` and ``expression`` ask for it, ``vocabulary``
knows what a mistyped word may mean. Any text that a person types is a question; none is syntax.
"""

from data_platform.catalog.search.index import rebuild, reindex
from data_platform.catalog.search.query import search
from data_platform.catalog.search.vocabulary import Vocabulary

__all__ = ["Vocabulary", "rebuild", "reindex", "search"]
