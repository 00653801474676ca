"""The examples of docs/maps-elsewhere.md run as printed, where the packages that they need are."""

import re
import warnings
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "maps-elsewhere.md"
EXAMPLES = re.findall(r"```python\n(.*?)```\n```text\n(.*?)```", PAGE.read_text(), re.DOTALL)


def test_the_page_has_its_examples():
    assert len(EXAMPLES) == 2


@pytest.mark.parametrize(("code", "printed"), EXAMPLES, ids=["onnx", "index"])
def test_an_example_prints_what_the_page_says(code, printed, tmp_path, monkeypatch, capsys):
    for name in re.findall(r"^import (onnx|onnxruntime|hnswlib)$", code, re.MULTILINE):
        pytest.importorskip(name)
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        # Pixels that are always white.
        warnings.simplefilter("ignore")
        exec(compile(code, str(PAGE), "exec"), {})
    found, wanted = capsys.readouterr().out, printed
    if "e-" in wanted:
        # Rounding, whose size may differ.
        assert float(found) < 1e-12
        return
    assert found == wanted
