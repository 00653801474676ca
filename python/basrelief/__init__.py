"""RELIEF-family feature weighting for tabular, gene-expression and SNP data.

Every estimator is a scikit-learn feature selector: ``fit(X, y)`` weighs the features,
``transform(X)`` keeps the good ones.
"""

from basrelief._base import ReliefWarning
from basrelief._estimators import (
    SURF,
    MultiSURF,
    MultiSURFStar,
    MyopicReliefF,
    Relief,
    ReliefE,
    ReliefF,
    ReliefMargin,
    RReliefF,
    SURFStar,
    SWRFStar,
)
from basrelief._native import __version__, methods

__all__ = [
    "SURF",
    "MultiSURF",
    "MultiSURFStar",
    "MyopicReliefF",
    "RReliefF",
    "Relief",
    "ReliefE",
    "ReliefF",
    "ReliefMargin",
    "ReliefWarning",
    "SURFStar",
    "SWRFStar",
    "__version__",
    "methods",
]
