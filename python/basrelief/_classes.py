"""Estimator classes, made from the entries of the library's registry.

A method of the registry needs nothing here: its class, the constructor's parameters and the
docstring follow from its entry. Type checkers read them in ``__init__.pyi``, which a test writes.
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


@dataclass(frozen=True)
class Parameter:
    """A constructor's parameter, read from an option of the registry."""

    name: str
    annotation: str
    kind: str
    """Its type as docstrings write it."""
    default: object
    shown_default: str
    help: str
    """What the registry says of it, without the full stop."""


def make_classes(
    base: type,
    entries: Iterable[Description],
    module: str,
    without: Collection[str] = (),
) -> dict[str, type]:
    """Make the classes of methods or wrappers.

    Parameters
    ----------
    base : type
        Their base class, a dataclass with a `_family`.
    entries : iterable of dict
        Entries of the registry; those without a docstring have no class of their own.
    module : str
        Name of the module that will hold the classes, for pickles.
    without : collection of str
        Options that are no parameters of these classes.

    Returns
    -------
    classes : dict
        By name.
    """
    return {
        entry["class_name"]: _make_class(base, entry, text, module, without)
        for entry in entries
        if (text := entry["docstring"]) is not None
    }


def _make_class(base, entry, text, module, without):
    inherited = fields(base)
    own = parameters(entry, {*without, *(parameter.name for parameter in inherited)})
    # The number of neighbors or bins can be given by position where it stands first, unless the
    # base class has something for that place.
    free = all(parameter.kw_only for parameter in inherited)
    by_position = [option for option in own[:1] if free and option.annotation == "int"]
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
        # Estimators are compared and shown as scikit-learn does.
        eq=False,
        repr=False,
    )
    # From Python 3.12 on, `make_dataclass` sets the caller's.
    cls.__module__ = module
    # scikit-learn asks for it, to read or copy the parameters, several times a fit.
    cls.__init__.__signature__ = signature(cls.__init__)
    return cls


def parameters(entry: Description, without: Collection[str] = ()) -> list[Parameter]:
    """Read the options of an entry, but those named."""
    return [_parameter(option) for option in entry["options"] if option["name"] not in without]


def _parameter(option: OptionDescription) -> Parameter:
    """Read the grammar of an option's values.

    ``N`` stands for a whole number, another capital letter for a number, such names joined by
    colons for a tuple, a word for itself, and all else for a text. ``yes`` and ``no`` are a bool,
    and ``none`` before one other value is None.
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
    """Give the annotation, the docstring's word and the reader of a value that is no word."""
    if re.fullmatch("[A-Z]", value):
        read = int if value == "N" else float
        return read.__name__, read.__name__, read
    if re.fullmatch("[A-Z_]+(:[A-Z_]+)+", value):
        names = value.lower().split(":")
        annotation = f"tuple[{', '.join(['float'] * len(names))}]"
        return annotation, f"tuple ({', '.join(names)})", _numbers
    return "str", "str", str


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(part) for part in text.split(":"))


def _shown(default: object, text: str) -> str:
    """Write a default as docstrings do."""
    if isinstance(default, str):
        return f'"{default}"'
    if isinstance(default, float):
        fraction = Fraction(default).limit_denominator(9)
        if "e" in text:
            return text
        if float(fraction) == default and len(text) > 10:
            return str(fraction)
    return repr(default)
