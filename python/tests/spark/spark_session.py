"""Sessions of Spark with real worker processes, for tests."""

import os
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PACKAGE = FOLDER.parents[1]


def surroundings():
    """Environment of a session whose executors find this Python and this tree."""
    return {
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(
            [str(PACKAGE), str(FOLDER), os.environ.get("PYTHONPATH", "")]
        ),
        "SPARK_LOCAL_IP": "127.0.0.1",
        # Spark says at every start that it does not know this pandas yet.
        "PYTHONWARNINGS": "ignore::FutureWarning",
    }


def start(master="local-cluster[2,1,1024]", **settings):
    """Start a session: of itself with two executors of one core each, in processes of their own."""
    os.environ.update(surroundings())
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName("basrelief tests")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.executor.memory": "900m",
        "spark.sql.shuffle.partitions": "4",
        **settings,
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session
