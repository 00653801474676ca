"""Settings of sphinx-gallery, which makes a page and a notebook of every script of `gallery`."""

from __future__ import annotations

from pathlib import Path

# The sections of the gallery in their order: the folders, whose headers have the titles.
SECTIONS = ["weights", "genetics", "studies", "maps"]


def number_of(folder: str) -> int:
    """Return the place of a section in the gallery."""
    return SECTIONS.index(Path(folder).name)


def settings(scripts: Path, runs: bool) -> dict[str, object]:
    """Return the settings; without a run, pages show what the last run printed and drew."""
    return {
        "examples_dirs": str(scripts),
        "gallery_dirs": "gallery",
        "filename_pattern": r"\.py$",
        "ignore_pattern": r"__",
        "subsection_order": "gallery.number_of",
        "within_subsection_order": "FileNameSortKey",
        "plot_gallery": runs,
        "abort_on_example_error": True,
        "download_all_examples": False,
        "remove_config_comments": True,
        "show_memory": False,
        "show_signature": False,
        "min_reported_time": 1e9,
        "write_computation_times": False,
        "capture_repr": ("_repr_html_",),
        "image_srcset": ["2x"],
        # Both need matplotlib.
        "reset_modules": ("matplotlib",) if runs else (),
        "image_scrapers": ("matplotlib",) if runs else (),
    }
