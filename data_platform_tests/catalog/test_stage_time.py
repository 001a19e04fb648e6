"""Run times are kept for at most an hour, and each dataset is read anew at a time of its own."""

from collections.abc import Iterable
from datetime import timedelta

from data_platform.catalog.stage_time import LEAST_SECONDS, MOST_SECONDS, StageTimes
from data_platform.model.dataset import Stage
from data_platform.model.run_time import RunTime

MINUTE = RunTime(timedelta(minutes=1), timedelta(minutes=2))
URNS = [f"ds://ops/d{number}" for number in range(200)]


class Reader:
    """Has times for every dataset but the first."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.now = 0.0

    def read(self, urns: Iterable[str]) -> dict[tuple[str, Stage], RunTime]:
        self.asked.append(list(urns))
        return {(urn, Stage.GOLD): MINUTE for urn in self.asked[-1] if urn != URNS[0]}


def test_datasets_are_read_once_within_half_an_hour() -> None:
    reader = Reader()
    times = StageTimes(clock=lambda: reader.now)

    first = times.find(URNS[:2], reader.read)
    reader.now = LEAST_SECONDS - 1
    again = times.find(URNS[:3], reader.read)

    assert first == {(URNS[1], Stage.GOLD): MINUTE}
    assert again == {(urn, Stage.GOLD): MINUTE for urn in URNS[1:3]}
    assert reader.asked == [URNS[:2], URNS[2:3]]


def test_all_are_read_again_within_the_hour_and_not_all_at_once() -> None:
    reader = Reader()
    times = StageTimes(clock=lambda: reader.now)
    times.find(URNS, reader.read)

    for minute in range(1, 61):
        reader.now = minute * MOST_SECONDS / 60
        times.find(URNS, reader.read)

    assert {urn for urns in reader.asked[1:] for urn in urns} == set(URNS)
    assert max(len(urns) for urns in reader.asked[1:]) < len(URNS) / 4
