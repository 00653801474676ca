"""The driver does not hold the data."""

import os
import subprocess
import sys

import spark_session

# Two million rows of 20 numbers, 320 MB, by a hash, so that rows are the same each time.
CODE = """
import resource
import spark_session
from pyspark.sql import functions as F
from basrelief.spark import ReliefF
spark = spark_session.start(**{"spark.driver.memory": "1g", "spark.driver.maxResultSize": "256m"})
columns = [(F.hash("id", F.lit(j)) % 1000 / 1000.0).alias(f"c{j}") for j in range(20)]
rows = spark.range(0, 2_000_000, 1, 16).select("id", *columns)
rows = rows.withColumn("label", (F.col("c3") + F.col("c7") > 0).cast("int"))
names = [f"c{j}" for j in range(20)]

def most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

before = most()
model = ReliefF(inputCols=names, numSamples=100, numTopFeatures=2).fit(rows)
print(sorted(model.selectedNames), most() - before)
spark.stop()
"""


def test_two_million_rows_with_a_driver_of_one_gigabyte(java, tmp_path):
    environment = {**os.environ, **spark_session.surroundings(), "SPARK_LOCAL_DIRS": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, env=environment, timeout=500
    )
    assert done.returncode == 0, done.stderr[-4000:]
    names, megabytes = done.stdout.strip().splitlines()[-1].rsplit(" ", 1)
    assert names == "['c3', 'c7']"
    # Labels and the places of rows take 60 MB, the data 320 MB.
    assert int(megabytes) < 256
