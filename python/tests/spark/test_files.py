"""Columns that tasks read from Parquet files: the bits of one machine, and what is not read."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from pyspark.sql import functions as F

import basrelief
from basrelief import spark as on_spark
from basrelief.spark import _files, _plan, _source
from basrelief.spark._plan import pairs_of_tasks
from spark_tables import in_spark, table, target

READ = "columns: read by the tasks from 3 Parquet files"
ROWS = 600


@pytest.fixture
def written(spark, tmp_path):
    """Write a table to three files, in the order of its ids or in another, and read it back."""

    def write(frame, labels, ids=None, in_order=False):
        order = np.random.default_rng(5).permutation(len(frame))
        order = np.sort(order) if in_order else order
        ids = np.arange(len(frame)) if ids is None else np.asarray(ids)
        data = in_spark(spark, frame.iloc[order].reset_index(drop=True), labels[order], ids[order])
        folder = str(tmp_path / "with blank")
        data = data.coalesce(3) if in_order else data.repartition(3)
        data.write.mode("overwrite").parquet(folder)
        return spark.read.parquet(folder)

    return write


@pytest.fixture(params=[None, 0])
def held(request, monkeypatch):
    """As many bytes are sent to every task as usual, or none: all is shuffled."""
    if request.param is not None:
        monkeypatch.setattr(_plan, "HELD_BYTES", request.param)


def problem(kind, labels, rows=ROWS):
    frame = table(kind, rows, 3)
    return frame, target(np.random.default_rng(4), frame, labels)


def relieff(frame, **options):
    columns = {"inputCols": list(frame.columns), "idCol": "id"}
    return on_spark.ReliefF(**columns, seed=0, blockRows=256, blockColumns=2, **options)


def bits(model):
    return model.weights.toArray().tobytes()


@pytest.mark.parametrize("kind", ["numbers", "ties", "genotypes", "mixed", "single"])
def test_every_kind_of_table(written, kind):
    frame, labels = problem(kind, "three")
    data = written(frame, labels)
    estimator = relieff(frame)
    assert READ in estimator.explain(data)
    wanted = basrelief.ReliefF(random_state=0).fit(frame, labels)
    model = estimator.fit(data)
    assert bits(model) == wanted.weights_.tobytes()
    assert model.warnings == wanted.warnings_
    # The same through Spark.
    sent = data.persist()
    assert "columns: sent by Spark: the DataFrame is persisted" in estimator.explain(sent)
    assert bits(estimator.fit(sent)) == bits(model)
    sent.unpersist()


ROWS_READ = "read: tasks read the rows of their blocks"


@pytest.mark.parametrize("kind", ["numbers", "ties", "genotypes", "mixed", "single"])
@pytest.mark.parametrize("sampled", ["all", 40])
def test_rows_in_the_order_of_their_ids(written, kind, sampled):
    frame, labels = problem(kind, "three")
    if kind == "genotypes":
        frame = frame.fillna(1.0)
    data = written(frame, labels, in_order=True)
    estimator = relieff(frame, numSamples=sampled)
    # Categories, and missing values, are packed.
    assert (ROWS_READ in estimator.explain(data)) == (kind != "mixed")
    wanted = basrelief.ReliefF(random_state=0, n_samples=sampled).fit(frame, labels)
    assert bits(estimator.fit(data)) == wanted.weights_.tobytes()


@pytest.mark.parametrize("method", ["SURF", "MultiSURF", "RReliefF"])
def test_other_methods_on_rows_in_order(written, method):
    """Radii are measured from rows that are read, if the target has no classes."""
    frame, numbers = problem("numbers", "real")
    data = written(frame, numbers, in_order=True)
    columns = {"inputCols": list(frame.columns), "idCol": "id", "seed": 0, "blockRows": 256}
    if method == "RReliefF":
        columns["numSamples"] = 30
    estimator = getattr(on_spark, method)(**columns)
    assert ROWS_READ in estimator.explain(data)
    options = {"n_samples": 30} if method == "RReliefF" else {}
    wanted = getattr(basrelief, method)(random_state=0, **options).fit(frame, numbers)
    assert bits(estimator.fit(data)) == wanted.weights_.tobytes()


def test_many_query_rows_are_packed(written, monkeypatch):
    frame, labels = problem("numbers", "two")
    data = written(frame, labels, in_order=True)
    few = relieff(frame, numSamples=40)
    assert f"{ROWS_READ}; packed query rows are sent to every task" in few.explain(data)
    monkeypatch.setattr(_plan, "HELD_BYTES", 100)
    assert "rows are packed: the query rows, which every task is sent" in few.explain(data)
    surf = on_spark.SURF(inputCols=list(frame.columns), idCol="id")
    assert "or the method compares rows in the order of classes" in surf.explain(data)
    wanted = basrelief.ReliefF(random_state=0, n_samples=40).fit(frame, labels)
    assert bits(few.fit(data)) == wanted.weights_.tobytes()


def test_rows_in_another_order_or_with_missing_values_are_packed(written):
    frame, labels = problem("numbers", "two")
    estimator = relieff(frame)
    told = f"{READ}; rows are packed: the files do not have them in the order of their ids"
    assert told in estimator.explain(written(frame, labels))
    frame.loc[ROWS - 1, "f"] = np.nan
    data = written(frame, labels, in_order=True)
    assert "rows are packed: there are missing values" in estimator.explain(data)
    wanted = basrelief.ReliefF(random_state=0).fit(frame, labels)
    assert bits(estimator.fit(data)) == wanted.weights_.tobytes()


def test_rows_that_change_before_the_search(written, monkeypatch, tmp_path):
    frame, labels = problem("ties", "two")
    data = written(frame, labels, in_order=True)
    weigh = on_spark._flow.Fit.weigh

    def changing(self, rounds):
        file = max((tmp_path / "with blank").glob("*.parquet"))
        file.write_bytes(file.read_bytes())
        return weigh(self, rounds)

    monkeypatch.setattr(on_spark._flow.Fit, "weigh", changing)
    with pytest.raises(ValueError, match="has changed since the first reading; fit again"):
        relieff(frame).fit(data)


def test_the_reader_of_rows(tmp_path, monkeypatch):
    """Any ranges of rows, in any order, from files of several row groups and batches."""
    rng = np.random.default_rng(8)
    counts = [700, 0, 30, 1400]
    whole = pd.DataFrame({"a": rng.normal(size=sum(counts)), "b": rng.integers(0, 3, sum(counts))})
    files, first = [], 0
    for number, count in enumerate(counts):
        path = tmp_path / f"{number}.parquet"
        whole[first : first + count].to_parquet(path, row_group_size=1300 if number == 3 else 90)
        files.append((str(path), _files._state(path), count))
        first += count
    kinds = (("a", "double", False), ("b", "bigint", False))
    reading = {"files": files, "columns": kinds, "ids": ("id", "bigint")}
    monkeypatch.setattr(_files, "_READ_VALUES", 2)
    reader = _files.RowReader(reading, [1, 0], np.array([False, True]))
    ranges = [(0, 10), (10, 800), (700, 2130), (2129, 2130), (0, 2130), (5, 6), (300, 300 + 1500)]
    ranges += [tuple(np.sort(rng.integers(0, 2131, size=2))) for _ in range(40)]
    for first, end in ranges:
        if first < end:
            b, a = reader.columns(int(first), int(end))
            assert a.tolist() == whole["a"][first:end].tolist()
            assert b.dtype == np.uint8
            assert b.tolist() == whole["b"][first:end].tolist()


def test_tasks_take_the_pairs_of_blocks_that_follow_each_other():
    pairs = [(0, b) for b in range(10)]
    assert pairs_of_tasks(pairs, 0, 2) == [[pair] for pair in pairs]
    for cores in (None, 1, 2, 50):
        tasks = pairs_of_tasks(pairs, 1, cores)
        assert [pair for own in tasks for pair in own] == pairs
        assert len(tasks) == min(10, 4 * (cores or 1))
        assert max(map(len, tasks)) - min(map(len, tasks)) <= 1


def test_stated_kinds_and_ids_of_texts(written):
    frame, labels = problem("mixed", "two")
    data = written(frame, labels, [f"row {number:04}" for number in range(ROWS)])
    stated = ["whole", "colour", "flag"]
    estimator = relieff(frame, categoricalFeatures=stated)
    assert READ in estimator.explain(data)
    wanted = basrelief.ReliefF(categorical_features=stated, random_state=0).fit(frame, labels)
    assert bits(estimator.fit(data)) == wanted.weights_.tobytes()


@pytest.mark.usefixtures("held")
def test_permutations(written):
    frame, labels = problem("numbers", "two")
    data = written(frame, labels)
    assert READ in relieff(frame).explain(data)
    wanted = basrelief.permutation_test(
        basrelief.ReliefF(random_state=0), frame, labels, n_permutations=20, random_state=0
    )
    model = relieff(frame, numPermutations=20).fit(data)
    assert model.pValues == wanted.pvalues_.tolist()


@pytest.mark.usefixtures("held")
def test_rounds_and_maps(written):
    frame, labels = problem("numbers", "two")
    data = written(frame, labels)
    columns = {"inputCols": list(frame.columns), "idCol": "id"}
    wanted = basrelief.TuRF(basrelief.SURF(), drop=0.3, keep=2, random_state=3)
    turf = on_spark.TuRF(estimator=on_spark.SURF(), seed=3, drop=0.3, keep=2, **columns)
    assert bits(turf.fit(data)) == wanted.fit(frame, labels).weights_.tobytes()
    wanted = basrelief.LFE(form="direct", n_components=2).fit(frame, labels)
    lfe = on_spark.LFE(k=2, **columns)
    assert READ in lfe.explain(data)
    found = lfe.fit(data)
    assert found.components.toArray().tobytes() == wanted.components_.tobytes()


def test_what_is_not_read(spark, written, monkeypatch, tmp_path):
    frame, labels = problem("ties", "two")
    data = written(frame, labels)
    estimator = relieff(frame)
    wanted = bits(estimator.fit(data))

    def is_sent(data, why):
        told = estimator.explain(data).splitlines()[2]
        assert told.startswith(f"columns: sent by Spark: {why}")
        assert bits(estimator.fit(data)) == wanted

    is_sent(data.where("id >= 0"), "the rows come from another step of Spark (Filter)")
    cached = data.where("id >= 0 or id < 0").persist()
    is_sent(cached.select("label", "id", *frame.columns), "the rows come from another step")
    cached.unpersist()
    is_sent(data.withColumn("a", F.col("a") + 0), "the DataFrame has computed columns")
    assert READ in estimator.explain(data.select("label", *reversed(frame.columns), "id"))
    data.createOrReplaceTempView("stored")
    assert READ in estimator.explain(spark.table("stored"))
    is_sent(data.limit(ROWS), "the rows come from another step of Spark")
    folder = str(tmp_path / "by label")
    data.write.partitionBy("label").parquet(folder)
    is_sent(spark.read.parquet(folder), "columns come from the names of folders")
    # One file has a column of another type, which Spark converts.
    folder = str(tmp_path / "two types")
    half = F.col("id") < ROWS // 2
    data.where(half).coalesce(1).write.parquet(folder)
    whole = data.where(~half).withColumn("b", F.col("b").cast("float")).coalesce(1)
    whole.write.mode("append").parquet(folder)
    types = spark.read.schema(data.schema)
    assert "has type float, but double in Spark" in estimator.explain(types.parquet(folder))
    scan_of = _files.Scan.of

    def elsewhere(*given):
        scan = scan_of(*given)
        return replace(scan, paths=(*scan.paths[1:], "/nowhere/part.parquet"))

    monkeypatch.setattr(_source.Scan, "of", elsewhere)
    is_sent(data, "executor on ")
    monkeypatch.undo()
    without = relieff(frame)
    without.clear(without.idCol)
    assert "columns: sent by Spark: rows have no ids" in without.explain(data)


def test_files_that_change(spark, written, monkeypatch, tmp_path):
    frame, labels = problem("ties", "two")
    data = written(frame, labels)
    look = on_spark._flow.Fit.look

    def changing(self):
        rows = look(self)
        file = next((tmp_path / "with blank").glob("*.parquet"))
        file.write_bytes(file.read_bytes())
        return rows

    monkeypatch.setattr(on_spark._flow.Fit, "look", changing)
    with pytest.raises(ValueError, match="has changed since the first reading; fit again"):
        relieff(frame).fit(data)


def test_dictionaries_and_empty_files(spark, tmp_path):
    frame, labels = problem("mixed", "two")
    stored = frame.assign(id=np.arange(ROWS), label=labels)
    stored["colour"] = stored["colour"].astype("category")
    folder = tmp_path / "by pandas"
    folder.mkdir()
    stored[:400].to_parquet(folder / "1.parquet")
    stored[400:].to_parquet(folder / "2.parquet", row_group_size=50)
    stored[:0].to_parquet(folder / "3.parquet")
    data = spark.read.parquet(str(folder))
    estimator = relieff(frame)
    assert READ in estimator.explain(data)
    wanted = basrelief.ReliefF(random_state=0).fit(frame, labels)
    assert bits(estimator.fit(data)) == wanted.weights_.tobytes()
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    with pytest.raises(ValueError, match="the DataFrame has no rows"):
        estimator.fit(spark.read.schema(data.schema).parquet(str(nothing)))


def test_whole_numbers_that_are_too_large(written):
    frame, labels = problem("ties", "two")
    frame["a"] = frame["a"].astype(np.int64)
    frame.loc[7, "a"] = 2**53 + 1
    with pytest.raises(ValueError, match=r"`a`.*9007199254740993.*row 8|row 8.*`a`"):
        relieff(frame).fit(written(frame, labels))
