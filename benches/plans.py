"""Every route of the plans: a fit that takes it, and its time."""

from __future__ import annotations

from measuring import measure, median_of

# Method, kind of data, rows and columns: together they take every route of search and sums.
ROUTES = [
    ("relieff", "continuous", 20_000, 4),
    ("relieff", "continuous", 2000, 1000),
    ("relieff", "continuous-gaps", 2000, 1000),
    ("relieff", "genotypes", 1600, 10_000),
    ("relieff", "genotypes-gaps", 1600, 10_000),
    ("relieff", "categories", 1600, 10_000),
    ("relieff", "mixed", 2000, 1000),
    ("surf", "continuous", 2000, 1000),
    ("surf", "continuous", 8000, 200),
    ("multisurf", "continuous", 2000, 1000),
    ("multisurf", "continuous", 8000, 200),
    ("multisurf", "mixed", 2000, 1000),
    ("multisurf", "genotypes", 1600, 10_000),
    ("multisurf", "genotypes-gaps", 1600, 10_000),
]


def section(repeat):
    """CPU time of a fit by every route, and what the plan says."""
    lines = [
        "## Plans",
        "",
        "A fit by every route on one thread, with the plan that `basrelief rank --explain` "
        "reports.",
        "",
        "| method | data | rows x features | CPU s | search | sums |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for method, kind, rows, columns in ROUTES:
        fits = [measure("basrelief", method, kind, rows, columns) for _ in range(repeat)]
        plan = fits[0]["plan"]
        lines.append(
            f"| {method} | {kind} | {rows} x {columns} | {median_of(fits, 'cpu'):.3g} "
            f"| {plan['search']} | {plan['sums']} |"
        )
    return lines
