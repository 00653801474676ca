"""A drop-in replacement for scikit-rebate 0.8.4 with its numbers, computed by this package.

Replace ``from skrebate import ReliefF`` by ``from basrelief.skrebate import ReliefF``. The names of
the classes, their parameters, attributes and methods are those of scikit-rebate 0.8.4, and the
scores equal its scores, including those that follow from its errors. docs/skrebate.md lists its
rules where they differ from those of the other classes of this package. Use these for new work.
"""

from basrelief.skrebate._methods import (
    SURF,
    SWRF,
    MultiSURF,
    MultiSURFstar,
    MultiSWRF,
    MultiSWRFDB,
    MultiSWRFDBstar,
    MultiSWRFstar,
    MuRelief,
    ReliefF,
    SURFstar,
    SWRFstar,
)
from basrelief.skrebate._wrappers import TURF, VLS, Iter

__all__ = [
    "SURF",
    "SWRF",
    "TURF",
    "VLS",
    "Iter",
    "MuRelief",
    "MultiSURF",
    "MultiSURFstar",
    "MultiSWRF",
    "MultiSWRFDB",
    "MultiSWRFDBstar",
    "MultiSWRFstar",
    "ReliefF",
    "SURFstar",
    "SWRFstar",
]
