#!/usr/bin/env python3
"""Build the documentation site: stage the pages, run Sphinx, check every link of the result.

Usage: site/build.py [--root FOLDER] [--output FOLDER] [--mathjax FOLDER] [--package FOLDER ...]
                     [--gallery]

The pages are copied below `target` with their paths of the repository, and those of `site` to the
top. Any warning fails the build; messages name the page in the repository and the line.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

LARGEST_MEGABYTES = 60
# Pages that are staged in addition to those of `docs` and `site`.
PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"]
IMAGES = {".svg", ".png", ".jpg"}
API = "python-api.md"
API_GROUPS = [
    "Weightings",
    "Wrappers",
    "Maps",
    "Nearest neighbors",
    "Functions",
    "Data, results and warnings",
    "basrelief.plots",
    "basrelief.skrebate",
    "basrelief.metric_learn",
]
# What readers of a page need next, by group.
LINKED = {
    "Weightings": "[Pipelines](../docs/how-to/pipelines.md), "
    "[kinds of columns](../docs/kinds.md), [p-values](../docs/significance.md), "
    "[repeated measures](../docs/how-to/repeated-measures.md), "
    "[what a weight means](../docs/explanation/what-a-weight-means.md).",
    "Maps": "[Learned metrics](../docs/how-to/learned-metric.md), "
    "[columns of a map](../docs/tables.md), [evaluation](../docs/evaluation.md), "
    "[times](../docs/benchmarks-maps.md).",
}
API_TITLES = {
    "Wrappers": "Wrappers and stable selection",
    "basrelief.plots": "Figures (basrelief.plots)",
    "basrelief.skrebate": "In place of scikit-rebate (basrelief.skrebate)",
    "basrelief.metric_learn": "In place of metric-learn (basrelief.metric_learn)",
}


def say(message: str) -> None:
    """Report to the person who builds."""
    print(f"site: {message}", flush=True)


def stage(root: Path, folder: Path) -> dict[str, str]:
    """Copy the pages; return the path in the repository of every staged path."""
    shutil.rmtree(folder, ignore_errors=True)
    docs = [path for path in sorted((root / "docs").rglob("*")) if path.is_file()]
    files = [path for path in docs if path.suffix == ".md" or path.suffix in IMAGES]
    files += [root / name for name in PAGES if (root / name).is_file()]
    staged = {path.relative_to(root): path for path in files}
    staged |= {Path(path.name): path for path in sorted((root / "site").glob("*.md"))}
    for place, path in staged.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, folder / place)
    return {place.as_posix(): path.relative_to(root).as_posix() for place, path in staged.items()}


class PublicName(NamedTuple):
    """A public name of the Python package."""

    module: str
    group: str
    name: str
    # Methods of a class that the package defines, and those that it inherits from scikit-learn.
    methods: list[str]
    inherited: list[str]
    # The name of a method in the registry.
    method: str | None


# Prints the fields of all public names as JSON.
DESCRIBE = """
import importlib, inspect, json
import basrelief
found = []
registry = {
    info["class_name"]: info["name"]
    for infos in (basrelief.methods(), basrelief.map_methods(), basrelief.wrappers())
    for info in infos
}
for module in ["basrelief", "basrelief.plots", "basrelief.skrebate", "basrelief.metric_learn"]:
    loaded = importlib.import_module(module)
    for name in sorted(loaded.__all__):
        item = getattr(loaded, name)
        bases = [base.__name__ for base in getattr(item, "__mro__", [])]
        group = (
            "" if isinstance(item, str)
            else module if module != "basrelief"
            else "Functions" if not inspect.isclass(item)
            else "Wrappers" if "BaseWrapper" in bases or "ColumnSelector" in bases[:2]
            else "Weightings" if "BaseReliefSelector" in bases
            else "Maps" if "MapMixin" in bases
            else "Nearest neighbors" if "_Neighbors" in bases
            else "Data, results and warnings"
        )
        functions = inspect.getmembers(item, callable) if inspect.isclass(item) else []
        public = [(method, value) for method, value in functions if not method.startswith("_")]
        of = {method: getattr(value, "__module__", None) or "" for method, value in public}
        own = [method for method in of if of[method].startswith("basrelief")]
        inherited = [method for method in of if of[method].startswith("sklearn")]
        if group:
            page = registry.get(name) if module == "basrelief" else None
            found.append([module, group, name, own, inherited, page])
