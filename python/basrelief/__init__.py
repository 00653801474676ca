"""RELIEF-family feature weighting for tabular, gene-expression and SNP data.

Every estimator is a scikit-learn feature selector: ``fit(X, y)`` weighs the features,
``transform(X)`` keeps the good ones.
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
from basrelief._native import __version__, methods, wrappers
from basrelief._wrappers import VLS, TuRF

__all__ = [
    "DLMNN",
    "MDM",
    "SURF",
    "VLS",
    "DReliefF",
    "IRelief",
    "Lmba",
    "MultiSURF",
    "MultiSURFStar",
    "MyopicReliefF",
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
    "methods",
    "wrappers",
]
