"""Callbacks of scikit-learn 1.9 and newer: progress, and fits that a callback stops."""

import io
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import check_is_fitted

import basrelief
from basrelief import (
    LMNN,
    FitCancelled,
    IRelief,
    MultiSURF,
    ReliefF,
    Stable,
    TuRF,
)
from basrelief._progress import STAGES_IN_PERCENT, _Stages

callback = pytest.importorskip("sklearn.callback", reason="callbacks need scikit-learn 1.9")

pytestmark = pytest.mark.filterwarnings("ignore::basrelief.ReliefWarning")


class Recorder:
    """Records the tasks of fits, and stops at the end of the task number `last`."""

    def __init__(self, last=None):
        self.last = last
        self.events = []

    def setup(self, estimator, context):
        self.events.append(("setup", type(estimator).__name__))

    def teardown(self, estimator, context):
        self.events.append(("teardown", type(estimator).__name__))

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None, metadata=None):
        self.events.append(("begin", context.task_name, X, y, metadata))

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.events.append(("end", context.task_name, fitted_estimator))
        return self.last is not None and self.count("end") >= self.last

    def count(self, kind):
        return sum(event[0] == kind for event in self.events)

    def names(self, kind):
        return [event[1] for event in self.events if event[0] == kind]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 30))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


@pytest.fixture(scope="module")
def expected(data):
    return MultiSURF().fit(*data).weights_


def test_stages_and_percents_are_tasks_of_the_fit(data, expected):
    recorder = Recorder()
    selector = MultiSURF().set_callbacks(recorder).fit(*data)
    np.testing.assert_array_equal(selector.weights_.view(np.int64), expected.view(np.int64))
    first, last = recorder.events[1], recorder.events[-2]
    assert recorder.events[0] == ("setup", "MultiSURF")
    assert first[:2] == ("begin", "fit")
    assert first[2] is data[0]
    assert first[3] is data[1]
    assert last[:2] == ("end", "fit")
    np.testing.assert_array_equal(last[2].weights_, expected)
    assert recorder.events[-1] == ("teardown", "MultiSURF")
    begun = recorder.names("begin")
    assert sorted(begun) == sorted(recorder.names("end"))
    stages = [name for name in begun if name not in ("fit", "percent")]
    assert "measuring distances" in stages or "searching neighbors" in stages
    assert 0 < begun.count("percent") <= 100 * len(stages)


def test_roles_of_rows_are_metadata(data):
    recorder = Recorder()
    weight = np.ones(len(data[1]))
    ReliefF().set_callbacks(recorder).fit(*data, sample_weight=weight)
    metadata = recorder.events[1][4]
    assert list(metadata) == ["sample_weight"]
    assert metadata["sample_weight"] is weight


