"""Any method in a kernel space."""

from __future__ import annotations

from sklearn.base import BaseEstimator, clone

import basrelief
from basrelief._base import MethodSelector, option_text
from basrelief._maps import BaseMap, MapMixin, MapParts
from basrelief._validation import option_error

__all__ = ["Kernelized"]


class Kernelized(MapMixin, BaseEstimator):
    """A method in a kernel space.

    The rows are represented in an orthonormal basis of the kernel space and centered, and the
    method learns from these coordinates. ``Kernelized(LFE())`` is KLFE,
    ``Kernelized(LDA(ridge=1e-3))`` generalized discriminant analysis, ``Kernelized(PCA())`` kernel
    PCA, and ``Kernelized(ReliefMargin())`` Relief in the kernel space (FSKPCA; with
    ``basis="gram-schmidt"`` FSKGP).

    Parameters
    ----------
    estimator : transformer, selector or None, default=None
        The method; None is :class:`LFE`. It is not fitted itself, but its parameters apply,
        including `n_components`, `scale`, `n_jobs`, `random_state` and `verbose`. The weights of a
        selector scale the coordinates of the basis; its selection has no effect.
    kernel : str, default="rbf"
        ``"linear"``, ``"rbf"``, ``"laplacian"``, ``"polynomial"`` or ``"sigmoid"``, with
        parameters as in ``"rbf:rho=2"``, ``"rbf:rho=cv"`` (by cross-validated nearest-neighbor
        error) or ``"polynomial:degree=2,constant=1"``. The default rho is the median distance.
    basis : {"kpca", "gram-schmidt"}, default="kpca"
        Basis of the kernel space: kernel principal components of all rows, or rows orthonormalized
        one by one, which is faster and does not need all pairs of rows.
    max_rank : int or None, default=None
        Maximum number of dimensions of the kernel space; None: all.
    rank_tolerance : float, default=1e-10
        Exclude dimensions of the kernel space whose eigenvalue (kpca) or squared length
        (gram-schmidt) does not exceed this fraction of the largest.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_basis_rows)
        Coefficients of the kernel values of the basis rows.
    offset_ : ndarray of shape (n_components,)
        Offset that is added to the weighted kernel values.
    basis_ : ndarray of shape (n_basis_rows, n_encoded)
        The basis rows, minus `mean_` and divided by `units_`.
    mean_, units_ : ndarray of shape (n_encoded,)
        Values that are subtracted from the features before the kernel is applied, and their
        divisors.
    encoding_ : tuple or None
        Encoding of the columns as numbers, as in :class:`LFE`.
    encoded_names_ : ndarray of shape (n_encoded,)
        Names of the encoded columns.
    kernel_ : str
        The kernel with all its parameters.
    eigenvalues_ : ndarray of shape (n_components,) or None
        Eigenvalues, which determine the order of the components; None if the method has none.
    n_components_ : int
        Number of components.
    rank_ : int or None
        Number of dimensions of the kernel space that were used.
    ridge_, discriminant_power_, n_iter_, converged_, objective_, relative_gap_
        As in the method; None if it does not have the attribute.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`; only if `X` has names that are all strings.
    warnings_ : list of str
        Warnings about the result; also emitted as :class:`basrelief.ReliefWarning`.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from basrelief import LDA, Kernelized
    >>> X, y = make_circles(200, factor=0.5, noise=0.05, random_state=0)
    >>> Kernelized(LDA(ridge=1e-3), "rbf:rho=0.5").fit_transform(X, y).shape
    (200, 1)
    """

    _reports = (
        "n_iter_",
        "converged_",
        "objective_",
        "relative_gap_",
        "ridge_",
        "discriminant_power_",
    )

    def __init__(
        self,
        estimator=None,
        kernel="rbf",
        basis="kpca",
        *,
        max_rank=None,
        rank_tolerance=1e-10,
    ):
        self.estimator = estimator
        self.kernel = kernel
        self.basis = basis
        self.max_rank = max_rank
        self.rank_tolerance = rank_tolerance

    def _method_estimator(self):
        method = basrelief.LFE() if self.estimator is None else self.estimator
        if not isinstance(method, (BaseMap, MethodSelector)):
            raise TypeError(
                f"option estimator: `{type(method).__name__}` is not a method of basrelief; use a "
                "transformer such as LFE() or a selector such as ReliefF()"
            )
        return method

    def _uses_classes(self):
        # Cross-validation of rho needs classes for every method.
        return str(self.kernel).endswith("=cv")

    def _seeded(self, seed):
        method = clone(self._method_estimator()).set_params(random_state=seed)
        return clone(self).set_params(estimator=method)

    def _option_texts(self):
        if self.kernel is None or self.kernel == "none":
            raise option_error(
                "kernel", "`none` is not a kernel", "specify one, or fit the method itself"
            )
        return [
            *self._method_estimator()._option_texts(),
            ("kernel", option_text(self.kernel)),
            ("basis", option_text(self.basis)),
            ("max_rank", "all" if self.max_rank is None else option_text(self.max_rank)),
            ("rank_tolerance", option_text(self.rank_tolerance)),
        ]

    def _keep(self, outcome):
        self.kernel_ = outcome.kernel
        self.mean_ = outcome.mean
        self.units_ = outcome.units
        self.basis_ = outcome.basis
        self.components_ = outcome.components
        self.n_components_ = len(self.components_)
        self.offset_ = outcome.offset

    def _map(self):
        return MapParts(
            [str(name) for name in self.encoded_names_],
            self.mean_,
            self.components_,
            kernel=(self.kernel_, self.units_, self.basis_, self.offset_),
        )
