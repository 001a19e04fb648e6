"""Pairs the columns of the legacy output with ours, chooses their types, and lists columns without a partner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.errors import UsageError
from data_platform.model.delta_name import delta_name
from data_platform.parity.kind import compared_as, is_moment, is_number, is_scalar
from data_platform.policies.problem import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from data_platform.model.schema import Column, Schema
    from data_platform.parity.rule import Rules


@dataclass(frozen=True)
class Pair:
    """``kind`` is the type in which both are compared; None if they cannot be compared."""

    legacy: Column
    new: Column
    kind: str | None

    @property
    def name(self) -> str:
        return self.new.name


@dataclass(frozen=True, kw_only=True)
class Columns:
    """``keys`` and ``values`` are compared; the rest is reported. An ignored column is only in ``pairs``."""

    pairs: tuple[Pair, ...]

    keys: tuple[Pair, ...]
    values: tuple[Pair, ...]
    incomparable: tuple[Pair, ...] = ()
    only_in_legacy: tuple[str, ...] = ()
    only_in_new: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()

    def of(self, name: str) -> Pair | None:
        """Returns the pair of our column ``name``, if the legacy output has it."""
        return next((pair for pair in self.pairs if pair.name.lower() == name.lower()), None)


def paired(
    legacy: Schema, new: Schema, *, keys: Sequence[str], renamed: Mapping[str, str], ignored: Iterable[str]
) -> Columns:
    """Pairs columns by name, ignoring case; ``renamed`` maps a legacy name to ours. ``keys`` may use either name.

    Raises:
        UsageError: Some names are wrong; the message lists all problems.
    """
    partners, problems = _partners(legacy, new, renamed)
    pairs = [Pair(old, ours, compared_as(old.type, ours.type)) for old, ours in partners]
    by_name = {pair.legacy.name.lower(): pair for pair in pairs} | {pair.name.lower(): pair for pair in pairs}
    left_out = {delta_name(name).lower() for name in ignored}
    existing = {name.lower() for name in (*legacy.names, *new.names)}
    problems += [f"--ignore {name} is a column of neither side" for name in sorted(left_out - existing)]
    key_pairs = list(dict.fromkeys(_keys(keys, by_name, legacy, new, problems)))
    problems += [f"--ignore {key.name}: it is a key" for key in key_pairs if _is_named(key, left_out)]
    if problems:
        raise UsageError("; ".join(problems))
    rest = [pair for pair in pairs if pair not in key_pairs and not _is_named(pair, left_out)]
    paired_legacy, paired_new = {pair.legacy.name for pair in pairs}, {pair.name for pair in pairs}
    return Columns(
        pairs=tuple(pairs),
        keys=tuple(key_pairs),
        values=tuple(pair for pair in rest if pair.kind),
        incomparable=tuple(pair for pair in rest if not pair.kind),
        only_in_legacy=tuple(n for n in legacy.names if n not in paired_legacy and n.lower() not in left_out),
        only_in_new=tuple(n for n in new.names if n not in paired_new and n.lower() not in left_out),
        ignored=tuple(sorted(left_out)),
    )


def check_rules(columns: Columns, rules: Rules) -> None:
    """Raises: UsageError, if a tolerance names a column that cannot have one."""
    values = {pair.name.lower(): pair.kind or "" for pair in columns.values}
    keys = {pair.name.lower() for pair in columns.keys}
    options = (
        ("tolerance", is_number, "numbers"), ("relative", is_number, "numbers"), ("seconds", is_moment, "moments"),
    )  # fmt: skip
    problems = []
    for option, fits, what in options:
        for name in getattr(rules, option).columns:
            if name in keys:
                problems.append(f"--{option} {name}: it is a key, and keys are compared exactly")
            elif name not in values:
                problems.append(f"--{option} {name} is not a compared column{did_you_mean(name, values)}")
            elif not fits(values[name]):
                problems.append(f"--{option} {name} is for {what}, and {name} is compared as {values[name].upper()}")
    if problems:
        raise UsageError("; ".join(problems))


def _partners(legacy: Schema, new: Schema, renamed: Mapping[str, str]) -> tuple[list[tuple[Column, Column]], list[str]]:
    problems: list[str] = []
    to_ours: dict[str, str] = {}
    for old, ours in renamed.items():
        place = f"--map {old}={ours}"
        if legacy.get(delta_name(old)) is None:
            problems.append(f"{place}: the legacy output has no {old}{did_you_mean(old, legacy.names)}")
        if new.get(ours) is None:
            problems.append(f"{place}: the dataset has no {ours}{did_you_mean(ours, new.names)}")
        if ours.lower() in (name.lower() for name in to_ours.values()):
            problems.append(f"{place}: two legacy columns are mapped to {ours}")
        to_ours[delta_name(old).lower()] = ours
    claimed = {name.lower() for name in to_ours.values()}
    partners = []
    for column in legacy.columns:
        wanted = to_ours.get(column.name.lower())
        ours_column = new.get(wanted or column.name)
        # A name that --map assigns to another column belongs only to that column.
        if ours_column is not None and (wanted or column.name.lower() not in claimed):
            partners.append((column, ours_column))
    place_of = {name: place for place, name in enumerate(new.names)}
    return sorted(partners, key=lambda pair: place_of[pair[1].name]), problems


def _keys(
    keys: Sequence[str], by_name: Mapping[str, Pair], legacy: Schema, new: Schema, problems: list[str]
) -> Iterator[Pair]:
    if not keys:
        problems.append("no key is given: name the columns that identify a row, such as --keys id")
    for key in keys:
        pair = by_name.get(delta_name(key).lower())
        if pair is None:
            problems.append(f"key {key} {_missing(delta_name(key), legacy, new)}")
        elif pair.kind is None or not is_scalar(pair.kind):
            problems.append(f"key {key} is {pair.legacy.type.upper()} and {pair.new.type.upper()}: not fit for a key")
        else:
            yield pair


def _missing(key: str, legacy: Schema, new: Schema) -> str:
    there = [name for name, side in (("legacy", legacy), ("new", new)) if side.get(key) is not None]
    if there:
        lacking = "the legacy output lacks it" if there == ["new"] else "the dataset lacks it"
        return f"is only in {there[0]}: {lacking}; map it with --map legacy_name=new_name"
    return f"is a column of neither side{did_you_mean(key, new.names)}"


def _is_named(pair: Pair, names: set[str]) -> bool:
    return bool({pair.name.lower(), pair.legacy.name.lower()} & names)
