"""A label fits into its box, and changes nothing around it."""

import pytest

from data_platform.portal.label import fitted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("orders", "orders", id="short"),
        pytest.param("", "", id="empty"),
        pytest.param("AUTOSYS/BOX_17/LOAD_ORDERS_42", "AUTOSY…S_42", id="both ends stay"),
        pytest.param("a\u202eb\u200b\tc", "ab c", id="signs that turn or hide text"),
        pytest.param("顧客マスタ顧客マスタ", "顧客マ…スタ", id="wide letters count twice"),
        pytest.param("ü" * 500, "üüüüüü…üüüü", id="long"),
    ],
)
def test_a_label_fits(text: str, shown: str) -> None:
    assert fitted(text, 11) == shown
