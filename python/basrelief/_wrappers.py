"""The wrappers, selectors around another selector: one class per wrapper of the registry."""

from __future__ import annotations

from dataclasses import dataclass, field

from sklearn.utils import get_tags

import basrelief
from basrelief import _native
from basrelief._base import BaseReliefSelector
from basrelief._classes import make_classes

__all__ = ["CLASSES", "BaseWrapper"]


@dataclass(kw_only=True, eq=False, repr=False)
class BaseWrapper(BaseReliefSelector):
    """Base class of the wrappers; a subclass adds its registry entry and its options."""

    estimator: BaseReliefSelector | None = field(default=None, kw_only=False)

    def _layers(self):
        inner = basrelief.ReliefF() if self.estimator is None else self.estimator
        if not isinstance(inner, BaseReliefSelector):
            raise TypeError(
                f"option estimator: {inner!r} is not a selector of basrelief; use a selector such "
                "as ReliefF(), a wrapper around one, or None"
            )
        return [self, *inner._layers()]

    def _text(self):
        """Format the wrapper as for ``--wrap`` on the command line."""
        options = [f"{name}={text}" for name, text in self._option_texts()]
        return f"{self._entry['name']}:{','.join(options)}"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self._layers()[-1])
        tags.input_tags = inner.input_tags
        tags.target_tags = inner.target_tags
        tags.classifier_tags = inner.classifier_tags
        return tags


CLASSES = make_classes(BaseWrapper, _native.wrappers(), __name__)
globals().update(CLASSES)
