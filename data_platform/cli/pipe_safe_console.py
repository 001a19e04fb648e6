"""A console whose reader may go away, as ``head`` does: printing ends then, and the work that it is about goes on.

rich would end the process, from within whatever printed. In a run that is a stage between its commit and its verdict.
"""

import os

from rich.console import Console


class LastingConsole(Console):
    def on_broken_pipe(self) -> None:
        self.quiet = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.file.fileno())  # what Python still has to write at its end breaks nothing either
        os.close(nowhere)
