"""RELIEF-family feature weighting for tabular, gene-expression and SNP data.

Relief methods are scikit-learn feature selectors: ``fit(X, y)`` computes feature weights, and
``transform(X)`` selects the best features. Methods that learn a map are transformers:
``transform(X)`` returns coordinates whose Euclidean distances are the learned metric. The k-nearest
neighbors classifier and regressor use an exact search.
"""

from basrelief import _estimators, _maps, _wrappers
from basrelief._base import ReliefWarning
from basrelief._covariates import residuals
from basrelief._genotypes import GenotypeMatrix
from basrelief._kernels import Kernelized
from basrelief._native import __version__, map_methods, methods, wrappers
from basrelief._neighbors import KNeighborsClassifier, KNeighborsRegressor
from basrelief._pairs import InteractingPairs, interacting_pairs
from basrelief._plink import PlinkCohort, read_plink, read_vcf
from basrelief._progress import FitCancelled
from basrelief._samples import SampleTable, read_table
from basrelief._significance import PermutationTestResult, permutation_test
from basrelief._stable import Stable

# One class per entry of the registries; `__init__.pyi` lists them.
_CLASSES = {**_estimators.CLASSES, **_maps.CLASSES, **_wrappers.CLASSES}
globals().update(_CLASSES)

__all__ = [
    "FitCancelled",
    "GenotypeMatrix",
    "InteractingPairs",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "Kernelized",
    "PermutationTestResult",
    "PlinkCohort",
    "ReliefWarning",
    "SampleTable",
    "Stable",
    "__version__",
    "interacting_pairs",
    "map_methods",
    "methods",
    "permutation_test",
    "read_plink",
    "read_table",
    "read_vcf",
    "residuals",
    "wrappers",
]
__all__ += sorted(_CLASSES)
