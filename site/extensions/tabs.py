"""Adjacent code blocks in different languages become tabs that remember the reader's choice.

The pages have no directives: a block in one of the languages of `tabs_languages` starts a tab, and
blocks in other languages directly below it, such as its output, belong to it. A language that
occurs again starts another set of tabs. A set with a single language is not changed.
"""

from __future__ import annotations

from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx_design.shared import create_component

GROUP = "language"


class Tabs(SphinxTransform):
    """Replaces sets of adjacent code blocks by tabs."""

    default_priority = 500

    def apply(self, **kwargs: object) -> None:
        """Visit every element that contains code blocks."""
        labels = self.config.tabs_languages
        parents = {id(block.parent): block.parent for block in self.document.findall(is_code)}
        for parent in parents.values():
            for tabs in sets_of_tabs(parent.children, labels):
                first = tabs[0][1][0]
                place = parent.index(first)
                for _, blocks in tabs:
                    for block in blocks:
                        parent.remove(block)
                parent.insert(place, tab_set(tabs, labels))


def is_code(node: nodes.Node) -> bool:
    """Return whether a node is a code block."""
    return isinstance(node, nodes.literal_block)


def sets_of_tabs(
    children: list[nodes.Node], labels: dict[str, str]
) -> list[list[tuple[str, list[nodes.Node]]]]:
    """Return the sets of at least two languages among siblings, as (language, blocks) per tab."""
    found = []
    for run in runs_of_code(children):
        tabs: list[tuple[str, list[nodes.Node]]] = []
        for block in run:
            language = block.get("language", "")
            if language not in labels:
                if tabs:
                    tabs[-1][1].append(block)
                continue
            if language in [name for name, _ in tabs]:
                found.append(tabs)
                tabs = []
            tabs.append((language, [block]))
        found.append(tabs)
    return [tabs for tabs in found if len(tabs) > 1]


def runs_of_code(children: list[nodes.Node]) -> Iterator[list[nodes.Node]]:
    """Yield the lists of code blocks with nothing between them."""
    run: list[nodes.Node] = []
    for child in children:
        if is_code(child):
            run.append(child)
        elif run:
            yield run
            run = []
    if run:
        yield run


def tab_set(tabs: list[tuple[str, list[nodes.Node]]], labels: dict[str, str]) -> nodes.Node:
    """Return the tabs as an element of sphinx-design, which stores the choice in the browser."""
    items = []
    for language, blocks in tabs:
        name = labels[language]
        label = nodes.rubric(name, nodes.Text(name), classes=["sd-tab-label"])
        label["sync_group"] = GROUP
        label["sync_id"] = language
        content = create_component("tab-content", children=blocks, classes=["sd-tab-content"])
        items.append(
            create_component("tab-item", children=[label, content], classes=["sd-tab-item"])
        )
    return create_component("tab-set", children=items, classes=["sd-tab-set"])


def setup(app: Sphinx) -> dict[str, object]:
    """Register the extension."""
    app.add_config_value("tabs_languages", {}, "env")
    app.add_transform(Tabs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
