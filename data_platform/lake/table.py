"""One Delta table at one path: created once, written by partition, restored, read at a version.

Only ``add_columns`` and ``widen`` change its schema. Overwriting the schema with the data would be shorter, but
silently drops NOT NULL from every column.

Each commit has a note (Delta's ``userMetadata``): who wrote it and why. After a crash the note identifies the commit's
writer.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data_platform.errors import ConflictError, TableNotFoundError
from data_platform.lake.commit import Commit, commits, latest_version, note_text, properties
from data_platform.lake.conflict import conflicts_as_ours
from data_platform.lake.feature import features_of
from data_platform.lake.first_rows import check_first, is_empty
from data_platform.lake.presence import row_count
from data_platform.lake.protection import PROTECTION, TIMESTAMPS
from data_platform.model.schema import Column, Schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from data_platform.lake.partition import Slice

CREATE_ATTEMPTS = 5
"""If several writers create one table at once, one wins, and the others find the table at their next attempt."""

_BEING_CREATED = ("DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION", "DELTA_TABLE_NOT_FOUND")
"""Delta's error conditions while another writer creates the table's first version."""

_NO_STATISTICS = ("delta.dataSkippingNumIndexedCols", "0")
_NOTE_SETTING = "spark.databricks.delta.commitInfo.userMetadata"


@dataclass(frozen=True)
class LakeTable:
    """The table need not exist yet; ``create`` and ``begin`` create it, most other methods require it."""

    spark: SparkSession
    path: str

    @property
    def exists(self) -> bool:
        from delta.tables import DeltaTable

        return DeltaTable.isDeltaTable(self.spark, self.path)

    def create(self, schema: StructType, partition_by: str | None = None, *, statistics: bool = True) -> None:
        """Create the table unless it exists; NOT NULL columns stay NOT NULL. Safe to call concurrently.

        Without ``statistics`` the log has only each file's row count, not the columns' minimum and maximum: these let
        readers skip files, but take a third of the cost of a write.
        """
        for attempt in range(CREATE_ATTEMPTS):
            if self.exists:
                return
            try:
                with conflicts_as_ours(self.path):
                    self._create(schema, partition_by, statistics=statistics)
                return
            except ConflictError:
                if attempt == CREATE_ATTEMPTS - 1:
                    raise
            time.sleep(0.2 * (attempt + 1))

    def version(self) -> int:
        """The latest version.

        Raises:
            TableNotFoundError: There is no table at this path.
        """
        if not self.exists:
            raise TableNotFoundError(f"no Delta table at {self.path}: run the stage that writes it first")
        return latest_version(self.spark, self.path)

    def commit(self, version: int | None = None) -> Commit:
        """The latest commit, or that of ``version``."""
        wanted = self.version() if version is None else version
        history = commits(self.spark, self.path, wanted, wanted)
        if not history:
            raise TableNotFoundError(f"{self.path} has no version {wanted} in its history")
        return history[0]

    def begin(self, rows: DataFrame, note: Mapping[str, Any]) -> Commit:
        """Create the table from ``rows`` in one commit, all columns nullable; costs half of ``create`` and ``replace``.

        The log has no statistics of its columns.

        A writer that dies before the commit leaves files that are not a table; ``remove`` deletes them.

        Raises:
            ConflictError: The table already exists. Nothing of ``rows`` was written.
        """
        from pyspark.errors import AnalysisException

        writer = rows.write.format("delta").mode("errorifexists").option("userMetadata", note_text(note))
        writer = writer.option(*_NO_STATISTICS)
        try:
            with conflicts_as_ours(self.path):
                writer.save(self.path)
        except AnalysisException as error:
            if error.getCondition() != "DELTA_PATH_EXISTS":
                raise
            raise ConflictError(f"{self.path} holds a table already; nothing was written, run again") from error
        return self.commit(0)

    def replace(self, rows: DataFrame, note: Mapping[str, Any], *, only: Slice | None = None) -> Commit | None:
        """Replace one partition, or without ``only`` the whole table, with ``rows`` in one commit.

        ``note`` must be unique to this write (a run id is), since it identifies the commit. Returns None if there was
        nothing to write and nothing to replace: Delta then makes no commit.

        Raises:
            ConflictError: Another writer changed the table at the same time. Nothing of ``rows`` was written.
        """
        before = latest_version(self.spark, self.path)
        writer = rows.write.format("delta").option("userMetadata", note_text(note))
        first = only if only is not None and is_empty(self.path, before, only) else None
        writer = writer.mode("append" if first else "overwrite")
        if only is not None and not first:
            writer = writer.option("replaceWhere", only.condition)
        with conflicts_as_ours(self.path):
            writer.save(self.path)
        # Not simply the latest commit: another writer may have committed since.
        written = next((commit for commit in self.history_since(before) if commit.note == dict(note)), None)
        if first is not None and written is not None:
            check_first(self, before, written, first, note)
        return written

    def append(self, rows: DataFrame, note: Mapping[str, Any]) -> None:
        """Add ``rows``; any number of writers may do so at once."""
        with conflicts_as_ours(self.path):
            rows.write.format("delta").mode("append").option("userMetadata", note_text(note)).save(self.path)

    def restore(self, version: int, note: Mapping[str, Any]) -> int:
        """Restore the table to ``version``, by metadata alone; return the new version."""
        from delta.tables import DeltaTable

        with conflicts_as_ours(self.path):
            DeltaTable.forPath(self._session_with(note), self.path).restoreToVersion(version)
        return self.version()

    def at(self, version: int) -> DataFrame:
        """The rows of exactly this version."""
        return self.spark.read.format("delta").option("versionAsOf", version).load(self.path)

    def rows(self) -> DataFrame:
        """The rows of the latest version."""
        return self.spark.read.format("delta").load(self.path)

    def schema(self) -> Schema:
        """The columns of the latest version."""
        return schema_of(self.rows())

    def row_count(self, version: int) -> int | None:
        """Return the rows of all partitions from the log's statistics, without a job; None if it cannot be read."""
        return row_count(self.path, version)

    def history_since(self, version: int) -> list[Commit]:
        """Commits after ``version``, the latest first."""
        return commits(self.spark, self.path, version + 1)

    def add_columns(self, columns: Mapping[str, str], note: Mapping[str, Any] | None = None) -> None:
        """Add nullable columns, name to type; existing rows get NULL."""
        added = ", ".join(f"`{name.replace('`', '``')}` {kind}" for name, kind in columns.items())
        session = self._session_with(note or {})
        with conflicts_as_ours(self.path):
            self._enable(session, columns.values())
            session.sql(f"ALTER TABLE {self._name} ADD COLUMNS ({added})")

    def widen(self, column: str, kind: str, note: Mapping[str, Any] | None = None) -> None:
        """Change ``column`` to the wider type ``kind``; Delta rejects a type that is not wider."""
        quoted = column.replace("`", "``")
        with conflicts_as_ours(self.path):
            session = self._session_with(note or {})
            self._enable(session, [kind])
            session.sql(f"ALTER TABLE {self._name} SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')")
            session.sql(f"ALTER TABLE {self._name} ALTER COLUMN `{quoted}` TYPE {kind}")

    def protect(self, note: Mapping[str, Any], **more: str) -> bool:
        """Set the properties that keep old versions readable (``lake.protection``); return whether any differed."""
        wanted, have = {**PROTECTION, **more}, self.properties()
        missing = ", ".join(f"'{key}' = '{value}'" for key, value in wanted.items() if have.get(key) != value)
        if missing:
            with conflicts_as_ours(self.path):
                self._session_with(note).sql(f"ALTER TABLE {self._name} SET TBLPROPERTIES ({missing})")
        return bool(missing)

    def properties(self) -> dict[str, str]:
        """The properties of the latest version; runs no Spark job."""
        return properties(self.spark, self.path)

    def remove(self) -> None:
        """Delete everything at this path, if anything exists. Only for tables that nothing refers to."""
        jvm = self.spark.sparkContext._jvm
        assert jvm is not None, "a classic session has a JVM"  # noqa: S101
        place = jvm.org.apache.hadoop.fs.Path(self.path)
        place.getFileSystem(self.spark.sparkContext._jsc.hadoopConfiguration()).delete(place, True)

    def _session_with(self, note: Mapping[str, Any]) -> SparkSession:
        """Return a session for commits that accept no option: its setting is the note, and no other thread uses it."""
        session = self.spark.newSession()
        session.conf.set(_NOTE_SETTING, note_text(note))
        return session

    def _enable(self, session: SparkSession, kinds: Iterable[str]) -> None:
        have = {column.type for column in self.schema().columns}
        for feature in features_of(kinds) - features_of(have):
            session.sql(f"ALTER TABLE {self._name} SET TBLPROPERTIES ('delta.feature.{feature}' = 'supported')")

    @property
    def _name(self) -> str:
        return f"delta.`{self.path}`"

    def _create(self, schema: StructType, partition_by: str | None, *, statistics: bool) -> None:
        from delta.tables import DeltaTable
        from pyspark.errors import AnalysisException

        builder = DeltaTable.createIfNotExists(self.spark).location(self.path).addColumns(schema)
        for key, value in {**PROTECTION, **dict([TIMESTAMPS])}.items():
            builder = builder.property(key, value)
        if partition_by:
            builder = builder.partitionedBy(partition_by)
        if not statistics:
            builder = builder.property(*_NO_STATISTICS)
        try:
            builder.execute()
        except AnalysisException as error:
            if error.getCondition() not in _BEING_CREATED:
                raise
            # Another writer is creating the log: the folder exists, but its first version does not yet.
            raise ConflictError(f"{self.path} holds files, and no Delta table: name an empty place") from error


def schema_of(rows: DataFrame) -> Schema:
    """Returns the columns of a frame as the platform's schema; runs no Spark job."""
    fields = rows.schema.fields
    return Schema.of(Column(name=f.name, type=f.dataType.simpleString(), nullable=f.nullable) for f in fields)
