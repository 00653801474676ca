"""RELIEF-family feature weighting on Apache Spark, with the same bits as on one machine.

Estimators of ``pyspark.ml``: ``fit(df)`` gives a :class:`ReliefModel`, with ``weights`` and a
``transform`` that selects; of :class:`LFE` a :class:`MapModel`, whose ``transform`` maps. They need
``pip install "basrelief[spark]"`` and Java 17, and executors the same version of basrelief. See
docs/spark.md.
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


def _exports():
    """Name the estimators and models, each with its module."""
    modules = [import_module(f"basrelief.spark.{name}") for name in ("_estimators", "_maps")]
    return {name: module for module in modules for name in module.__all__}


def __getattr__(name):
    # The estimators are loaded where they are asked for: workers do without.
    if name.startswith("_") and name != "__all__":
        raise AttributeError(name)
    exports = _exports()
    if name == "__all__":
        return sorted(exports)
    if name not in exports:
        raise AttributeError(f"basrelief.spark has no {name}; it has {', '.join(sorted(exports))}")
    return getattr(exports[name], name)


def __dir__():
    return sorted(_exports())
