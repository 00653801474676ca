"""The pages of `--report` in a real browser: what is seen, and how it can be used.

The browser is Debian's headless Chromium (`scripts/setup.sh` installs it where it can).
Screenshots go to `target/screenshots`.
"""

import itertools
import re
import subprocess

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

axe_playwright = pytest.importorskip("axe_playwright_python.sync_playwright")
playwright_api = pytest.importorskip("playwright.sync_api")

expect = playwright_api.expect

PAGES = [
    "ranking",
    "hostile_ranking",
    "rounds",
    "steadiness",
    "evaluation",
    "linear_map",
    "reproduction",
    "cohort",
    "pairs",
    "quality",
    "sets",
]

SCREENSHOTS = ROOT / "target" / "screenshots"

HOSTILE = {
    "script": "<script>document.title = 'taken'</script>",
    "attribute": '"><img src=x onerror="document.title = \'taken\'">',
    "end": "</script><!--",
    "right to left": "\u202egnp.exe \u05d0\u05d1",
    "quotes": 'it\'s "&amp;" \\ `${1}`',
    "long": "n" * 10_000,
}


@pytest.fixture(scope="session")
def reports(program, tmp_path_factory):
    """Makes a report once: its file, by its name and the arguments of the program."""
    folder = tmp_path_factory.mktemp("reports")
    made = {}

    def report(name, *arguments, table=None):
        if name not in made:
            if table is not None:
                table.to_csv(folder / f"{name}.csv", index=False)
            command = [program, *arguments, "--report", f"{name}.html", "--quiet"]
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
            made[name] = folder / f"{name}.html"
        return made[name]

    return report


