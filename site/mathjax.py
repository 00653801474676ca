#!/usr/bin/env python3
"""Download MathJax and its font, which draw the formulas of the site without a network.

Usage: site/mathjax.py FOLDER. The versions and their checksums are those of the npm registry. A
complete folder is not changed. The exit status is 1, with a message, if a package cannot be
downloaded or has another checksum.
"""

from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
from pathlib import Path

VERSION = "4.1.3"
# Package, its checksum, and the parts that pages use, with their folder in the site.
PACKAGES = [
    (
        "mathjax",
        "BN/8Pkgn7G1pIDYJqd9md+JHsE/jydSYbyOZnSdSA0WziuVO8mRxdYiWFumkVVly/8U+hm9DpIIoWuvySverzw==",
        {
            "startup.js": "startup.js",
            "core.js": "core.js",
            "input/tex.js": "input/tex.js",
            "output/svg.js": "output/svg.js",
            "input/tex/extensions/": "input/tex/extensions/",
            "a11y/assistive-mml.js": "a11y/assistive-mml.js",
            "LICENSE": "LICENSE",
        },
    ),
    (
        "@mathjax/mathjax-newcm-font",
        "gzAB3dFHilHX1l5x2xUqRL+1jDQt3Fyza1DkEMVXWC4E8SvsGdlgEza47HYi2WhVcgfkvf4zgUGzuhbq3Pjlew==",
        {
            "svg/": "mathjax-newcm-font/svg/",
            "svg.js": "mathjax-newcm-font/svg.js",
            "package.json": "mathjax-newcm-font/package.json",
        },
    ),
]


def download(package: str, folder: Path) -> Path:
    """Return the package as a file, by npm with its settings or directly from the registry."""
    file = folder / "package.tgz"
    npm = shutil.which("npm")
    if npm:
        made = subprocess.run(
            [npm, "pack", "--silent", f"{package}@{VERSION}"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=120,
        )
        if made.returncode == 0:
            return next(folder.glob("*.tgz"))
    name = package.rpartition("/")[2]
    url = f"https://registry.npmjs.org/{package}/-/{name}-{VERSION}.tgz"
    with urllib.request.urlopen(url, timeout=60) as answer:
        file.write_bytes(answer.read())
    return file


def unpack(file: Path, parts: dict[str, str], target: Path) -> None:
    """Copy the parts of a package that pages use."""
    with tarfile.open(file) as archive:
        for member in archive.getmembers():
            name = member.name.removeprefix("package/")
            for part, place in parts.items():
                if not member.isfile() or not (
                    name == part or (part.endswith("/") and name.startswith(part))
                ):
                    continue
                copy = target / (place + name.removeprefix(part) if part.endswith("/") else place)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(archive.extractfile(member).read())


def main(target: Path) -> int:
    """Fill the folder, which is complete once it has the file VERSION."""
    stamp = target / "VERSION"
    if stamp.is_file() and stamp.read_text().strip() == VERSION:
        return 0
    shutil.rmtree(target, ignore_errors=True)
    for package, sha512, parts in PACKAGES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                file = download(package, Path(folder))
            except (OSError, subprocess.TimeoutExpired) as error:
                print(f"site: {package} {VERSION} was not downloaded: {error}", file=sys.stderr)
                return 1
            found = base64.b64encode(hashlib.sha512(file.read_bytes()).digest()).decode()
            if found != sha512:
                print(
                    f"site: {package} {VERSION} has the checksum {found} instead of {sha512}",
                    file=sys.stderr,
                )
                return 1
            unpack(file, parts, target)
    stamp.write_text(f"{VERSION}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
