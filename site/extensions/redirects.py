"""Old paths and old anchors keep working.

A small page at the path of a page that has moved leads to the new one, and keeps the anchor of the
link. The section of a renamed heading keeps its former anchor.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.osutil import relative_uri

LOGGER = logging.getLogger(__name__)

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>This page has moved</title>
<meta name="robots" content="noindex">
<noscript><meta http-equiv="refresh" content="0; url={link}"></noscript>
<script>location.replace("{link}" + location.hash);</script>
</head>
<body><p>This page has moved: <a href="{link}">{link}</a></p></body>
</html>
"""


class OldAnchors(SphinxTransform):
    """Add the former anchors to the sections of a page."""

    # After MyST has added the anchors of the headings (700).
    default_priority = 710

    def apply(self, **kwargs: object) -> None:
        """Add the anchors as further ids, which the pages themselves cannot link to."""
        for old, new in self.config.site_old_anchors.get(self.env.docname, {}).items():
            section = self.document.ids.get(new)
            if not isinstance(section, nodes.section) or old in self.document.ids:
                LOGGER.warning(
                    "site_old_anchors: %r cannot replace %r in %s", new, old, self.env.docname
                )
                continue
            section["ids"].append(old)
            self.document.ids[old] = section


def check(app: Sphinx) -> Iterator[tuple[str, dict, str]]:
    """Warn about redirects that lead nowhere or hide a page."""
    for old, new in app.config.site_redirects.items():
        if new not in app.env.all_docs:
            LOGGER.warning("site_redirects: %s leads to %s, which is not a page", old, new)
        if old in app.env.all_docs:
            LOGGER.warning("site_redirects: %s is still a page", old)
    return iter(())


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the pages."""
    if exception is not None or app.builder.format != "html":
        return
    for old, new in app.config.site_redirects.items():
        file = Path(app.outdir) / f"{old}.html"
        link = relative_uri(f"{old}.html", app.builder.get_target_uri(new))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(PAGE.format(link=html.escape(link)), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, object]:
    """Register the extension."""
    app.add_config_value("site_redirects", {}, "env")
    app.add_config_value("site_old_anchors", {}, "env")
    app.add_transform(OldAnchors)
    app.connect("html-collect-pages", check)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
