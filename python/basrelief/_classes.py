"""Estimator classes, created from the entries of the registry.

Methods need no code here: the class, the parameters of the constructor and the docstring follow
from the registry entry. Type checkers read the classes in ``__init__.pyi``, which a test generates.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field, fields, make_dataclass
from fractions import Fraction
from inspect import signature
from typing import TYPE_CHECKING

from basrelief._documentation import docstring

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from basrelief._native import Description, OptionDescription

__all__ = ["Parameter", "make_classes", "parameters"]


# The annotation of one number, or several.
COUNTS = "int | tuple[int, ...]"


@dataclass(frozen=True)
class Parameter:
    """A parameter of a constructor, from an option of the registry."""

    name: str
    annotation: str
    kind: str
    """The type in docstrings."""
    default: object
    shown_default: str
    help: str
    """The help text of the registry, without the full stop."""


def make_classes(
    base: type,
    entries: Iterable[Description],
    module: str,
    without: Collection[str] = (),
) -> dict[str, type]:
    """Create the classes of methods or wrappers.

    Parameters
    ----------
    base : type
        The base class, a dataclass with a `_family`.
    entries : iterable of dict
        Entries of the registry; entries without a docstring have no class.
    module : str
        Name of the module that will contain the classes, for pickles.
    without : collection of str
        Options that are not parameters of these classes.

    Returns
    -------
    classes : dict
        The classes by name.
    """
    return {
        entry["class_name"]: _make_class(base, entry, text, module, without)
        for entry in entries
        if (text := entry["docstring"]) is not None
    }


def _make_class(base, entry, text, module, without):
    inherited = fields(base)
    own = parameters(entry, {*without, *(parameter.name for parameter in inherited)})
    # A first option that is a number of neighbors or bins is positional, unless the base class has
    # positional parameters.
    free = all(parameter.kw_only for parameter in inherited)
    counts = ("int", COUNTS)
    by_position = [option for option in own[:1] if free and option.annotation in counts]
    cls = make_dataclass(
        entry["class_name"],
        [
            (
                option.name,
                option.annotation,
                field(default=option.default, kw_only=option not in by_position),
            )
            for option in own
        ],
        bases=(base,),
        namespace={
            "__doc__": docstring(
                entry, text, own, [parameter.name for parameter in inherited], base._family
            ),
            "__module__": module,
            "_entry": entry,
            "_reports": tuple(text["reports"]),
        },
        kw_only=True,
        # scikit-learn defines the comparison and the representation of estimators.
        eq=False,
        repr=False,
    )
    # From Python 3.12 on, `make_dataclass` sets the module of its caller.
    cls.__module__ = module
    # Cached, because scikit-learn inspects the signature several times per fit.
    cls.__init__.__signature__ = signature(cls.__init__)
    return cls


def parameters(entry: Description, without: Collection[str] = ()) -> list[Parameter]:
    """Read the options of an entry, except those in `without`."""
    return [_parameter(option) for option in entry["options"] if option["name"] not in without]


def _parameter(option: OptionDescription) -> Parameter:
    """Parse the grammar of the values of an option.

    ``N`` is a whole number, ``N[,N...]`` one or several, any other capital letter a number, names
    of numbers joined by colons a tuple, a lower-case word a literal, and anything else a text.
    ``yes`` and ``no`` are a bool, and ``none`` before a single other value is None.
    """
    text = option["default"]
    values = option["values"].split("|")
    optional = len(values) == 2 and values[0] == "none"
    values = values[optional:]
    words = [value for value in values if re.fullmatch("[a-z][a-z-]*", value)]
    types = [_type(value) for value in values if value not in words]
    default: object = text
    if set(words) == {"yes", "no"}:
        annotation = kind = "bool"
        default = text == "yes"
    elif any(read is str for _, _, read in types):
        annotation = kind = "str"
    else:
        annotations = [annotation for annotation, _, _ in types]
        kinds = [kind for _, kind, _ in types]
        if words:
            annotations.append(f"Literal[{', '.join(map(repr, words))}]")
            quoted = [f'"{word}"' for word in words]
            kinds += quoted if types or len(words) == 1 else [f"{{{', '.join(quoted)}}}"]
        for _, _, read in types:
            with suppress(ValueError):
                default = read(text)
        annotation, kind = " | ".join(annotations), " or ".join(kinds)
    if optional:
        default = None if text == "none" else default
        annotation = f"{annotation} | None"
        kind = f"None or {kind}" if default is None else f"{kind} or None"
    return Parameter(
        option["name"], annotation, kind, default, _shown(default, text), option["help"]
    )


def _type(value: str) -> tuple[str, str, Callable[[str], object]]:
    """Return the annotation, the docstring's type and the parser of a value that is not a word."""
    if re.fullmatch("[A-Z]", value):
        read = int if value == "N" else float
        return read.__name__, read.__name__, read
    if value == "N[,N...]":
        return COUNTS, "int or tuple of int", int
    if re.fullmatch("[A-Z_]+(:[A-Z_]+)+", value):
        names = value.lower().split(":")
        annotation = f"tuple[{', '.join(['float'] * len(names))}]"
        return annotation, f"tuple ({', '.join(names)})", _numbers
    return "str", "str", str


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(part) for part in text.split(":"))


def _shown(default: object, text: str) -> str:
    """Format a default value for docstrings."""
    if isinstance(default, str):
        return f'"{default}"'
    if isinstance(default, float):
        fraction = Fraction(default).limit_denominator(9)
        if "e" in text:
            return text
        if float(fraction) == default and len(text) > 10:
            return str(fraction)
    return repr(default)
