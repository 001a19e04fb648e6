"""``data-platform why``: explains a certified version or a held day from the catalog, without Spark and policies."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.group_waiting import documents, print_waiting_versions
from data_platform.cli.guard import AsJson, Debug, Partition, opened, parse_partition
from data_platform.cli.recorded_dataset import recorded_urn
from data_platform.cli.why_text import print_explanation
from data_platform.errors import UsageError

_VERSION = re.compile(r"v?(\d{1,18})", re.ASCII)


def why(
    dataset: Annotated[str, typer.Argument(metavar="DATASET", help="A name, zone/name or ds://zone/name.")],
    version: Annotated[
        str | None,
        typer.Argument(metavar="[VERSION]", help="A certified version, such as v17; else the current."),
    ] = None,
    *,
    partition: Partition = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Explain a certified version or a held day: its delivery, rules, policy, inputs, runs, and what to do.

    Without a version, --partition explains the last attempt of that day. It reads only the catalog.

    Examples:

    data-platform why flights

    data-platform why ds://ops/flights v17 --json

    data-platform why flights --partition 2013-01-03
    """
    with opened(as_json=as_json, debug=debug) as platform:
        number, day = _number(version), parse_partition(partition)
        explanation = platform.catalog.certifications.explain(recorded_urn(platform, dataset), number, day)
        explanation = platform.catalog.publications.with_waiting(explanation, now=platform.now())
        if as_json:
            screen.print_json({**screen.plain(explanation), "waiting": documents(explanation.waiting)})
            return
        print_explanation(explanation)
        print_waiting_versions({explanation.dataset_urn: explanation.waiting})


def _number(version: str | None) -> int | None:
    if version is None:
        return None
    match = _VERSION.fullmatch(version)
    if match is None:
        raise UsageError(f"{version!r} is not a version: expected one such as v17")
    return int(match[1])
