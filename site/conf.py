"""Settings of the documentation site; `site/build.py` stages the pages and runs Sphinx."""

import os
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
sys.path.insert(0, str(FOLDER / "extensions"))

# The address of the source, without a trailing slash. While it is empty, links to files of the
# repository are shown as their paths. The workflow that publishes the site sets the variable.
repository_url = os.environ.get("BASRELIEF_REPOSITORY", "")
repository_ref = os.environ.get("BASRELIEF_REPOSITORY_REF", "main")
repository_root = str(ROOT)

project = "basrelief"
author = "The basrelief developers"
copyright = author  # the name is Sphinx's
version = release = re.search(r'^version = "(.+?)"', (ROOT / "Cargo.toml").read_text(), re.M)[1]

extensions = ["myst_parser", "sphinx_design", "tabs", "repository", "redirects"]
root_doc = "index"
nitpicky = True
highlight_language = "none"

# The pages are written for code-hosting sites: the same dialect, with the same anchors.
myst_enable_extensions = ["amsmath", "colon_fence", "dollarmath", "linkify"]
myst_linkify_fuzzy_links = False
myst_fence_as_directive = ["math"]
myst_heading_anchors = 6
myst_dmath_allow_digits = False
myst_dmath_double_inline = True

# Languages of code blocks that become tabs, with the label of the tab. A block in another language,
# such as `text`, belongs to the block above it: it is its output.
tabs_languages = {
    "sh": "Command line",
    "bash": "Command line",
    "python": "Python",
    "rust": "Rust",
    "r": "R",
}

# Pages that have moved: the old path without its ending, and the page that replaces it.
site_redirects = {
    "docs/index": "docs/README",
    "docs/methods/index": "docs/methods/README",
    "docs/benchmarks-avx512": "docs/benchmarks",
}

# Headings that were renamed, by page: the old anchor, and the anchor of the heading today.
site_old_anchors = {
    "docs/cluster": {"rounds": "iterations", "how-far-it-goes-on-paper": "scaling-estimated"},
    "docs/command-line": {
        "what-is-read-and-how": "input",
        "how-steady-a-selection-is": "stability-of-a-selection",
        "everything-else": "other-topics",
        "all-else": "other-topics",
    },
    "docs/model-file": {
        "layout-version-1": "layout-versions-1-to-3",
        "layout-versions-1-and-2": "layout-versions-1-to-3",
    },
    "docs/python": {
        "what-is-read-and-how": "input-data",
        "which-class-is-which-method": "classes-and-methods",
    },
    "docs/report": {"what-is-in-the-file": "contents-of-the-file"},
    "docs/reproduction": {
        "reproduction-of-published-results": "repeat-the-experiments-of-the-papers",
        "c10-generalised-i-relief": "c10-generalized-i-relief",
        "hm13-mdm-beside-other-weights-and-lmnn": "hm13-mdm-compared-with-other-weights-and-lmnn",
        "w11-lfe-in-a-kernels-space": "w11-lfe-in-a-kernels-feature-space",
    },
    "docs/calibration": {
        "what-the-p-values-of-weights-are-worth": (
            "calibration-what-the-p-values-of-weights-are-worth"
        ),
    },
    "docs/maps-elsewhere": {"a-map-elsewhere": "use-a-map-in-other-programs-matrix-onnx-index"},
    "docs/significance": {
        "is-it-real": "permutation-tests-is-it-real",
        "of-a-map-or-of-k-nn": "tests-of-maps-and-k-nn",
    },
    "docs/spark": {
        "what-is-refused": "refused-input",
        "when-something-goes-wrong": "failures",
    },
    "docs/stability": {"select-what-is-steady-in-python": "select-stable-features-in-python"},
}

# Formulas are drawn by the MathJax that `site/mathjax.py` has downloaded. They are SVG, because not
# all browsers load fonts from file://. The parts of MathJax that speak need a worker, which cannot
# be started from file://; screen readers get MathML instead.
if os.environ.get("BASRELIEF_SITE_MATHJAX") == "1":
    extensions.append("sphinx.ext.mathjax")
    mathjax_path = "mathjax/startup.js"
    mathjax4_config = {
        "loader": {
            "load": ["input/tex", "output/svg", "a11y/assistive-mml"],
            "paths": {"mathjax-newcm": "[mathjax]/mathjax-newcm-font"},
        },
        "output": {"font": "mathjax-newcm", "displayOverflow": "scroll"},
    }
else:
    extensions.append("plain_math")

# The compiled package is needed for the pages of the Python API; `site/build.py` looks for it.
if os.environ.get("BASRELIEF_SITE_API") == "1":
    extensions += ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
    autosummary_generate = False
    autodoc_typehints = "none"
    napoleon_use_rtype = False
    # The types of parameters are prose, such as "array-like of shape (n_rows,)", without links.
    napoleon_use_param = False
    napoleon_use_ivar = True
    # `name` in docstrings is code.
    default_role = "literal"
    # Names in docstrings without a page, such as those of scikit-learn.
    nitpick_ignore_regex = [(r"py:.*", r".*")]

# Pages of the gallery show what their scripts printed and drew when they were run last.
if os.environ.get("BASRELIEF_SITE_GALLERY"):
    import gallery

    extensions.append("sphinx_gallery.gen_gallery")
    sphinx_gallery_conf = gallery.settings(
        ROOT / "gallery", runs=os.environ["BASRELIEF_SITE_GALLERY"] == "run"
    )

html_theme = "pydata_sphinx_theme"
html_title = f"basrelief {version}"
html_short_title = "basrelief"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sourcelink = False
html_use_index = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": f"basrelief {version}"},
    "header_links_before_dropdown": 5,
    "navigation_with_keys": False,
    "show_nav_level": 1,
    "show_toc_level": 2,
    "article_header_start": ["breadcrumbs"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
if repository_url:
    html_theme_options["icon_links"] = [
        {"name": "Source", "url": repository_url, "icon": "fa-solid fa-code"}
    ]
# Without pages to choose from, the sidebar is empty.
html_sidebars = {"index": []}


def escape_bars(app, what, name, obj, options, lines):
    """Escape the bars of absolute values in docstrings, which would be substitutions."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            pieces = re.split(r"(`+[^`]+`+)", line)
            pieces[::2] = [piece.replace("|", r"\|") for piece in pieces[::2]]
            lines[number] = "".join(pieces)


def setup(app):
    """Connect the function above."""
    if "sphinx.ext.autodoc" in extensions:
        app.connect("autodoc-process-docstring", escape_bars)
