"""Commands of the pages, run in a shell as a reader types them."""

import os
import re
import subprocess
import sys


def run(commands, folder):
    """Run lines of a shell, with the program and the Python of these tests; return the process.

    The programs are in a folder next to the given one, which contains only what the commands write.
    """
    own = folder.with_name(folder.name + "-bin")
    if not own.exists():
        own.mkdir()
        for name, arguments in [("basrelief", "-m basrelief "), ("python", "")]:
            script = own / name
            script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments}"$@"\n')
            script.chmod(0o755)
    path = os.pathsep.join([str(own), os.environ["PATH"]])
    return checked(["sh", "-e", "-c", commands], folder, PATH=path)


def checked(command, folder, **variables):
    """Run a program in a folder, with more variables of the environment; it must succeed."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command[-1]}\n{done.stderr}"
    return done


def without_times(text):
    """Put a word in place of seconds, which differ from run to run."""
    return re.sub(r"\b[0-9.]+ s$", "N s", text, flags=re.M)
