"""The documentation site: tabs, links, old paths, and messages of a build that fails.

Small trees of pages are built with the extensions of `site`; one slow test builds all pages.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-site/bin/python"
SETTINGS = ROOT / "site/conf.py"

needs_sphinx = pytest.mark.skipif(
    not PYTHON.exists(), reason="no .venv-site: `scripts/site.sh --setup` makes it"
)

CONF = f"""
import os, sys
sys.path.insert(0, {str(ROOT / "site/extensions")!r})
extensions = ["myst_parser", "sphinx_design", "tabs", "repository", "redirects"]
if os.environ["BASRELIEF_SITE_MATHJAX"] == "0":
    extensions.append("plain_math")
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 6
html_theme = "basic"
html_use_index = False
highlight_language = "none"
repository_root = ROOT
repository_url = URL
tabs_languages = {{"sh": "Command line", "python": "Python", "rust": "Rust"}}
site_redirects = REDIRECTS
site_old_anchors = {{"docs/page": {{"former": "a-heading-with-code"}}}}
"""

INDEX = "# Index\n\n```{toctree}\n:glob:\n\ndocs/*\npython-api\n```\n"

PAGE = """# Page

## A heading with `code`

Links to [the other page](other.md), [its section](other.md#second-part) and
[this one](#a-heading-with-code), the [source](../crates/a.rs#L3) and `a.rs` in
[../crates/a.rs](../crates/a.rs), and the folder [crates](../crates). Formula $x^2$.

```sh
basrelief demo
```
```text
output
```
```python
import basrelief
```

```rust
fn main() {}
```

Text between code.

```sh
one
```

```sh
two
```

```python
three
```
"""


def build(root, pages, url="", redirects="{}"):
    """Builds a tree of pages, and returns the exit status and the messages."""
    conf = CONF.replace("ROOT", repr(str(root))).replace("URL", repr(url))
    files = {
        "site/conf.py": conf.replace("REDIRECTS", redirects),
        "site/index.md": INDEX,
        "crates/a.rs": "fn a() {}\n",
        "docs/python.md": "# The Python package\n",
        "docs/other.md": "# Other\n\n## First part\n\n## Second part\n\n## Second part\n",
        **pages,
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    run = subprocess.run(
        [PYTHON, ROOT / "site/build.py", "--root", root],
        capture_output=True,
        text=True,
        # Without the network: nothing may be downloaded.
        env={**os.environ, "https_proxy": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"},
    )
    return run.returncode, run.stdout + run.stderr


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    root = tmp_path_factory.mktemp("site")
    moved = '{"docs/old/name": "docs/page"}'
    status, messages = build(root, {"docs/page.md": PAGE}, redirects=moved)
    assert status == 0, messages
    return root / "target/site", messages


@pytest.fixture(scope="module")
def page(site):
    return (site[0] / "docs/page.html").read_text(encoding="utf-8")


@needs_sphinx
def test_adjacent_blocks_of_different_languages_are_tabs_that_are_remembered(page):
    sets = page.split('class="sd-tab-set')[1:]
    labels = [re.findall(r'data-sync-id="(\w+)"', one) for one in sets]
    # The second `sh` starts another set; the `sh` before it is alone.
    assert labels == [["sh", "python", "rust"], ["sh", "python"]]
    assert page.count('data-sync-group="language"') == 5
    assert re.search(r">\s*Command line\s*</label>", page)


@needs_sphinx
def test_output_belongs_to_the_tab_above_it(page):
    contents = page.split("sd-tab-content")
    assert "basrelief demo" in contents[1].replace("</span>", "").replace('<span class="w">', "")
    assert "output" in contents[1]
    assert "output" not in contents[2]


@needs_sphinx
def test_links_between_pages_and_to_anchors(page):
    assert 'href="other.html"' in page
    assert 'href="other.html#second-part"' in page
    assert 'href="#a-heading-with-code"' in page


@needs_sphinx
def test_files_of_the_repository_without_an_address_are_paths(page):
    assert "crates/a.rs" in page
    assert 'href="../crates' not in page
    assert not list(re.findall(r"_downloads", page))


@needs_sphinx
def test_files_of_the_repository_with_an_address_are_links(tmp_path):
    status, messages = build(tmp_path, {"docs/page.md": PAGE}, url="https://host.example/b")
    assert status == 0, messages
    page = (tmp_path / "target/site/docs/page.html").read_text(encoding="utf-8")
    assert 'href="https://host.example/b/blob/main/crates/a.rs#L3"' in page
    assert 'href="https://host.example/b/tree/main/crates"' in page


@needs_sphinx
def test_old_paths_and_old_anchors(site, page):
    moved = (site[0] / "docs/old/name.html").read_text(encoding="utf-8")
    assert 'location.replace("../page.html" + location.hash)' in moved
    assert 'id="former"' in page


@needs_sphinx
def test_what_is_missing_is_reported_and_the_rest_is_built(site, page):
    assert "MathJax is missing" in site[1]
    assert "the pages of the Python API are skipped" in site[1]
    assert '<code class="math">x^2</code>' in page


BROKEN = """# Page

A paragraph of several lines, with a good link to [the other page](other.md), and
with a link to [a page](missing.md) that does not exist,
one to [an anchor](other.md#third-part) of another page,
one to [an anchor](#nowhere) of this page, and
one to [a file](../crates/b.rs) of the repository.

| table | link |
|---|---|
| a | b |
| c | [in a table](other.md#nothing) |
"""


@pytest.fixture(scope="module")
def failed(tmp_path_factory):
    root = tmp_path_factory.mktemp("failed")
    pages = {"docs/page.md": BROKEN, "docs/deep/page.md": "# In no section\n"}
    status, messages = build(
        root, pages, redirects='{"docs/old": "docs/nowhere", "docs/other": "docs/page"}'
    )
    assert status != 0
    assert not (root / "target/site").exists()
    return messages


@needs_sphinx
def test_broken_links_fail_with_page_and_line(failed):
    found = re.findall(r"^docs/page.md:(\d+): WARNING: (.*)", failed, re.M)
    assert sorted(int(line) for line, _ in found) == [4, 5, 6, 7, 12]
    for target in ("missing.md", "third-part", "nowhere", "crates/b.rs", "nothing"):
        assert any(target in message for _, message in found), failed


@needs_sphinx
def test_redirects_to_nowhere_fail(failed):
    assert "docs/old leads to docs/nowhere, which is not a page" in failed
    assert "docs/other is still a page" in failed


@needs_sphinx
def test_a_page_outside_of_the_sections_fails(failed):
    assert re.search(r"^docs/deep/page.md: WARNING: document isn't included", failed, re.M)


def test_pages_have_no_directives():
    """They are read on code-hosting sites too."""
    for path in [*ROOT.glob("docs/**/*.md"), ROOT / "README.md", ROOT / "CHANGELOG.md"]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"^\s*(```|:::+|~~~)\{", text, re.M), path


def test_questions_hide_the_methods_with_other_answers(browser, tmp_path):
    """The script of the site adds a list of answers for each question."""
    rows = [
        ("classes", "numbers", "small", "any", "relieff"),
        ("a number", "numbers", "small", "any", "rrelieff"),
    ]
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    head = "".join(f"<th>{name}</th>" for name in ("target", "columns", "size", "effects", "use"))
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table>"
    script = (ROOT / "site/static/site.js").as_uri()
    page = f'<section id="four-questions">{table}</section><script src="{script}"></script>'
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    opened = browser.new_page()
    opened.goto((tmp_path / "page.html").as_uri())
    opened.get_by_label("target").select_option("a number")
    assert opened.locator("tbody tr:visible").all_inner_texts() == [
        "a number\tnumbers\tsmall\tany\trrelieff"
    ]
    opened.get_by_label("target").select_option("any answer")
    assert opened.locator("tbody tr:visible").count() == 2
    opened.close()


def test_a_wrong_checksum_is_refused(tmp_path):
    """Neither npm nor the registry is asked: a program in their place returns another file."""
    fake = tmp_path / "npm"
    fake.write_text("#!/bin/sh\nprintf wrong > other.tgz\n")
    fake.chmod(0o755)
    run = subprocess.run(
        [sys.executable, ROOT / "site/mathjax.py", tmp_path / "mathjax"],
        env={**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    assert "has the checksum" in run.stderr
    assert not (tmp_path / "mathjax/VERSION").exists()


@needs_sphinx
@pytest.mark.slow
def test_all_pages(tmp_path):
    mathjax = ROOT / ".venv-site/share/mathjax"
    run = subprocess.run(
        [PYTHON, ROOT / "site/build.py", "--output", tmp_path / "site", "--mathjax", mathjax],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    for path in ROOT.glob("docs/**/*.md"):
        # The path of a page on the site is its path in the repository.
        assert (tmp_path / "site" / path.relative_to(ROOT).with_suffix(".html")).is_file()
    index = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    assert "cdn" not in index
    assert 'src="http' not in index
    assert (tmp_path / "site/searchindex.js").stat().st_size > 10_000
    if mathjax.exists():
        assert (tmp_path / "site/_static/mathjax/startup.js").is_file()
