"""``data-platform kpi``: how fast incidents are noticed, taken and ended, and how often the platform is right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.guard import AsJson, Debug, opened
from data_platform.model.plain_json import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.model.kpi import Share, TierKpi, Times

_COLUMNS = (
    "tier", "incidents", "active", "MTTD", "p95", "MTTA", "p95", "MTTR", "p95", "false positives", "with contract",
    "with evidence",
)  # fmt: skip


def kpi(
    *,
    since: Annotated[str, typer.Option("--since", metavar="AGE", help="The period: 30d, 13w.")] = "30d",
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Show the key figures of incidents by tier: medians of the times to detect, acknowledge and resolve, and p95.

    False positives are incidents that people resolved as EXPECTED or FALSE_ALARM. Coverage: datasets that promise
    something about their rows, and certifications with evidence.

    Examples:

    data-platform kpi

    data-platform kpi --since 13w --json
    """
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.cli.catalog import read_age
        from data_platform.signals.kpi import find_kpi

        begin = platform.now() - read_age(since, "--since")
        found = find_kpi(platform.policies, platform.catalog, begin)
        if as_json:
            screen.print_json({"since": begin, "tiers": [plain(one, computed=True) for one in found]})
        else:
            _print(found)


def _print(found: Sequence[TierKpi]) -> None:
    rows = [
        [
            "all" if one.tier == "*" else one.tier,
            one.times.incidents,
            one.times.active,
            *_times(one.times.detect),
            *_times(one.times.acknowledge),
            *_times(one.times.resolve),
            _share(one.times.false_positives),
            _share(one.with_contract),
            _share(one.with_evidence),
        ]
        for one in found
    ]
    screen.print_table(screen.out(), _COLUMNS, rows)


def _times(times: Times) -> tuple[str, str]:
    return _duration(times.median_seconds), _duration(times.p95_seconds)


def _duration(seconds: float | None) -> str:
    """``45s``, ``12m``, ``3h20m``, ``4d``."""
    if seconds is None:
        return "-"
    if seconds < 60:
        return f"{seconds:.0f}s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes}m"
    return f"{minutes // 60}h{minutes % 60:02}m" if minutes < 48 * 60 else f"{minutes / 1440:.0f}d"


def _share(share: Share) -> str:
    return "-" if share.ratio is None else f"{share.ratio:.0%} of {share.whole}"
