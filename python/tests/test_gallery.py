"""The scripts of the gallery run without a warning and draw figures; they assert their claims.

`make test` runs the half that takes the least time; `make gallery` and `pytest -m long` run the
others too.
"""

import runpy
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "gallery").rglob("*.py"))
# The half that takes the most time.
LONG = {
    "comparison",
    "confounded_cohort",
    "digits",
    "honest_evaluation",
    "intervals_and_weights",
    "knn_with_metric",
    "maps_comparison",
    "several_targets",
    "significance",
    "survival",
}


def parameters():
    """Return the scripts as parameters, the long ones with a mark."""
    for script in SCRIPTS:
        marks = [pytest.mark.long] if script.stem in LONG else []
        yield pytest.param(script, marks=marks, id=f"{script.parent.name}/{script.stem}")


def test_the_gallery_has_its_pages():
    assert len(SCRIPTS) >= 16
    assert {script.stem for script in SCRIPTS} >= LONG


@pytest.mark.slow
@pytest.mark.parametrize("script", list(parameters()))
def test_a_script_runs(script, tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    monkeypatch.chdir(tmp_path)
    drawn = []
    monkeypatch.setattr(pyplot, "show", lambda: drawn.extend(pyplot.get_fignums()))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        runpy.run_path(str(script), run_name="__main__")
    assert drawn or pyplot.get_fignums()
    assert not list(tmp_path.iterdir()), "a script writes only into a temporary folder"
    pyplot.close("all")
