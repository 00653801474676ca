"""Selectors as ``pyspark.ml`` estimators: one class per method or wrapper that supports parts."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import replace
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from pyspark.ml import Estimator, Model
from pyspark.ml.feature import VectorAssembler, VectorSlicer
from pyspark.ml.linalg import DenseVector, Vectors, VectorUDT
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.util import (
    DefaultParamsReadable,
    DefaultParamsReader,
    DefaultParamsWritable,
    DefaultParamsWriter,
)
from pyspark.sql import functions as F
from pyspark.sql import types as T

from basrelief import _native
from basrelief._advice import advising
from basrelief._base import (
    Study,
    best_mask,
    option_text,
    warn_caller,
)
from basrelief._classes import parameters
from basrelief._validation import RowRoles, check_uses, option_error, read_target
from basrelief.spark._flow import Fit
from basrelief.spark._java import require_java
from basrelief.spark._rounds import Cut, Rounds
from basrelief.spark._source import Source


def _whole(value):
    if isinstance(value, Integral) and not isinstance(value, (bool, np.bool_)):
        return int(value)
    raise TypeError(f"{value!r} is not a whole number")


def _option(value):
    """Accept a value that can be written as JSON; the library checks it."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, (tuple, list)):
        return [_option(part) for part in value]
    if isinstance(value, str):
        return value
    raise TypeError(f"{value!r} is neither a number nor a text")


def _priors(value):
    """Accept a word, or a prior for every class."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {str(name): TypeConverters.toFloat(prior) for name, prior in value.items()}
    raise TypeError(f"{value!r} is neither a text nor a dictionary of classes")


def _columns(value):
    """Accept lists of columns, as the scikit-learn estimators do."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        raise TypeError("levels are in the order of their numbers: use a list of columns")
    return [str(entry) if isinstance(entry, str) else _option(entry) for entry in value]


# Params that are not options of the registry, by the names of the parameters in Python.
_PARAMS = {
    "target_type": "targetType",
    "categorical_features": "categoricalFeatures",
    "ordinal_features": "ordinalFeatures",
    "genotype_features": "genotypeFeatures",
    "random_state": "seed",
    "n_permutations": "numPermutations",
    "correction": "correction",
    "alpha": "alpha",
    "sided": "sided",
    "groups": "groupCol",
    "group_weight": "groupWeight",
    "sample_weight": "weightCol",
    "covariates": "covariateCols",
    "caliper": "caliper",
    "covariate_distance": "covariateDistance",
    "priors": "priors",
}

# The operations on rows that replace settings without a Param.
SPARK_WORDS = {
    "na": "null in their place",
    "coerce": 'F.expr("try_cast(... AS double)")',
}


def _param(name, text, converter):
    return Param(Params._dummy(), name, text, converter)


class _Selection(Params):
    """The common Params of estimators and models: the columns of features, and the selection."""

    featuresCol = _param(
        "featuresCol",
        "column of vectors, or of arrays of numbers; NaN is missing. Not used with inputCols.",
        TypeConverters.toString,
    )
    inputCols = _param(
        "inputCols",
        "columns of one feature each: numbers, or texts and booleans, which are categories; null "
        "is missing.",
        TypeConverters.toListString,
    )
    outputCol = _param("outputCol", "column of the selected features that transform adds.", _option)
    numTopFeatures = _param(
        "numTopFeatures", "number of selected features, those with the largest weights.", _whole
    )
    percentile = _param(
        "percentile",
        "fraction of the features to select, above 0 and up to 1. Not with numTopFeatures.",
        TypeConverters.toFloat,
    )
    threshold = _param(
        "threshold",
        "weight above which features are selected if neither numTopFeatures nor percentile is set.",
        TypeConverters.toFloat,
    )

    def _set_selection_defaults(self):
        self._setDefault(
            featuresCol="features",
            inputCols=None,
            outputCol=f"{self.uid}__output",
            numTopFeatures=None,
            percentile=None,
            threshold=0.0,
        )

    def _wanted(self, width):
        """Return the number of selected features; None if the threshold decides."""
        count, share = self.getOrDefault("numTopFeatures"), self.getOrDefault("percentile")
        if count is not None and share is not None:
            raise option_error("numTopFeatures", "percentile is set too", "set only one of the two")
        if count is not None:
            if 1 <= count <= width:
                return count
            raise option_error(
                "numTopFeatures",
                f"`{count}` cannot be selected from {width} features",
                f"use a whole number from 1 to {width}",
            )
        if share is not None:
            if 0 < share <= 1:
                return max(1, int(width * share))
            raise option_error("percentile", f"found {share}", "use a fraction in (0, 1]")
        if np.isnan(self.getOrDefault("threshold")):
            raise option_error(
                "threshold", "it is not a number", "specify the minimum weight of kept features"
            )
        return None


