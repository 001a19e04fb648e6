"""A console that survives a closed pipe, as with ``head``: printing stops, and the run continues.

rich would end the process at the call that prints. In a run that can be between a commit and its verdict.
"""

import os

from rich.console import Console


class LastingConsole(Console):
    def on_broken_pipe(self) -> None:
        self.quiet = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.file.fileno())  # Python's last flush at exit must not fail either
        os.close(nowhere)
