"""The versions of a key: each file is made once, is private, and is never confused with another one."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from data_platform.errors import DataPlatformError
from data_platform.model.key_ring import KeyRing


@pytest.fixture
def ring(tmp_path: Path) -> KeyRing:
    """With one key."""
    made = KeyRing(tmp_path / "pii.key")
    made.make(1)
    return made


def names(ring: KeyRing) -> list[str]:
    return sorted(path.name for path in ring.file.parent.iterdir())


def test_the_highest_version_is_the_current_one_and_the_others_stay(ring: KeyRing) -> None:
    made = [ring.make_next() for _ in range(9)]

    assert [key.number for key in ring.versions()] == list(range(1, 11))
    assert ring.versions()[-1] == made[-1]
    assert len({key.id for key in ring.versions()}) == 10
    assert made[0].secret.hex() not in repr(ring.versions())


def test_each_file_is_private_and_an_open_one_is_tightened(ring: KeyRing) -> None:
    before = os.umask(0)
    try:
        ring.make_next()
    finally:
        os.umask(before)
    ring.path(1).chmod(0o644)

    ring.versions()

    assert {stat.S_IMODE(ring.path(number).stat().st_mode) for number in (1, 2)} == {0o600}


def test_of_two_processes_that_make_one_version_both_get_the_same_key(ring: KeyRing) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: ring.make(2), range(8)))

    assert len({key.secret for key, _ in made}) == 1
    assert sorted(is_new for _, is_new in made) == [False] * 7 + [True]
    assert names(ring) == ["pii.key", "pii.key.v2"]


def test_other_files_beside_the_key_are_no_versions(ring: KeyRing) -> None:
    for name in ("pii.key.bak", "pii.key.v02", "pii.key.v2.1f.tmp", "xpii.key.v3", "pii.key.v1000", "pii.key.v4~"):
        ring.file.with_name(name).write_bytes(bytes(32))

    assert [key.number for key in ring.versions()] == [1]


def test_a_retired_version_is_read_no_more_and_its_number_is_never_used_again(ring: KeyRing) -> None:
    ring.make_next()
    kept = ring.retire(2)

    assert [key.number for key in ring.versions()] == [1]
    assert (kept.name, ring.retired()) == ("pii.key.v2.retired", (2,))
    assert ring.make_next().number == 3


def test_a_version_whose_retirement_was_interrupted_is_retired(ring: KeyRing) -> None:
    ring.make_next()
    os.link(ring.path(1), ring.file.with_name("pii.key.v1.retired"))  # and then the process died

    assert [key.number for key in ring.versions()] == [2]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(None, "hold the same key", id="a copy of the first"),
        pytest.param(b"short", "has 5 bytes, expected a key of 32", id="too short"),
        pytest.param(b"", "has 0 bytes", id="empty"),
    ],
)
def test_a_wrong_key_is_an_error_before_anything_is_written(ring: KeyRing, content: bytes | None, message: str) -> None:
    ring.path(2).write_bytes(ring.path(1).read_bytes() if content is None else content)

    with pytest.raises(DataPlatformError, match=message) as told:
        ring.versions()
    assert str(ring.path(2)) in str(told.value)


def test_without_a_first_key_there_is_nothing_to_rotate(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "missing" / "pii.key")

    assert ring.versions() == ()
    with pytest.raises(DataPlatformError, match="there is no key in"):
        ring.make_next()


def test_there_is_a_last_version(ring: KeyRing) -> None:
    ring.make(999)

    with pytest.raises(DataPlatformError, match="v999 is the last version"):
        ring.make_next()
