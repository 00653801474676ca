"""What type checkers and editors see: ``__init__.pyi``, written from the classes.

``UPDATE_STUBS=1 pytest python/tests/test_stubs.py`` writes it.
"""

import ast
import inspect
import os
from dataclasses import fields
from pathlib import Path

import basrelief
from basrelief import _estimators, _maps, _wrappers
from basrelief._documentation import REPORTS

STUB = Path(basrelief.__file__).with_suffix(".pyi")
CLASSES = {**_estimators.CLASSES, **_maps.CLASSES, **_wrappers.CLASSES}
HEAD = '''"""{summary}

Written by a test from the library's registry; ``UPDATE_STUBS=1 pytest python/tests/test_stubs.py``
writes it anew.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from basrelief._base import (
    BaseReliefSelector,
    Correction,
    MethodSelector,
    ReliefWarning,
    Sided,
)
from basrelief._covariates import residuals
from basrelief._genotypes import GenotypeMatrix
from basrelief._kernels import Kernelized
from basrelief._maps import BaseMap
from basrelief._native import __version__, map_methods, methods, wrappers
from basrelief._neighbors import KNeighborsClassifier, KNeighborsRegressor
from basrelief._pairs import InteractingPairs, interacting_pairs
from basrelief._plink import PlinkCohort, read_plink, read_vcf
from basrelief._progress import FitCancelled
from basrelief._samples import SampleTable, read_table
from basrelief._significance import PermutationTestResult, permutation_test
from basrelief._stable import Stable
from basrelief._wrappers import BaseWrapper

__all__ = [
{names}
]
'''


def stub():
    """Write the stub of the package."""
    head = HEAD.format(
        summary=basrelief.__doc__.partition("\n")[0],
        names="\n".join(f'    "{name}",' for name in in_order_of_case(basrelief.__all__)),
    )
    return "\n".join([head, *(class_stub(CLASSES[name]) for name in sorted(CLASSES))])


def in_order_of_case(names):
    """Sort constants first, then classes, then all else, as ruff does."""
    return sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))


def class_stub(cls):
    """Write a class: its docstring, parameters, what a fit gives, and the constructor."""
    (base,) = cls.__bases__
    inherited = {parameter.name for parameter in fields(base)}
    attributes = [
        f"{parameter.name}: {quoted(parameter.type)}"
        for parameter in fields(cls)
        if parameter.name not in inherited
    ]
    if "\n    classes_ : " in cls.__doc__:
        attributes.append("classes_: NDArray[Any]")
    attributes += [f"{name}: {REPORTS[name].type.replace(' or ', ' | ')}" for name in cls._reports]
    parameters, keyword_only = ["self"], False
    for parameter in inspect.signature(cls).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            parameters.append("*")
            keyword_only = True
        default = quoted(repr(parameter.default))
        parameters.append(f"{parameter.name}: {quoted(parameter.annotation)} = {default}")
    lines = [
        f"class {cls.__name__}({base.__name__}):",
        f'    """{cls.__doc__}"""',
        "",
        *(f"    {attribute}" for attribute in attributes),
        "    def __init__(",
        *(f"        {parameter}," for parameter in parameters),
        "    ) -> None: ...",
    ]
    return "\n".join(lines) + "\n"


def quoted(text):
    """Put words into the quotes that ruff wants."""
    return text.replace("'", '"')


def test_the_stub_is_current():
    if os.environ.get("UPDATE_STUBS") == "1":
        STUB.write_text(stub(), encoding="utf-8")
    assert STUB.read_text(encoding="utf-8") == stub(), (
        "write it anew: UPDATE_STUBS=1 pytest python/tests/test_stubs.py"
    )


def test_the_stub_declares_what_the_package_exports():
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    declared = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module.startswith("basrelief."):
            declared |= {alias.name for alias in node.names if not alias.name.startswith("Base")}
    assert declared - {"Correction", "MethodSelector", "Sided"} == set(basrelief.__all__)