print(json.dumps(found))
"""


def public_names(packages: list[Path]) -> tuple[list[PublicName], str]:
    """Describe the public names of the compiled Python package, or why it cannot be imported."""
    tried = subprocess.run(
        [sys.executable, "-c", DESCRIBE],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, packages))},
        capture_output=True,
        text=True,
    )
    if tried.returncode == 0:
        return [PublicName(*fields) for fields in json.loads(tried.stdout)], ""
    error = tried.stderr.strip().rpartition("\n")[2]
    return [], error.partition(" (")[0]


def write_api_pages(source: Path, names: list[PublicName]) -> None:
    """Write a page for each name of the Python API and one with tables of all, or a note."""
    lines = ["# Python API", ""]
    if not names:
        lines += [
            "This build has no API pages, because the compiled package was missing.",
            "",
            "[The Python package](docs/python.md) describes the classes.",
            "",
        ]
    for group in sorted({public.group for public in names}, key=API_GROUPS.index):
        members = [public for public in names if public.group == group]
        lines += [f"## {API_TITLES.get(group, group)}", "", "```{eval-rst}"]
        lines += [
            f".. currentmodule:: {members[0].module}",
            "",
            ".. autosummary::",
            "   :nosignatures:",
        ]
        lines += ["", *(f"   {public.name}" for public in members), "```", ""]
    if names:
        pages = [f"api/{public.module}.{public.name}" for public in names]
        lines += ["```{toctree}", ":hidden:", "", *pages, "```", ""]
    (source / API).write_text("\n".join(lines), encoding="utf-8")
    (source / "api").mkdir(exist_ok=True)
    for public in names:
        path = f"{public.module}.{public.name}"
        kind = "autoclass" if public.name[0].isupper() else "autofunction"
        page = [f"# {public.name}", "", "```{eval-rst}", f".. {kind}:: {path}"]
        page += [f"   :members: {', '.join(public.methods)}"] if public.methods else []
        page += ["```", ""]
        if public.inherited:
            listed = ", ".join(f"`{name}`" for name in public.inherited)
            page += [f"Methods of scikit-learn: {listed}.", ""]
        if public.method:
            file = f"../docs/methods/{public.method.replace('*', '-star')}.md"
            page += [f"Formula, cost, and when not to use it: [{public.method}]({file}).", ""]
        if public.group in LINKED:
            page += [LINKED[public.group], ""]
        (source / f"api/{path}.md").write_text("\n".join(page), encoding="utf-8")


def run_sphinx(root: Path, source: Path, output: Path, names: dict[str, str], extra: dict) -> int:
    """Run Sphinx; print its messages with the paths of the repository. Return its exit status."""
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-n", "-q"]
    command += ["-j", "2", "-c", str(root / "site"), "-d", str(source) + "-doctrees"]
    command += [str(source), str(output)]
    process = subprocess.Popen(
        command,
        env={**os.environ, "NO_COLOR": "1", **extra},
        stderr=subprocess.STDOUT,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    staged = re.compile(re.escape(str(source)) + r"[/\\]([^\s:]+)")
    for line in process.stdout:
        print(staged.sub(lambda found: names.get(found[1], found[1]), line), end="", flush=True)
    return process.wait()


class Page(HTMLParser):
    """Collects the anchors and the links of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[tuple[int, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Read one element."""
        for name, value in attrs:
            if name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value or "")
            elif name == "src" or (name == "href" and tag in ("a", "link")):
                self.links.append((self.getpos()[0], value or ""))


def check_links(output: Path) -> list[str]:
    """Check all links of the built pages to files and anchors; return the broken ones."""
    pages = {
        path: Page(path.read_text(encoding="utf-8"))
        for path in sorted(output.rglob("*.html"))
        # The theme has templates there.
        if "_static" not in path.relative_to(output).parts
    }
    broken = []
    counts = {"links": 0, "anchors": 0, "remote": 0}
    for path, page in pages.items():
        for line, link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                counts["remote"] += 1
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            counts["links"] += 1
            where = f"{path.relative_to(output).as_posix()}:{line}"
            if not target.is_file():
                broken.append(f"{where}: the link {link} leads to a missing file")
            elif parts.fragment and target in pages:
                counts["anchors"] += 1
                if unquote(parts.fragment) not in pages[target].anchors:
                    broken.append(f"{where}: the link {link} leads to a missing anchor")
    say(
        f"{len(pages)} pages, {counts['links']} internal links ({counts['anchors']} to anchors), "
        f"{len(broken)} of them broken; {counts['remote']} links to other sites are not checked"
    )
    return broken


def megabytes(folder: Path) -> float:
    """Return the size of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def main() -> int:
    """Build the site; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--output", type=Path, help="folder of the site, which is replaced")
    parser.add_argument("--mathjax", type=Path, help="folder that mathjax.py has filled")
    parser.add_argument("--package", type=Path, action="append", default=[])
    parser.add_argument(
        "--gallery", action="store_true", help="run the scripts of the gallery, which takes minutes"
    )
    arguments = parser.parse_args()
    started = time.monotonic()
    root = arguments.root.resolve()
    # Programs of the gallery run in other folders.
    packages = [root / "python", *(package.resolve() for package in arguments.package)]
    output = (arguments.output or root / "target/site").resolve()
    # Other folders for another output, so that two builds do not disturb each other.
    source = output.with_name(output.name + "-source")
    made = output.with_name(output.name + "-new")
    for folder in (made, source.with_name(source.name + "-doctrees")):
        shutil.rmtree(folder, ignore_errors=True)

    names = stage(root, source)
    public, problem = public_names(packages)
    write_api_pages(source, public)
    if not public:
        say(f"the pages of the Python API are skipped, which need `make setup`: {problem}")
    has_mathjax = arguments.mathjax is not None and (arguments.mathjax / "VERSION").is_file()
    if not has_mathjax:
        say("MathJax is missing: formulas are shown as their TeX source")
    extra = {
        "BASRELIEF_SITE_MATHJAX": "1" if has_mathjax else "0",
        "BASRELIEF_SITE_API": "1" if public else "0",
    }
    # What the scripts of the gallery printed and drew is retained for later builds.
    gallery = root / "target/gallery"
    if (root / "gallery").is_dir():
        if arguments.gallery and not public:
            say("the gallery needs `make setup`, so it was not run")
            return 1
        extra["BASRELIEF_SITE_GALLERY"] = "run" if arguments.gallery else "show"
        if gallery.is_dir() and not arguments.gallery:
            shutil.copytree(gallery, source / "gallery")
        elif not arguments.gallery:
            say("the pages of the gallery have no figures: `make gallery` runs their scripts")
    if public:
        extra["PYTHONPATH"] = os.pathsep.join(map(str, packages))
    status = run_sphinx(root, source, made, names, extra)
    if status:
        say("Sphinx reported the problems above; the site was not replaced")
        return status
    if arguments.gallery:
        shutil.rmtree(gallery, ignore_errors=True)
        shutil.copytree(source / "gallery", gallery)
    if has_mathjax:
        shutil.copytree(arguments.mathjax, made / "_static/mathjax")
    broken = check_links(made)
    for message in broken:
        print(message)
    size = megabytes(made)
    if size > LARGEST_MEGABYTES:
        say(f"the site has {size:.1f} MB, more than {LARGEST_MEGABYTES} MB")
    if broken or size > LARGEST_MEGABYTES:
        return 1
    shutil.rmtree(output, ignore_errors=True)
    made.rename(output)
    say(f"{output / 'index.html'}: {size:.1f} MB in {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
