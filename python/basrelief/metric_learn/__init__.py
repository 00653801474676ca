"""A drop-in replacement for metric-learn 0.7, with the solvers of this package.

Replace ``from metric_learn import LMNN`` by ``from basrelief.metric_learn import LMNN``. The names
of the learners, their parameters and methods, the arrays of pairs, triplets and quadruplets, and
the `preprocessor` are those of metric-learn. The differences are listed in docs/python.md.
"""

from basrelief.metric_learn._comparisons import LSML, SCML, LSML_Supervised, SCML_Supervised
from basrelief.metric_learn._pairs import (
    ITML,
    MMC,
    SDML,
    ITML_Supervised,
    MMC_Supervised,
    SDML_Supervised,
)
from basrelief.metric_learn._points import LFDA, LMNN, MLKR, NCA, RCA, Covariance, RCA_Supervised
from basrelief.metric_learn._tuples import FrobMetric

__all__ = [
    "ITML",
    "LFDA",
    "LMNN",
    "LSML",
    "MLKR",
    "MMC",
    "NCA",
    "RCA",
    "SCML",
    "SDML",
    "Covariance",
    "FrobMetric",
    "ITML_Supervised",
    "LSML_Supervised",
    "MMC_Supervised",
    "RCA_Supervised",
    "SCML_Supervised",
    "SDML_Supervised",
]
