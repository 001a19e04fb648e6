"""A catalog with notifications, and a channel that answers as a test says."""

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from data_platform.catalog import Catalog
from data_platform.catalog.alert import outbox
from data_platform.model.alert import AlertState, Audience, Recipient
from data_platform.policies import Policies
from data_platform.policies.alert import AlertPolicy
from data_platform.policies.catalog import PlatformPolicy
from data_platform.settings import Settings, read_settings
from data_platform.signals.alert_channel import Answer, Arrival, Envelope
from data_platform.signals.notify import Report, Sender
from data_platform_tests.signals.alert_case import FACTS, NOON, policy

ACCEPTED = Answer(arrival=Arrival.ACCEPTED)
REFUSED = Answer(arrival=Arrival.REFUSED, error="the channel answered 500")
UNKNOWN = Answer(arrival=Arrival.UNKNOWN, error="no answer came")


class Killed(BaseException):
    """The process ends here: nothing after it is executed."""


def change(
    catalog: Catalog,
    state: AlertState = AlertState.OPEN,
    *,
    at: datetime = NOON,
    owner: str = "shop",
    tier: str = "TIER_2",
    **values: Any,
) -> None:
    """Adds what the change of an incident adds."""
    given = {
        "incident": 1,
        "round": 1,
        "dataset_urn": "ds://shop/orders",
        "severity": "CRITICAL",
        "created_at": at,
    }
    with catalog._database.writing() as connection:
        outbox.add(connection, {owner: Recipient(Audience.OWNER, tier)}, state, given | values, FACTS)


class Channel:
    """Keeps what it accepts. ``answer`` is called with the number of the request, from 0."""

    def __init__(self, answer: Callable[[int], Answer] = lambda _: ACCEPTED) -> None:
        self.answer, self.requests, self.accepted = answer, list[Envelope](), list[Envelope]()

    def __call__(self, url: str, envelope: Envelope) -> Answer:
        assert url == "json://pager"
        self.requests.append(envelope)
        answer = self.answer(len(self.requests) - 1)
        if answer.arrival is Arrival.ACCEPTED:
            self.accepted.append(envelope)
        return answer


def settings(folder: Path, urls: Mapping[str, str] | None = None) -> Settings:
    given = {"PAGER": "json://pager"} if urls is None else urls
    environment = {f"DATA_PLATFORM_ALERT_URL_{name}": url for name, url in given.items()}
    return read_settings({"DATA_PLATFORM_HOME": str(folder), **environment})


def send(
    catalog: Catalog,
    channel: Callable[[str, Envelope], Answer],
    *,
    now: datetime = NOON,
    alerts: AlertPolicy | None = None,
    folder: Path = Path(),
    urls: Mapping[str, str] | None = None,
) -> Report:
    platform = PlatformPolicy(alerts=alerts or policy())
    policies = Policies(datasets=(), processes=(), platform=platform)
    return Sender(catalog=catalog, settings=settings(folder, urls), policies=policies, now=now, post=channel).run()
