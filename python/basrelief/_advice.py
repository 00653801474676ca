"""The settings that messages of the library may recommend: those of the called object."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from basrelief import _native

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from sklearn.base import BaseEstimator

__all__ = ["MAP_WORDS", "advising", "columns_of", "parameters_of"]

# Maps have no `target_type`: numbers must be converted to texts to be read as classes.
MAP_WORDS = {"target_type": "numpy.asarray(y).astype(str)"}


@contextmanager
def advising(
    parameters: dict[str, tuple[str, str]], words: dict[str, str] | None = None
) -> Iterator[None]:
    """Restrict the advice in messages to these parameters, and to `words` for other settings.

    Parameters
    ----------
    parameters : dict
        For every setting the name of its parameter, and the surrounding expression, with ``{}`` for
        the parameter.
    words : dict or None
        For settings without a parameter the expression to use instead, with ``{}`` for a value.
    """
    before = _native.speak_to(_native.Audience(parameters, words or {}))
    try:
        yield
    finally:
        _native.speak_to(before)


def parameters_of(
    layers: Sequence[BaseEstimator], around: str = "{}", own: Collection[str] = ()
) -> dict[str, tuple[str, str]]:
    """Find how a user sets every parameter of nested estimators, the outermost first.

    Parameters
    ----------
    layers : sequence of estimators
        An estimator, the one inside it, and so on.
    around : str
        The call around the outermost estimator, such as ``"permutation_test({}, X, y)"``.
    own : collection of str
        Parameters of that call.
    """
    found = {name: (name, "{}") for name in own}
    is_inside = around != "{}"
    for layer in layers:
        expression = around.replace("{}", f"{type(layer).__name__}({{}})") if is_inside else "{}"
        for name in layer.get_params(deep=False):
            found.setdefault(name, (name, expression))
        around = around.replace("{}", f"{type(layer).__name__}({{}})")
        is_inside = True
    return found


def columns_of(table: object, name: str) -> dict[str, str]:
    """Return the expression that declares categorical columns of a table without a parameter."""
    if hasattr(table, "get_columns"):
        cast = name + ".with_columns(polars.col({}).cast(polars.Categorical))"
        return {"categorical": cast}
    frame = name
    if not hasattr(table, "iloc"):
        frame = f'pandas.DataFrame({name}).add_prefix("{name.removesuffix("s")}")'
    elif not all(isinstance(column, str) for column in table.columns):
        frame = f"{name}.rename(columns=str)"
    return {"categorical": frame + '.astype({{}: "category"})'}
