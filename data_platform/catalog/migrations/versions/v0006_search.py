"""The search's documents, and over them each database's own full text: FTS5 on SQLite, a tsvector on PostgreSQL.

They are filled by ``search.rebuild`` once all migrations have run.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
WORDS = {"name_words": "1A", "label_words": "2B", "column_words": "3C", "text_words": "4"}
"""Each column's position and weight in the tsvector; the words in it are letters and digits, between single spaces."""


def upgrade() -> None:
    _create_document()
    _create_facet()
    _create_word()
    if op.get_bind().dialect.name == "postgresql":
        _index_on_postgresql()
    else:
        _index_on_sqlite()


def _create_document() -> None:
    op.create_table(
        "search_document",
        sa.Column("document_id", ROW_ID, nullable=False),
        sa.Column("node_type", sa.Text(), nullable=False),
        sa.Column("node_id", ROW_ID, nullable=False),
        sa.Column("full_name", sa.Text(), nullable=False),
        sa.Column("full_key", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=True),
        sa.Column("team", sa.Text(), nullable=True),
        sa.Column("category", sa.Text(), nullable=True),
        *(sa.Column(name, sa.Text(), nullable=False) for name in WORDS),
        sa.CheckConstraint("node_type IN ('PROCESS', 'DATASET')", name="search_document_type"),
        sa.PrimaryKeyConstraint("document_id"),
        sa.UniqueConstraint("node_type", "node_id", name="search_document_once"),
        sqlite_autoincrement=True,
    )
    op.create_index("search_document_by_full", "search_document", ["full_key"], unique=False)
    op.create_index("search_document_by_name", "search_document", ["name_key"], unique=False)


def _create_facet() -> None:
    op.create_table(
        "search_facet",
        sa.Column("facet", sa.Text(), nullable=False),
        sa.Column("value_key", sa.Text(), nullable=False),
        sa.Column("document_id", ROW_ID, autoincrement=False, nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.CheckConstraint("facet IN ('TAG', 'COLUMN')", name="search_facet_kind"),
        sa.PrimaryKeyConstraint("facet", "value_key", "document_id"),
    )
    op.create_index("search_facet_by_document", "search_facet", ["document_id", "facet"], unique=False)


def _create_word() -> None:
    op.create_table(
        "search_word",
        sa.Column("word_id", ROW_ID, nullable=False),
        sa.Column("word", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("word_id"),
        sa.UniqueConstraint("word", name="search_word_once"),
        sqlite_autoincrement=True,
    )


def _index_on_sqlite() -> None:
    columns = ", ".join(WORDS)
    options = "content='search_document', content_rowid='document_id', tokenize='unicode61', prefix='2 3'"
    op.execute(f"CREATE VIRTUAL TABLE search_index USING fts5({columns}, {options})")


def _index_on_postgresql() -> None:
    marked = " || ' ' || ".join(
        f"CASE {name} WHEN '' THEN '' ELSE replace({name}, ' ', ':{mark} ') || ':{mark}' END"
        for name, mark in WORDS.items()
    )
    # as it is: to op.execute a colon would be the start of a bound value
    op.get_bind().exec_driver_sql(
        f"ALTER TABLE search_document ADD words tsvector GENERATED ALWAYS AS (({marked})::tsvector) STORED"
    )
    # not packed: a search by a common word looks at the words of thousands of documents, each several times
    op.execute("ALTER TABLE search_document ALTER words SET STORAGE EXTERNAL")
    op.execute("ALTER TABLE search_document SET (toast_tuple_target = 8160)")
    # no list of pending rows, which every search would have to read through
    op.execute("CREATE INDEX search_document_words ON search_document USING gin (words) WITH (fastupdate = off)")
