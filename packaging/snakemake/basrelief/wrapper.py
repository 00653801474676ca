"""Run a verb of basrelief that reads a table or a cohort."""

import shlex

from snakemake.shell import shell

VERB = snakemake.params.get("verb", "rank")
EXTRA = snakemake.params.get("extra", "")


def first(files):
    """Return the file, or the first of several, such as the .bed file of a fileset."""
    return str(files) if isinstance(files, str) else str(files[0])


def options(files):
    """List the options of named files: `report` becomes ``--report FILE``."""
    return [
        text
        for name, file in files.items()
        if name != "data"
        for text in (f"--{name.replace('_', '-')}", first(file))
    ]


data = snakemake.input.get("data")
if not data:
    raise ValueError(
        "basrelief: no input is named `data`; use `input: data=FILE`, for a cohort with all of its "
        "files, the .bed, .pgen or .vcf file first"
    )
for kind, files in [("input", snakemake.input), ("output", snakemake.output)]:
    named = sum(1 if isinstance(file, str) else len(file) for _, file in files.items())
    if named < len(files):
        raise ValueError(
            f"basrelief: {len(files) - named} of the {kind} files have no name; name each by its "
            f"option, such as `output: output=FILE, report=FILE` for --output and --report"
        )

arguments = ["basrelief", VERB, first(data)]
arguments += [*options(snakemake.input), *options(snakemake.output)]
arguments += ["--threads", str(snakemake.threads)]
memory = snakemake.resources.get("mem_mb")
if memory:
    arguments += ["--memory", f"{int(memory)}M"]
log = snakemake.log_fmt_shell(stdout=True, stderr=True)
shell(f"{shlex.join(arguments)} {EXTRA} {log}")
