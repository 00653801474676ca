"""Pages of `--report`: how large they are, and how fast a browser opens them."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

# Features, and whether their weights are tested.
CASES = [(1000, False), (1000, True), (10_000, False), (10_000, True), (500_000, False)]

# A page says nothing of the rows but the best features' values, so that few do.
ROWS = 100

# No sandbox, as benchmarks may run as root in a container.
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu"]


def section(repeat):
    """Sizes, and the time until a page is loaded and its table sorts and filters."""
    lines = [
        "## Pages",
        "",
        f"Pages of `rank --report` for `synth xor` with {ROWS} rows, in headless Chromium: their "
        "size, the time until the browser has loaded them, and the time until the table of all "
        f"features can be used. Times are wall seconds, the median of {repeat} (smallest to "
        "largest).",
        "",
        "| features | permutations | page, kB | loaded, s | table ready, s |",
        "| --- | --- | --- | --- | --- |",
    ]
    browser = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder:
        for features, tested in CASES:
            page = make_page(Path(folder), features, tested)
            size = page.stat().st_size / 1000
            row = f"| {features} | {100 if tested else 'none'} | {size:.0f} "
            if browser is None:
                lines.append(f"{row}| no Chromium here | |")
                continue
            times = [open_page(page, browser) for _ in range(repeat)]
            loaded, ready = zip(*times, strict=True)
            lines.append(f"{row}| {spread(loaded)} | {spread(ready)} |")
    return lines


def make_page(folder, features, tested):
    """Generate data, rank them, and give the file of the page."""
    data, page = folder / f"{features}.csv", folder / f"{features}{tested}.html"
    if not data.exists():
        run("synth", "xor", "--rows", ROWS, "--features", features, "--output", data)
    test = ["--permutations", 100, "--alpha", 0.1] if tested else []
    output = ["--report", page, "--output", folder / "ranking", "--force", "--quiet"]
    run("rank", data, "--target", "class", *test, *output)
    return page


def run(*arguments):
    """Run the command line of the installed package to its end."""
    command = [sys.executable, "-m", "basrelief", *(str(argument) for argument in arguments)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def open_page(file, browser):
    """Seconds until a page is loaded, and until its table can be used, in a browser of its own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=ARGUMENTS)
        page = chromium.new_page()
        # The moment when the script has the table ready, by the page's own clock.
        page.add_init_script(
            "new MutationObserver(() => {"
            "  if (!window.ready && document.querySelector('#features.live'))"
            "    window.ready = performance.now();"
            "}).observe(document, {subtree: true, childList: true, attributes: true});"
        )
        page.goto(file.as_uri())
        page.wait_for_function("window.ready")
        loaded = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
        ready = page.evaluate("window.ready")
        chromium.close()
    return loaded / 1000, ready / 1000


def spread(seconds):
    """Median, least and greatest."""
    middle, least, greatest = statistics.median(seconds), min(seconds), max(seconds)
    return f"{middle:.2f} ({least:.2f} to {greatest:.2f})"
