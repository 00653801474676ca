"""The learners under the names and with the calls of metric-learn 0.7: swap the import.

``from basrelief.metric_learn import LMNN`` in place of ``from metric_learn import LMNN``:
parameters, pairs, triplets and quadruplets as arrays, a `preprocessor` for their rows, and what a
learned metric is asked for are those of metric-learn; the solvers are those of this package. What
differs is listed in docs/python.md.
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

# What metric-learn has and this package has not, and what comes nearest to it.
_ELSEWHERE = {
    "MMC": "ITML and SDML learn from the same pairs",
    "MMC_Supervised": "ITML_Supervised and SDML_Supervised learn from the same classes",
    "LSML": "FrobMetric learns from the same quadruplets",
    "LSML_Supervised": "basrelief.FrobMetric learns from classes",
    "SCML": "FrobMetric learns from the same triplets",
    "SCML_Supervised": "basrelief.FrobMetric learns from classes",
    "MLKR": "basrelief.RReliefF weighs features for a real target; maps are learned from classes",
}


def __getattr__(name):
    if name in _ELSEWHERE:
        raise ImportError(f"basrelief.metric_learn has no {name}: {_ELSEWHERE[name]}")
    raise AttributeError(f"module 'basrelief.metric_learn' has no attribute {name!r}")
