"""What the catalog knows of Dagster's daemon: its last tick, and what is switched off since when."""

from data_platform.catalog import Catalog
from data_platform.model.scheduler_state import SchedulerState
from data_platform_tests.catalog.example import NOW, later


def test_nothing_is_known_before_the_first_tick(catalog: Catalog) -> None:
    assert catalog.scheduler.state() == SchedulerState()


def test_what_is_switched_off_keeps_the_time_at_which_it_was_noticed(catalog: Catalog) -> None:
    catalog.scheduler.record(set(), now=NOW)
    catalog.scheduler.record({"arrivals"}, now=later(1))
    catalog.scheduler.record({"arrivals", "make_delays_schedule"}, now=later(2))

    assert catalog.scheduler.state() == SchedulerState(
        ticked_at=later(2), off={"arrivals": later(1), "make_delays_schedule": later(2)}
    )


def test_what_is_switched_on_again_is_forgotten(catalog: Catalog) -> None:
    catalog.scheduler.record({"arrivals"}, now=NOW)
    catalog.scheduler.record(set(), now=later(1))
    on = catalog.scheduler.state()
    catalog.scheduler.record({"arrivals"}, now=later(2))

    assert on == SchedulerState(ticked_at=later(1))
    assert catalog.scheduler.state().off == {"arrivals": later(2)}
