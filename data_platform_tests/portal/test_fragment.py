"""Fragments are kept by all that they are made of, and within their limit."""

from data_platform.portal.fragment import Fragments


def test_a_fragment_is_rendered_once_for_the_same_parts() -> None:
    fragments, calls = Fragments(), list[str]()

    def render(text: str) -> str:
        calls.append(text)
        return f"<p>{text} é ✓</p>"

    found = [fragments.render("graph", {"node": one}, [1], caller=lambda one=one: render(one)) for one in "abab"]

    assert found == [f"<p>{one} é ✓</p>" for one in "abab"]
    assert calls == ["a", "b"]


def test_a_name_that_is_no_text_of_utf8_is_kept_too() -> None:
    fragments = Fragments()

    first, kept = (fragments.render("a \ud800", caller=lambda: "<p>\ud800</p>") for _ in range(2))

    assert first == kept == "<p>?</p>"


def test_the_one_that_was_asked_for_longest_ago_is_dropped_first() -> None:
    fragments, calls = Fragments(most_bytes=60), list[str]()

    def ask(name: str) -> None:
        fragments.render(name, caller=lambda: calls.append(name) or f"<p>{name}</p>")  # type: ignore[func-returns-value]

    for name in ("a", "b", "c", "a", "d", "a", "b"):
        ask(name)

    assert calls[:3] == ["a", "b", "c"]
    assert calls[3:] == ["d", "b"]


def test_one_that_is_larger_than_the_limit_is_not_kept() -> None:
    fragments, calls = Fragments(most_bytes=10), list[int]()

    for turn in range(2):
        fragments.render("large", caller=lambda turn=turn: calls.append(turn) or "x" * 1_000)  # type: ignore[func-returns-value]

    assert calls == [0, 1]
