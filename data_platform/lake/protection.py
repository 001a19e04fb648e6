"""Table properties that keep every version readable, whatever its age.

Delta 4.4 rejects time travel to a version that is older than ``delta.deletedFileRetentionDuration`` (7 days by default)
and is not the latest, whether or not anything was deleted; after ``delta.logRetentionDuration`` (30 days) a checkpoint
removes the log of that version too. A certified version may stay current for months, and a stage reads the stage
before it at the version that passed its gates. So both durations are effectively endless. A VACUUM then deletes
nothing by default, and Delta and delta-rs reject a shorter retention unless their safety check is switched off.

``TIMESTAMPS`` marks a table in which no file stores a timestamp as INT96 (see ``lake.timestamp``).
"""

from __future__ import annotations

FOR_EVER = "interval 36500 days"
"""A hundred years; Delta accepts no months and years here, since their length varies."""

PROTECTION = {"delta.deletedFileRetentionDuration": FOR_EVER, "delta.logRetentionDuration": FOR_EVER}
TIMESTAMPS = ("dataPlatform.timestamps", "micros")
