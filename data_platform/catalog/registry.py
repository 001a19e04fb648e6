"""The part of the catalog that people ask: what there is, by words. ``Catalog`` in ``store`` has it all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog.search import Vocabulary, search

if TYPE_CHECKING:
    from data_platform.catalog.database import Database
    from data_platform.model.search import SearchPage, SearchRequest


class Registry:
    """One method, one transaction, as in ``Catalog``."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._vocabulary = Vocabulary()

    def search(self, request: SearchRequest) -> SearchPage:
        """Datasets and processes by words and filters, best first; a mistyped word is read as what it may mean.

        Raises:
            InputError: There is nothing to look for, too much, or the cursor is another request's.
        """
        with self._database.reading() as connection:
            return search(connection, request, self._vocabulary)