class ReliefEstimator(_Selection, Estimator, DefaultParamsReadable, DefaultParamsWritable):
    """Base class of the estimators; a subclass adds its registry entry and its options."""

    _entry: ClassVar[dict]
    # The options of the registry, by the name of the Param.
    _options: ClassVar[dict[str, str]]
    # Defaults of Params that are not options of the registry.
    _more_defaults: ClassVar[dict] = {}

    labelCol = _param(
        "labelCol",
        "column of class labels (texts, booleans, numbers) or of a numeric target; no null.",
        TypeConverters.toString,
    )
    idCol = _param(
        "idCol",
        "column of unique numbers or texts. Rows are then sorted by id, independent of their "
        "partitions. Without ids, rows are in the order of the partitions.",
        TypeConverters.toString,
    )
    seed = _param(
        "seed", "seed of the random numbers: the rows of numSamples, the permutations.", _whole
    )
    blockRows = _param(
        "blockRows",
        "number of rows per block, a multiple of 256; not set: chosen from the data. The weights "
        "do not depend on it.",
        _whole,
    )
    blockColumns = _param(
        "blockColumns",
        "number of columns that a task processes together, a multiple of 8; not set: chosen from "
        "the data. Fewer need less memory. The weights do not depend on it.",
        _whole,
    )
    numPermutations = _param(
        "numPermutations",
        "number of permutations of the target in a test of the weights; not set: no test. Every "
        "task is sent the complete data.",
        _whole,
    )
    correction = _param(
        "correction",
        "error rate that alpha refers to: family-wise (max-t), false discovery rate (fdr, "
        "storey), or of each feature alone (none).",
        TypeConverters.toString,
    )
    alpha = _param(
        "alpha", "error rate that a test controls, above 0 and below 1.", TypeConverters.toFloat
    )
    sided = _param(
        "sided",
        "which weights are evidence of an effect: large ones (one), or large and small ones, by "
        "their absolute values (two).",
        TypeConverters.toString,
    )
    groupCol = _param(
        "groupCol",
        "column of numbers or texts; rows with the same value are not independent, such as those "
        "of one subject: they are never neighbors, and a test permutes whole groups, or within "
        "groups where the target varies. Not set: all rows are independent.",
        TypeConverters.toString,
    )
    groupWeight = _param(
        "groupWeight",
        "whether all groups count equally, however many rows they have (group), or all rows "
        "(rows).",
        TypeConverters.toString,
    )
    weightCol = _param(
        "weightCol",
        "column of the weights of the rows: a row of weight w takes w of the places among nearest "
        "neighbors, and counts w times in means and sums. Rows of weight 0 are excluded. Not set: "
        "all rows have weight 1.",
        TypeConverters.toString,
    )
    covariateCols = _param(
        "covariateCols",
        "columns of covariates: numbers, texts or booleans, such as age, sex or principal "
        "components of ancestry. Requires caliper or covariateDistance. Not set: there are none.",
        TypeConverters.toListString,
    )
    caliper = _param(
        "caliper",
        "maximum difference between neighbors in every numeric covariate, in standard deviations, "
        "above 0; texts must be equal. Not set: all rows may be neighbors.",
        TypeConverters.toFloat,
    )
    covariateDistance = _param(
        "covariateDistance",
        "whether the covariates contribute to the distances, as features do.",
        TypeConverters.toBoolean,
    )
    priors = _param(
        "priors",
        "prior probabilities of the classes: data (their proportions), uniform, or a dictionary of "
        "classes.",
        _priors,
    )
    targetType = _param(
        "targetType",
        "type of the target: auto (whole numbers with at most 20 distinct values are classes, "
        "unless the method is for regression), classes or real.",
        TypeConverters.toString,
    )
    categoricalFeatures = _param(
        "categoricalFeatures",
        "categorical features: names, indices, a boolean mask or all. Not set: texts, booleans, "
        "and features that are nominal in the metadata of the vectors.",
        _columns,
    )
    ordinalFeatures = _param(
        "ordinalFeatures",
        "ordinal features, with levels in the numeric order of their values: names, indices, a "
        "boolean mask or all.",
        _columns,
    )
    genotypeFeatures = _param(
        "genotypeFeatures",
        "genotype features, with 0, 1 or 2 copies of an allele: names, indices, a boolean mask or "
        "all. Not set: features whose non-missing values are exactly 0, 1 and 2.",
        _columns,
    )

    def __init__(self, **params):
        super().__init__()
        require_java()
        self._set_selection_defaults()
        self._setDefault(
            labelCol="label",
            idCol=None,
            seed=0,
            blockRows=None,
            blockColumns=None,
            numPermutations=None,
            correction="max-t",
            alpha=0.05,
            sided="one",
            groupCol=None,
            groupWeight="group",
            weightCol=None,
            covariateCols=None,
            caliper=None,
            covariateDistance=False,
            priors="data",
            targetType="auto",
            categoricalFeatures=None,
            ordinalFeatures=None,
            genotypeFeatures=None,
            **self._more_defaults,
            **{_camel(option.name): option.default for option in parameters(self._entry)},
        )
        self.setParams(**params)

    def setParams(self, **params):
        """Set Params by name."""
        unknown = sorted(name for name in params if not self.hasParam(name))
        if unknown:
            known = ", ".join(param.name for param in self.params)
            raise TypeError(f"{type(self).__name__} has no Param `{unknown[0]}`; it has {known}")
        return self._set(**{name: value for name, value in params.items() if value is not None})

    def explain(self, dataset) -> str:
        """Describe the plan of a fit without running it.

        The rows are read and packed to determine the number of bytes. Neighbors are not searched.

        Parameters
        ----------
        dataset : DataFrame

        Returns
        -------
        text : str
            Tasks, bytes and memory of every stage, and the estimated time.
        """
        with self._looked_at(dataset) as (rounds, _, _):
            return rounds.explain(self.getOrDefault("numPermutations"), self.getOrDefault("sided"))

    def _fit(self, dataset):
        with self._looked_at(dataset) as (rounds, names, doubt):
            weights, messages = rounds.weigh()
            draws = self.getOrDefault("numPermutations")
            test = None
            if draws is not None:
                test = rounds.test(weights, draws, self._test())
                messages = [*test.pop("warnings"), *messages]
        messages = [*([] if doubt is None else [doubt]), *messages]
        warn_caller(messages)
        model = ReliefModel(weights, names, messages, test)
        model._resetUid(self.uid)
        return self._copyValues(model)

    @contextmanager
    def _looked_at(self, dataset):
        """Read the rows before the first round; the context manager removes them at the end."""
        get = self.getOrDefault
        seed = get("seed")
        if not 0 <= seed < 2**64:
            raise option_error("seed", f"`{seed}` is not a seed", "use 0 to 2**64 - 1")
        method, wrappers = self._layers()
        entry = method._entry
        cut = Cut(
            method.getOrDefault("numSamples") if method.hasParam("numSamples") else "all",
            get("blockRows"),
            get("blockColumns"),
        )
        if get("groupCol") is None and get("groupWeight") != "group":
            raise option_error(
                "groupWeight", "it has no effect without groups", "omit it, or set groupCol"
            )
        uses = {
            "caliper": get("caliper") is not None,
            "covariateDistance": get("covariateDistance"),
        }
        check_uses("covariateCols", get("covariateCols") is not None, uses)
        source = Source.of(
            dataset,
            get("featuresCol"),
            get("inputCols"),
            get("labelCol"),
            get("idCol"),
            get("categoricalFeatures"),
            {"group": get("groupCol"), "weight": get("weightCol")},
            get("covariateCols"),
        )
        with advising(self._advised(), SPARK_WORDS), Fit(source, entry["name"]) as fit:
            rows = fit.look()
            self._wanted(len(rows.names))
            study = Study(
                entry["name"], method._texts(), None, rows.names, [], None, seed, wrappers=wrappers
            )
            self._check_test(study)
            target, _, doubt = read_target(rows.labels, entry["name"], get("targetType"))
            kinds = rows.kinds(
                get("categoricalFeatures"), get("genotypeFeatures"), get("ordinalFeatures")
            )
            study = replace(study, target=target, kinds=kinds)
            roles = RowRoles(
                rows.roles.get("group"), get("groupWeight"), rows.roles.get("weight"), get("priors")
            )
            roles = (*roles.read(rows.labels), self._covariates(rows))
            yield Rounds(fit, rows, study, cut, roles), rows.names, doubt

    def _covariates(self, rows):
        """Return the covariates as the compiled module expects them, or None."""
        get = self.getOrDefault
        names = get("covariateCols")
        if names is None:
            return None
        kinds = ["auto"] * len(names)
        return rows.covariates, names, kinds, get("caliper"), get("covariateDistance"), False

    def _test(self):
        """Return the test as the compiled module expects it."""
        draws = self.getOrDefault("numPermutations")
        get = self.getOrDefault
        return str(draws), get("correction"), get("alpha"), None, get("sided")

    def _check_test(self, study):
        """Refuse an invalid test before any computation."""
        draws = self.getOrDefault("numPermutations")
        if draws is None:
            return
        if study.wrappers:
            raise option_error(
                "numPermutations",
                f"{type(self).__name__} is iterative, and Spark does not support tests of it",
                "omit it, or use basrelief.permutation_test on one machine",
            )
        if not 1 <= draws < 2**32:
            raise option_error(
                "numPermutations", f"found {draws}", "use a whole number from 1 to 2**32 - 1"
            )
        _native.check_test_in_parts(study, self._test())

    def _layers(self):
        """Return the estimator of the method, and the wrappers around it as texts."""
        return self, []

    def _advised(self):
        """Return how messages refer to every option: as a Param of the estimator that has it."""
        method, _ = self._layers()
        found = {name: (param, "{}") for name, param in _PARAMS.items() if self.hasParam(param)}
        found |= {option: (name, "{}") for name, option in self._options.items()}
        around = f"{type(self).__name__}(estimator={type(method).__name__}({{}}))"
        for name, option in method._options.items():
            found.setdefault(option, (name, around))
        return found

    def _texts(self):
        """List pairs of option and value, formatted as on the command line."""
        return [
            (option, option_text(self.getOrDefault(name))) for name, option in self._options.items()
        ]


