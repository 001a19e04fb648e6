"""One Delta table at one path: created once, written a partition at a time, restored, read at a version.

Its schema changes by ``add_columns`` and ``widen`` only. Overwriting the schema with the data
would be shorter, and drops NOT NULL from every column without a word.

Each commit carries a note (Delta's ``userMetadata``): who wrote it and why. After a crash it is
the note that tells whose commit this is.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data_platform.errors import ConflictError, TableNotFoundError
from data_platform.lake.commit import Commit, commits, latest_version, note_text, properties
from data_platform.lake.conflict import conflicts_as_ours
from data_platform.lake.feature import features_of
from data_platform.lake.protection import PROTECTION, TIMESTAMPS
from data_platform.model.schema import Column, Schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

CREATE_ATTEMPTS = 5
"""Writers that create one table at once: one wins, and the others find it at their next try."""

_BEING_BORN = ("DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION", "DELTA_TABLE_NOT_FOUND")
"""What Delta says while another writer makes the table's first version."""

_NO_STATISTICS = ("delta.dataSkippingNumIndexedCols", "0")
_NOTE_SETTING = "spark.databricks.delta.commitInfo.userMetadata"


@dataclass(frozen=True)
class LakeTable:
    """The table need not exist yet; ``create`` makes it, everything else wants it there."""

    spark: SparkSession
    path: str

    @property
    def exists(self) -> bool:
        from delta.tables import DeltaTable

        return DeltaTable.isDeltaTable(self.spark, self.path)

    def create(self, schema: StructType, partition_by: str | None = None, *, statistics: bool = True) -> None:
        """Make the table unless it is there; NOT NULL columns stay so for good. Safe to call at the same time twice.

        Without ``statistics`` the log has each file's rows only, and no column's least and greatest value: they let
        readers skip files, at a third of what a write costs.
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
        found = commits(self.spark, self.path, wanted, wanted)
        if not found:
            raise TableNotFoundError(f"{self.path} has no version {wanted} in its history")
        return found[0]

    def begin(self, rows: DataFrame, note: Mapping[str, Any]) -> Commit:
        """Make the table of ``rows`` in one commit, every column nullable; costs half of ``create`` and ``replace``.

        The log has no statistics of its columns.

        A writer that dies on the way leaves files that are no table; ``remove`` takes them away.

        Raises:
            ConflictError: The table is there already. Nothing of ``rows`` was written.
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

    def replace(
        self, rows: DataFrame, note: Mapping[str, Any], *, partition: tuple[str, date] | None = None
    ) -> Commit | None:
        """Write ``rows`` in place of one partition, or of the whole table, in one commit.

        ``note`` must be this write's own (a run id is), since it is how its commit is found again. None if
        there was nothing to write and nothing to replace: Delta then makes no commit.

        Raises:
            ConflictError: Another writer was there at the same time. Nothing of ``rows`` was written.
        """
        before = latest_version(self.spark, self.path)
        writer = rows.write.format("delta").mode("overwrite").option("userMetadata", note_text(note))
        if partition is not None:
            column, value = partition
            writer = writer.option("replaceWhere", f"`{column}` = DATE'{value.isoformat()}'")
        with conflicts_as_ours(self.path):
            writer.save(self.path)
        # Not the latest commit: another writer's may have come since.
        return next((commit for commit in self.history_since(before) if commit.note == dict(note)), None)

    def append(self, rows: DataFrame, note: Mapping[str, Any]) -> None:
        """Add ``rows``; any number of writers may do so at once."""
        with conflicts_as_ours(self.path):
            rows.write.format("delta").mode("append").option("userMetadata", note_text(note)).save(self.path)

    def restore(self, version: int, note: Mapping[str, Any]) -> int:
        """Make the table what it was at ``version``, by metadata alone; the new version."""
        from delta.tables import DeltaTable

        with conflicts_as_ours(self.path):
            DeltaTable.forPath(self._noting(note), self.path).restoreToVersion(version)
        return self.version()

    def at(self, version: int) -> DataFrame:
        """The rows of exactly this version."""
        return self.spark.read.format("delta").option("versionAsOf", version).load(self.path)

    def rows(self) -> DataFrame:
        """The rows of the latest version."""
        return self.spark.read.format("delta").load(self.path)

    def schema(self) -> Schema:
        """Columns as the table has them today."""
        return schema_of(self.rows())

    def row_count(self, version: int) -> int | None:
        """Rows of all partitions, by the log's statistics; no job is run. None if they, or delta-rs, do not say."""
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError

        try:
            files = DeltaTable(self.path, version=version).get_add_actions(flatten=True)
        except (DeltaError, OSError):
            return None
        counts = files["num_records"].to_pylist() if "num_records" in files.schema.names else [None]
        return None if None in counts else sum(counts)

    def history_since(self, version: int) -> list[Commit]:
        """Commits after ``version``, the latest first."""
        return commits(self.spark, self.path, version + 1)

    def add_columns(self, columns: Mapping[str, str], note: Mapping[str, Any] | None = None) -> None:
        """Add nullable columns, name to type; the rows that are there get NULL."""
        added = ", ".join(f"`{name.replace('`', '``')}` {kind}" for name, kind in columns.items())
        session = self._noting(note or {})
        with conflicts_as_ours(self.path):
            self._enable(session, columns.values())
            session.sql(f"ALTER TABLE {self._name} ADD COLUMNS ({added})")

    def widen(self, column: str, kind: str, note: Mapping[str, Any] | None = None) -> None:
        """Give ``column`` the wider type ``kind``; Delta refuses one that is not wider."""
        quoted = column.replace("`", "``")
        with conflicts_as_ours(self.path):
            session = self._noting(note or {})
            self._enable(session, [kind])
            session.sql(f"ALTER TABLE {self._name} SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')")
            session.sql(f"ALTER TABLE {self._name} ALTER COLUMN `{quoted}` TYPE {kind}")

    def protect(self, note: Mapping[str, Any], **more: str) -> bool:
        """Set the properties that keep old versions readable (``lake.protection``) if they differ; whether any did."""
        wanted, have = {**PROTECTION, **more}, self.properties()
        missing = ", ".join(f"'{key}' = '{value}'" for key, value in wanted.items() if have.get(key) != value)
        if missing:
            with conflicts_as_ours(self.path):
                self._noting(note).sql(f"ALTER TABLE {self._name} SET TBLPROPERTIES ({missing})")
        return bool(missing)

    def properties(self) -> dict[str, str]:
        """The properties of the latest version; no job is run."""
        return properties(self.spark, self.path)

    def remove(self) -> None:
        """Delete all that is at this path, if anything is. Only for tables that nothing refers to."""
        jvm = self.spark.sparkContext._jvm
        assert jvm is not None, "a classic session has a JVM"  # noqa: S101
        place = jvm.org.apache.hadoop.fs.Path(self.path)
        place.getFileSystem(self.spark.sparkContext._jsc.hadoopConfiguration()).delete(place, True)

    def _noting(self, note: Mapping[str, Any]) -> SparkSession:
        """For commits that take no option: their note is a setting, of a session that no other thread writes in."""
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
            if error.getCondition() not in _BEING_BORN:
                raise
            # Another writer's log is being born: the folder is there, its first version not yet.
            raise ConflictError(f"{self.path} holds files, and no Delta table: name an empty place") from error


def schema_of(rows: DataFrame) -> Schema:
    """The columns of a frame in the platform's own words; no job is run."""
    fields = rows.schema.fields
    return Schema.of(Column(name=f.name, type=f.dataType.simpleString(), nullable=f.nullable) for f in fields)
