"""RELIEF-family feature weighting for tabular, gene-expression and SNP data.

Estimators that weigh are scikit-learn feature selectors: ``fit(X, y)`` weighs the features,
``transform(X)`` keeps the good ones. Estimators that learn a map are transformers: ``transform(X)``
gives coordinates whose Euclidean distances are the learned metric. The classifier and the
regressor by nearest neighbors search exactly.
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
from basrelief._significance import PermutationTestResult, permutation_test
from basrelief._stable import Stable

# A class for every entry of the library's registries; `__init__.pyi` lists them.
_CLASSES = {**_estimators.CLASSES, **_maps.CLASSES, **_wrappers.CLASSES}
globals().update(_CLASSES)

__all__ = [
    "GenotypeMatrix",
    "InteractingPairs",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "Kernelized",
    "PermutationTestResult",
    "PlinkCohort",
    "ReliefWarning",
    "Stable",
    "__version__",
    "interacting_pairs",
    "map_methods",
    "methods",
    "permutation_test",
    "read_plink",
    "read_vcf",
    "residuals",
    "wrappers",
]
__all__ += sorted(_CLASSES)