def _method_estimator(value):
    """Accept the estimator of a method, for use in a wrapper."""
    if isinstance(value, ReliefEstimator) and not isinstance(value, WrapperEstimator):
        return value
    raise TypeError(
        f"{value!r} is not an estimator of a method of basrelief.spark, such as ReliefF()"
    )


class WrapperEstimator(ReliefEstimator):
    """Base class of the wrappers, whose Param `estimator` is another estimator."""

    estimator = _param(
        "estimator",
        "wrapped estimator; default ReliefF(). It only specifies the method and its options; the "
        "Params of columns, labels, ids, seed and selection are those of the wrapper.",
        _method_estimator,
    )

    _more_defaults: ClassVar[dict] = {"estimator": None}

    def _layers(self):
        inner = self.getOrDefault("estimator")
        if inner is None:
            inner = CLASSES["ReliefF"]()
        for param in inner.params:
            if inner.isSet(param) and param.name not in inner._options:
                raise option_error(
                    "estimator",
                    f"`{param.name}` is set in the wrapped {type(inner).__name__}, where it has no "
                    "effect",
                    f"set `{param.name}` of {type(self).__name__}",
                )
        options = ",".join(f"{name}={text}" for name, text in self._texts())
        return inner, [f"{self._entry['name']}:{options}"]

    def copy(self, extra=None):
        """Copy the estimator and the wrapped one, and replace the Params in `extra`."""
        copied = super().copy(extra)
        if copied.isSet("estimator"):
            copied._set(estimator=copied.getOrDefault("estimator").copy(extra))
        return copied

    def write(self):
        """Return a writer of the estimator."""
        return _WrapperWriter(self)

    @classmethod
    def read(cls):
        """Return a reader of estimators."""
        return _WrapperReader(cls)


