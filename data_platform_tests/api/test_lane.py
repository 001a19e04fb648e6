"""Small requests go first, large ones take turns, and the events of one request keep their order."""

from typing import Any

from data_platform.api import lane
from data_platform.api.lane import Allowance, Group, Lanes
from data_platform.model.lineage import LineageEvent
from data_platform.openlineage.event import read_event
from data_platform_tests.api.service_client import event

WIDE = Allowance(events=200, bytes=1 << 30, large_events=60, large_bytes=1 << 30)


def events(name: str, count: int, **changes: Any) -> list[LineageEvent]:
    return [read_event(event(job={"namespace": name, "name": str(place)}, **changes)) for place in range(count)]


def jobs(group: Group) -> list[tuple[str, int]]:
    return [(one.event.job.namespace, int(one.event.job.name)) for one in group.events if one.event.job]


def test_every_small_request_is_in_the_next_group_after_any_other() -> None:
    lanes = Lanes()
    lanes.add(events("huge", 500))
    for number in range(3):
        lanes.add(events(f"small {number}", 2))

    group = lanes.next_group(WIDE)

    assert jobs(group)[:6] == [(f"small {number}", place) for number in range(3) for place in range(2)]
    assert jobs(group)[6:] == [("huge", place) for place in range(60)]
    assert group.ended == 3


def test_large_requests_take_turns_and_keep_the_order_of_their_events() -> None:
    lanes = Lanes()
    lanes.add(events("first", 45))
    lanes.add(events("second", 25))

    groups = [lanes.next_group(WIDE), lanes.next_group(WIDE), lanes.next_group(WIDE)]

    assert jobs(groups[0]) == [
        *(("first", place) for place in range(20)),
        *(("second", place) for place in range(20)),
        *(("first", place) for place in range(20, 40)),
    ]
    assert jobs(groups[1]) == [
        *(("second", place) for place in range(20, 25)),
        *(("first", place) for place in range(40, 45)),
    ]
    assert [group.ended for group in groups] == [0, 2, 0]
    assert (jobs(groups[2]), lanes.events, lanes.requests) == ([], 0, 0)


def test_an_event_that_is_larger_than_a_group_may_be_goes_alone() -> None:
    lanes = Lanes()
    lanes.add(events("big", 11))

    assert len(lanes.next_group(Allowance(events=200, bytes=1, large_events=200, large_bytes=1)).events) == 1


def test_a_full_lane_of_large_requests_refuses_no_small_one() -> None:
    lanes = Lanes()
    assert lanes.add(events("huge", lane.QUEUE_EVENTS)) is not None

    assert lanes.add(events("large", lane.SMALL_EVENTS + 1)) is None
    assert lanes.add(events("small", lane.SMALL_EVENTS)) is not None
    assert lanes.events == lane.QUEUE_EVENTS + lane.SMALL_EVENTS  # nothing of the refused one
