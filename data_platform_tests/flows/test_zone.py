"""Days are days of the dataset's zone: in partitions, rules, steps, and in text without an offset."""

from datetime import date

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.process import Process
from data_platform.transform import sql
from data_platform_tests.flows.estate import Estate, set_aside

RIDES, STOPS, HUB = "ds://ny/rides", "ds://in/stops", "ds://hub/hours"
SPRING = PartitionKey("2025-03-09")
"""In New York the clocks jump from 02:00 to 03:00."""


def declare(estate: Estate) -> None:
    estate.declare(
        RIDES,
        {
            "schema": {
                "constraints": [
                    {"field": "id", "type": "INT", "nullable": False},
                    {"field": "at", "type": "TIMESTAMP", "nullable": False},
                ]
            },
            "contract_lite": {
                "min_compliance": 0,
                "invariants": [
                    {"id": "of_the_day", "rule": "CAST(at AS DATE) = DATE'2025-03-09'", "severity": "WARN"},
                    {"id": "not_later_than_today", "rule": "to_date(at) <= current_date()"},
                ],
            },
        },
        partition={"key": "day", "start": SPRING.value, "time_zone": "America/New_York", "computed_from": "at"},
        source={"format": "csv", "path": "rides/{partition}", "producer": "taxi"},
    )
    stops = [{"field": "id", "type": "INT"}, {"field": "seen", "type": "TIMESTAMP"}]
    source = {"format": "csv", "path": "stops", "producer": "taxi"}
    estate.declare(STOPS, {"schema": {"constraints": stops}}, source=source, time_zone="Asia/Kolkata")
    kinds = {"id": "INT", "ride_day": "DATE", "ride_hour": "INT", "stop_day": "DATE", "made_on": "DATE"}
    hours = [{"field": name, "type": kind} for name, kind in kinds.items()]
    estate.declare(HUB, {"schema": {"constraints": hours}}, process="hours", time_zone="Pacific/Kiritimati")
    query = """
        SELECT r.id, to_date(r.at) AS ride_day, hour(r.at) AS ride_hour, CAST(s.seen AS DATE) AS stop_day,
               current_date() AS made_on
        FROM rides r JOIN stops s ON s.id = r.id
    """
    inputs = [{"dataset": RIDES, "rows": "all"}, {"dataset": STOPS}]
    estate.process("hours", output=HUB, inputs=inputs, steps=[{"name": "joined", "sql": query}])


def test_days_are_those_of_the_datasets_zone(estate: Estate) -> None:  # C18
    declare(estate)
    lines = [
        "1,2025-03-09T04:30:00Z",  # 23:30 of the 8th in New York
        "2,2025-03-09 01:30:00",
        "3,2025-03-09 02:30:00",  # no such time: the clocks jump over it
        "4,2025-03-10T03:59:00Z",  # 23:59 of the 9th
        "5,2025-03-10T04:00:00Z",  # midnight of the 10th
    ]
    estate.deliver(f"rides/{SPRING}", {"rides.csv": "\n".join(["id,at", *lines]) + "\n"})
    estate.deliver("stops", {"stops.csv": "id,seen\n2,2025-03-09 01:30:00\n4,2025-03-09T20:00:00Z\n"})
    estate.now = estate.now.replace(month=3, day=10, hour=3)

    silver, gold, certified = estate.run("rides", SPRING)[1:]
    assert estate.run("stops", None)[-1].stage is Stage.CERTIFIED
    assert estate.run("hours", None)[-1].stage is Stage.CERTIFIED

    assert (gold.outcome.value, certified.stage) == ("passed", Stage.CERTIFIED)
    told = {int(row["id"]): [v.split(":")[0] for v in row["_violations"]] for row in set_aside(estate, silver)}
    # now is 23:00 of the 9th in New York, so that midnight of the 10th is a day of the future
    assert set(told) == {1, 3, 5}
    assert told[1] == ["WRONG_PARTITION"]
    assert "TYPE_MISMATCH" in told[3]
    assert {"WRONG_PARTITION", "INVARIANT"} <= set(told[5])
    rows = estate.certified_rows("rides")
    assert [(row["id"], row["day"]) for row in rows] == [(2, SPRING.value), (4, SPRING.value)]
    hours = [tuple(row.values()) for row in estate.certified_rows("hours")]
    # 01:30 in New York is 06:30 UTC, 20:30 on Kiritimati; 03:59 UTC of the 10th is 17:59 there
    # 01:30 in Kolkata is 20:00 UTC of the 8th, 10:00 of the 9th on Kiritimati; 20:00 UTC is 10:00 of the 10th there
    assert hours == [
        (2, date(2025, 3, 9), 20, date(2025, 3, 9), date(2025, 3, 10)),
        (4, date(2025, 3, 10), 17, date(2025, 3, 10), date(2025, 3, 10)),
    ]


@pytest.mark.parametrize(
    ("zone", "instant", "day", "hour"),
    [
        pytest.param("UTC", "2025-11-02T05:30:00Z", date(2025, 11, 2), 5, id="UTC"),
        pytest.param("America/New_York", "2025-11-02T03:30:00Z", date(2025, 11, 1), 23, id="the evening before"),
        pytest.param("America/New_York", "2025-11-02T05:30:00Z", date(2025, 11, 2), 1, id="the first 01:30 of autumn"),
        pytest.param("America/New_York", "2025-11-02T06:30:00Z", date(2025, 11, 2), 1, id="the second 01:30"),
        pytest.param("America/New_York", "2025-11-03T04:59:00Z", date(2025, 11, 2), 23, id="the 25th hour"),
        pytest.param("Asia/Kolkata", "2025-03-08T18:30:00Z", date(2025, 3, 9), 0, id="half an hour"),
        pytest.param("Pacific/Kiritimati", "2025-03-08T10:00:00Z", date(2025, 3, 9), 0, id="14 hours ahead"),
    ],
)
def test_a_step_computes_days_and_hours_in_the_zone_of_its_session(
    spark: SparkSession, zone: str, instant: str, day: date, hour: int
) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.session.timeZone", zone)
    rows = session.range(1).select(F.lit(instant).cast("timestamp").alias("at"))
    steps = [
        "SELECT to_date(at) a, CAST(at AS DATE) b, CAST(date_trunc('DAY', at) AS DATE) c, hour(at) AS h FROM x",
        "SELECT a = b AND b = c AS same, a, h FROM one",
    ]
    process = Process.model_validate(
        {
            "name": "p",
            "owner_team": "t",
            "output": "ds://a/p",
            "inputs": [{"dataset": "ds://a/x"}],
            "steps": [{"name": name, "sql": step} for name, step in zip(("one", "two"), steps, strict=True)],
        }
    )

    assert sql.run(session, process, {"x": rows}, None).first() == (True, day, hour)
