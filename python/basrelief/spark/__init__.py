"""RELIEF-family feature weighting on Apache Spark, bit-identical to a fit on one machine.

The classes are estimators of ``pyspark.ml``: ``fit(df)`` returns a :class:`ReliefModel`, with
``weights`` and a ``transform`` that selects features, or for :class:`LFE` a :class:`MapModel`,
whose ``transform`` maps rows. They require ``pip install "basrelief[spark]"``, Java 17, and the
same version of basrelief on the executors. See docs/spark.md.
"""

from importlib import import_module
from importlib.util import find_spec

_OLDEST = (4, 1)


def _require_pyspark():
    """Raise ImportError if pyspark or its dependencies are missing or too old."""
    wanted = 'install it with: pip install "basrelief[spark]"'
    missing = [name for name in ("pyspark", "pyarrow", "pandas") if find_spec(name) is None]
    if missing:
        raise ImportError(f"basrelief.spark requires {' and '.join(missing)}; {wanted}")
    from pyspark import __version__ as found

    if tuple(int(part) for part in found.split(".")[:2]) < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        raise ImportError(f"basrelief.spark requires pyspark {oldest}, found {found}; {wanted}")


_require_pyspark()


def _exports():
    """Return the modules of the estimators and models by name."""
    modules = [import_module(f"basrelief.spark.{name}") for name in ("_estimators", "_maps")]
    return {name: module for module in modules for name in module.__all__}


def __getattr__(name):
    # The estimators are loaded on access, because workers do not need them.
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
