"""The adapter for STREAMLINE: by its interface, and in its own loader where it is there."""

import pickle
import sys

import numpy as np
import pandas as pd
import pytest

from basrelief import MultiSURF, ReliefF, TuRF, skrebate
from basrelief.contrib.streamline import FeatureImportance, SkrebateImportance


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(80, 4)), columns=list("abcd"))
    return X, pd.Series((X["c"] > 0).astype(int), name="Class")


def test_scores_are_the_weights(data):
    X, y = data
    importance = FeatureImportance()
    assert importance.fit(X, y) is importance
    expected = dict(zip(X.columns, MultiSURF().fit(X, y).weights_, strict=True))
    assert importance.get_scores() == expected
    importance = FeatureImportance("TuRF", estimator=ReliefF(n_neighbors=5), keep=2).fit(X, y)
    expected = TuRF(ReliefF(n_neighbors=5), keep=2, random_state=0).fit(X, y).weights_
    assert list(importance.get_scores().values()) == list(expected)


def test_columns_are_kept_by_number_or_weight(data):
    X, y = data
    importance = FeatureImportance("ReliefF", n_neighbors=5).fit(X, y)
    scores = importance.get_scores()
    best, second = sorted(scores, key=scores.get, reverse=True)[:2]
    assert best == "c"
    assert importance.get_support_names(X.columns, top_k=1) == ["c"]
    assert importance.get_support_names(X.columns, top_k=2) == sorted([best, second])
    assert importance.get_support_names(X.columns, threshold=scores[second]) == sorted(
        [best, second]
    )
    assert importance.get_support_mask(top_k=1) == [False, False, True, False]
    assert importance.get_support_mask() == [True] * 4
    assert list(importance.transform(X, top_k=1).columns) == ["c"]


def test_parameters_make_it_anew(data):
    importance = FeatureImportance("ReliefF", n_neighbors=5, n_jobs=2)
    again = FeatureImportance(**pickle.loads(pickle.dumps(importance.get_params())))
    assert again.fit(*data).get_scores() == importance.fit(*data).get_scores()
    assert again.selector.get_params() == importance.selector.get_params()


@pytest.mark.parametrize("method", ["LFE", "ReliefWarning", "relieff", None])
def test_what_is_no_selector_is_refused(method):
    with pytest.raises(ValueError, match=r"option method: .* is not a selector"):
        FeatureImportance(method)


def test_scores_are_those_of_scikit_rebate(data):
    X, y = data
    options = {"categorical_features": [0], "label_type": "binary", "n_jobs": 1}
    importance = SkrebateImportance(**options).fit(X, y)
    expected = skrebate.MultiSWRFDB(**options).fit(X.to_numpy(), y).feature_importances_
    assert list(importance.get_scores().values()) == list(expected)
    assert importance.get_params() == {"method": "MultiSWRFDB", **options}
    # STREAMLINE passes these options to methods with the name of one of its own.
    assert SkrebateImportance.id.replace("_", "") == "multiswrfdb"
    with pytest.raises(ValueError, match="`TURF` is not a method of"):
        SkrebateImportance("TURF")


def test_streamline_runs_it(data, tmp_path, monkeypatch):
    registry = pytest.importorskip("streamline.p4_feature_importance.registry")
    job = pytest.importorskip("streamline.p4_feature_importance.importance")
    loader = pytest.importorskip("streamline.p4_feature_importance.utils.fi_loader")
    (tmp_path / "registry").mkdir()
    # What the module's docstring says to put into STREAMLINE's folder.
    (tmp_path / "registry" / "basrelief.py").write_text(
        "from basrelief.contrib.streamline import FeatureImportance\n\n\n"
        "class Basrelief(FeatureImportance):\n    pass\n"
    )
    monkeypatch.setattr(registry, "__path__", [*registry.__path__, str(tmp_path / "registry")])
    monkeypatch.setattr(loader, "FOLDER", tmp_path / "registry")
    monkeypatch.setitem(vars(loader), "__CACHE", None)
    monkeypatch.delitem(sys.modules, f"{registry.__name__}.basrelief", raising=False)
    X, y = data
    folder = tmp_path / "experiment" / "set" / "CVDatasets"
    folder.mkdir(parents=True)
    files = [folder / f"set_CV_0_{part}.csv" for part in ("Train", "Test")]
    for file in files:
        X.assign(Class=y).to_csv(file, index=False)
    job.FeatureImportance(
        *map(str, files),
        str(tmp_path / "experiment"),
        model_id="basrelief",
        model_params={"method": "ReliefF", "n_neighbors": 5},
        top_k=1,
        instance_subset=10,
    ).run()
    out = tmp_path / "experiment" / "set" / "feature_importance" / "basrelief"
    scores = pd.read_csv(out / "basrelief_scores_cv_0.csv").set_index("feature")["score"]
    expected = ReliefF(n_neighbors=5).fit(pd.read_csv(files[0])[list(X.columns)], y).weights_
    np.testing.assert_array_equal(scores[list(X.columns)], expected)
    assert scores.index[0] == "c"
    selected = pd.read_csv(out / "selected_cv" / "set_CV_0_Train.csv")
    assert list(selected.columns) == ["Class", "c"]
