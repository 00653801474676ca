"""A drop-in replacement for metric-learn 0.7, with the solvers of this package.

Replace ``from metric_learn import LMNN`` by ``from basrelief.metric_learn import LMNN``. The names
of the learners, their parameters and methods, the arrays of pairs, triplets and quadruplets, and
the `preprocessor` are those of metric-learn. The differences are listed in docs/python.md.
"""

from basrelief.metric_learn._pairs import ITML, SDML, ITML_Supervised, SDML_Supervised
from basrelief.metric_learn._points import LFDA, LMNN, NCA, RCA, Covariance, RCA_Supervised
from basrelief.metric_learn._tuples import FrobMetric

__all__ = [
    "ITML",
    "LFDA",
    "LMNN",
    "NCA",
    "RCA",
    "SDML",
    "Covariance",
    "FrobMetric",
    "ITML_Supervised",
    "RCA_Supervised",
    "SDML_Supervised",
]

# Learners of metric-learn that this package does not have, and the closest alternatives.
_ELSEWHERE = {
    "MMC": "ITML and SDML learn from the same pairs",
    "MMC_Supervised": "ITML_Supervised and SDML_Supervised learn from the same classes",
    "LSML": "FrobMetric learns from the same quadruplets",
    "LSML_Supervised": "basrelief.FrobMetric learns from classes",
    "SCML": "FrobMetric learns from the same triplets",
    "SCML_Supervised": "basrelief.FrobMetric learns from classes",
    "MLKR": "basrelief.RReliefF ranks features for a numeric target; maps are learned from classes",
}


def __getattr__(name):
    if name in _ELSEWHERE:
        raise ImportError(f"basrelief.metric_learn has no {name}: {_ELSEWHERE[name]}")
    raise AttributeError(f"module 'basrelief.metric_learn' has no attribute {name!r}")
