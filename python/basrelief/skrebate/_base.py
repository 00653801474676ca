"""What methods and wrappers share: the ranking by scores, and the selection of features."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

__all__ = ["Ranked"]


class Ranked(BaseEstimator):
    """Base class: features are ranked by their scores, and the first are selected."""

    def _rank(self, scores, *, absolute):
        """Store scores, and the indices of the features from best to worst."""
        self.feature_importances_ = scores
        ranked_by = np.abs(scores) if absolute else scores
        self.top_features_ = np.argsort(ranked_by)[::-1]
        return self

    def _count(self):
        """Return the number of features to select."""
        return self.n_features_to_select

    def transform(self, X):
        """Reduce rows to the best features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of the fit.

        Returns
        -------
        X_selected : ndarray of shape (n_samples, n_features_to_select)
            The columns of the best features, best first.

        Raises
        ------
        ValueError
            `n_features_to_select` exceeds the number of features.
        """
        check_is_fitted(self, "top_features_")
        X = np.asarray(X)
        if X.shape[1] < self._count():
            raise ValueError(
                f"option n_features_to_select: {self._count()} exceeds the {X.shape[1]} features; "
                "use a smaller number"
            )
        return X[:, self.top_features_[: self._count()]]
