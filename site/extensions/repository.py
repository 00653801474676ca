"""Links of the pages to files of the repository, and the lines of broken links.

The staged pages have the same paths as in the repository, and Sphinx resolves the links between
them. A link to another file of the repository becomes a link to `repository_url`, or the path as
code if this is empty. Every other link without a target causes a warning with the exact line.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections import defaultdict
from pathlib import Path
from urllib.parse import unquote

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

LINK = re.compile(r"\]\(<?([^)\s>]+)")
DEFINITION = re.compile(r"^\s{0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s|$)")


class RepositoryLinks(SphinxTransform):
    """Rewrites the links to files that are not pages, and adds the lines of all others."""

    # After MyST has turned the links to anchors into references (879).
    default_priority = 880

    def apply(self, **kwargs: object) -> None:
        """Visit every link of a page."""
        source = Path(self.env.doc2path(self.env.docname))
        if source.suffix != ".md":
            return
        links = links_of(source.read_text(encoding="utf-8"))
        page = self.path_of(self.env.docname)
        seen: dict[str, int] = defaultdict(int)
        for node in list(self.document.findall(is_link)):
            target = self.written_target(node)
            node.source = str(source)
            node.line = line_of(links, page, target, node.line, seen)
            self.rewrite(node, page, target)

    def path_of(self, docname: str) -> str:
        """Return the path of a page from the root of the repository."""
        return Path(os.fspath(self.env.doc2path(docname, base=False))).as_posix()

    def written_target(self, node: nodes.Element) -> str:
        """Return the path and the anchor that a link leads to, from the root of the repository."""
        page = self.path_of(self.env.docname)
        if node.get("refdomain") == "doc":
            anchor = f"#{node['reftargetid']}" if node.get("reftargetid") else ""
            return self.path_of(node["reftarget"]) + anchor
        target = node["reftarget"]
        # MyST removes the `#` of a link to an anchor of the same page.
        is_anchor = node.line is None and not isinstance(node, addnodes.download_reference)
        return resolved(page, f"#{target}" if is_anchor else target)

    def rewrite(self, node: nodes.Element, page: str, target: str) -> None:
        """Replace a link to a file or folder of the repository."""
        if node.get("refdomain") == "doc":
            return
        path, _, anchor = target.partition("#")
        if path == page or not exists_exactly(Path(self.config.repository_root), path):
            return
        children = node.children[0].children
        # The scripts of the gallery have pages.
        if path.startswith("gallery/") and path.removesuffix(".py") in self.env.found_docs:
            link = addnodes.pending_xref(
                "",
                refdomain="std",
                reftype="doc",
                refdoc=self.env.docname,
                reftarget="/" + path.removesuffix(".py"),
                refexplicit=True,
                refwarn=True,
            )
            link += nodes.inline("", "", *children)
            node.replace_self(link)
            return
        if self.config.repository_url:
            kind = "tree" if (Path(self.config.repository_root) / path).is_dir() else "blob"
            base = f"{self.config.repository_url}/{kind}/{self.config.repository_ref}/{path}"
            link = nodes.reference("", "", refuri=base + (f"#{anchor}" if anchor else ""))
            link += children or [nodes.literal(path, path)]
            node.replace_self(link)
            return
        text = node.children[0].astext()
        code = nodes.literal(path, path)
        if text in ("", path) or path.endswith(f"/{text}"):
            node.replace_self(code)
        else:
            node.replace_self([*children, nodes.Text(" ("), code, nodes.Text(")")])


def is_link(node: nodes.Node) -> bool:
    """Return whether a node is a link of a page that is still to be resolved."""
    return (
        isinstance(node, addnodes.pending_xref | addnodes.download_reference)
        and node.get("reftype") == "myst"
    )


def links_of(text: str) -> list[tuple[int, str]]:
    """Return (line, target) of every link in the text of a page."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        found += [(number, target) for target in LINK.findall(line)]
        found += [(number, target) for target in DEFINITION.findall(line)]
    return found


def resolved(page: str, target: str) -> str:
    """Return the path of a link from the root of the repository, with its anchor."""
    path, hash_sign, anchor = unquote(target).partition("#")
    if not path:
        return page + hash_sign + anchor
    folder = "" if path.startswith("/") else posixpath.dirname(page)
    return posixpath.normpath(posixpath.join(folder, path.lstrip("/"))) + hash_sign + anchor


def line_of(
    links: list[tuple[int, str]], page: str, target: str, block: int | None, seen: dict[str, int]
) -> int | None:
    """Return the line of a link: nodes only have the first line of their paragraph or list."""
    lines = [number for number, written in links if resolved(page, written) == target]
    at_most = seen[target]
    if at_most < len(lines):
        seen[target] += 1
        return lines[at_most]
    return block


def exists_exactly(root: Path, path: str) -> bool:
    """Return whether a path exists below the root, in this case of letters on every file system."""
    if path.startswith("..") or not (root / path).exists():
        return False
    folder = root
    for part in path.split("/"):
        if part not in (".", "") and part not in os.listdir(folder):
            return False
        folder /= part
    return True


def setup(app: Sphinx) -> dict[str, object]:
    """Register the extension."""
    app.add_config_value("repository_url", "", "env")
    app.add_config_value("repository_ref", "main", "env")
    app.add_config_value("repository_root", "", "env")
    app.add_transform(RepositoryLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
