"""Table properties that keep every version readable, whatever its age.

Delta 4.4 refuses time travel to a version that is older than ``delta.deletedFileRetentionDuration`` (7 days by default)
and is not the latest, whether or not anything was deleted; after ``delta.logRetentionDuration`` (30 days) a checkpoint
removes the log of that version too. A certified version may stay in place for months, and a stage reads the stage
before it at the version that was judged. So both durations are set so long that they never end. A VACUUM then deletes
nothing by itself, and Delta and delta-rs refuse a shorter retention unless their safety check was switched off.

``TIMESTAMPS`` says that no file of the table stores a timestamp as INT96 (see ``lake.timestamp``).
"""

from __future__ import annotations

FOR_EVER = "interval 36500 days"
"""A hundred years; Delta takes no months and years here, since their length varies."""

PROTECTION = {"delta.deletedFileRetentionDuration": FOR_EVER, "delta.logRetentionDuration": FOR_EVER}
TIMESTAMPS = ("dataPlatform.timestamps", "micros")
