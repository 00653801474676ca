"""The files in packaging/: recipes, the image, and the modules of workflow systems."""

import fnmatch
import json
import os
import re
import runpy
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / "packaging"
CARGO = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
RELEASE = (ROOT / ".github/workflows/release.yml").read_text()
RECIPE = PACKAGING / "conda-forge/recipe.yaml"
BIOCONDA = PACKAGING / "bioconda/meta.yaml"
DOCKERFILE = PACKAGING / "docker/Dockerfile"
MODULE = PACKAGING / "nf-core/modules/basrelief/rank"
SNAKEMAKE = PACKAGING / "snakemake"

needs_snakemake = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("snakemake") is None, reason="Snakemake is not installed"),
    pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a Unix shell"),
]


def yaml_of(path):
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        (RECIPE, r'version: "([^"]+)"'),
        (BIOCONDA, r'set version = "([^"]+)"'),
        (MODULE / "environment.yml", r"basrelief-cli=([0-9.]+)"),
        (MODULE / "main.nf", r"basrelief-cli:([0-9.]+)--0"),
        (SNAKEMAKE / "basrelief/environment.yaml", r"basrelief-cli =([0-9.]+)"),
        (ROOT / "CITATION.cff", r"(?m)^version: (.+)$"),
        (ROOT / "docs/citing.md", r"version = \{([^}]+)\}"),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else "",
)
def test_versions_are_those_of_the_workspace(path, pattern):
    found = re.findall(pattern, path.read_text(encoding="utf-8"))
    assert found
    assert set(found) == {CARGO["version"]}


def test_the_archive_of_the_recipes_is_made_for_a_release_and_stays_off_pypi():
    script = (ROOT / "scripts/source-archive.sh").read_text()
    name = re.search(r'name="(.+)-\$version"', script)[1] + f"-{CARGO['version']}.tar.gz"
    for recipe in (RECIPE, BIOCONDA):
        source = re.search(r"(?:path|url): (\.\./\S+?)\$?\{\{", recipe.read_text())[1]
        assert (recipe.parent / source).resolve() == (ROOT / "target/source/basrelief-vendored-")
        assert name.startswith(Path(source).name)
    assert "run: scripts/source-archive.sh dist" in RELEASE
    (taken,) = re.findall(r"dist/(basrelief-\S+)\) cp", RELEASE)
    assert not fnmatch.fnmatch(name, taken)
    assert fnmatch.fnmatch(f"basrelief-{CARGO['version']}.tar.gz", taken)


@pytest.mark.parametrize("platform", ["linux-64", "linux-aarch64", "osx-arm64", "win-64"])
def test_the_conda_forge_recipe_renders(platform):
    rattler_build = pytest.importorskip("rattler_build", reason="rattler-build is not installed")
    variants = rattler_build.VariantConfig(
        {
            "python": ["3.11.* *_cpython"],
            "c_compiler": ["gcc"],
            "c_stdlib": ["sysroot"],
            "rust_compiler": ["rust"],
        }
    )
    platforms = rattler_build.PlatformConfig(
        target_platform=platform, host_platform=platform, build_platform="linux-64"
    )
    recipe = rattler_build.Stage0Recipe.from_file(RECIPE)
    (variant,) = recipe.render(variants, rattler_build.RenderConfig(platform=platforms))
    rendered = variant.recipe.to_dict()
    assert rendered["package"] == {"name": "basrelief", "version": CARGO["version"]}
    requirements = rendered["requirements"]
    assert f"rust_{platform}" in requirements["build"]
    compact = {name.replace(" ", "") for name in requirements["run"]}
    assert compact == {"python", *PROJECT["project"]["dependencies"]}
    maturin = {name.replace(" ", "") for name in requirements["host"]}
    assert set(PROJECT["build-system"]["requires"]) <= maturin
    assert ("maturin >=1.16,<2" in requirements["build"]) == (platform != "linux-64")
    check_about(rendered["about"])


def test_the_conda_forge_recipe_skips_older_versions_of_python():
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert f'match(python, "<{oldest}")' in RECIPE.read_text()


def test_the_bioconda_recipe_renders():
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    jinja2 = pytest.importorskip("jinja2", reason="Jinja2 is not installed")
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    text = environment.from_string(BIOCONDA.read_text()).render(
        compiler=lambda language: f"{language}_compiler",
        stdlib=lambda language: f"{language}_stdlib",
        pin_subpackage=lambda name, max_pin: f"{name} {max_pin}",
    )
    rendered = yaml.safe_load(text)
    # Bioconda refuses names of conda-forge.
    assert rendered["package"] == {"name": "basrelief-cli", "version": CARGO["version"]}
    assert rendered["package"]["name"] != yaml_of(RECIPE)["package"]["name"]
    # The sections of conda-build's format.
    assert set(rendered) == {
        "package", "source", "build", "requirements", "test", "about", "extra",
    }  # fmt: skip
    check_about(rendered["about"])


def check_about(about):
    """Compare what a recipe states about the package with the package."""
    assert about["summary"] == PROJECT["project"]["description"]
    assert about["license"] == PROJECT["project"]["license"]
    files = set(about["license_file"])
    assert "THIRDPARTY.yml" in files
    assert all((ROOT / name).exists() for name in files - {"THIRDPARTY.yml"})


@pytest.mark.parametrize(
    "path", [PACKAGING / "bioconda/build.sh", DOCKERFILE], ids=lambda path: path.name
)
def test_the_program_is_built_as_for_a_release(path):
    assert "--profile dist --package basrelief-cli --features parquet" in RELEASE
    build = " ".join(re.search(r"cargo (?:build|install) .*", path.read_text())[0].split())
    for option in ("--locked", "--profile dist", "--features parquet"):
        assert option in build
    assert "crates/basrelief-cli" in build or "--package basrelief-cli" in build


