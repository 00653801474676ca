"""Maps as ``pyspark.ml`` estimators: one class per map method that supports parts."""

from __future__ import annotations

import inspect
from contextlib import contextmanager
from typing import ClassVar

import numpy as np
from pyspark.ml import Estimator, Model
from pyspark.ml.functions import array_to_vector, vector_to_array
from pyspark.ml.linalg import DenseMatrix, DenseVector, Vectors, VectorUDT
from pyspark.ml.param import Param, Params
from pyspark.ml.util import (
    DefaultParamsReadable,
    DefaultParamsReader,
    DefaultParamsWritable,
    DefaultParamsWriter,
)
from pyspark.sql import functions as F

from basrelief import _native
from basrelief._advice import advising
from basrelief._base import (
    Study,
    option_text,
    warn_caller,
)
from basrelief._classes import parameters
from basrelief._validation import read_map_target
from basrelief.spark._estimators import (
    SPARK_WORDS,
    ReliefEstimator,
    _accessors,
    _camel,
    _option,
    _param,
    _Selection,
    _whole,
)
from basrelief.spark._java import require_java
from basrelief.spark._scatter import MapFit
from basrelief.spark._source import Source, fields_of

# Options of maps that are not supported in parts, where maps are learned over the features.
_WITHOUT = ("n_components", "form", "kernel", "basis", "max_rank", "rank_tolerance")


class _Coordinates(Params):
    """The common Params of estimators and models: the columns of features and coordinates."""

    featuresCol = _Selection.featuresCol
    inputCols = _param(
        "inputCols",
        "columns of one feature each: numbers without missing values.",
        _Selection.inputCols.typeConverter,
    )
    outputCol = _param("outputCol", "column of the coordinates that transform adds.", _option)

    def _set_column_defaults(self):
        self._setDefault(featuresCol="features", inputCols=None, outputCol=f"{self.uid}__output")


class MapEstimator(_Coordinates, Estimator, DefaultParamsReadable, DefaultParamsWritable):
    """Base class of the estimators; a subclass adds its registry entry and its options."""

    _entry: ClassVar[dict]
    # The options of the registry, by the name of the Param.
    _options: ClassVar[dict[str, str]]

    labelCol = _param(
        "labelCol",
        "column of class labels (texts, booleans, whole numbers); no null.",
        ReliefEstimator.labelCol.typeConverter,
    )
    idCol = ReliefEstimator.idCol
    k = _param(
        "k",
        "number of components of the map, most important first; not set: as many as there are.",
        _whole,
    )
    blockRows = _param(
        "blockRows",
        "number of rows per block, a multiple of 256; not set: chosen from the data. The map does "
        "not depend on it.",
        _whole,
    )
    blockColumns = _param(
        "blockColumns",
        "number of columns that a task packs together, a multiple of 64; not set: chosen from the "
        "data. A task of the scatter has twice as many. The map does not depend on it.",
        _whole,
    )

    def __init__(self, **params):
        super().__init__()
        require_java()
        self._set_column_defaults()
        self._setDefault(
            labelCol="label",
            idCol=None,
            k=None,
            blockRows=None,
            blockColumns=None,
            **{
                _camel(option.name): option.default
                for option in parameters(self._entry, without=_WITHOUT)
            },
        )
        self.setParams(**params)

    setParams = ReliefEstimator.setParams

    def explain(self, dataset) -> str:
        """Describe the plan of a fit without running it.

        The rows are read and packed to determine the number of bytes. Neighbors are not searched.

        Parameters
        ----------
        dataset : DataFrame

        Returns
        -------
        text : str
            Tasks, bytes and memory of every stage, and the estimated time of the search.
        """
        with self._packed(dataset) as (fit, _):
            return fit.plan.text(fit.cores)

    def _fit(self, dataset):
        with self._packed(dataset) as (fit, names):
            found = fit.learn()
        warn_caller(found["warnings"])
        model = MapModel(
            names,
            found["mean"],
            found["components"],
            found["eigenvalues"],
            found["discriminant_power"],
            found["warnings"],
        )
        model._resetUid(self.uid)
        return self._copyValues(model)

    @contextmanager
    def _packed(self, dataset):
        """Read and pack the rows, as a context manager that removes them at the end."""
        get = self.getOrDefault
        inputs = get("inputCols")
        method = self._entry["name"]
        source = Source.of(dataset, get("featuresCol"), inputs, get("labelCol"), get("idCol"))
        words = {"target_type": f'F.col("{get("labelCol")}").cast("string")', **SPARK_WORDS}
        with advising(self._advised(), words), MapFit(source, method) as fit:
            rows = fit.look()
            target, _, _ = read_map_target(rows.labels, method)
            width = len(rows.names)
            kinds = rows.kinds(None, None)
            job = _native.job(
                Study(method, self._texts(), None, rows.names, kinds, target),
                block_rows=get("blockRows"),
                block_columns=get("blockColumns"),
            )
            fit.pack(rows, job, rows.count, list(range(width)), method)
            yield fit, rows.names

    def _advised(self):
        """Return how messages refer to every option: as a Param."""
        found = {option: (name, "{}") for name, option in self._options.items()}
        return {"n_components": ("k", "{}"), **found}

    def _texts(self):
        """List pairs of option and value, formatted as on the command line."""
        own = [
            (option, option_text(self.getOrDefault(name))) for name, option in self._options.items()
        ]
        k = self.getOrDefault("k")
        components = [] if k is None else [("n_components", option_text(k))]
        fixed = [("form", "direct")] if _has(self._entry, "form") else []
        return [*own, *components, *fixed]


