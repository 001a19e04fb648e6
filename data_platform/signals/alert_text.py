"""What a message says: plain text with everything that its reader needs first, and a short form in one line."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from data_platform.model.alert import AlertState, Audience
from data_platform.model.number_text import number_of
from data_platform.model.personal import redacted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from data_platform.model.alert import Delivery, Notification

_NAMED = 5
_LISTED = 50
"""Incidents in a digest; channels refuse messages that are much longer."""
REPEATED = "This message may arrive twice: no answer came to the first attempt."


@dataclass(frozen=True, kw_only=True)
class AlertText:
    """``title`` is the same in each message of one incident, so that mail programs show them as one thread."""

    title: str
    body: str

    @property
    def short(self) -> str:
        return self.body.partition("\n")[0]


def incident_text(deliveries: Sequence[Delivery], *, service_url: str | None) -> AlertText:
    """The message about one incident: the newest change first, then those that were held until now."""
    newest, *earlier = reversed([one.notification for one in deliveries])
    lines = [headline(newest), "", *_details(newest)]
    if earlier:
        lines += ["", "Before that, and not reported until now:"]
        lines += [f"  {_minute(one.created_at)} {one.state}" for one in reversed(earlier)]
    lines += ["", *_next_steps(newest, service_url)]
    return AlertText(title=_title(newest), body=_finished(lines, deliveries))


def digest_text(deliveries: Sequence[Delivery], *, why: str, service_url: str | None) -> AlertText:
    """One message about several incidents, one line each with its changes."""
    found: dict[int, list[Notification]] = {}
    for one in deliveries:
        found.setdefault(one.notification.incident, []).append(one.notification)
    title = f"{number_of(len(found), 'incident')}: {why}"
    lines = [title, ""]
    for changes in list(found.values())[:_LISTED]:
        states = ", ".join(f"{one.state} {_minute(one.created_at)}" for one in changes)
        lines.append(f"- {headline(changes[-1])} ({states})")
    if len(found) > _LISTED:
        lines.append(f"- and {len(found) - _LISTED} more: data-platform alerts list")
    lines += ["", "Next: data-platform incidents list", *_link(service_url, "/incidents")]
    return AlertText(title=title, body=_finished(lines, deliveries))


def headline(about: Notification) -> str:
    """One line: the incident, its state, and what happened to whom."""
    return _line(f"[incident {about.incident}] {about.state} {about.severity} {about.tier}: {about.facts['title']}")


def _title(about: Notification) -> str:
    return _line(f"[incident {about.incident}] {about.facts['title']}")


def _line(text: str) -> str:
    return redacted(" ".join(text.split()))


def _details(about: Notification) -> Iterator[str]:
    facts = about.facts
    where = " ".join(part for part in (about.dataset, facts.get("partition")) if part)
    yield f"What: {facts['title']} ({where})"
    yield f"Since: {_minute(facts['occurred_at'])}, noticed {_minute(facts['opened_at'])}"
    if about.state is AlertState.WORSE:
        yield "It was a warning before, and is critical now."
    elif about.state is AlertState.ACKNOWLEDGED:
        yield f"Acknowledged by {facts['by']}{_comment(facts)}"
    elif about.state is AlertState.RESOLVED:
        yield f"Resolved by {facts['by']}: {facts.get('resolution')}{_comment(facts)}"
    elif about.state is AlertState.MERGED:
        yield f"It has the same cause as incident {facts.get('merged_into')}, which goes on."
    for reason in facts.get("reasons", ()):
        yield f"Why: {reason}"
    if about.audience is Audience.DOWNSTREAM:
        own = [one["dataset"] for one in facts.get("affected", ()) if one.get("owner_team") == about.owner]
        yield f"Affects you: {', '.join(own[:_NAMED]) or 'a dataset of ' + about.owner}; {facts['owner']} works on it"
    yield from _radius(facts)


def _radius(facts: Mapping[str, Any]) -> Iterator[str]:
    affected, total = facts.get("affected", ()), facts.get("total", 0)
    if not total:
        yield "Downstream: nothing is affected"
        return
    named = ", ".join(one["dataset"] for one in affected[:_NAMED])
    more = f" and {total - _NAMED} more" if total > _NAMED else ""
    teams = f", of {', '.join(facts['owners'])}" if facts.get("owners") else ""
    yield f"Downstream: {number_of(total, 'dataset')}{teams}: {named}{more}"
    for one in affected:
        if one.get("deadline"):
            yield f"Deadline at risk: {one['dataset']} {_minute(one['deadline'])}"


def _next_steps(about: Notification, service_url: str | None) -> Iterator[str]:
    if about.state.ends:
        yield f"Next: nothing; data-platform incidents show {about.incident} has its history"
    else:
        yield f"Next: data-platform incidents show {about.incident}"
        if about.audience is Audience.OWNER and about.state is not AlertState.ACKNOWLEDGED:
            yield f"Then: data-platform incidents acknowledge {about.incident}"
    yield from _link(service_url, f"/incidents/{about.incident}")


def _link(service_url: str | None, path: str) -> Iterator[str]:
    if service_url:
        yield f"Link: {service_url.rstrip('/')}{path}"


def _finished(lines: Sequence[str], deliveries: Sequence[Delivery]) -> str:
    repeated = [REPEATED] if any(one.is_repeat for one in deliveries) else []
    return redacted("\n".join((*lines, *repeated)))


def _comment(facts: Mapping[str, Any]) -> str:
    return f": {facts['comment']}" if facts.get("comment") else ""


def _minute(moment: datetime | str) -> str:
    at = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return f"{at:%Y-%m-%d %H:%M} UTC"
