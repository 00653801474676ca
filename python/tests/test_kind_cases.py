"""All front ends read the cases of `tests/kinds.json` as docs/kinds.md has them."""

import json
import os
import subprocess
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from kind_cases import (
    CASES,
    ROOT,
    ROWS,
    cells_of,
    check_refusal,
    in_all_orders,
    is_refused,
    mixed,
    name_of,
    numbers,
    orders_of,
    problem,
    values_of,
)

from basrelief import LFE, MultiSURF, ReliefF, RReliefF, _native, read_plink
from basrelief._validation import Rows, read_beside, read_features, read_known, read_target

TYPED = [case for case in CASES["columns"] if case["type"] != "text"]


def facts(X):
    """Describe the first column of a table: kind, levels, missing values."""
    features, _ = read_features(Rows(), X, None, None, None)
    return _native.check_columns(features.values, features.names, features.kinds, False)[0]


def check(case, X, column=None):
    expect = case["expect"]
    if is_refused(case):
        with pytest.raises(ValueError, match=problem(case)) as refused:
            facts(X)
        check_refusal(case, str(refused.value), f"column `{column or case['name']}`")
        return
    kind, levels, missing = facts(X)
    assert kind == expect["kind"]
    assert levels == expect.get("levels")
    assert missing == expect["missing"]


TEXTS = {
    "pandas object": lambda name, cells: pd.DataFrame({name: pd.Series(cells, dtype=object)}),
    "pandas str": lambda name, cells: pd.DataFrame({name: pd.Series(cells, dtype="str")}),
    "pandas string": lambda name, cells: pd.DataFrame({name: pd.Series(cells, dtype="string")}),
    "polars String": lambda name, cells: pl.DataFrame({name: pl.Series(cells, dtype=pl.String)}),
    "NumPy <U": lambda _, cells: np.array(cells, dtype=str)[:, None],
    "NumPy object": lambda _, cells: np.array(cells, dtype=object)[:, None],
}


@pytest.mark.parametrize("source", TEXTS)
@pytest.mark.parametrize("case", CASES["columns"], ids=name_of)
def test_texts(case, source):
    table = TEXTS[source](case["name"], cells_of(case))
    check(case, table, None if hasattr(table, "columns") else "x0")


def typed(case):
    """Give the column in every type that holds its values."""
    name, values = case["name"], values_of(case)
    names = {
        "integer": ("int64", "Int64", pl.Int64),
        "real": ("float64", "Float64", pl.Float64),
        "boolean": ("bool", "boolean", pl.Boolean),
    }[case["type"]]
    yield pd.DataFrame({name: pd.Series(values, dtype=names[1])})
    yield pd.DataFrame({name: pd.Series(values, dtype=object)})
    yield pl.DataFrame({name: pl.Series(values, dtype=names[2])})
    if case["type"] == "integer":
        yield pl.DataFrame({name: pl.Series(values, dtype=pl.Decimal(20, 0))})
    yield np.array(values, dtype=object)[:, None]
    if None not in values:
        yield pd.DataFrame({name: pd.Series(values, dtype=names[0])})
        yield np.array(values)[:, None]
        yield [[value] for value in values]


@pytest.mark.parametrize("case", TYPED, ids=name_of)
def test_types(case):
    for table in typed(case):
        check(case, table, None if hasattr(table, "columns") else "x0")


def test_whole_numbers_that_are_names_need_not_be_exact():
    case = next(case for case in CASES["columns"] if case["name"] == "big")
    y = np.arange(ROWS) % 2
    for table in [*typed(case), *(write("big", cells_of(case)) for write in TEXTS.values())]:
        selector = ReliefF(3, categorical_features=[0]).fit(table, y)
        assert selector.transform(table).shape[0] == ROWS