class _MapWriter(DefaultParamsWriter):
    """Writes the map and the Params as JSON, which preserves all bits."""

    def saveImpl(self, path):
        model = self.instance
        extra = {
            "featureNames": model.featureNames,
            "mean": model.mean.toArray().tolist(),
            "components": model.components.toArray().tolist(),
            "eigenvalues": model.eigenvalues.toArray().tolist(),
            "discriminantPower": model.discriminantPower,
            "warnings": model.warnings,
        }
        DefaultParamsWriter.saveMetadata(model, path, self.sparkSession, extraMetadata=extra)


class _MapReader(DefaultParamsReader):
    """Reads the files of :class:`_MapWriter`."""

    def load(self, path):
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        names = (
            "featureNames",
            "mean",
            "components",
            "eigenvalues",
            "discriminantPower",
            "warnings",
        )
        model = MapModel(*(metadata[name] for name in names))
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model


class MapModel(_Coordinates, Model, DefaultParamsReadable, DefaultParamsWritable):
    """A linear map of features to coordinates.

    `outputCol` is copied from the estimator and can be changed.

    Attributes
    ----------
    components : DenseMatrix
        The matrix of the map: rows are components, most important first; columns are features.
    mean : DenseVector
        Means of the features, which are subtracted first.
    eigenvalues : DenseVector
        Eigenvalues of the components.
    discriminantPower : float or None
        Discriminant power of all components, including excluded ones.
    featureNames : list of str
        Names of the features: `inputCols`, from the metadata of the vectors, or ``x0``, ``x1``, ...
    warnings : list of str
        Warnings about the map.
    """

    def __init__(self, featureNames, mean, components, eigenvalues, discriminantPower, warnings):
        super().__init__()
        self.featureNames = list(featureNames)
        self.mean: DenseVector = Vectors.dense(mean)
        matrix = np.asarray(components, dtype=float).reshape(-1, len(self.featureNames))
        self.components = DenseMatrix(*matrix.shape, matrix.ravel().tolist(), isTransposed=True)
        self.eigenvalues: DenseVector = Vectors.dense(eigenvalues)
        self.discriminantPower = discriminantPower
        self.warnings = list(warnings)
        self._set_column_defaults()

    setParams = ReliefEstimator.setParams

    def _transform(self, dataset):
        """Add the coordinates as a column of vectors."""
        if not self.components.numRows:
            raise ValueError("the map has no components, so that it has no coordinates")
        inputs, name = self.getOrDefault("inputCols"), self.getOrDefault("featuresCol")
        fields = fields_of(dataset, inputs or [name])
        if inputs:
            features = F.array(*[F.col(f"`{name}`").cast("double") for name in inputs])
        else:
            features = F.col(f"`{name}`")
            if isinstance(fields[name].dataType, VectorUDT):
                features = vector_to_array(features)
            else:
                features = features.cast("array<double>")
        parts = self.components.toArray(), self.mean.toArray(), self.featureNames
        mapped = _coordinates(*parts)(features)
        return dataset.withColumn(self.getOrDefault("outputCol"), array_to_vector(mapped))

    def write(self):
        """Return a writer of the model."""
        return _MapWriter(self)

    @classmethod
    def read(cls):
        """Return a reader of models."""
        return _MapReader(cls)

    def copy(self, extra=None):
        """Copy the model, and replace the Params in `extra`."""
        copied = MapModel(
            self.featureNames,
            self.mean,
            self.components.toArray(),
            self.eigenvalues,
            self.discriminantPower,
            self.warnings,
        )
        copied._resetUid(self.uid)
        return self._copyValues(copied, extra)


