"""Where the deliveries of a new dataset lie, and how its files are written: the ``source`` that a path suggests.

A path is a folder or a file below the landing folder, since nothing else is ever run. A folder for each day, or a day
in each file's name, makes a dataset with partitions.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data_platform.errors import UsageError
from data_platform.ingestion.formats.text.encoding import looks_like_utf8, other_encoding
from data_platform.ingestion.packing import Member, unpacked
from data_platform.model.any_source import SOURCE
from data_platform.model.packing import PACKED, Packing
from data_platform.model.partition_path import match_name
from data_platform.model.source import Source
from data_platform.model.source_format import SourceFormat
from data_platform.onboarding.json_layout import json_source
from data_platform.onboarding.xml_layout import xml_source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from data_platform.model.delta_source import DeltaSource
    from data_platform.model.jdbc_source import JdbcSource
    from data_platform.model.partition_key import PartitionKey

_DAYS = ((re.compile(r"\d{4}-\d{2}-\d{2}"), "{partition}"), (re.compile(r"(?<!\d)\d{8}(?!\d)"), "{partition:%Y%m%d}"),
         (re.compile(r"\d{4}_\d{2}_\d{2}"), "{partition:%Y_%m_%d}"))  # fmt: skip
_MANIFEST = "manifest.json"
_MARKERS = ("_SUCCESS", "_DONE", "_COMPLETE")
_SEPARATORS = ",;|\t"
_HEAD = 1 << 16


@dataclass(frozen=True)
class Place:
    """``source`` has the keys of ``source`` in ``dataset.yaml``. Without ``days`` the dataset has no partitions."""

    source: dict[str, Any]
    days: tuple[PartitionKey, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def files(self) -> Source | None:
        """Where the files are; None if the rows are in a table."""
        found = self.policy
        return found if isinstance(found, Source) else None

    @property
    def policy(self) -> Source | JdbcSource | DeltaSource:
        return SOURCE.validate_python(self.source)


def find_place(landing: Path, named: str) -> Place:
    """Raises: UsageError, if ``named`` is not a path of deliveries below ``landing`` in one format."""
    path = path_below(landing, named)
    folder = path if path.is_dir() else path.parent
    if folder != path and (template := _template(path.name)):
        return _of_files(landing, folder, template)
    if path != folder:
        return _of_folder(landing, folder, only=path.name)
    for day_folder, base in ((folder, folder.parent), (None, folder)):
        names = [day_folder.name] if day_folder else [one.name for one in _visible(base) if one.is_dir()]
        if (template := _most_frequent(names)) and _is_below(landing, base):
            return _of_days(landing, base, template)
    files = [one.name for one in _visible(folder) if one.is_file()]
    if template := _most_frequent(name for name in files if _format(name)):
        return _of_files(landing, folder, template)
    return _of_folder(landing, folder)


def path_below(landing: Path, named: str) -> Path:
    """Raises: UsageError, if ``named`` is not a path below ``landing``, or is a name of something else."""
    if named.startswith("ds://"):
        raise UsageError(f"{named} is the name of a dataset: give the path of its deliveries, and the name with --as")
    path = next((one.resolve() for one in (Path(named).absolute(), landing / named) if one.exists()), None)
    if path is None:
        raise UsageError(f"{named} does not exist: expected a file or folder in the landing folder {landing}")
    if not _is_below(landing, path):
        raise UsageError(
            f"{named} is not in a folder below the landing folder {landing}: put the deliveries there, such as in "
            f"{landing / 'orders' / '2026-02-14'}, or set DATA_PLATFORM_LANDING"
        )
    return path


def _is_below(landing: Path, path: Path) -> bool:
    return landing.resolve() in path.resolve().parents


def _of_days(landing: Path, base: Path, template: str) -> Place:
    days = _days(template, [one.name for one in _visible(base) if one.is_dir()])
    if not days:
        raise UsageError(f"{base}: no folder of it is a day that a calendar has")
    last = base / next(one.name for one in _visible(base) if match_name(template, one.name) == (True, days[-1]))
    return _described(f"{_relative(landing, base)}/{template}", last, days)


def _of_files(landing: Path, folder: Path, template: str) -> Place:
    names = [one.name for one in _visible(folder) if one.is_file()]
    days = _days(template, names)
    last = [name for name in names if match_name(template, name) == (True, days[-1])] if days else []
    if not last:
        raise UsageError(f"{folder}: no file of it has a day that a calendar has in its name")
    return _described(_relative(landing, folder), folder, days, files=template, names=last)


def _of_folder(landing: Path, folder: Path, only: str = "") -> Place:
    if folder.resolve() == landing.resolve():
        raise UsageError(f"put {only or 'the files'} into a folder of its own below {landing}, and name that folder")
    return _described(_relative(landing, folder), folder, (), files=only, names=[only] if only else None)


def _described(
    path: str, folder: Path, days: tuple[PartitionKey, ...], *, files: str = "", names: list[str] | None = None
) -> Place:
    """Describes the source by the files of its last delivery."""
    there = [one.name for one in _visible(folder, hidden=True) if one.is_file()]
    data = names or [name for name in there if _format(name) and not name.startswith((".", "_")) and name != _MANIFEST]
    formats = Counter(kind for name in data if (kind := _format(name)))
    if len(formats) != 1:
        found = " and ".join(sorted(formats)) or "no file"
        raise UsageError(f"{folder}: {found} found; expected files of one format: {', '.join(SourceFormat)}")
    [kind] = formats
    source: dict[str, Any] = {"format": kind.value, "path": path}
    if files:
        source["files"] = files
    if _MANIFEST in there and not names:
        source["manifest"] = _MANIFEST
    if marker := next((one for one in _MARKERS if one in there), ""):
        source["marker"] = marker
    notes: tuple[str, ...] = ()
    if "delimiter" in kind.traits.keys:
        dialect, notes = _dialect(_head(folder / data[0]))
        source |= dialect
    source = {"files": "", **source, **_layout(kind, folder / data[0])}
    if files:
        source["files"] = files
    return Place({key: value for key, value in source.items() if value}, days, notes)


def _layout(kind: SourceFormat, file: Path) -> dict[str, str]:
    """The keys of ``source`` that say where the records of ``file`` are, if it needs any, and their format."""
    traits, head = kind.traits, _head(file)
    if "record_path" in traits.keys and head:
        return json_source(head, file.name)
    if "row_element" in traits.keys:
        return xml_source(head, file.name)
    if needed := ", ".join(f"source.{key}" for key in sorted(traits.required_keys)):
        raise UsageError(
            f"{file}: it looks like format {kind.value}, which needs {needed}: this cannot be seen in it. Write the"
            " policies by hand (docs/deliveries.md), or name files with another ending"
        )
    return {}


def _head(file: Path) -> bytes:
    """The first bytes of a file, unpacked; none of a zip."""
    lower = file.name.lower()
    packing = next((one for one in Packing if one.ending and lower.endswith(one.ending)), Packing.NONE)
    if packing is Packing.ZIP:
        return b""
    with unpacked(file.open("rb"), Member(path=str(file), packing=packing), file.name) as source:
        return source.read(_HEAD)


def _dialect(head: bytes) -> tuple[dict[str, str], tuple[str, ...]]:
    """The separator and encoding of a text in columns that begins with ``head``, if they are not the usual ones."""
    found: dict[str, str] = {}
    encoding = other_encoding(head, "utf-8")
    if not encoding and not head.isascii() and not looks_like_utf8(head):
        encoding = "cp1252"
    notes: tuple[str, ...] = ()
    if encoding and encoding != "utf-8":
        found["encoding"] = codecs.lookup(encoding).name
        notes = (f"the file is not UTF-8, and is read as {found['encoding']}: ask the sender whether it is",)
    header = head.decode(encoding or "utf-8", errors="replace").lstrip("\ufeff").splitlines()[:1]
    counts = {sign: (header or [""])[0].count(sign) for sign in _SEPARATORS}
    best = max(_SEPARATORS, key=lambda sign: counts[sign])
    if counts[best] and best != ",":
        found["delimiter"] = best
    return found, notes


def _template(name: str) -> str:
    for pattern, place in _DAYS:
        if match := pattern.search(name):
            return f"{name[: match.start()]}{place}{name[match.end() :]}"
    return ""


def _most_frequent(names: Iterable[str]) -> str:
    counted = Counter(template for name in names if (template := _template(name)))
    return counted.most_common(1)[0][0] if counted else ""


def _days(template: str, names: Iterable[str]) -> tuple[PartitionKey, ...]:
    found = (match_name(template, name) for name in names)
    return tuple(sorted({day for matches, day in found if matches and day is not None}))


def _format(name: str) -> SourceFormat | None:
    lower = name.lower()
    for ending in PACKED:
        lower = lower.removesuffix(ending)
    return next((kind for kind in SourceFormat if lower.endswith(kind.traits.endings)), None)


def _visible(folder: Path, *, hidden: bool = False) -> list[Path]:
    return sorted(one for one in folder.iterdir() if hidden or not one.name.startswith((".", "_")))


def _relative(landing: Path, path: Path) -> str:
    return path.resolve().relative_to(landing.resolve()).as_posix()
