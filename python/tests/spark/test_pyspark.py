"""Whether the tests of this folder can run: without pyspark all others are left out."""

import pytest


def test_pyspark_is_there():
    pytest.importorskip("pyspark", reason="no pyspark: all tests on Spark are skipped")
