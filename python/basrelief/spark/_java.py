"""Checks for a Java that supports Spark: the errors of Spark do not explain what to install."""

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
    "and set JAVA_HOME to its folder if there are several; a session of Spark Connect needs no "
    "Java here: create it first"
)


def require_java():
    """Check that a Spark session exists or can be started.

    Raises
    ------
    RuntimeError
        Java is missing or too old.
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
    """Describe the problem with the Java that Spark would start, or return None."""
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java", path=path)
    if java is None:
        return "Spark requires Java, but no Java was found"
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"Spark requires Java, but {java} cannot be run ({error})"
    found = re.search(r'version "(?:1\.)?(\d+)', told.stderr + told.stdout)
    if found is None:
        return f"Spark requires Java, but {java} does not report its version"
    if int(found[1]) < _OLDEST:
        return f"Spark requires Java {_OLDEST}, but {java} is Java {found[1]}"
    return None