def test_the_image_has_a_toolchain_that_can_build():
    text = DOCKERFILE.read_text()
    (image,) = re.findall(r"^FROM rust:([0-9.]+)-", text, re.M)
    assert f"ENV RUSTUP_TOOLCHAIN={image}\n" in text
    assert tuple(map(int, image.split("."))) >= tuple(map(int, CARGO["rust-version"].split(".")))


def test_the_image_is_made_of_files_that_exist():
    ignored = DOCKERFILE.with_name("Dockerfile.dockerignore").read_text()
    kept = re.findall(r"^!(.+)$", ignored, re.M)
    # vendor/ exists in the source archive only.
    assert [name for name in kept if not (ROOT / name).exists()] == ["vendor"]
    copied = re.search(r"^COPY (LICENSE.*) /usr", DOCKERFILE.read_text(), re.M)[1].split()
    for name in copied:
        assert (ROOT / name).exists()
        assert any(name == part or name.startswith(f"{part}/") for part in kept)


def test_the_image_passes_the_linter():
    hadolint = Path(sys.executable).with_name("hadolint")
    if not hadolint.exists():
        pytest.skip("hadolint is not installed")
    done = subprocess.run([hadolint, DOCKERFILE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_description_of_the_nextflow_module_is_that_of_its_process():
    process = (MODULE / "main.nf").read_text()
    about = yaml_of(MODULE / "meta.yml")
    assert set(re.findall(r"emit: (\w+)", process)) == set(about["output"])
    names = {"basrelief": about["tools"][0]}
    assert list(about["tools"][0]) == list(names)
    inputs = re.search(r"input:\n(.*?)\n\n", process, re.S)[1]
    described = [
        name
        for entry in about["input"]
        for part in (entry if isinstance(entry, list) else [entry])
        for name in part
    ]
    assert re.findall(r"(?:val|path)[ (](\w+)", inputs) == described
    # The program has its options.
    shown = program("rank", "--help")
    for option in re.findall(r"--[a-z]+", process.partition("script:")[2].partition("stub:")[0]):
        assert f"{option} <" in shown, option


def program(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", "basrelief", *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_references_are_those_of_the_citation_file():
    cited = yaml_of(ROOT / "CITATION.cff")
    page = (ROOT / "docs/citing.md").read_text(encoding="utf-8")
    assert f"title = {{{cited['title']}}}" in page.replace("{RELIEF}", "RELIEF").replace(
        "{SNP}", "SNP"
    )
    assert {entry["doi"] for entry in cited["references"]} == set(
        re.findall(r"doi = \{([^}]+)\}", page)
    )
    # There is no DOI before a release is archived.
    assert "doi" not in cited


class TestSnakemake:
    """The wrapper, run by Snakemake."""

    pytestmark = needs_snakemake

    def test_the_example_of_the_page_runs(self, tmp_path):
        page = (ROOT / "docs/channels.md").read_text()
        (command,) = re.findall(r"^snakemake (--snakefile .*--cores \d+)$", page, re.M)
        assert command in (SNAKEMAKE / "example/Snakefile").read_text()
        work = tmp_path / "work"
        run_snakemake(tmp_path, command.replace("--directory work", f"--directory {work}"))
        lines = (work / "ranking.csv").read_text().splitlines()
        assert lines[0].startswith("rank,feature,weight,kind,p_value")
        assert {line.split(",")[1] for line in lines[1:3]} == {"P1", "P2"}
        assert (work / "selected.csv").read_text().startswith("P1,P2,class\n")
        assert "<html" in (work / "page.html").read_text()
        assert "wrote page.html" in (work / "logs/rank.log").read_text()

    def test_cohorts_and_other_inputs(self, tmp_path):
        wrapper = (SNAKEMAKE / "basrelief").as_uri()
        (tmp_path / "Snakefile").write_text(
            f"""
rule rank:
    input: data=["c.bed", "c.bim", "c.fam"], extract="variants.txt"
    output: output="r.json", report="r.html", report_json="page.json"
    params: extra="--top 3"
    wrapper: "{wrapper}"

rule generate:
    output: "c.bed", "c.bim", "c.fam", "variants.txt"
    shell: "basrelief synth cohort --output c.bed && cut -f 2 c.bim | sed 20q > variants.txt"
"""
        )
        run_snakemake(
            tmp_path, f"--snakefile {tmp_path}/Snakefile --directory {tmp_path} --cores 1"
        )
        ranking = json.loads((tmp_path / "r.json").read_text())
        assert len(ranking["features"]) == 3
        assert json.loads((tmp_path / "page.json").read_text())

    @pytest.mark.parametrize(
        ("input", "output", "message"),
        [
            (["t.csv"], {"output": "r.csv"}, "no input is named `data`"),
            ({"data": "t.csv"}, ["r.csv"], "1 of the output files have no name"),
        ],
    )
    def test_files_without_a_name_are_refused(self, input, output, message):
        from snakemake.iocontainers import InputFiles, OutputFiles, Params

        job = SimpleNamespace(
            input=namedlist(InputFiles, input),
            output=namedlist(OutputFiles, output),
            params=namedlist(Params, {}),
        )
        with pytest.raises(ValueError, match=message):
            runpy.run_path(SNAKEMAKE / "basrelief/wrapper.py", {"snakemake": job})


def namedlist(cls, files):
    return cls(fromdict=files) if isinstance(files, dict) else cls(files)


def run_snakemake(folder, arguments):
    """Run Snakemake from the root of the tree, with the program of this package."""
    script = folder / "bin/basrelief"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m basrelief "$@"\n')
    script.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(script.parent), os.environ["PATH"]]),
        "HOME": str(folder),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", *arguments.split()],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
