"""Every deadline of the last and the next day, with what is there."""

from datetime import timedelta

from data_platform.catalog import Catalog
from data_platform.model.dataset import Stage
from data_platform.policies import Policies
from data_platform.signals.due_today import find_due_today
from data_platform_tests.signals.test_lateness import DAY, DELAYS, FLIGHTS, NOW, RATES, SUMMARY, arrive, end


def test_each_deadline_is_listed_once_with_what_is_there(policies: Policies, catalog: Catalog) -> None:
    end(catalog, FLIGHTS, Stage.CERTIFIED, DAY, at=NOW - timedelta(minutes=5))
    arrive(catalog, DAY)

    due = find_due_today(policies, catalog, NOW)

    of_day = {one.dataset: one for one in due if one.partition == DAY}
    assert set(of_day) == {FLIGHTS, DELAYS, SUMMARY, RATES}
    assert len({(one.dataset, one.partition) for one in due}) == len(due)
    assert of_day[FLIGHTS].there_since == NOW - timedelta(minutes=5)
    assert of_day[RATES].there_since is not None
    assert of_day[DELAYS].there_since is None
    assert [one.due for one in due] == sorted(one.due for one in due)


def test_without_deadlines_nothing_is_due(catalog: Catalog, policies: Policies) -> None:
    from dataclasses import replace

    assert find_due_today(replace(policies, datasets=()), catalog, NOW) == ()
