"""Functions that are sent to workers by value, so that they can report missing packages."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager

from basrelief import __version__

__all__ = ["shipped", "told"]

# The prefix of a refusal in Spark's report of a failed task.
_MARK = "basrelief refused: "


def shipped(task: str, **given):
    """Create the function that runs a task of ``basrelief.spark._tasks`` on a worker.

    Spark sends functions of a package only by name, and a worker without the package fails before
    it can report that. A nested function is sent by value: it first checks whether the worker has
    this version of basrelief.

    Parameters
    ----------
    task : str
        Name of the function.
    **given
        Its arguments besides the batches, of plain types.

    Returns
    -------
    run : callable
        For ``DataFrame.mapInArrow``.
    """
    wanted, mark = __version__, _MARK

    def run(batches):
        import json
        import socket

        def refusal(kind, message):
            return RuntimeError(mark + json.dumps([kind, message]))

        def unfit(found, remedy):
            return refusal("RuntimeError", f"executor on {socket.gethostname()}: {found}; {remedy}")

        remedy = f"install basrelief {wanted} there, or send it with --archives (docs/spark.md)"
        try:
            import basrelief
        except ImportError as error:
            raise unfit(f"basrelief cannot be imported ({error})", remedy) from None
        found = getattr(basrelief, "__version__", "unknown")
        if found != wanted:
            raise unfit(f"it has basrelief {found}, but the driver has {wanted}", remedy)
        from basrelief.spark import _tasks

        _tasks.freeze()
        try:
            yield from getattr(_tasks, task)(batches, **given)
        except (ValueError, TypeError) as error:
            # The message is sufficient: a traceback does not help users.
            raise refusal(type(error).__name__, str(error)) from None

    return run


def _cause(report):
    """Extract the cause from Spark's report of a failed task.

    The cause is the last error of the last Python traceback, or the first line of a report without
    traceback.
    """
    last = report.rpartition("Traceback (most recent call last):")[2]
    errors = re.findall(r"^\s*((?:\w+\.)*\w*(?:Error|Exception|Exit|Interrupt)\b.*)$", last, re.M)
    lines = errors if "Traceback" in report else []
    lines = lines or [line for line in report.splitlines() if line.strip()] or ["no cause is known"]
    return lines[0].strip()


@contextmanager
def told():
    """Convert the refusal of a worker to the original error, instead of a failed Spark task.

    For any other failure, the message begins with the cause, followed by Spark's report.
    """
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        found = re.search(re.escape(_MARK) + r"(?=\[)", str(error))
        if found is None:
            raise RuntimeError(f"a Spark task failed: {_cause(str(error))}\n\n{error}") from None
        (kind, message), _ = json.JSONDecoder().raw_decode(str(error), found.end())
        types = {"ValueError": ValueError, "TypeError": TypeError}
        raise types.get(kind, RuntimeError)(message) from error
