"""Whether there is a Java that Spark runs on: its own errors do not say what to install."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

__all__ = ["problem", "require_java"]

_OLDEST = 17
_REMEDY = (
    f"install Java {_OLDEST} or newer (Debian and Ubuntu: apt-get install openjdk-17-jre-headless) "
    "and, where there are several, let JAVA_HOME name its folder; a session of Spark Connect needs "
    "none here: make it first"
)


def require_java():
    """Refuse to go on where no session of Spark is there and none could be started.

    Raises
    ------
    RuntimeError
        No Java, or one that is too old.
    """
    from pyspark.sql import SparkSession
    from pyspark.sql.utils import is_remote

    if is_remote() or SparkSession.getActiveSession() is not None:
        return
    found = problem(os.environ.get("JAVA_HOME"), os.environ.get("PATH"))
    if found is not None:
        raise RuntimeError(f"{found}; {_REMEDY}")


@cache
def problem(home, path):
    """Say what is wrong with the Java that Spark would start; None where nothing is."""
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java", path=path)
    if java is None:
        return "Spark needs Java, and there is none"
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"Spark needs Java, and {java} cannot be run ({error})"
    found = re.search(r'version "(?:1\.)?(\d+)', told.stderr + told.stdout)
    if found is None:
        return f"Spark needs Java, and {java} does not say its version"
    if int(found[1]) < _OLDEST:
        return f"Spark needs Java {_OLDEST}, and {java} is Java {found[1]}"
    return None
