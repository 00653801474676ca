"""Which settings the messages of the library may advise: those of the object that was called."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from basrelief import _native

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from sklearn.base import BaseEstimator

__all__ = ["MAP_WORDS", "advising", "columns_of", "parameters_of"]

# Maps have no `target_type`: their numbers are classes where they are texts.
MAP_WORDS = {"target_type": "numpy.asarray(y).astype(str)"}


@contextmanager
def advising(
    parameters: dict[str, tuple[str, str]], words: dict[str, str] | None = None
) -> Iterator[None]:
    """Let messages advise these parameters only, and `words` in place of settings without one.

    Parameters
    ----------
    parameters : dict
        By the setting's name: the parameter's name, and the expression around it, with ``{}`` in
        its place.
    words : dict or None
        By the setting's name: what is done instead, with ``{}`` in place of a value.
    """
    before = _native.speak_to(_native.Audience(parameters, words or {}))
    try:
        yield
    finally:
        _native.speak_to(before)


def parameters_of(
    layers: Sequence[BaseEstimator], around: str = "{}", own: Collection[str] = ()
) -> dict[str, tuple[str, str]]:
    """Find how every parameter of some estimators is given, the outermost first.

    Parameters
    ----------
    layers : sequence of estimators
        An estimator, the one inside it, and so on.
    around : str
        The call around the outermost, such as ``"permutation_test({}, X, y)"``.
    own : collection of str
        Parameters of that call itself.
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
    """Phrase how columns of a table of this name are declared where no parameter does that."""
    if hasattr(table, "get_columns"):
        cast = name + ".with_columns(polars.col({}).cast(polars.Categorical))"
        return {"categorical": cast}
    frame = name
    if not hasattr(table, "iloc"):
        frame = f'pandas.DataFrame({name}).add_prefix("{name.removesuffix("s")}")'
    elif not all(isinstance(column, str) for column in table.columns):
        frame = f"{name}.rename(columns=str)"
    return {"categorical": frame + '.astype({{}: "category"})'}
