"""Tables of results: as data frames, and as HTML in notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MOST_SHOWN", "EstimatorTableMixin", "TableMixin", "feature_names", "shortened"]

# Rows that a notebook shows.
MOST_SHOWN = 10

# Characters of a name, and of any other text, in a notebook.
_NAME, _TEXT = 40, 120

# Columns whose values can differ by factors of thousands.
_PROBABILITIES = ("p-value", "q-value", "adjusted")


class FrameMixin:
    """A result that is a table; a subclass has ``_table()``."""

    def _table(self):
        """Give a caption, and the columns by their headings, the best row first."""
        raise NotImplementedError

    def to_frame(self) -> pd.DataFrame:
        """Make a data frame of the result, the best row first. It needs pandas.

        Returns
        -------
        frame : pandas.DataFrame
            A row per feature, pair or component, with names instead of column numbers.
        """
        import pandas as pd

        return pd.DataFrame(self._table()[1])


class TableMixin(FrameMixin):
    """A result that a notebook shows as a table."""

    def _repr_html_(self):
        return html_table(*self._table())


class EstimatorTableMixin(FrameMixin):
    """An estimator whose result a notebook shows below its parameters."""

    # Two ways, as scikit-learn has: notebooks look for the second.
    def _repr_html_inner(self):
        return self._with_table(super()._repr_html_inner())

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._with_table(bundle["text/html"])
        return bundle

    def _with_table(self, html):
        """Put the table below an HTML representation, where there was a fit."""
        try:
            check_is_fitted(self)
        except NotFittedError:
            return html
        return html + html_table(*self._shown_table())

    def _shown_table(self):
        """Give the table that a notebook shows."""
        return self._table()


def html_table(caption, columns):
    """Write the first rows of a table as HTML; rows whose column `selected` is true are bold.

    Parameters
    ----------
    caption : str
        The caption, in which ``{shown}`` and ``{all}`` are the numbers of rows.
    columns : dict of array-like
        The columns by their headings.

    Returns
    -------
    html : str
    """
    count = len(next(iter(columns.values())))
    shown = min(count, MOST_SHOWN)
    cells = {heading: _cells(heading, values[:shown]) for heading, values in columns.items()}
    head = "".join(
        f'<th scope="col" style="padding-left:1em">{escape(heading)}</th>' for heading in columns
    )
    selected = columns.get("selected", np.zeros(shown, dtype=bool))
    body = []
    for place in range(shown):
        row = "".join(values[place] for values in cells.values())
        style = ' style="font-weight:bold"' if selected[place] else ""
        body.append(f"<tr{style}>{row}</tr>")
    caption = caption.format(shown=shown, all=count)
    return (
        f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table>"
    )


def _cells(heading, values):
    """Write the cells of a column: texts to the left, numbers with aligned digits to the right."""
    values = np.asarray(values)
    kind = values.dtype.kind
    if kind == "f":
        texts = _numbers(values, heading in _PROBABILITIES)
    elif kind == "b":
        texts = ["yes" if value else "no" for value in values]
    elif kind in "iu":
        texts = [str(value) for value in values]
    else:
        most = _NAME if "feature" in heading else _TEXT
        texts = [f"<bdi>{escape(shortened(str(value), most))}</bdi>" for value in values]
    align = "right" if kind in "fiu" else "left"
    style = f"text-align:{align};padding-left:1em;font-variant-numeric:tabular-nums"
    return [f'<td style="{style}">{text}</td>' for text in texts]


def _numbers(values, are_probabilities):
    """Write numbers with as many decimals as the largest needs for 4 digits.

    Small probabilities have 3 digits each.
    """
    sizes = np.abs(values[np.isfinite(values) & (values != 0)])
    largest = sizes.max(initial=0.0)
    if largest >= 1e6 or (are_probabilities and sizes.min(initial=1.0) < 1e-3):
        return [f"{value:.3g}" for value in values]
    digits = int(np.ceil(np.log10(largest))) if largest > 0 else 0
    return [f"{value:.{min(max(4 - digits, 0), 8)}f}" for value in values]


def feature_names(fitted, n_features):
    """List the features' names, or `x0`, `x1`, ... where the data had none."""
    names = getattr(fitted, "feature_names_in_", None)
    return [f"x{place}" for place in range(n_features)] if names is None else list(map(str, names))


def shortened(text, most):
    """Cut a text to so many characters, with a space for each that cannot be printed."""
    text = "".join(mark if mark.isprintable() else " " for mark in text[: most + 1])
    return text if len(text) <= most else f"{text[: most - 1]}…"
