"""Each count of the filters says what a click would show, and what is urgent comes first."""

from data_platform.model.lineage import RunState
from data_platform.model.process_page import ListedProcess
from data_platform.portal.processes_view import ProcessFilter, choose, state_of


def process(key: str, status: RunState | None = RunState.COMPLETED, **changes: object) -> ListedProcess:
    values = {
        "id": 1, "description": "", "technology": "SPARK", "team": "ops", "trigger_mode": "PROCESS",
        "is_retired": False,
    }  # fmt: skip
    return ListedProcess(**{**values, "key": key, "status": status, **changes})  # type: ignore[arg-type]


ALL = (
    process("a"),
    process("b", RunState.FAILED),
    process("c", RunState.FAILED, technology="AUTOSYS", team=None),
    process("d", None),
    process("e", RunState.RUNNING, is_retired=True),
)


def test_failed_ones_come_first_and_retired_ones_last() -> None:
    assert [one.key for one in choose(ALL, ProcessFilter()).chosen] == ["b", "c", "a", "d", "e"]
    assert [state_of(one) for one in ALL] == ["COMPLETED", "FAILED", "FAILED", "never ran", "retired"]


def test_counts_are_of_what_the_other_filters_leave() -> None:
    choice = choose(ALL, ProcessFilter(state="FAILED", technology="SPARK"))

    assert [one.key for one in choice.chosen] == ["b"]
    assert choice.states == {"FAILED": 1, "COMPLETED": 1, "never ran": 1, "retired": 1}
    assert choice.technologies == {"SPARK": 1, "AUTOSYS": 1}
    assert choice.teams == {"ops": 1}