def _coordinates(components, mean, names):
    """Create the function that maps a column of arrays; it is sent to workers by value."""

    def mapped(rows):
        import numpy as np
        import pyarrow as pa

        width = len(mean)
        values = rows.flatten()
        found = sum(len(row) != width for row in rows if row.is_valid)
        if rows.null_count or values.null_count or found:
            raise ValueError(
                f"{rows.null_count} rows have no features, {values.null_count} values are missing, "
                f"and {found} rows do not have {width} features; fill in the values, or remove the "
                "rows"
            )
        values = values.to_numpy(zero_copy_only=False).reshape(-1, width)
        if np.isnan(values).any():
            count = int(np.isnan(values).sum())
            raise ValueError(f"{count} values are missing; fill them in, or remove the rows")
        mapped = np.zeros((len(values), len(components)))
        # Feature by feature, so that the result is bit-identical in any batch.
        for feature in range(width):
            mapped += (values[:, feature] - mean[feature])[:, None] * components[:, feature]
        far = ~np.isfinite(mapped).all(axis=1)
        if far.any():
            row = values[far][0]
            place = int(np.argmax(np.abs(row - mean)))
            raise ValueError(
                f"column `{names[place]}`, value `{row[place]:e}`: the coordinates of the row "
                "overflow; correct the value, or remove the row"
            )
        ends = np.arange(0, mapped.size + 1, len(components), dtype=np.int32)
        return pa.ListArray.from_arrays(pa.array(ends), pa.array(mapped.ravel()))

    return F.arrow_udf(mapped, "array<double>", F.ArrowUDFType.SCALAR)


def _has(entry, name):
    return any(option["name"] == name for option in entry["options"])


def _make_class(entry):
    own = {_camel(option.name): option for option in parameters(entry, without=_WITHOUT)}
    params = {
        name: _param(name, f"{option.help}; default {option.shown_default}.", _option)
        for name, option in own.items()
    }
    shared = [name for name in dir(MapEstimator) if isinstance(getattr(MapEstimator, name), Param)]
    accessors = {}
    for name in [*own, *shared]:
        accessors |= _accessors(name)
    cls = type(
        entry["class_name"],
        (MapEstimator,),
        {
            **params,
            **accessors,
            "__doc__": _docstring(entry, params, shared),
            "__module__": "basrelief.spark",
            "_entry": entry,
            "_options": {name: option.name for name, option in own.items()},
        },
    )
    cls.__signature__ = inspect.Signature(
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None)
        for name in [*shared, *own]
    )
    return cls


def _docstring(entry, params, shared):
    lines = [
        entry["docstring"]["summary"],
        "",
        f"The method of :class:`basrelief.{entry['class_name']}` over the features "
        '(``form="direct"``), with bit-identical results.',
        "",
        "Parameters",
        "----------",
    ]
    for name in shared:
        lines += [name, f"    {getattr(MapEstimator, name).doc}"]
    for name, param in params.items():
        lines += [name, f"    {param.doc}"]
    return "\n".join(lines)


for _name in (name for name in dir(_Coordinates) if isinstance(getattr(_Coordinates, name), Param)):
    for _accessor, _function in _accessors(_name).items():
        setattr(MapModel, _accessor, _function)
MapModel.__module__ = "basrelief.spark"

CLASSES = {
    entry["class_name"]: _make_class(entry) for entry in _native.map_methods() if entry["in_parts"]
}
globals().update(CLASSES)

__all__ = ["MapModel", *sorted(CLASSES)]
