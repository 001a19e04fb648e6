"""Processes for tests."""

from data_platform.model.process import Process


def process(*steps: str) -> Process:
    """Steps called s0, s1, … over the input ``orders``."""
    return Process.model_validate(
        {
            "name": "p",
            "owner_team": "t",
            "output": "ds://shop/p",
            "inputs": [{"dataset": "ds://shop/orders"}],
            "steps": [{"name": f"s{number}", "sql": step} for number, step in enumerate(steps)],
        }
    )
