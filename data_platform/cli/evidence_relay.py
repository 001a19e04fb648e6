"""``data-platform evidence relay``: sends the evidence log to Kafka, once or for as long as the command runs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.guard import ERROR, AsJson, Debug, opened
from data_platform.cli.interruption import stop_event
from data_platform.errors import SourceUnavailableError, UsageError
from data_platform.model.number_text import number_of

if TYPE_CHECKING:
    from data_platform.evidence_bus.relay import Passed, Relay
    from data_platform.installation import Platform


def relay(
    *,
    follow: Annotated[bool, typer.Option("--follow", help="Go on until Ctrl-C or SIGTERM.")] = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Send the evidence that the topic does not have yet to Kafka (DATA_PLATFORM_KAFKA_BOOTSTRAP).

    A run does this too after each stage, and `data-platform up` follows. Records keep the order of their dataset. A
    record may be sent twice: consumers recognize it by its header evidence_id.
    """
    with opened(as_json=as_json, debug=debug) as platform:
        from data_platform.evidence_bus import relay as bus

        found = _relay(platform)
        if follow:
            if as_json:
                raise UsageError("--follow prints lines until it is stopped: leave out --json")
            _follow(found)
            return
        passed = found.pass_on(seconds=bus.ONCE_SECONDS)
        left = platform.catalog.evidence_relay.waiting(found.topic).records
        if as_json:
            screen.print_json({"topic": found.topic, "sent": passed.records, "waiting": left})
            raise typer.Exit(ERROR if passed.problem else 0)
        elsewhere = "; another process sends them" if passed.elsewhere else ""
        screen.out().print(f"{passed.records} sent, {left} waiting{elsewhere}", markup=False)
        if passed.problem:
            records = number_of(left, "record")
            raise SourceUnavailableError(
                f"Kafka did not accept {records}: {passed.problem}; nothing is lost: try again"
            )


def print_waiting(platform: Platform) -> None:
    """Prints how many records Kafka does not have, if there are any."""
    topic = platform.settings.kafka_topic
    if platform.settings.kafka_bootstrap is None:
        return
    waiting = platform.catalog.evidence_relay.waiting(topic)
    if waiting.oldest is not None:
        records = number_of(waiting.records, "record of evidence waits", "records of evidence wait")
        since = f"{waiting.oldest:%Y-%m-%d %H:%M:%S} UTC"
        line = f"{records} for Kafka ({topic}), the oldest since {since}"
        screen.out().print(line, markup=False, soft_wrap=True, style="yellow")


def _relay(platform: Platform) -> Relay:
    if platform.evidence_relay is None:
        raise UsageError("no Kafka brokers are configured: set DATA_PLATFORM_KAFKA_BOOTSTRAP to host:port")
    return platform.evidence_relay


def _follow(found: Relay) -> None:
    """A signal ends it after the batch at hand, with exit code 0."""
    stop = stop_event()
    found.producer.open()  # a wrong configuration ends the command now, and not with the first record
    screen.out().print(f"sends evidence to {found.topic} at {found.producer.bootstrap}", markup=False, soft_wrap=True)
    found.follow(stop, lambda passed: _report(found, passed))
    screen.out().print("stopped", markup=False)


def _report(found: Relay, passed: Passed) -> None:
    left = found.catalog.evidence_relay.waiting(found.topic).records
    state = f"waits for Kafka: {passed.problem}" if passed.problem else "up to date" if left == 0 else "goes on"
    if passed.elsewhere:
        state = "another process sends"
    line = f"{datetime.now(UTC):%H:%M:%S} {passed.records} sent, {left} waiting; {state}"
    screen.out().print(line, markup=False, soft_wrap=True)
