"""All benchmarks in one report.

Run as ``make bench``, or::

    python benches/report.py [--write FILE] [--repeat N] [--cases relieff:continuous:1000x1000,...]

``--cases`` leaves only those comparisons with other packages.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pages
import peers
import plans
import scaling
import significance
from measuring import machine, read_case


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, help="also write the report to this file")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--cases", help="METHOD:KIND:ROWSxCOLUMNS of the comparisons, by commas")
    arguments = parser.parse_args()
    if arguments.cases:
        wanted = [read_case(case) for case in arguments.cases.split(",")]
        cases = [case for case in peers.CASES if case[:4] in wanted]
        sections = [peers.section(cases, arguments.repeat)]
    else:
        sections = [peers.section(peers.CASES, arguments.repeat)]
        sections += [
            part(arguments.repeat)
            for part in (
                scaling.ceiling,
                plans.section,
                significance.section,
                scaling.missing,
                scaling.threads,
                scaling.growth,
                pages.section,
            )
        ]
    lines = [
        "# Benchmarks",
        "",
        "`make bench` writes this page; run it to see the numbers of your machine. A note that a "
        "page was measured before the last change of the engine is about its times only: they were "
        "not measured again. Tests check that a change of the engine does not change the results.",
        "",
    ]
    for section in sections:
        lines += [*section, ""]
    text = "\n".join([*lines, "## The machine", "", *machine(), ""])
    print(text)
    if arguments.write:
        arguments.write.parent.mkdir(parents=True, exist_ok=True)
        arguments.write.write_text(text)


if __name__ == "__main__":
    main()