class _WrapperWriter(DefaultParamsWriter):
    """Writes the wrapped estimator to a separate folder, like other estimators of Spark."""

    def saveImpl(self, path):
        wrapper = self.instance
        own = {
            param.name: value
            for param, value in wrapper._paramMap.items()
            if param.name != "estimator"
        }
        is_set = wrapper.isSet("estimator")
        DefaultParamsWriter.saveMetadata(
            wrapper, path, self.sparkSession, {"hasEstimator": is_set}, paramMap=own
        )
        if is_set:
            wrapper.getOrDefault("estimator").save(f"{path}/estimator")


class _WrapperReader(DefaultParamsReader):
    """Reads the files of :class:`_WrapperWriter`."""

    def load(self, path):
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        wrapper = self.cls()
        wrapper._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(wrapper, metadata)
        if metadata["hasEstimator"]:
            inner = DefaultParamsReader.loadParamsInstance(f"{path}/estimator", self.sparkSession)
            wrapper._set(estimator=inner)
        return wrapper


class _ModelWriter(DefaultParamsWriter):
    """Writes weights, names and Params as JSON, which preserves all bits."""

    def saveImpl(self, path):
        model = self.instance
        extra = {
            "weights": model.weights.toArray().tolist(),
            "featureNames": model.featureNames,
            "warnings": model.warnings,
            "test": model._test,
        }
        DefaultParamsWriter.saveMetadata(model, path, self.sparkSession, extraMetadata=extra)