@pytest.fixture
def open_page(browser):
    """Opens a page, and fails where it logs an error or asks anything of anybody."""
    contexts, complaints = [], []

    def open_page(file, *, scheme="light", width=1100, **options):
        context = browser.new_context(
            color_scheme=scheme, viewport={"width": width, "height": 800}, **options
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request",
            lambda request: (
                None if request.url == file.as_uri() else complaints.append(request.url)
            ),
        )
        page.goto(file.as_uri())
        if options.get("java_script_enabled", True):
            # The script of a ranking unpacks its table.
            expect(page.locator("#features:not(.live)")).to_have_count(0)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def snps(rows=400, features=1000, seed=3):
    """Two interacting SNPs among others, one of which has gaps, and two copies of one."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.integers(0, 3, size=(rows, features))).add_prefix("rs")
    table["class"] = np.where((table["rs7"] + table["rs90"]) % 2 == 0, "case", "control")
    table["rs91"] = table["rs90"]
    table["age"] = rng.normal(50, 10, rows).round(1)
    table.loc[::7, "age"] = np.nan
    return table


def hostile(rows=120, seed=4):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(rows, len(HOSTILE)))
    table = pd.DataFrame(values.round(3), columns=list(HOSTILE.values()))
    table["class"] = np.where(values[:, 0] > 0, HOSTILE["script"], HOSTILE["right to left"])
    return table


@pytest.fixture(scope="session")
def ranking(reports):
    return reports(
        "ranking",
        *["rank", "ranking.csv", "--target", "class", "--neighbors", "50", "--permutations", "99"],
        table=snps(),
    )


@pytest.fixture(scope="session")
def hostile_ranking(reports):
    return reports("hostile", *["rank", "hostile.csv", "--target", "class"], table=hostile())


@pytest.fixture(scope="session")
def evaluation(reports):
    arguments = ["evaluate", "evaluation.csv", "--target", "class", "--folds", "3"]
    table = snps(features=100)
    table = table[["rs7", "rs90", "rs1", "class"]]
    return reports("evaluation", *arguments, table=table)


@pytest.fixture(scope="session")
def rounds(reports):
    """A ranking in rounds, with the ranks of resamples."""
    options = "rank rounds.csv --target class --wrap turf:keep=20 --resamples 5"
    return reports("rounds", *options.split(), table=snps(features=100))


@pytest.fixture(scope="session")
def steadiness(reports):
    options = "stability steadiness.csv --target class --resamples 10"
    return reports("steadiness", *options.split(), table=hostile())


@pytest.fixture(scope="session")
def linear_map(reports):
    arguments = ["fit", "map.csv", "--target", "class", "--model", "map.basrelief"]
    return reports("map", *arguments, table=hostile())


@pytest.fixture(scope="session")
def reproduction(reports):
    tiny = "--quick --rows 30 --most-relevant 2 --data-sets 2 --neighbors 3"
    return reports("reproduction", "reproduce", "pb06", *tiny.split())


@pytest.fixture(scope="session")
def genotypes(program, tmp_path_factory):
    """A cohort with a covariate: the path of its `.bed` file."""
    folder = tmp_path_factory.mktemp("genotypes")
    options = "--rows 150 --variants 600 --populations 2 --fst 0.05 --confounding 0.2 --main 3"
    line = f"synth cohort {options} --heritability 0.5 --seed 3 --output cohort.bed --quiet"
    subprocess.run([program, *line.split()], cwd=folder, check=True)
    return folder / "cohort.bed"


@pytest.fixture(scope="session")
def cohort(reports, genotypes):
    return reports("cohort", "rank", genotypes, "--permutations", "99")


@pytest.fixture(scope="session")
def pairs(reports, genotypes):
    covariates = ["--covar", genotypes.with_suffix(".cov")]
    # With nine permutations nothing is significant.
    options = ["--top", "30", "--pairs", "6", "--permutations", "9"]
    return reports("pairs", "pairs", genotypes, *covariates, *options)


@pytest.fixture(scope="session")
def quality(reports, genotypes):
    return reports("quality", "quality", genotypes, "--maf", "0.1", "--geno", "0.05")


@pytest.fixture(scope="session")
def sets(reports, genotypes):
    return reports("sets", "sets", genotypes, "--by-chromosome", "--permutations", "19")


def cells(page, column):
    """What the rows in sight have in a column."""
    return page.evaluate(
        """column => {
          const heads = [...document.querySelectorAll('#features thead th')];
          const place = heads.findIndex(head => head.dataset.column === column);
          return [...document.querySelectorAll('#features tbody tr:not(.gap)')]
            .map(row => row.children[place].textContent);
        }""",
        column,
    )


def test_the_table_sorts_by_every_column(ranking, open_page):
    page = open_page(ranking)
    assert cells(page, "rank")[:3] == ["1", "2", "3"]
    weights = [float(text) for text in cells(page, "weight")]
    assert weights == sorted(weights, reverse=True)
    # What the script unpacks is what stands in the page without it.
    plain = open_page(ranking, java_script_enabled=False)
    for column in ["rank", "name", "kind", "weight", "p", "adjusted", "q", "missing"]:
        assert cells(page, column)[:20] == cells(plain, column)[:20]

    for column, first in [("name", "ascending"), ("p", "ascending"), ("missing", "descending")]:
        head = page.locator(f"#features th[data-column={column}]")
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == first
    assert cells(page, "name")[0] == "age"
    assert cells(page, "missing")[0] == "14.5 %"
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert cells(page, "missing")[0] == "0 %"


def test_the_table_filters_by_name_and_kind_and_draws_what_is_seen(ranking, open_page):
    page = open_page(ranking)
    status = page.locator("#shown")
    assert status.text_content() == "1,001 features"
    assert len(cells(page, "name")) < 60
    page.locator("#filter").fill("RS9")
    expect(status).to_have_text("111 of 1,001 features")
    assert all(name.startswith("rs9") for name in cells(page, "name"))
    page.locator("#kind").select_option("numeric")
    expect(status).to_have_text("0 of 1,001 features")
    page.locator("#filter").fill("")
    expect(status).to_have_text("1 of 1,001 features")
    assert cells(page, "name") == ["age"]
    page.locator("#kind").select_option("")
    # The last row comes into sight by scrolling, and few others are there.
    page.evaluate("document.querySelector('#features').scrollTop = 1e9")
    last = page.locator("#features tbody tr:last-child")
    expect(last).to_have_attribute("aria-rowindex", "1002")
    assert len(cells(page, "name")) < 60


def test_positions_sort_along_the_genome(cohort, open_page):
    page = open_page(cohort)
    plain = open_page(cohort, java_script_enabled=False)
    for column in ["chrom", "pos", "allele", "weight"]:
        assert cells(page, column)[:20] == cells(plain, column)[:20]
    assert page.locator("#features th[data-column=kind]").count() == 0
    page.locator("#features th[data-column=chrom]").get_by_role("button").click()
    seen = [int(name) for name in cells(page, "chrom")]
    assert seen[0] == 1
    assert seen == sorted(seen)
    places = list(zip(seen, map(int, cells(page, "pos")), strict=True))
    assert places == sorted(places)
    # No position is cut off.
    widths = page.locator("#features tbody tr:not(.gap) td").evaluate_all(
        "cells => cells.map(cell => cell.scrollWidth - cell.clientWidth)"
    )
    assert max(widths) <= 0


def test_every_chromosome_has_a_label(cohort, open_page):
    page = open_page(cohort)
    labels = page.locator(".manhattan text.tick:not(.end)")
    names = [int(name) for name in labels.all_text_contents()]
    assert names == sorted(set(map(int, cells_of_all(page, "chrom"))))
    boxes = [labels.nth(place).bounding_box() for place in range(len(names))]
    for one, other in itertools.combinations(boxes, 2):
        apart = (
            one["x"] + one["width"] <= other["x"]
            or other["x"] + other["width"] <= one["x"]
            or abs(one["y"] - other["y"]) >= 8
        )
        assert apart, (one, other)
    figure = page.locator(".manhattan svg").bounding_box()
    section = page.locator("#chromosomes").bounding_box()
    assert figure["width"] > 0.95 * section["width"]


def cells_of_all(page, column):
    """The cells of a column in all rows, from the rows in sight while the table scrolls."""
    box = page.locator("#features")
    found = []
    for top in range(0, 600 * 30, 300):
        box.evaluate("(box, top) => { box.scrollTop = top; }", top)
        page.wait_for_timeout(20)
        found.extend(cells(page, column))
    return found


def saved(page, button):
    with page.expect_download() as waiting:
        button.click()
    return waiting.value.suggested_filename, waiting.value.path().read_text("utf-8")


def test_tables_and_figures_can_be_saved(cohort, open_page, tmp_path):
    page = open_page(cohort, accept_downloads=True)
    page.locator("#filter").fill("snp1")
    expect(page.locator("#shown")).to_contain_text(" of 600 features")
    name, text = saved(page, page.locator("#filters .save"))
    assert name == "Ranking-of-cohort-bed-features.csv"
    (tmp_path / "features.csv").write_text(text, "utf-8")
    table = pd.read_csv(tmp_path / "features.csv")
    assert list(table.columns[:6]) == ["Rank", "Feature", "CHROM", "POS", "A1", "Weight"]
    assert table["Feature"].str.startswith("snp1").all()
    assert len(table) == int(page.locator("#shown").text_content().split()[0])
    assert table["POS"].min() > 0
    _, text = saved(page, page.locator("#chromosomes .save"))
    assert text.startswith("<svg")
    assert 'xmlns="http://www.w3.org/2000/svg"' in text
    # The file has the colors of the page, and needs no style.
    assert "class=" not in text
    assert "rgb(0, 114, 178)" in text
    # Without scripts there are no buttons.
    plain = open_page(cohort, java_script_enabled=False)
    assert plain.locator(".save").count() == 0


def test_the_table_is_printed_with_its_head_and_the_number_of_rows(cohort, open_page):
    page = open_page(cohort)
    page.evaluate("document.querySelector('#features').scrollTop = 5000")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator("#printed").is_visible()
    assert page.locator("#printed").text_content() == "30 of 600 rows printed"
    rows = page.locator("#features tbody tr:not(.gap)")
    assert sum(rows.nth(place).is_visible() for place in range(rows.count())) == 30
    assert rows.nth(0).locator("td").first.text_content() == "1"
    heads = page.locator("#features thead th")
    assert heads.all_inner_texts()[:5] == ["Rank", "Feature", "CHROM", "POS", "A1"]
    assert page.locator("#features thead button").count() == 0
    assert not page.locator(".save").first.is_visible()
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("#features thead button").count() == heads.count()
    plain = open_page(cohort, java_script_enabled=False)
    plain.emulate_media(media="print")
    assert plain.locator("#printed").inner_text() == "30 of 600 rows printed"


def test_sections_without_a_finding_are_folded(pairs, open_page):
    page = open_page(pairs)
    answer = page.locator(".answer").text_content()
    assert re.fullmatch(
        r"No pair is significant \(smallest adjusted p \(max-T\) \d\.\d+\)\.", answer
    )
    folded = page.locator("details.fold")
    assert folded.count() == 2
    assert not page.locator(".mosaic").first.is_visible()
    folded.nth(1).locator("summary").click()
    assert page.locator(".mosaic").first.is_visible()


@pytest.mark.parametrize("name", ["ranking", "pairs", "quality"])
def test_no_label_or_number_is_broken(name, request, open_page):
    page = open_page(request.getfixturevalue(name), width=390)
    broken = page.evaluate(
        """() => [...document.querySelectorAll('dt, .whole')].filter(element => {
          const range = document.createRange();
          const text = element.firstChild;
          if (!text || text.nodeType !== 3) return false;
          return [...text.data.matchAll(/\\S+/g)].some(word => {
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            return range.getClientRects().length > 1;
          });
        }).map(element => element.textContent)"""
    )
    assert broken == []


def test_the_page_can_be_used_by_the_keyboard_alone(ranking, open_page):
    page = open_page(ranking)
    seen = []
    for _ in range(80):
        page.keyboard.press("Tab")
        focused = page.evaluate(
            """() => {
              const e = document.activeElement;
              if (e === document.body) return null;
              const outline = getComputedStyle(e).outlineStyle;
              return [e.id || e.textContent.trim().slice(0, 20), outline];
            }"""
        )
        if focused is None:
            break
        assert focused[1] != "none", f"nothing shows that {focused[0]} has the focus"
        seen.append(focused[0])
    links = ["Analysis", "Interactions"]
    for wanted in [*links, "copy", "filter", "kind", "Weight", "features"]:
        assert wanted in seen, f"{wanted} is not reached: {seen}"
    page.locator("#features th[data-column=name] button").focus()
    page.keyboard.press("Enter")
    assert cells(page, "name")[0] == "age"
    page.locator("#features").focus()
    page.keyboard.press("End")
    last = page.locator("#features tbody tr:last-child")
    expect(last).to_have_attribute("aria-rowindex", "1002")


def test_the_command_can_be_copied(ranking, browser):
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(ranking.as_uri())
    page.locator("#copy").click()
    expect(page.locator("#copy")).not_to_have_text("Copy")
    if page.locator("#copy").text_content() == "Copied":
        text = page.evaluate("navigator.clipboard.readText()")
    else:
        text = page.evaluate("getSelection().toString()")
    assert text.startswith("basrelief rank ranking.csv --target class --neighbors 50")
    context.close()


@pytest.mark.parametrize("width", [390, 1100])
def test_no_word_of_the_command_is_broken(ranking, open_page, width):
    page = open_page(ranking, width=width)
    heights = page.locator("#command .word").evaluate_all(
        "words => words.map(word => word.getBoundingClientRect().height)"
    )
    assert len(heights) == 5
    assert max(heights) < 1.5 * min(heights)
    # What is selected by hand is plain text.
    page.evaluate("getSelection().selectAllChildren(document.getElementById('command'))")
    selected = page.evaluate("getSelection().toString()")
    assert selected == page.locator("#command").text_content()
    assert "--target class --neighbors 50 --permutations 99" in selected


def test_names_stay_in_sight_on_a_phone(ranking, open_page):
    page = open_page(ranking, width=390)
    box = page.locator("#features")

    def edges(selector):
        found = page.locator(selector).first.bounding_box()
        return found["x"], found["x"] + found["width"]

    for left in [0, 10_000]:
        box.evaluate("(box, left) => { box.scrollLeft = left; }", left)
        for selector in ["#features thead .pin", "#features tbody th"]:
            start, end = edges(selector)
            assert end - start > 100
            assert start >= 0
            assert end < 390
    assert edges("#features thead [data-column=missing]")[1] < 390
    # What decides is in sight among the bars, without scrolling.
    assert edges(".bars thead th:last-child")[1] <= 390


@pytest.mark.parametrize("name", PAGES)
def test_print_takes_at_most_six_pages(name, request, open_page):
    page = open_page(request.getfixturevalue(name))
    printed = page.pdf(format="A4")
    assert 1 <= len(re.findall(rb"/Type /Page\b", printed)) <= 6


def screenshot(page, file):
    """The page as a picture; without a graphics card the browser fails at it now and then."""
    for attempt in range(5):
        try:
            return page.screenshot(path=file, full_page=True)
        except playwright_api.Error:
            if attempt == 4:
                raise


LOOKS = {
    "light": {"scheme": "light"},
    "dark": {"scheme": "dark"},
    "narrow": {"scheme": "light", "width": 390},
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_in_the_way_of_anybody(name, look, request, open_page):
    page = open_page(request.getfixturevalue(name), **LOOKS[look])
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    screenshot(page, SCREENSHOTS / f"{name}-{look}.png")
    found = axe_playwright.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    # No part is wider than the screen: what is, scrolls by itself.
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
    levels = page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3')].map(head => Number(head.tagName[1]))"
    )
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_hostile_names_are_text(hostile_ranking, open_page):
    page = open_page(hostile_ranking)
    assert page.title() == "Ranking of hostile.csv"
    assert page.locator("img").count() == 0
    # The script of the page and the columns of the table.
    packed = page.locator("#packed script").count()
    assert page.locator("script").count() == packed + 1
    names = page.locator("#features tbody th")
    titles = [names.nth(place).get_attribute("title") for place in range(names.count())]
    assert sorted(titles) == sorted(HOSTILE.values())
    shown = cells(page, "name")
    assert HOSTILE["script"] in shown
    assert HOSTILE["quotes"] in shown
    assert all(len(name) <= 201 for name in shown)


def test_without_scripts_the_page_is_complete(ranking, open_page):
    page = open_page(ranking, java_script_enabled=False)
    text = page.locator("body").inner_text()
    assert "The best 50 of 1,001 features" in text
    assert len(cells(page, "name")) == 50
    assert not page.locator("#copy").is_visible()
    assert not page.locator("#filters").is_visible()


def test_half_a_million_features_are_quick(reports, open_page, program, tmp_path_factory):
    """Sizes are asserted, times are not: a slow machine is no mistake."""
    folder = tmp_path_factory.mktemp("wide")
    data = folder / "wide.csv"
    command = [program, "synth", "xor", "--rows", "12", "--features", "500000", "--output", data]
    subprocess.run([*command, "--quiet"], check=True)
    file = reports("wide", "rank", data, "--target", "class", "--neighbors", "2")
    assert file.stat().st_size < 2_000_000
    page = open_page(file)
    assert page.locator("#shown").text_content() == "500,000 features"
    page.locator("#filter").fill("N4999")
    # 4999, ten of five digits, and those of six digits up to 499998, beside the two true ones.
    expect(page.locator("#shown")).to_have_text("110 of 500,000 features")
