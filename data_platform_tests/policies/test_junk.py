"""Any content of a policy file results in a problem with the file's name, and never in a stack trace."""

from pathlib import Path

import pytest

from data_platform_tests.policies.tree import ORDERS, TOTALS, derived, problems

FILES = {
    f"{ORDERS}/dataset.yaml": "dataset",
    f"{TOTALS}/policy_bundle.yaml": "bundle",
    f"{ORDERS}/baseline.json": "baseline",
    f"{ORDERS}/freshness.yaml": "freshness",
    "processes/totals.yaml": "process",
    "platform.yaml": "platform",
    "legacy/jobs.yaml": "mapping",
}
BOMB = "\n".join(["a0: &a0 [x, x, x, x, x, x, x, x, x]"] + [
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)
])  # fmt: skip
JUNK = [
    pytest.param(b"", id="nothing"),
    pytest.param(b"\x00\x00", id="NUL"),
    pytest.param(b"urn: \x00", id="NUL in a value"),
    pytest.param(b'urn: "\\0"', id="an escaped NUL"),
    pytest.param(b'urn: "\\ud800"', id="half of a surrogate pair"),
    pytest.param("urn: ünïcode".encode("latin-1"), id="Latin-1"),
    pytest.param("urn: a".encode("utf-16"), id="UTF-16"),
    pytest.param(b"- a\n- b\n", id="a list"),
    pytest.param(b"just text", id="a text"),
    pytest.param(b"12345678901234567890123456789012345678901234567890", id="a number"),
    pytest.param(b"{1: 2, null: 3, true: 4, 1.5: 6}", id="keys that are no text"),
    pytest.param(b"{[1, 2]: 3, {a: b}: 4}", id="keys that are lists"),
    pytest.param(b"? [a, b]\n: c\n", id="a complex key"),
    pytest.param(b"a: 1\na: 2\n", id="a key twice"),
    pytest.param(b"\ta: 1\n", id="a tab"),
    pytest.param(b"a: &x {b: *x}\n", id="an anchor within itself"),
    pytest.param(b"a: *nothing\n", id="an alias of nothing"),
    pytest.param(b"<<: 1\n", id="a merge of nothing"),
    pytest.param(b"a: !!python/object/apply:os.system ['true']\n", id="an object of Python"),
    pytest.param(b"a: !!binary aGk=\n", id="binary"),
    pytest.param(b"a: !!timestamp 2001-01-01\n", id="a tag"),
    pytest.param(b"a: .inf\nb: .nan\nc: 1e400\n", id="no numbers"),
    pytest.param(b"a: " + b"9" * 5000, id="a number of 5,000 digits"),
    pytest.param(b"[" * 5000, id="a deep list"),
    pytest.param(b"a: " + b"{b: " * 3000, id="a deep mapping"),
    pytest.param(b"a: " + b"[" * 900 + b"]" * 900, id="a deep list that is closed"),
    pytest.param(BOMB.encode(), id="a bomb of aliases"),
    pytest.param(b"a: " + b"x" * 6_000_000, id="six million letters"),
    pytest.param(b"---\na: 1\n---\nb: 2\n", id="two documents"),
    pytest.param(b"%YAML 9.9\n---\na: 1\n", id="another YAML"),
    pytest.param(b'{"a": NaN, "b": Infinity}', id="NaN"),
]
SHAPES = ["null", "[]", "{}", "'x'", "5", "true", "[[]]", "[null]", "{a: {b: []}}", "1e999", "-1", "''"]


@pytest.mark.parametrize("content", JUNK)
def test_junk_is_a_problem_of_its_file(tmp_path: Path, content: bytes) -> None:
    found = problems(tmp_path, {**derived(), **dict.fromkeys(FILES, content)})

    for name in FILES:
        if not (name == "platform.yaml" and content == b"{}"):
            assert any(problem.startswith(f"policies/{name}") for problem in found), name
    assert all(len(problem) < 2_000 for problem in found)


KEYS = {
    f"{ORDERS}/dataset.yaml": "urn owner_team owner_email tier description category tags status storage slo partition"
    " time_zone source process",
    f"{TOTALS}/policy_bundle.yaml": "schema contract_lite contract pii dq",
    "processes/totals.yaml": "name description owner_team output inputs steps trigger schedule",
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", list(KEYS))
def test_no_shape_of_a_value_is_a_stack_trace(tmp_path: Path, name: str, shape: str) -> None:
    files = derived()
    for key in KEYS[name].split():
        kept = [line for line in files[name].splitlines() if not line.startswith(f"{key}:")]
        changed = {**files, name: "\n".join([*kept, f"{key}: {shape}", ""])}

        found = problems(tmp_path, changed)

        assert all(problem.startswith("policies/") for problem in found)
