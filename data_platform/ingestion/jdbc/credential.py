"""The password of a source, from the place that its policy names. Nothing else ever holds it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from data_platform.environment import is_set, variable
from data_platform.errors import EnvironmentProblem

if TYPE_CHECKING:
    from data_platform.model.jdbc_source import Secret


def password_of(secret: Secret | None) -> str | None:
    """The password; None if the policy names none.

    Raises:
        EnvironmentProblem: The variable is not set, or the file cannot be read or is empty.
    """
    if secret is None:
        return None
    if secret.env:
        if not is_set(secret.env):
            raise EnvironmentProblem(
                f"the variable {secret.env}, which source.password names, is not set: set it for the process that runs "
                "the stages, and run again"
            )
        return variable(secret.env)
    try:
        text = Path(str(secret.file)).read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise EnvironmentProblem(
            f"{secret.file}, which source.password names, cannot be read ({type(error).__name__}): let this user read "
            "it, and run again"
        ) from None
    if not text:
        raise EnvironmentProblem(f"{secret.file}, which source.password names, is empty: write the password into it")
    return text
