"""The selectors: one class per method of the registry that computes feature weights."""

from basrelief import _native
from basrelief._base import MethodSelector
from basrelief._classes import make_classes

CLASSES = make_classes(MethodSelector, _native.methods(), __name__)
globals().update(CLASSES)

__all__ = ["CLASSES"]
