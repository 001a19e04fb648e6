"""The detectors of a look. Each returns what is true now, from policies and catalog alone, and keeps no state.

A detector that cannot be sure that a finding is gone returns it again: what no detector returns is cleared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.signal import SignalSeverity
from data_platform.signals.at_risk_signal import find_at_risk_signals
from data_platform.signals.external_volume import find_external_volume
from data_platform.signals.gate_signal import find_held, find_warned
from data_platform.signals.job_signal import find_failed
from data_platform.signals.late_signal import find_late_signals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from data_platform.model.signal import Finding
    from data_platform.signals.situation import Situation

DETECTORS: tuple[Callable[[Situation], Iterable[Finding]], ...] = (
    find_late_signals,
    find_at_risk_signals,
    find_held,
    find_external_volume,
    find_warned,
    find_failed,
)


def detect(situation: Situation) -> tuple[Finding, ...]:
    """All findings, one for each key: of two with the same key the more severe one, then the one that began first."""
    best: dict[tuple[str, str, str, str], Finding] = {}
    for detector in DETECTORS:
        for finding in detector(situation):
            known = best.get(finding.key)
            if known is None or _rank(finding) < _rank(known):
                best[finding.key] = finding
    return tuple(best[key] for key in sorted(best))


def _rank(finding: Finding) -> tuple[bool, str, str, str]:
    is_warning = finding.severity is SignalSeverity.WARNING
    return is_warning, finding.occurred_at.isoformat(), finding.signature, finding.reason
