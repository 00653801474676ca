"""The errors that metric-learn defines."""

from numpy.linalg import LinAlgError

__all__ = ["NonPSDError", "PreprocessorError"]


class NonPSDError(LinAlgError):
    """A matrix given as `init` or `prior` has a negative eigenvalue.

    Examples
    --------
    >>> from basrelief.metric_learn import LSML
    >>> from basrelief.metric_learn.exceptions import NonPSDError
    >>> quadruplets = [[[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 2.0]]]
    >>> try:
    ...     LSML(prior=[[1.0, 0.0], [0.0, -1.0]]).fit(quadruplets)
    ... except NonPSDError as error:
    ...     print(error)
    option prior: its smallest eigenvalue is -1; provide a positive definite matrix
    """


class PreprocessorError(Exception):
    """The function given as `preprocessor` raised an error, which is the cause of this one.

    Examples
    --------
    >>> from basrelief.metric_learn import Covariance
    >>> from basrelief.metric_learn.exceptions import PreprocessorError
    >>> try:
    ...     Covariance(preprocessor=lambda names: 1 / 0).fit(["a", "b"])
    ... except PreprocessorError as error:
    ...     print(error)
    option preprocessor: it raised ZeroDivisionError (division by zero)
    """