@pytest.mark.parametrize("case", CASES["declared"], ids=name_of)
def test_declared_levels(case):
    name, cells = case["name"], cells_of(case)
    if case["ordered"]:
        ordered = pd.Categorical(cells, categories=case["ordered"], ordered=True)
        check(case, pd.DataFrame({name: ordered}))
        return
    for order in orders_of(case["expect"]["levels"]):
        check(case, pd.DataFrame({name: pd.Categorical(cells, categories=order)}))
        check(case, pl.DataFrame({name: pl.Series(cells, dtype=pl.Enum(order))}))
    check(case, pl.DataFrame({name: pl.Series(cells, dtype=pl.Categorical)}))


def run(program, folder, *line):
    return subprocess.run(
        [str(program), *line], cwd=folder, capture_output=True, encoding="utf-8", check=False
    )


def of_json(program, folder, *line):
    done = run(program, folder, *line, "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def needs_parquet(program, folder):
    found = run(program, folder, "rank", "none.parquet", "--target", "y")
    if "without Parquet" in found.stderr or "parquet" in found.stderr.lower().split("none.")[0]:
        pytest.skip("the program is built without Parquet")


def test_parquet(program, tmp_path):
    """Texts, types and declared levels of a Parquet file on the command line."""
    read = [case for case in CASES["columns"] if not is_refused(case)]
    columns, wanted = {}, {}
    for case in read:
        columns[case["name"]] = pd.Series(cells_of(case), dtype="str")
        wanted[case["name"]] = case["expect"]
        if case["type"] != "text":
            types = {"integer": "Int64", "real": "Float64", "boolean": "boolean"}
            typed = pd.Series(values_of(case), dtype=types[case["type"]])
            columns[f"{case['name']}_typed"] = typed
            wanted[f"{case['name']}_typed"] = case["expect"]
    for case in CASES["declared"]:
        if not case["ordered"]:
            columns[case["name"]] = pd.Categorical(cells_of(case))
            wanted[case["name"]] = case["expect"]
    frame = pd.DataFrame(columns).assign(y=np.arange(ROWS) % 2, number_=numbers())
    frame.to_parquet(tmp_path / "d.parquet")
    needs_parquet(program, tmp_path)
    ranked = of_json(program, tmp_path, "rank", "d.parquet", "--target", "y")
    kinds = {feature["name"]: feature["kind"] for feature in ranked["features"]}
    fit = ("fit", "d.parquet", "--target", "y", "--method", "euclidean", "--model", "m.basrelief")
    encoded = of_json(program, tmp_path, *fit)["encoding"]["columns"]
    encoded = {column["column"]: column for column in encoded}
    for name, expect in wanted.items():
        assert kinds[name] == expect["kind"], name
        # Complete numbers have no entry.
        column = encoded.get(name, {"missing": 0})
        assert column["missing"] == expect["missing"], name
        assert sorted(column.get("levels", [])) == sorted(expect.get("levels", [])), name


def texts_of_targets(cells):
    yield np.array(cells, dtype=str)
    yield np.array(cells, dtype=object)
    yield pd.Series(cells, dtype="str")
    yield pd.Series(cells, dtype="string")
    yield pl.Series(cells)
    yield cells


def typed_targets(case):
    values = values_of(case)
    yield np.array(values)
    yield np.array(values, dtype=object)
    yield pd.Series(values)
    yield pl.Series(values)
    yield values
    if case["type"] == "integer":
        yield pd.Series(values, dtype="Int64")


@pytest.mark.parametrize("case", CASES["targets"], ids=name_of)
def test_targets(case):
    expect = case["expect"]
    X = np.column_stack([numbers(), np.arange(ROWS) * 7 % 24])
    targets = list(texts_of_targets(cells_of(case)))
    if case["type"] != "text":
        targets.extend(typed_targets(case))
    for y in targets:
        if is_refused(case) or "missing" in expect:
            with pytest.raises(ValueError, match=problem(case)) as refused:
                MultiSURF().fit(X, y)
            if is_refused(case):
                check_refusal(case, str(refused.value))
            else:
                assert f"row {expect['missing'][0]}" in str(refused.value)
            continue
        (target, classes, _) = read_target(read_known(y), "multisurf", "auto")
        if "classes" in expect:
            assert list(target[1]) == expect["classes"]
            assert sorted(map(str, classes)) == sorted(expect["classes"])
        else:
            assert classes is None
            assert [target.min(), target.max()] == expect["real"]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            MultiSURF().fit(X, y)
        told = " ".join(str(warning.message) for warning in caught)
        assert case.get("warns", "") in told


def test_booleans_are_no_numbers():
    """Neither on the command line, where they are texts."""
    y = np.arange(ROWS) % 2 == 0
    for labels in (y, y.astype(object), y.astype(str), pd.Series(y, dtype="boolean")):
        with pytest.raises(ValueError, match="needs a numeric target"):
            RReliefF().fit(numbers()[:, None], labels)


@pytest.fixture(scope="module")
def cohort(tmp_path_factory, program):
    """A cohort of as many people as the cases have rows, and the IDs of these."""
    folder = tmp_path_factory.mktemp("cohort")
    size = ["--rows", str(ROWS), "--variants", "200", "--seed", "3"]
    done = run(program, folder, "synth", "cohort", *size, "--output", "c.bed")
    assert done.returncode == 0, done.stderr
    lines = (folder / "c.fam").read_text().splitlines()
    return folder, [" ".join(line.split()[:2]) for line in lines]


def write_people(cohort, name, cells, file):
    folder, people = cohort
    lines = [f"FID IID {name}", *(f"{ids} {cell}" for ids, cell in zip(people, cells, strict=True))]
    (folder / file).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / file


@pytest.mark.filterwarnings("ignore::basrelief.ReliefWarning")
@pytest.mark.parametrize("case", CASES["columns"], ids=name_of)
def test_covariates_of_read_plink(case, cohort):
    expect, name, cells = case["expect"], case["name"], cells_of(case)
    if any(cell == "" or cell.split() != [cell] for cell in cells):
        # Numbers and texts of a data frame: the frame is read as the file would be.
        frame = pd.DataFrame({name: cells})
    else:
        covar = write_people(cohort, name, cells, "c.cov")
        if is_refused(case):
            with pytest.raises(ValueError, match=problem(case)) as refused:
                read_plink(cohort[0] / "c.bed", covar=covar)
            message = str(refused.value).replace(
                f"line {expect['row'] + 1}", f"row {expect['row']}"
            )
            check_refusal(case, message, f"column `{name}`")
            return
        frame = read_plink(cohort[0] / "c.bed", covar=covar).covariates
    if is_refused(case):
        with pytest.raises(ValueError, match=problem(case)) as refused:
            read_beside(frame)
        check_refusal(case, str(refused.value), f"column `{name}`")
        return
    own = read_beside(frame)
    kind, levels, missing = _native.check_columns(own.values, own.names, own.kinds, True)[0]
    assert kind == {"genotype": "numeric"}.get(expect["kind"], expect["kind"])
    assert levels == expect.get("levels")
    assert missing == expect["missing"]


@pytest.mark.filterwarnings("ignore::basrelief.ReliefWarning")
@pytest.mark.parametrize("case", CASES["phenotypes"], ids=name_of)
def test_phenotypes_of_read_plink(case, cohort):
    expect = case["expect"]
    pheno = write_people(cohort, case["name"], cells_of(case), "c.phe")
    target_type = case.get("target_type", "auto")
    bed = cohort[0] / "c.bed"
    if is_refused(case):
        with pytest.raises(ValueError, match=problem(case)) as refused:
            read_plink(bed, pheno=pheno, target_type=target_type)
        message = str(refused.value).replace(f"line {expect['row'] + 1}", f"row {expect['row']}")
        check_refusal(case, message)
        return
    y = read_plink(bed, pheno=pheno, target_type=target_type).y
    assert len(y) == ROWS - expect.get("missing", 0)
    if "classes" in expect:
        assert sorted(set(y)) == expect["classes"]
    else:
        assert [y.min(), y.max()] == expect["real"]


def test_columns_without_a_name(program, tmp_path):
    """They are called by their place, as in files."""
    y = np.arange(ROWS) % 2
    cells = pd.Series(["12 kg", "13 kg", "15 kg"] * (ROWS // 3), dtype="str")
    for frame in [
        pd.DataFrame({"number_": numbers(), "": cells}),
        pl.DataFrame({"number_": numbers(), "": cells.tolist()}),
    ]:
        with pytest.raises(ValueError, match="column `column_2`"):
            ReliefF(3).fit(frame, y)
    table = pd.DataFrame({"number_": numbers(), "": cells, "y": y})
    table.to_csv(tmp_path / "d.csv", index=False)
    found = run(program, tmp_path, "rank", "d.csv", "--target", "y")
    assert found.returncode == 2
    assert "column `column_2`" in found.stderr.replace("\n  ", " ")
    names = pd.DataFrame({"number_": numbers(), "": ["red", "blue", "green"] * (ROWS // 3)})
    assert "column_2=red" in LFE(1).fit(names, y).encoded_names_


def bits(weights):
    return np.asarray(weights, dtype=float).tobytes()


@pytest.mark.parametrize(
    ("method", "selector", "real"),
    [
        ("relieff", ReliefF(), False),
        ("multisurf", MultiSURF(), False),
        ("rrelieff", RReliefF(), True),
    ],
)
def test_weights_have_the_same_bits_from_every_source(program, tmp_path, method, selector, real):
    frame, labels, score = mixed()
    y = score if real else labels
    frame.assign(y=y).to_csv(tmp_path / "d.csv", index=False)
    line = ("rank", "d.csv", "--target", "y", "--method", method)
    ranked = of_json(program, tmp_path, *line)["features"]
    weights = {feature["name"]: feature["weight"] for feature in ranked}
    wanted = bits([weights[name] for name in frame.columns])
    for table in in_all_orders(frame):
        assert bits(selector.fit(table, y).weights_) == wanted
    if not real:
        # The order in which classes are counted is one, too.
        renamed = np.array([{"low": "10", "mid": "9", "high": "1"}[label] for label in labels])
        of_texts = selector.fit(frame, renamed).weights_
        assert bits(of_texts) == bits(selector.fit(frame, renamed.astype(int)).weights_)


def test_the_page_has_a_row_for_every_case():
    """UPDATE_DOCS=1 writes the tables of docs/kinds.md."""
    page = ROOT / "docs" / "kinds.md"
    text = page.read_text(encoding="utf-8")
    written = text
    for what in ("columns", "declared", "targets", "phenotypes"):
        head, foot = f"<!-- {what} -->\n", f"<!-- end of {what} -->"
        before, _, rest = written.partition(head)
        _, _, after = rest.partition(foot)
        written = before + head + described(what) + foot + after
    if os.environ.get("UPDATE_DOCS"):
        page.write_text(written, encoding="utf-8")
    else:
        assert text == written, "UPDATE_DOCS=1 writes it"


def described(what):
    """Write the cases as a table."""
    subject = {"columns": "column", "declared": "column", "targets": "target"}
    lines = [f"| {subject.get(what, 'phenotypes')} | cells | read as |", "|---|---|---|"]
    for case in CASES[what]:
        cells = [*case.get("at", {}).values(), *case["cells"]]
        shown = ", ".join(code(cell) for cell in list(dict.fromkeys(cells))[:4])
        lines.append(f"| {case['what']} | {shown} | {result(case)} |")
    return "\n".join(lines) + "\n"


def code(cell):
    quoted = cell.replace("|", "\\|")
    return f"`{quoted}`" if cell.strip() == cell != "" else f'`"{quoted}"`'


def result(case):
    expect = case["expect"]
    if is_refused(case):
        return f"refused: {expect['refused']}"
    missing = expect.get("missing", 0)
    count = len(missing) if isinstance(missing, list) else missing
    gaps = f", {count} missing" if count else ""
    if "real" in expect:
        return f"a number{gaps}"
    names = expect.get("levels") or expect.get("classes")
    if names is None:
        return f"{expect['kind']}{gaps}"
    kind = expect.get("kind", "classes")
    if len(names) > 4:
        return f"{kind}, {len(names)} of them{gaps}"
    joined = " < ".join if kind == "ordinal" else ", ".join
    return f"{kind}: {joined(code(name) for name in names)}{gaps}"
