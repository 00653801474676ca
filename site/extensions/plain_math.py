"""Formulas as their TeX source, for a build without MathJax."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx


def visit_inline(self, node: nodes.math) -> None:
    """Write a formula within a line."""
    self.body.append(f'<code class="math">{self.encode(node.astext())}</code>')
    raise nodes.SkipNode


def visit_block(self, node: nodes.math_block) -> None:
    """Write a formula on a separate line."""
    self.body.append(f'<pre class="math">{self.encode(node.astext())}</pre>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, object]:
    """Register the extension."""
    app.add_html_math_renderer("plain", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