class _ModelReader(DefaultParamsReader):
    """Reads the files of :class:`_ModelWriter`."""

    def load(self, path):
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        parts = [metadata[name] for name in ("weights", "featureNames", "warnings", "test")]
        model = ReliefModel(*parts)
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model


class ReliefModel(_Selection, Model, DefaultParamsReadable, DefaultParamsWritable):
    """Weights of features, and the selection of the best.

    `numTopFeatures`, `percentile` and `threshold` determine the selected features. These Params and
    `outputCol` are copied from the estimator and can be changed.

    Attributes
    ----------
    weights : DenseVector
        Weights of the features, in the order of the vector or of `inputCols`.
    featureNames : list of str
        Names of the features: `inputCols`, from the metadata of the vectors, or ``x0``, ``x1``, ...
    warnings : list of str
        Warnings about the weights.
    """

    def __init__(self, weights, featureNames, warnings, test=None):
        super().__init__()
        self._test = test
        self.weights: DenseVector = Vectors.dense(weights)
        self.featureNames = list(featureNames)
        self.warnings = list(warnings)
        self._set_selection_defaults()

    @property
    def pValues(self) -> list[float] | None:
        """P-values of the features; all test results are None without a test."""
        return self._tested("p_values")

    @property
    def adjustedPValues(self) -> list[float] | None:
        """P-values adjusted by max-T, which control the family-wise error rate."""
        return self._tested("adjusted")

    @property
    def qValues(self) -> list[float] | None:
        """Q-values: false discovery rates."""
        return self._tested("q_values")

    @property
    def significantFeatures(self) -> list[int] | None:
        """Indices of the significant features under `correction` at the level `alpha`."""
        selected = self._tested("selected")
        return None if selected is None else np.flatnonzero(selected).tolist()

    @property
    def chanceWeight(self) -> float | None:
        """Null threshold: the largest weight exceeds it in a fraction alpha of permutations.

        In a two-sided test, the largest absolute weight.
        """
        return self._tested("chance_weight")

    def _tested(self, name):
        return None if self._test is None else self._test[name]

    @property
    def selectedFeatures(self) -> list[int]:
        """Indices of the selected features, in ascending order."""
        weights = self.weights.toArray()
        wanted = self._wanted(len(weights))
        if wanted is None:
            mask = weights > self.getOrDefault("threshold")
        else:
            mask = best_mask(weights, wanted)
        return np.flatnonzero(mask).tolist()

    @property
    def selectedNames(self) -> list[str]:
        """Names of the selected features, in their order in the data."""
        return [self.featureNames[place] for place in self.selectedFeatures]

    def setParams(self, **params):
        """Set Params by name."""
        return self._set(**params)

    def _transform(self, dataset):
        """Add the selected features as a vector column, or as an array if the input is an array."""
        output, places = self.getOrDefault("outputCol"), self.selectedFeatures
        if not places:
            raise ValueError(
                "no weight is above the threshold, so that no features are selected; set "
                "numTopFeatures, or a lower threshold"
            )
        inputs = self.getOrDefault("inputCols")
        if inputs:
            return self._assembled(dataset, [inputs[place] for place in places], output)
        features = self.getOrDefault("featuresCol")
        if isinstance(dataset.schema[features].dataType, VectorUDT):
            slicer = VectorSlicer(inputCol=features, outputCol=output, indices=places)
            return slicer.transform(dataset)
        column = F.col(f"`{features}`")
        indices = F.array(*[F.lit(place) for place in places])
        return dataset.withColumn(output, F.transform(indices, lambda place: F.get(column, place)))

    def _assembled(self, dataset, names, output):
        texts = [name for name in names if isinstance(dataset.schema[name].dataType, T.StringType)]
        if texts:
            raise ValueError(
                f"the selected column `{texts[0]}` contains texts, which a vector cannot contain; "
                "select the columns with df.select(model.selectedNames), or index the texts before "
                "(StringIndexer)"
            )
        # Without texts, null is the only invalid value.
        assembler = VectorAssembler(inputCols=names, outputCol=output, handleInvalid="keep")
        return assembler.transform(dataset)

    def write(self):
        """Return a writer of the model."""
        return _ModelWriter(self)

    @classmethod
    def read(cls):
        """Return a reader of models."""
        return _ModelReader(cls)

    def copy(self, extra=None):
        """Copy the model, and replace the Params in `extra`."""
        copied = ReliefModel(self.weights, self.featureNames, self.warnings, self._test)
        copied._resetUid(self.uid)
        return self._copyValues(copied, extra)


