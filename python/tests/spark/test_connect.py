"""A session of Spark Connect will do: in a process of its own, as it excludes one without."""

import os
import subprocess
import sys

import spark_session

CODE = """
import numpy as np, sys
from pyspark.sql import SparkSession, functions as F
from spark_tables import in_spark, table, target
import basrelief
from basrelief.spark import LFE, MapModel, ReliefF, ReliefModel
spark = SparkSession.builder.remote("local[2]").getOrCreate()
frame = table("mixed", 150)
labels = target(np.random.default_rng(1), frame, "two")
data = in_spark(spark, frame, labels, np.arange(150))
estimator = ReliefF(inputCols=list(frame.columns), idCol="id", numTopFeatures=1, outputCol="best")
assert "search" in estimator.explain(data)
model = estimator.fit(data)
wanted = basrelief.ReliefF().fit(frame, labels).weights_
assert model.weights.toArray().tobytes() == wanted.tobytes()
model.save(sys.argv[1])
assert ReliefModel.load(sys.argv[1]).weights == model.weights
if model.selectedNames != ["colour"]:
    assert model.transform(data).first().best.size == 1
try:
    estimator.fit(data.withColumn("number", F.lit(float("inf"))))
except ValueError as error:
    print("refused:", error)
numbers = table("numbers", 150)
data = in_spark(spark, numbers, labels, np.arange(150))
lfe = LFE(inputCols=list(numbers.columns), idCol="id", k=2, outputCol="mapped")
assert "scatter" in lfe.explain(data)
model = lfe.fit(data)
wanted = basrelief.LFE(2, form="direct").fit(numbers, labels).components_
assert model.components.toArray().tobytes() == wanted.tobytes()
assert model.transform(data).first().mapped.size == 2
model.save(sys.argv[1] + "-map")
assert MapModel.load(sys.argv[1] + "-map").components == model.components
print("done")
spark.stop()
"""


def test_spark_connect(java, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(tmp_path / "model")],
        capture_output=True,
        text=True,
        env={**os.environ, **spark_session.surroundings()},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stdout.splitlines()[-1] == "done"
    assert "refused:" in done.stdout
    assert "number" in done.stdout
