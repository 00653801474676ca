"""RELIEF-family feature weighting for tabular, gene-expression and SNP data.

Every estimator is a scikit-learn feature selector: ``fit(X, y)`` weighs the features,
``transform(X)`` keeps the good ones.
"""

from basrelief._base import ReliefWarning
from basrelief._estimators import (
    MyopicReliefF,
    Relief,
    ReliefE,
    ReliefF,
    ReliefMargin,
    RReliefF,
)
from basrelief._native import __version__, methods

__all__ = [
    "MyopicReliefF",
    "RReliefF",
    "Relief",
    "ReliefE",
    "ReliefF",
    "ReliefMargin",
    "ReliefWarning",
    "__version__",
    "methods",
]
