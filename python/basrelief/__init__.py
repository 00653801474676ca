"""RELIEF-family feature weighting for tabular, gene-expression and SNP data.

Relief methods are scikit-learn feature selectors: ``fit(X, y)`` computes feature weights, and
``transform(X)`` selects the best features. Methods that learn a map are transformers:
``transform(X)`` returns coordinates whose Euclidean distances are the learned metric. The k-nearest
neighbors classifier and regressor use an exact search.
"""

from importlib import import_module

from basrelief._native import __version__, map_methods, methods, wrappers

# The modules of the public names. A module is imported when one of its names is used first, so that
# the command line starts without scikit-learn.
_MODULES = {
    "FitCancelled": "_progress",
    "GenotypeMatrix": "_genotypes",
    "InteractingPairs": "_pairs",
    "KNeighborsClassifier": "_neighbors",
    "KNeighborsRegressor": "_neighbors",
    "Kernelized": "_kernels",
    "PermutationTestResult": "_significance",
    "PlinkCohort": "_plink",
    "ReliefWarning": "_base",
    "SampleTable": "_samples",
    "Stable": "_stable",
    "interacting_pairs": "_pairs",
    "permutation_test": "_significance",
    "read_plink": "_plink",
    "read_table": "_samples",
    "read_vcf": "_plink",
    "residuals": "_covariates",
}
# One class per entry of the registries; `__init__.pyi` lists them.
for _module, _entries in [
    ("_estimators", methods()),
    ("_maps", map_methods()),
    ("_wrappers", wrappers()),
]:
    _MODULES |= {_entry["class_name"]: _module for _entry in _entries if _entry["docstring"]}

__all__ = ["__version__", "map_methods", "methods", "wrappers"]
__all__ += sorted(_MODULES)


def __getattr__(name):
    """Import a public name from its module."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    """List the public names."""
    return sorted({*globals(), *__all__})