@pytest.mark.parametrize(
    "estimator",
    [
        MultiSURF(),
        TuRF(MultiSURF(), drop=0.5, keep=5),
        Stable(MultiSURF(), n_resamples=20),
        ReliefF(n_features_to_select="max-t", n_permutations=20_000),
        IRelief(),
        LMNN(max_iter=300),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_a_callback_stops_a_fit(estimator, data):
    recorder = Recorder(last=1)
    estimator = clone(estimator).set_callbacks(recorder)
    with pytest.raises(FitCancelled, match=r"^a callback stopped the fit: [a-z ]+, (\d+ %|at its)"):
        estimator.fit(*data)
    # Neither the stage nor the fit ends after that.
    assert recorder.count("end") == 1
    assert recorder.events[-1] == ("teardown", type(estimator).__name__)
    result = "n_components_" if isinstance(estimator, LMNN) else "ranking_"
    assert not hasattr(estimator, result)
    # Without the callback the same object can be fitted.
    X, y = data[0][:200], data[1][:200]
    assert hasattr(estimator.set_callbacks().fit(X, y), result)


def test_an_exception_of_a_callback_ends_the_fit(data):
    class Failing(Recorder):
        def on_fit_task_begin(self, estimator, context):
            if context.task_name not in ("fit", "percent"):
                raise ZeroDivisionError("of the callback")

    with pytest.raises(ZeroDivisionError, match="of the callback"):
        MultiSURF().set_callbacks(Failing()).fit(*data)


def test_a_stop_at_the_end_of_a_complete_fit_has_no_effect(data):
    X, y = data[0][:100], data[1][:100]
    # So short that no stage is reported.
    recorder = Recorder(last=1)
    selector = ReliefF().set_callbacks(recorder).fit(X, y)
    assert recorder.names("end") == ["fit"]
    check_is_fitted(selector)


def test_later_stages_have_no_percents():
    recorder = Recorder()
    selector = ReliefF().set_callbacks(recorder)
    task = selector._init_callback_context(max_subtasks=None)
    stages = _Stages(selector, task)
    for _ in range(STAGES_IN_PERCENT + 5):
        stages("passing over the rows", 0, 50)
        stages("passing over the rows", 25, 50)
    stages.finish(1.0)
    names = recorder.names("end")
    assert names.count("passing over the rows") == STAGES_IN_PERCENT + 5
    assert names.count("percent") == 50 * STAGES_IN_PERCENT
    assert [context.max_subtasks for context in task._children_map.values()] == (
        [100] * STAGES_IN_PERCENT + [0] * 5
    )


def test_a_stage_of_unknown_length_has_no_percents():
    recorder = Recorder()
    selector = ReliefF().set_callbacks(recorder)
    stages = _Stages(selector, selector._init_callback_context(max_subtasks=None))
    stages("reading", 0, 0)
    stages("reading", 7, 0)
    stages.finish(1.0)
    assert recorder.names("end") == ["reading"]


def test_callbacks_stay_with_copies_and_pickles(data):
    X, y = data[0][:100], data[1][:100]
    selector = ReliefF().set_callbacks(Recorder()).fit(X, y)
    assert not [name for name in vars(selector) if "task" in name or "context" in name]
    restored = pickle.loads(pickle.dumps(selector))
    np.testing.assert_array_equal(restored.weights_, selector.weights_)
    copy = clone(selector).fit(X, y)
    assert copy._skl_callbacks == selector._skl_callbacks


def test_messages_are_the_same_with_callbacks(data, capfd):
    X, y = data[0][:100], data[1][:100]
    ReliefF(verbose=1).set_callbacks(Recorder()).fit(X, y)
    with_callbacks = capfd.readouterr().err
    ReliefF(verbose=1).fit(X, y)
    assert with_callbacks.partition("done")[0] == capfd.readouterr().err.partition("done")[0]
    ReliefF().set_callbacks(Recorder()).fit(X, y)
    assert capfd.readouterr().err == ""


def test_a_pipeline_passes_its_callbacks_on(data):
    class Propagated(Recorder):
        max_propagation_depth = None

    recorder = Propagated()
    pipeline = make_pipeline(MultiSURF(n_features_to_select=2), LogisticRegression())
    pipeline.set_callbacks(recorder).fit(*data)
    assert recorder.events[0] == ("setup", "Pipeline")
    assert recorder.count("setup") == recorder.count("teardown") == 1
    assert {"searching neighbors", "measuring distances"} & set(recorder.names("begin"))


def test_progress_bars_show_the_stages(data, monkeypatch):
    rich = pytest.importorskip("rich", reason="progress bars need rich")
    shown = io.StringIO()
    console = rich.get_console()
    monkeypatch.setattr(console, "file", shown)
    monkeypatch.setattr(console, "_width", 120)
    MultiSURF().set_callbacks(callback.ProgressBar()).fit(*data)
    text = shown.getvalue()
    assert "MultiSURF - fit" in text
    assert "MultiSURF - searching neighbors #" in text
    assert "100%" in text


WITHOUT = """
import sys
from pathlib import Path
import sklearn.feature_selection, sklearn.pipeline
for name in [name for name in sys.modules if name.startswith("sklearn.callback")]:
    sys.modules[name] = None
import numpy as np
import basrelief
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 5))
selector = basrelief.ReliefF(verbose=1).fit(X, X[:, 2] > 0)
assert not hasattr(selector, "set_callbacks")
print(selector.ranking_.argmin())
"""


def test_older_versions_have_no_callbacks():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "2\n"
    assert "relieff: done in" in done.stderr


def test_neighbors_have_nothing_to_report():
    assert not hasattr(basrelief.KNeighborsClassifier(), "set_callbacks")


def test_the_documentation_states_the_number_of_stages():
    page = (Path(__file__).parents[2] / "docs/python.md").read_text()
    assert f"After {STAGES_IN_PERCENT} stages of an\niterative method" in page