def _camel(name):
    """Return the Param of an option: ``n_neighbors`` becomes ``numNeighbors``."""
    name = re.sub("^n_", "num_", name)
    return re.sub("_([a-z])", lambda letter: letter[1].upper(), name)


def _accessors(name):
    """Create the getter and the setter of a Param, with the names of pyspark.ml."""
    tail = name[0].upper() + name[1:]

    def getter(self):
        return self.getOrDefault(name)

    def setter(self, value):
        return self._set(**{name: value})

    getter.__name__, getter.__doc__ = f"get{tail}", f"Get `{name}`."
    setter.__name__, setter.__doc__ = f"set{tail}", f"Set `{name}`."
    return {getter.__name__: getter, setter.__name__: setter}


def _make_class(base, entry):
    own = {_camel(option.name): option for option in parameters(entry)}
    params = {
        name: _param(name, f"{option.help}; default {option.shown_default}.", _option)
        for name, option in own.items()
    }
    shared = [name for name in dir(base) if isinstance(getattr(base, name), Param)]
    accessors = {}
    for name in [*own, *shared]:
        accessors |= _accessors(name)
    cls = type(
        entry["class_name"],
        (base,),
        {
            **params,
            **accessors,
            "__doc__": _docstring(base, entry, own, shared),
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


def _docstring(base, entry, own, shared):
    lines = [
        entry["docstring"]["summary"],
        "",
        f"The method of :class:`basrelief.{entry['class_name']}`, with the same weights.",
        "",
        "Parameters",
        "----------",
    ]
    texts = {name: getattr(base, name).doc for name in shared}
    texts |= {
        name: f"{option.help}; default {option.shown_default}." for name, option in own.items()
    }
    for name, text in texts.items():
        lines += [name, f"    {text}"]
    return "\n".join(lines)


for _name in (name for name in dir(_Selection) if isinstance(getattr(_Selection, name), Param)):
    for _accessor, _function in _accessors(_name).items():
        setattr(ReliefModel, _accessor, _function)
ReliefModel.__module__ = "basrelief.spark"

CLASSES = {
    entry["class_name"]: _make_class(base, entry)
    for base, entries in (
        (ReliefEstimator, _native.methods()),
        (WrapperEstimator, _native.wrappers()),
    )
    for entry in entries
    # A label on Spark is one column: there are no survival times.
    if entry["in_parts"] and entry.get("task") != "survival"
}
globals().update(CLASSES)

__all__ = ["ReliefModel", *sorted(CLASSES)]
