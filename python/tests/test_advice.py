"""What a message advises works: the advice is taken, and what was refused is done."""

import re

import numpy as np
import pandas
import polars
import pytest
from sklearn.base import clone

import basrelief
from basrelief import (
    LFE,
    LMNN,
    NCA,
    PCA,
    VLS,
    Kernelized,
    MultiSURF,
    Relief,
    ReliefF,
    RReliefF,
    Stable,
    TuRF,
    interacting_pairs,
    metric_learn,
    permutation_test,
    residuals,
)

ROWS = 180
RNG = np.random.default_rng(0)
Y = np.arange(ROWS) % 2
NUMBERS = pandas.DataFrame({"b": RNG.normal(size=ROWS) + Y, "c": RNG.normal(size=ROWS)})
TYPO = NUMBERS.assign(age=[str(30 + row // 3 % 7) if row != 3 else "4O" for row in range(ROWS)])
# Neither classes by their number nor whole numbers.
QUANTITY = NUMBERS.b.to_numpy() + 0.001
# Whole numbers of dozens of values.
WHOLE = np.arange(ROWS) % 30

# What a user has typed so far.
NAMES = {name: getattr(basrelief, name) for name in basrelief.__all__} | {
    "numpy": np,
    "pandas": pandas,
    "polars": polars,
}


def refusal(call, *arguments, **options):
    """Give the message of an error."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        call(*arguments, **options)
    return str(caught.value)


def advised(message, setting):
    """Find the expression that sets a parameter, with all that stands around it."""
    value = r"(?:\[[^\]]*\]|\"[^\"]*\")"
    found = re.search(rf"(?:\w+\()*\b{setting}={value}\)*(?:, X, y\))?", message)
    assert found, message
    return found[0]


def with_advice(estimator, expression):
    """Copy an estimator, with the parameter where the expression has it: its own, or inside."""
    *classes, setting = expression.split("(") if "(" in expression else [expression]
    name, value = setting.rstrip(")").split("=", 1)
    assert [type(layer).__name__ for layer in layers_of(estimator)][: len(classes)] == classes
    deep = "estimator__" * max(len(classes) - 1, 0) + name
    return clone(estimator).set_params(**{deep: eval(value, NAMES)})


def layers_of(estimator):
    layers = [estimator]
    while getattr(layers[-1], "estimator", None) is not None:
        layers.append(layers[-1].estimator)
    return layers


# Takes both kinds of target.
MULTISURF = MultiSURF()
SELECTORS = [
    ReliefF(),
    MULTISURF,
    TuRF(ReliefF(), keep=1),
    VLS(ReliefF(), size=2, rounds=2, random_state=0),
    TuRF(VLS(ReliefF(), size=2, rounds=2, random_state=0), keep=1),
    Stable(ReliefF(), n_resamples=3, random_state=0),
    Stable(TuRF(ReliefF(), keep=1), n_resamples=3, random_state=0),
]
MAPS = [LFE(1), LMNN(1), NCA(1), Kernelized(LFE(1)), Kernelized(ReliefF())]
quiet = pytest.mark.filterwarnings("ignore::basrelief.ReliefWarning")


@quiet
@pytest.mark.parametrize("estimator", [*SELECTORS, *MAPS], ids=repr)
def test_a_typo_among_numbers(estimator):
    message = refusal(estimator.fit, TYPO, Y)
    with_advice(estimator, advised(message, "categorical_features")).fit(TYPO, Y)
    # The other ways: the cell is missing.
    number = re.search(r"pandas\.to_numeric\([^)]*\)", message)[0]
    column = eval(number, NAMES | {"column": TYPO.age})
    estimator.fit(TYPO.assign(age=column), Y)
    estimator.fit(TYPO.assign(age=TYPO.age.where(TYPO.age != "4O", None)), Y)


@quiet
@pytest.mark.parametrize("estimator", [one for one in SELECTORS if one is not MULTISURF], ids=repr)
def test_a_quantity_as_classes(estimator):
    message = refusal(estimator.fit, NUMBERS, WHOLE)
    with_advice(estimator, advised(message, "target_type")).fit(NUMBERS, WHOLE)
    assert "RReliefF" in message
    RReliefF().fit(NUMBERS, WHOLE)


@quiet
@pytest.mark.parametrize("target", [QUANTITY, WHOLE, WHOLE.astype(float), list(WHOLE)], ids=type)
@pytest.mark.parametrize("estimator", MAPS, ids=repr)
def test_a_quantity_as_classes_of_a_map(estimator, target):
    """Maps have no `target_type`: their classes are texts, or bins of a quantity."""
    message = refusal(estimator.fit, NUMBERS, target)
    assert "target_type" not in message
    assert "divide a numeric target into bins" in message
    texts = re.search(r"numpy\.asarray\(y\)\.astype\(str\)", message)[0]
    if np.array_equal(np.asarray(target), WHOLE):
        labels = eval(texts, NAMES | {"y": target})
        assert len(estimator.fit(NUMBERS, labels).classes_) == 30
    estimator.fit(NUMBERS, pandas.cut(pandas.Series(target), 3, labels=False))


def test_maps_read_targets_as_selectors_do():
    few = np.arange(ROWS) % 20
    np.testing.assert_array_equal(LFE(1).fit(NUMBERS, few).classes_, range(20))
    np.testing.assert_array_equal(LFE(1).fit(NUMBERS, few.astype(float)).classes_, range(20))
    for fit in [ReliefF().fit, LFE(1).fit]:
        assert "needs classes" in refusal(fit, NUMBERS, np.arange(ROWS) % 21)
    # No classes are asked for.
    PCA(1).fit(NUMBERS, WHOLE)
    # What has classes by its name takes any number of them, as metric-learn does.
    assert metric_learn.LFDA().fit(NUMBERS, WHOLE).components_.shape[1] == 2
    chunks = np.repeat(np.arange(ROWS // 2), 2)
    basrelief.RCA(1).fit_chunks(NUMBERS, chunks)


FRAMES = {
    "pandas": TYPO[["age"]],
    "polars": polars.DataFrame({"age": TYPO.age.tolist()}),
    "array": TYPO[["age"]].to_numpy(dtype=object),
    "numbered": pandas.DataFrame(TYPO[["age"]].to_numpy(dtype=object)),
}


@quiet
@pytest.mark.parametrize("covariates", FRAMES.values(), ids=FRAMES)
def test_a_typo_among_covariates(covariates):
    """Columns of covariates are declared in their table: parameters are about the features."""
    calls = [
        lambda table: residuals(Y, table, target_type="real"),
        lambda table: ReliefF().fit(NUMBERS, Y, covariates=table, covariate_distance=True),
        lambda table: TuRF(keep=1).fit(NUMBERS, Y, covariates=table, covariate_distance=True),
    ]
    for call in calls:
        message = refusal(call, covariates)
        assert "categorical_features" not in message
        expression = re.search(
            r"(pandas\.DataFrame\()?covariates[^;]*?(\}\)|Categorical\)\))", message
        )
        call(eval(expression[0], NAMES | {"covariates": covariates}))


@quiet
def test_functions_name_what_they_have():
    message = refusal(permutation_test, TuRF(keep=1), TYPO, Y, n_permutations=19)
    expression = advised(message, "categorical_features")
    assert expression == 'permutation_test(TuRF(ReliefF(categorical_features=["age"])), X, y)'
    inner = with_advice(
        TuRF(ReliefF(), keep=1),
        expression.removeprefix("permutation_test(").removesuffix(", X, y)"),
    )
    permutation_test(inner, TYPO, Y, n_permutations=19)
    message = refusal(interacting_pairs, TYPO, Y)
    assert (
        'use categorical_features=["age"]' in message
        or 'say categorical_features=["age"]' in message
    )
    interacting_pairs(TYPO, Y, categorical_features=["age"])
    # Residuals have a kind of target, and no kinds of columns.
    message = refusal(residuals, np.arange(ROWS) % 3, NUMBERS, target_type="classes")
    assert "caliper" not in message


@quiet
def test_after_a_fit_nothing_but_the_rows_is_advised():
    fitted = LFE(1).fit(NUMBERS.where(NUMBERS > -1.5), Y)
    message = refusal(fitted.transform, NUMBERS.assign(b="high"))
    assert "categorical_features" not in message
    assert "correct the cell" in message


@quiet
def test_methods_of_more_classes():
    message = refusal(Relief().fit, NUMBERS, np.arange(ROWS) % 3)
    for name in re.findall(r"Relief[FE]\b", message.partition(";")[2]):
        getattr(basrelief, name)().fit(NUMBERS, np.arange(ROWS) % 3)
    assert "ReliefF or ReliefE" in message


@quiet
def test_options_of_methods():
    """Values that are advised are taken."""
    message = refusal(LFE(1, form="fast", metric="manhattan").fit, NUMBERS, Y)
    assert 'use form="direct" or metric="euclidean"' in message
    LFE(1, form="direct", metric="manhattan").fit(NUMBERS, Y)
    LFE(1, form="fast", metric="euclidean").fit(NUMBERS, Y)
    gaps = NUMBERS.where(NUMBERS > -1)
    message = refusal(basrelief.SURF(compat="skrebate").fit, gaps, Y)
    assert 'add missing="ignore", or remove compat' in message
    basrelief.SURF(compat="skrebate", missing="ignore").fit(gaps, Y)
    message = refusal(TuRF(basrelief.SURF(compat="skrebate"), keep=1).fit, gaps, Y)
    assert 'add TuRF(SURF(missing="ignore")), or remove compat' in message
    assert not hasattr(basrelief.SWRFStar(), "compat")


def test_parameters_of_other_calls_are_forgotten():
    """What one call has is not advised by the next, also after an error."""
    refusal(TuRF(keep=1).fit, TYPO, Y)
    assert "TuRF(" not in refusal(ReliefF().fit, TYPO, Y)
