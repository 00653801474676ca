"""RELIEF-family feature weighting on Apache Spark, with the same bits as on one machine.

Estimators of ``pyspark.ml``: ``fit(df)`` gives a :class:`ReliefModel`, with ``weights`` and a
``transform`` that selects. They need ``pip install "basrelief[spark]"`` and Java 17, and executors
the same version of basrelief. See docs/spark.md.
"""

from importlib import import_module
from importlib.util import find_spec

_OLDEST = (4, 1)


def _require_pyspark():
    """Refuse to go on without pyspark, or with one that is too old."""
    wanted = 'install it with: pip install "basrelief[spark]"'
    missing = [name for name in ("pyspark", "pyarrow", "pandas") if find_spec(name) is None]
    if missing:
        raise ImportError(f"basrelief.spark needs {' and '.join(missing)}; {wanted}")
    from pyspark import __version__ as found

    if tuple(int(part) for part in found.split(".")[:2]) < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        raise ImportError(f"basrelief.spark needs pyspark {oldest}, found {found}; {wanted}")


_require_pyspark()


def __getattr__(name):
    # The estimators are loaded where they are asked for: workers do without.
    if name.startswith("_") and name != "__all__":
        raise AttributeError(name)
    estimators = import_module("basrelief.spark._estimators")
    if name == "__all__":
        return estimators.__all__
    if name not in estimators.__all__:
        raise AttributeError(
            f"basrelief.spark has no {name}; it has {', '.join(estimators.__all__)}"
        )
    return getattr(estimators, name)


def __dir__():
    return import_module("basrelief.spark._estimators").__all__
