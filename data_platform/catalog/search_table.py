"""Tables of the search: one document for each dataset or process, rebuilt from its rows whenever these change.

The full-text index is specific to the database and created by the migrations: on SQLite the FTS5 table
``search_index`` over the four columns of words, on PostgreSQL ``search_document.words``, a tsvector that the server
generates from them, with its GIN index. All of it is derived data: ``search.rebuild`` creates it again.
"""

from __future__ import annotations

from sqlalchemy import Boolean, CheckConstraint, Column, Index, Table, Text, UniqueConstraint

from data_platform.catalog.column import ROW_ID, name_of
from data_platform.catalog.table import METADATA
from data_platform.model.lineage import NAME_BYTES

SEARCH_DOCUMENT = Table(
    "search_document",
    METADATA,
    Column("document_id", ROW_ID, primary_key=True),
    Column("node_type", name_of(20), nullable=False),
    Column("node_id", ROW_ID, nullable=False),
    Column("full_name", name_of(NAME_BYTES), nullable=False),
    Column("full_key", name_of(NAME_BYTES), nullable=False),
    Column("name_key", name_of(NAME_BYTES), nullable=False),
    Column("similar_full", name_of(NAME_BYTES)),
    Column("similar_name", name_of(NAME_BYTES)),
    Column("internal", Boolean, nullable=False),
    Column("status", name_of(20)),
    Column("team", name_of(200)),
    Column("category", name_of(200)),
    Column("name_words", Text, nullable=False),
    Column("label_words", Text, nullable=False),
    Column("column_words", Text, nullable=False),
    Column("text_words", Text, nullable=False),
    UniqueConstraint("node_type", "node_id", name="search_document_once"),
    CheckConstraint("node_type IN ('PROCESS', 'DATASET')", name="search_document_type"),
    Index("search_document_by_full", "full_key"),
    Index("search_document_by_name", "name_key"),
    Index("search_document_by_similar_full", "similar_full"),
    Index("search_document_by_similar_name", "similar_name"),
    sqlite_autoincrement=True,
)
"""``full_key``, ``name_key``, ``team`` and ``category`` are folded by ``word.fold``; displayed values are not.

``similar_full`` and ``similar_name`` are equal for datasets that are easily mixed up (``similar.py``). ``internal``
marks a dataset that only the platform's own stages name, and a process that writes one."""

SEARCH_FACET = Table(
    "search_facet",
    METADATA,
    Column("facet", name_of(20), primary_key=True),
    Column("value_key", name_of(500), primary_key=True),
    Column("document_id", ROW_ID, primary_key=True, autoincrement=False),
    Column("value", name_of(500), nullable=False),
    CheckConstraint("facet IN ('TAG', 'COLUMN')", name="search_facet_kind"),
    Index("search_facet_by_document", "document_id", "facet"),
)

SEARCH_WORD = Table(
    "search_word",
    METADATA,
    Column("word_id", ROW_ID, primary_key=True),
    Column("word", name_of(200), nullable=False),
    UniqueConstraint("word", name="search_word_once"),
    sqlite_autoincrement=True,
)
"""Words for the correction of mistyped ones. Rows are only added: the greatest ``word_id`` is its revision."""
