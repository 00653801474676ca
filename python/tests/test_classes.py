"""The classes follow from the registry: what it has, and what it might have."""

import inspect
import pickle
from collections import defaultdict

import pytest
from sklearn.base import clone

import basrelief
from basrelief import Kernelized, _estimators, _maps, _wrappers
from basrelief._base import BaseReliefSelector, MethodSelector
from basrelief._classes import make_classes, parameters
from basrelief._documentation import SELECTORS

PUBLIC = {name: getattr(basrelief, name) for name in basrelief.__all__}


def by_method(base):
    """Public classes of a base class by the name of their method."""
    return {
        cls._entry["name"]: name
        for name, cls in PUBLIC.items()
        if inspect.isclass(cls) and issubclass(cls, base)
    }


@pytest.mark.parametrize(
    ("base", "entries"),
    [
        (MethodSelector, basrelief.methods()),
        (_wrappers.BaseWrapper, basrelief.wrappers()),
        (_maps.BaseMap, [m for m in basrelief.map_methods() if m["class_name"].isidentifier()]),
    ],
    ids=["methods", "wrappers", "maps"],
)
def test_the_classes_are_those_of_the_registry(base, entries):
    assert by_method(base) == {entry["name"]: entry["class_name"] for entry in entries}
    for name in by_method(base).values():
        cls = PUBLIC[name]
        assert cls.__name__ == cls.__qualname__ == name
        assert pickle.loads(pickle.dumps(cls)) is cls


def test_what_has_no_class_of_its_own_is_made_by_kernelized():
    composed = [m for m in basrelief.map_methods() if not m["class_name"].isidentifier()]
    assert "klfe" in [entry["name"] for entry in composed]
    for entry in composed:
        assert entry["docstring"] is None
        made = eval(entry["class_name"], PUBLIC)
        assert isinstance(made, Kernelized)


def entry_of(*options):
    """Make an entry of a registry that nothing in the package knows."""
    return {
        "name": "relieff",
        "class_name": "Novel",
        "task": "classes or regression",
        "missing": True,
        "purpose": "shows that nothing has to be written",
        "source": "nowhere",
        "options": [
            {"name": name, "values": values, "default": default, "help": f"What {name} is"}
            for name, values, default in options
        ],
        "docstring": {
            "summary": "Novel: a method from another registry.",
            "description": ["It has ``a literal``.", "It has two paragraphs."],
            "weights": ", in [-7, 7]",
            "reports": ["n_iter_"],
            "iterations": ": looks at the table",
            "see_also": [("ReliefF", "Not so new.")],
            "notes": [],
            "references": ["Nobody. Nothing. Nowhere, 2000."],
            "examples": [">>> 1 + 1", "2"],
        },
    }


def test_a_method_that_the_package_does_not_know_has_its_class():
    entry = entry_of(("n_friends", "N", "3"), ("novelty", "auto|X", "auto"))
    (novel,) = make_classes(MethodSelector, [entry], __name__).values()
    assert novel.__name__ == "Novel"
    assert novel.__module__ == __name__
    shared = inspect.signature(MethodSelector).parameters
    given = inspect.signature(novel).parameters
    assert set(given) - set(shared) == {"n_friends", "novelty"}
    assert given["n_friends"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert given["novelty"].kind is inspect.Parameter.KEYWORD_ONLY
    made = clone(novel(5, novelty=0.5, threshold=1.0))
    assert (made.n_friends, made.novelty, made.threshold, made.n_jobs) == (5, 0.5, 1.0, None)
    assert repr(made) == "Novel(n_friends=5, novelty=0.5, threshold=1.0)"
    doc = inspect.getdoc(novel)
    assert doc.startswith("Novel: a method from another registry.\n\nIt has ``a literal``.\n\nIt")
    for part in (
        "n_friends : int, default=3\n    What n_friends is.\n",
        'novelty : float or "auto", default="auto"\n    What novelty is.\n',
        "Weights of the features, in [-7, 7].\n",
        "The class labels; not for a numeric target.\n",
        "n_iter_ : int\n    Number of iterations: looks at the table.\n",
        "See Also\n--------\nReliefF : Not so new.\n\nReferences\n----------\nNobody.",
        "Examples\n--------\n>>> 1 + 1\n2",
    ):
        assert part in doc
    assert "Notes" not in doc


def test_one_number_is_given_by_position():
    entry = entry_of(("n_friends", "N", "3"), ("n_others", "N", "2"))
    (by_name,) = make_classes(_maps.BaseMap, [{**entry, "supervised": True}], __name__).values()
    kinds = {p.name: p.kind for p in inspect.signature(by_name).parameters.values()}
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert [name for name, kind in kinds.items() if kind is positional] == ["n_components"]


@pytest.mark.parametrize(
    ("values", "default", "expected"),
    [
        ("N", "10", ("int", "int", 10, "10")),
        ("X", "2", ("float", "float", 2.0, "2.0")),
        ("X", "1e-6", ("float", "float", 1e-6, "1e-6")),
        ("X", "0.3333333333333333", ("float", "float", 1 / 3, "1/3")),
        ("yes|no", "yes", ("bool", "bool", True, "True")),
        ("no|yes", "no", ("bool", "bool", False, "False")),
        ("all|N", "all", ("int | Literal['all']", 'int or "all"', "all", '"all"')),
        ("auto|X", "1e-3", ("float | Literal['auto']", 'float or "auto"', 1e-3, "1e-3")),
        ("a|b-c", "b-c", ("Literal['a', 'b-c']", '{"a", "b-c"}', "b-c", '"b-c"')),
        # `none` is None where the option is off or on, and a word among several.
        ("none|X", "1000", ("float | None", "float or None", 1000.0, "1000.0")),
        (
            "none|skrebate",
            "none",
            ("Literal['skrebate'] | None", 'None or "skrebate"', None, "None"),
        ),
        ("none|a|b", "none", ("Literal['none', 'a', 'b']", '{"none", "a", "b"}', "none", '"none"')),
        (
            "none|LOW:HIGH",
            "none",
            ("tuple[float, float] | None", "None or tuple (low, high)", None, "None"),
        ),
        (
            "none|LOW:HIGH",
            "1:2",
            ("tuple[float, float] | None", "tuple (low, high) or None", (1.0, 2.0), "(1.0, 2.0)"),
        ),
        ("uniform|rank[:SIGMA]", "uniform", ("str", "str", "uniform", '"uniform"')),
    ],
)
def test_the_grammar_of_values_gives_the_type(values, default, expected):
    (parameter,) = parameters(entry_of(("option", values, default)))
    read = (parameter.annotation, parameter.kind, parameter.default, parameter.shown_default)
    assert read == expected
    assert type(parameter.default) is type(expected[2])


def test_a_longer_text_is_of_one_option():
    # Texts go by the option's name: what the registry says of the name must be one thing.
    helps = defaultdict(set)
    for entry in [*basrelief.methods(), *basrelief.wrappers()]:
        for option in entry["options"]:
            helps[option["name"]].add(option["help"])
    assert set(SELECTORS.options) <= set(helps)
    assert [name for name in SELECTORS.options if len(helps[name]) > 1] == []


def test_modules_hold_what_pickles_name():
    for module in (_estimators, _maps, _wrappers):
        for name, cls in module.CLASSES.items():
            assert getattr(module, name) is cls
            assert cls.__module__ == module.__name__
    assert issubclass(basrelief.ReliefF, BaseReliefSelector)
