"""Runs the program on a terminal of a given width, and returns what it printed."""

import os
import pty
import subprocess

from server import PATIENCE_S, PROGRAM, clean_environment


def on_screen(*arguments, columns=80, typed="", **environment):
    """Exit code and output of the program on a terminal, without the carriage returns."""
    master, terminal = pty.openpty()
    environment = {"TERM": "xterm", "NO_COLOR": "1", **environment}
    kept = {name: text for name, text in environment.items() if text is not None}
    try:
        with subprocess.Popen([PROGRAM, *arguments], stdin=terminal, stdout=terminal, stderr=terminal,
                              env=clean_environment(COLUMNS=str(columns), **kept)) as process:
            os.close(terminal)
            os.write(master, typed.encode())
            printed = read_all(master)
            code = process.wait(PATIENCE_S)
    finally:
        os.close(master)
    return code, printed.replace("\r\n", "\n")


def read_all(master):
    """Everything until the program closes the terminal, which Linux reports as an error."""
    pieces = []
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:
            break
        if not piece:
            break
        pieces.append(piece)
    return b"".join(pieces).decode()
