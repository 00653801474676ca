"""Draw the pictures of docs/report.md: a report in a browser.

It requires the program that `scripts/setup.sh` builds, and Chromium.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "docs" / "figures"

COMMANDS = [
    "synth xor --rows 1600 --features 100 --output snps.csv",
    "rank snps.csv --target class --neighbors 100 --permutations 1000 --report report.html",
]


def main():
    """Draw both pictures."""
    program = shutil.which("basrelief") or sys.exit("no program basrelief: run in .venv")
    found = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    found = found or sys.exit("no Chromium: scripts/setup.sh installs it as root")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        for command in COMMANDS:
            arguments = [program, *command.split(), "--quiet"]
            subprocess.run(arguments, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        arguments = ["--headless", "--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=found, args=arguments)
        page = browser.new_page(viewport={"width": 1100, "height": 1250})
        page.goto((Path(folder) / "report.html").as_uri())
        page.wait_for_selector("#features.live")
        page.screenshot(path=FIGURES / "report.png")
        page.locator("#pairs").screenshot(path=FIGURES / "report-pairs.png")
        browser.close()


if __name__ == "__main__":
    main()
