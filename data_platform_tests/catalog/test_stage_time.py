"""Run times are kept until the next run of a dataset, at most an hour, and each is read anew at a time of its own."""

from collections.abc import Iterable
from datetime import timedelta

from data_platform.catalog import Catalog
from data_platform.catalog.stage_time import LEAST_SECONDS, MOST_SECONDS, NewRuns, StageTimes
from data_platform.model.dataset import Stage
from data_platform.model.run_time import RunTime
from data_platform_tests.catalog.example import ORDERS, report

MINUTE = RunTime(timedelta(minutes=1), timedelta(minutes=2))
URNS = [f"ds://ops/d{number}" for number in range(200)]


class Reader:
    """Has times for every dataset but the first."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.now = 0.0
        self.ran: dict[int, str] = {}

    def read(self, urns: Iterable[str]) -> dict[tuple[str, Stage], RunTime]:
        self.asked.append(list(urns))
        return {(urn, Stage.GOLD): MINUTE for urn in self.asked[-1] if urn != URNS[0]}

    def since(self, after: int | None) -> NewRuns:
        newer = [urn for number, urn in self.ran.items() if after is not None and number > after]
        return NewRuns(max(self.ran, default=0), newer)


def test_datasets_are_read_once_within_half_an_hour() -> None:
    reader = Reader()
    times = StageTimes(clock=lambda: reader.now)

    first = times.find(URNS[:2], reader.read, reader.since)
    reader.now = LEAST_SECONDS - 1
    again = times.find(URNS[:3], reader.read, reader.since)

    assert first == {(URNS[1], Stage.GOLD): MINUTE}
    assert again == {(urn, Stage.GOLD): MINUTE for urn in URNS[1:3]}
    assert reader.asked == [URNS[:2], URNS[2:3]]


def test_all_are_read_again_within_the_hour_and_not_all_at_once() -> None:
    reader = Reader()
    times = StageTimes(clock=lambda: reader.now)
    times.find(URNS, reader.read, reader.since)

    for minute in range(1, 61):
        reader.now = minute * MOST_SECONDS / 60
        times.find(URNS, reader.read, reader.since)

    assert {urn for urns in reader.asked[1:] for urn in urns} == set(URNS)
    assert max(len(urns) for urns in reader.asked[1:]) < len(URNS) / 4


def test_a_dataset_that_has_run_is_read_again_at_once() -> None:
    reader = Reader()
    times = StageTimes(clock=lambda: reader.now)
    reader.ran = {7: URNS[1]}
    times.find(URNS[:3], reader.read, reader.since)

    reader.ran[8] = URNS[2]
    times.find(URNS[:3], reader.read, reader.since)
    times.find(URNS[:3], reader.read, reader.since)

    assert reader.asked == [URNS[:3], [URNS[2]]]


def test_the_fifth_run_of_a_stage_counts_at_the_next_look(catalog: Catalog) -> None:
    """Of fewer runs nothing is known; it was known up to an hour later once."""
    for number in range(4):
        catalog.runs.record(report(f"run_{number}"), [])
    before = catalog.timeliness.recent_stage_times([ORDERS])

    catalog.runs.record(report("run_5"), [])

    assert before == {}
    assert set(catalog.timeliness.recent_stage_times([ORDERS])) == {(ORDERS, Stage.GOLD)}
