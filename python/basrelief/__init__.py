"""RELIEF-family feature weighting for tabular, gene-expression and SNP data.

Estimators that weigh are scikit-learn feature selectors: ``fit(X, y)`` weighs the features,
``transform(X)`` keeps the good ones. Estimators that learn a map are transformers: ``transform(X)``
gives coordinates whose Euclidean distances are the learned metric. The classifier and the
regressor by nearest neighbours search exactly.
"""

from basrelief._base import ReliefWarning
from basrelief._estimators import (
    DLMNN,
    MDM,
    SURF,
    DReliefF,
    IRelief,
    Lmba,
    MultiSURF,
    MultiSURFStar,
    MyopicReliefF,
    PDReliefF,
    Relief,
    ReliefE,
    ReliefF,
    ReliefMargin,
    RReliefF,
    Simba,
    SURFStar,
    SWRFStar,
)
from basrelief._kernels import Kernelized
from basrelief._maps import (
    DANN,
    LDA,
    LDM,
    LFDA,
    LFE,
    LMNN,
    MFA,
    NCA,
    PCA,
    RCA,
    Euclidean,
    GIRelief,
    ORelief,
)
from basrelief._native import __version__, map_methods, methods, wrappers
from basrelief._neighbors import KNeighborsClassifier, KNeighborsRegressor
from basrelief._wrappers import VLS, TuRF

__all__ = [
    "DANN",
    "DLMNN",
    "LDA",
    "LDM",
    "LFDA",
    "LFE",
    "LMNN",
    "MDM",
    "MFA",
    "NCA",
    "PCA",
    "RCA",
    "SURF",
    "VLS",
    "DReliefF",
    "Euclidean",
    "GIRelief",
    "IRelief",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "Kernelized",
    "Lmba",
    "MultiSURF",
    "MultiSURFStar",
    "MyopicReliefF",
    "ORelief",
    "PDReliefF",
    "RReliefF",
    "Relief",
    "ReliefE",
    "ReliefF",
    "ReliefMargin",
    "ReliefWarning",
    "SURFStar",
    "SWRFStar",
    "Simba",
    "TuRF",
    "__version__",
    "map_methods",
    "methods",
    "wrappers",
]
