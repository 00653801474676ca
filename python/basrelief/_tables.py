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

# Number of rows in a notebook.
MOST_SHOWN = 10

# Maximum length of names, and of other texts, in a notebook.
_NAME, _TEXT = 40, 120

# Columns whose values can differ by orders of magnitude.
_PROBABILITIES = ("p-value", "q-value", "adjusted")


class FrameMixin:
    """Mixin for results with a table; subclasses define ``_table()``."""

    def _table(self):
        """Return a caption, and the columns by heading, the best row first."""
        raise NotImplementedError

    def to_frame(self) -> pd.DataFrame:
        """Convert the result to a pandas data frame, the best row first.

        Returns
        -------
        frame : pandas.DataFrame
            One row per feature, pair or component, with names instead of column numbers.
        """
        import pandas as pd

        return pd.DataFrame(self._table()[1])


class TableMixin(FrameMixin):
    """Mixin for results that a notebook shows as a table."""

    def _repr_html_(self):
        return html_table(*self._table())


class EstimatorTableMixin(FrameMixin):
    """Mixin for estimators: a notebook shows the result below the parameters."""

    # scikit-learn has both methods; notebooks call the second one.
    def _repr_html_inner(self):
        return self._with_table(super()._repr_html_inner())

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._with_table(bundle["text/html"])
        return bundle

    def _with_table(self, html):
        """Append the table of a fitted estimator to its HTML representation."""
        try:
            check_is_fitted(self)
        except NotFittedError:
            return html
        return html + html_table(*self._shown_table())

    def _shown_table(self):
        """Return the table for a notebook."""
        return self._table()


def html_table(caption, columns):
    """Format the first rows of a table as HTML, with bold rows where `selected` is true.

    Parameters
    ----------
    caption : str
        The caption, with the placeholders ``{shown}`` and ``{all}`` for the numbers of rows.
    columns : dict of array-like
        The columns by heading.

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
    """Format the cells of a column: texts left-aligned, numbers right-aligned."""
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
    """Format numbers with the decimals that give the largest one 4 significant digits.

    Columns with very small probabilities have 3 significant digits per number.
    """
    sizes = np.abs(values[np.isfinite(values) & (values != 0)])
    largest = sizes.max(initial=0.0)
    if largest >= 1e6 or (are_probabilities and sizes.min(initial=1.0) < 1e-3):
        return [f"{value:.3g}" for value in values]
    digits = int(np.ceil(np.log10(largest))) if largest > 0 else 0
    return [f"{value:.{min(max(4 - digits, 0), 8)}f}" for value in values]


def feature_names(fitted, n_features):
    """List the names of the features, or `x0`, `x1`, ... if the data had no names."""
    names = getattr(fitted, "feature_names_in_", None)
    return [f"x{place}" for place in range(n_features)] if names is None else list(map(str, names))


def shortened(text, most):
    """Truncate a text to `most` characters, and replace unprintable characters by spaces."""
    text = "".join(mark if mark.isprintable() else " " for mark in text[: most + 1])
    return text if len(text) <= most else f"{text[: most - 1]}…"
