"""Policy files of many landed datasets, as people write them: 12 columns, 5 rules, a reference, a deadline each."""

from pathlib import Path

ZONES = 10
TYPES = ("INT", "STRING", "DECIMAL(18,2)", "DATE", "TIMESTAMP", "DOUBLE")
COLUMNS = [("day", "DATE"), *((f"c{n}", TYPES[n % len(TYPES)]) for n in range(11))]


def rules(n: int) -> list[str]:
    return [
        f"c0 BETWEEN {n} AND {n + 1500}",
        f"c2 > {n}",
        f"c1 IS NULL OR length(c1) < {n + 10}",
        f"(c4 IS NULL) = (c6 IS NULL AND c0 <> {n})",
        f"c5 % 100 < {n + 60} AND c5 >= 0",
    ]


def write_policies(root: Path, datasets: int) -> None:
    for n in range(datasets):
        folder = root / "datasets" / f"zone{n % ZONES}" / f"d{n}"
        folder.mkdir(parents=True)
        (folder / "dataset.yaml").write_text(dataset_yaml(n))
        (folder / "policy_bundle.yaml").write_text(bundle_yaml(n))


def dataset_yaml(n: int) -> str:
    return f"""\
# yaml-language-server: $schema=../../../schemas/dataset.schema.json
urn: {urn(n)}
description: >-
  One row for each event of source {n} on the day,
  cancelled ones included.
owner_team: team-{n % 7}
owner_email: team-{n % 7}@example.com
tier: TIER_{n % 3 + 1}
category: operations
tags: [daily, group-{n % 20}]
partition:
  key: day
  start: 2013-01-01
  time_zone: America/New_York
source:
  format: csv
  path: d{n}/{{partition}}
  manifest: manifest.json
  producer: export-{n}
slo:
  freshness:
    expected_update_by: "06:{n % 60:02} ET daily"
    grace_period: "30m"
    partition_key: day
  volume:
    min_rows_per_partition: 500 # the quietest day
"""


def bundle_yaml(n: int) -> str:
    columns = "".join(
        f'    - {{field: {name}, type: "{kind}", nullable: {"false" if name == "day" else "true"}, '
        f'description: "Column {name} of source {n}"}}\n'
        for name, kind in COLUMNS
    )
    invariants = "".join(f'    - {{id: rule_{i}, rule: "{rule}"}}\n' for i, rule in enumerate(rules(n)))
    return f"""\
# yaml-language-server: $schema=../../../schemas/policy_bundle.schema.json
schema:
  mode: strict
  constraints:
{columns}contract_lite:
  required_fields: [day, c0]
  invariants:
{invariants}  min_compliance: 0.95
contract:
  unique:
    - [day, c0]
  references:
    - {{fields: [c1], dataset: "{urn(n // 2)}", key: [c1]}}
pii:
  detection:
    - {{pattern: EMAIL, action: tokenize, fields: [c7]}}
    - {{pattern: PHONE, action: mask}}
dq:
  min_rows: 500
  metrics:
    - {{field: c0, max_null_rate: 0.25, severity: WARN}}
"""


def urn(n: int) -> str:
    return f"ds://zone{n % ZONES}/d{n}"
