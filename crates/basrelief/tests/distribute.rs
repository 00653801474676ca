//! A fit in parts has the bits of a fit on one machine, whatever the parts; and what does not fit together is
//! refused.

mod common;

use std::collections::HashMap;

use basrelief::data::{
    Categories, ClassPriors, Classes, Column, ColumnKind, Covariates, GroupWeight, Groups, Roles,
    RowWeights, Survival, Table, Target,
};
use basrelief::distribute::{
    BlockRows, Draft, PairResult, Plan, Rounds, Stage, StagePlan, TableBlocks, Turn,
};
use basrelief::inference::{Correction, Draws, NoStore, PermutationTest, Permutations, Sided};
use basrelief::methods::wrappers::{Wrapper, fit_wrapped, for_targets};
use basrelief::methods::{METHODS, MethodInfo, Problem, Settings, method};
use basrelief::solve::residuals;
use basrelief::{Checksum, Error, Fitted, Result, Run, Warning};
use common::tables::{KINDS, Random, table};

/// The methods that can be computed in parts.
const ABLE: [&str; 15] = [
    "relieff",
    "rrelieff",
    "survival-relief",
    "surf",
    "surf*",
    "multisurf",
    "multisurf*",
    "swrf",
    "swrf*",
    "multiswrf",
    "multiswrf*",
    "multiswrfdb",
    "multiswrfdb*",
    "relief",
    "relief-e",
];

fn classes(rows: usize, count: usize) -> Target {
    let labels: Vec<String> = (0..rows).map(|row| (row * row % 7 % count).to_string()).collect();
    Target::Classes(Classes::from_labels(&labels))
}

fn takes_classes(name: &str) -> bool {
    !["rrelieff", "survival-relief"].contains(&name)
}

/// Tied times of which a third is censored.
fn survival(rows: usize) -> Target {
    let times = (0..rows).map(|row| ((row * 37 + 11) % 53) as f64).collect();
    Survival::new(times, (0..rows).map(|row| row % 3 > 0).collect()).unwrap().into()
}

fn real(rows: usize) -> Target {
    Target::real((0..rows).map(|row| ((row * 37 + 11) % 101) as f64 / 7.0).collect()).unwrap()
}

/// The result of the last round.
fn last<T>(turn: Result<Turn<T>>) -> Result<T> {
    match turn? {
        Turn::Last(result) => Ok(result),
        Turn::Next(_) => panic!("another round follows"),
    }
}

/// All parts of a plan, in the order that `random` gives within a stage, some of them twice.
fn in_parts(
    plan: &Plan,
    problem: &Problem<'_>,
    random: &mut Random,
) -> Result<Fitted<basrelief::maps::FeatureRanking>> {
    let mut results = results_of(plan, problem, random)?;
    let mut sums = results.remove(&Stage::Sums).unwrap_or_default().into_iter().map(Ok);
    last(Rounds::once(plan).after(plan, problem, &mut sums, &Run::new(Some(2)).unwrap()))
}

/// The results of all parts of all stages, in their order.
fn results_of(
    plan: &Plan,
    problem: &Problem<'_>,
    random: &mut Random,
) -> Result<HashMap<Stage, Vec<Vec<u8>>>> {
    // What goes from machine to machine is bytes.
    let plan = Plan::from_bytes(&plan.to_bytes())?;
    let mut results: HashMap<Stage, Vec<Vec<u8>>> = HashMap::new();
    for &StagePlan { stage, cut, .. } in plan.stages() {
        let mut order: Vec<usize> = (0..cut.parts()).collect();
        let mut keyed: Vec<(u64, usize)> =
            order.iter().map(|&part| ((random.next() * 1e9) as u64, part)).collect();
        keyed.sort_unstable();
        order = keyed.into_iter().map(|(_, part)| part).collect();
        order.push(order[0]);
        let mut found: Vec<Option<Vec<u8>>> = vec![None; cut.parts()];
        for part in order {
            let run = Run::new(Some(1 + part % 3)).unwrap();
            let before = plan.before(stage).map_or(&[][..], |before| &results[&before]);
            let mut earlier = before.iter().cloned().map(Ok);
            // A part of the sums needs no other columns than its own.
            let alone = stage == Stage::Sums && random.next() < 0.5;
            let own = if alone { cut.part(part) } else { 0..problem.table().width() };
            let own = problem.table().select_columns(&own.collect::<Vec<_>>());
            let of_part = Problem::new(&own, problem.target())?.with_roles(problem.roles())?;
            let bytes = plan.work(stage, part, &of_part, &mut earlier, &run)?;
            plan.check(stage, part, &bytes)?;
            let again = found[part].replace(bytes);
            assert!(again.is_none() || again == found[part], "a part gives the same bytes again");
        }
        results.insert(stage, found.into_iter().flatten().collect());
    }
    Ok(results)
}

/// The same where a part is given the rows and columns that it needs and no more, in another order. Blocks of rows are
/// tables at random, where they can be.
fn in_cells(
    (info, settings): (&'static MethodInfo, &Settings),
    problem: &Problem<'_>,
    block_rows: Option<usize>,
    random: &mut Random,
    run: &Run,
) -> Result<(Vec<f64>, Vec<Warning>)> {
    let (draft, plan, sums) = sums_of_cells((info, settings), problem, block_rows, random, run)?;
    last(Rounds::once(&plan).after_draft(&draft, &plan, &mut sums.into_iter().map(Ok), run))
}

/// The draft of these cells, its plan, and the results of its last stage.
fn sums_of_cells(
    (info, settings): (&'static MethodInfo, &Settings),
    problem: &Problem<'_>,
    block_rows: Option<usize>,
    random: &mut Random,
    run: &Run,
) -> Result<(Draft, Plan, Vec<Vec<u8>>)> {
    let table = problem.table();
    let columns = table.columns().iter().map(|c| (c.name().to_string(), c.kind())).collect();
    let given = (problem.target().clone(), problem.roles());
    let block_columns = (random.next() < 0.5).then_some(8);
    let draft = Draft::new(info, settings, given, columns, block_rows, block_columns, run)?;
    let run = &Run::new(Some(2)).unwrap();
    let draft = Draft::from_bytes(&draft.to_bytes())?;
    let layout = draft.layout(run)?;
    let of_columns: Vec<Table<'_>> = layout
        .columns
        .iter()
        .map(|columns| table.select_columns(&columns.clone().collect::<Vec<_>>()))
        .collect();
    let tables = layout.tables.filter(|_| random.next() < 0.5);
    let tables = tables.filter(|tables| {
        let told = cells_of(&draft, &of_columns, Some(tables.first), run);
        assert_eq!(told.is_ok(), table.columns().iter().all(|own| own.missing() == 0));
        told.is_ok()
    });
    let first = tables.as_ref().map(|tables| tables.first);
    let (plan, cells) = cells_of(&draft, &of_columns, first, run)?;
    let rows_of = |block: usize| match &tables {
        Some(tables) if block >= tables.first => BlockRows::Table(rows_of(table, tables, block)),
        _ => BlockRows::Cells(&cells[block][..]),
    };
    let mut measured = Vec::new();
    let mut found: Vec<PairResult> = Vec::new();
    for stage in plan.stages().iter().map(|own| own.stage).filter(|stage| stage.is_of_pairs()) {
        found.clear();
        for (a, b) in draft.pairs(&plan, stage, run)? {
            let second = if a == b { BlockRows::Cells(&[][..]) } else { rows_of(b) };
            let both = [rows_of(a), second];
            let told = draft.compare(&plan, stage, &measured, (a, b), both, run)?;
            for (_, bytes) in told {
                let at = (random.next() * (found.len() + 1) as f64) as usize;
                found.insert(at, ((a, b), bytes));
            }
        }
        if stage != Stage::Search {
            measured.push(draft.measured(&plan, stage, &found, run)?);
        }
    }
    let lists: Vec<Vec<u8>> = (0..layout.queries)
        .map(|block| draft.lists(&plan, block, &found, run))
        .collect::<Result<_>>()?;
    let sums: Vec<Vec<u8>> = of_columns
        .iter()
        .enumerate()
        .map(|(number, table)| {
            let mut lists = lists.iter().cloned().map(Ok);
            let problem = draft.problem_of_part(&plan, (Stage::Sums, number), table)?;
            plan.work(Stage::Sums, number, &problem, &mut lists, run)
        })
        .collect::<Result<_>>()?;
    Ok((draft, plan, sums))
}

/// A block of rows as a table.
fn rows_of(table: &Table<'_>, tables: &TableBlocks, block: usize) -> Table<'static> {
    let is_own = |row: &usize| tables.rows_of_first.binary_search(&(*row as u32)).is_err();
    let rows = tables.ranges[block - tables.first].clone().filter(is_own);
    table.select_rows(&rows.collect::<Vec<usize>>())
}

/// The plan of a draft, and the cells of every block of rows, or of so many first blocks.
fn cells_of(
    draft: &Draft,
    of_columns: &[Table<'_>],
    blocks: Option<usize>,
    run: &Run,
) -> Result<(Plan, Vec<Vec<Vec<u8>>>)> {
    let mut facts = Vec::new();
    let mut cells = vec![Vec::new(); draft.layout(run)?.blocks];
    for (number, table) in of_columns.iter().enumerate() {
        let (own, of_blocks, _) = draft.cells(number, table, blocks, run)?;
        facts.push(own);
        cells.iter_mut().zip(of_blocks).for_each(|(block, cell)| block.push(cell));
    }
    let plan = draft.plan(&facts, run)?;
    Ok((Plan::from_bytes(&plan.to_bytes())?, cells))
}

/// All iterations of a method that goes round, of cells.
fn in_iterations_of_cells(
    (info, settings): (&'static MethodInfo, &Settings),
    problem: &Problem<'_>,
    run: &Run,
) -> Result<(Vec<f64>, Vec<Warning>)> {
    let table = problem.table();
    let columns = table.columns().iter().map(|c| (c.name().to_string(), c.kind())).collect();
    let given = (problem.target().clone(), problem.roles());
    let draft = Draft::new(info, settings, given, columns, None, Some(8), run)?;
    let draft = Draft::from_bytes(&draft.to_bytes())?;
    let of_columns: Vec<Table<'_>> = draft
        .layout(run)?
        .columns
        .iter()
        .map(|columns| table.select_columns(&columns.clone().collect::<Vec<_>>()))
        .collect();
    let (mut plan, cells) = cells_of(&draft, &of_columns, None, run)?;
    let mut rounds = Rounds::new(info, settings, &[], table.width(), run)?;
    loop {
        let parts = plan.cut(Stage::Margins).unwrap().parts();
        let of_part = |part| draft.margins(&plan, part, &cells, run);
        let margins = (0..parts).map(of_part).collect::<Result<Vec<_>>>()?;
        match rounds.after_draft(&draft, &plan, &mut margins.into_iter().map(Ok), run)? {
            Turn::Last(found) => return Ok(found),
            Turn::Next(next) => {
                rounds = Rounds::from_bytes(&next.to_bytes())?;
                plan = Plan::from_bytes(&rounds.plan_again(&plan).unwrap().to_bytes())?;
            }
        }
    }
}

/// All rounds of a fit inside wrappers, in parts that read the table.
fn in_rounds(
    (info, settings, wrappers): (&'static MethodInfo, &Settings, &[Wrapper]),
    problem: &Problem<'_>,
    (parts, block_rows): (usize, Option<usize>),
    run: &Run,
) -> Result<Fitted<basrelief::maps::FeatureRanking>> {
    let mut rounds = Rounds::new(info, settings, wrappers, problem.table().width(), run)?;
    let at_most = rounds.at_most();
    // The seed is that of the first round, whoever goes on.
    let run = &Run::new(Some(2)).unwrap();
    for number in 1..=at_most {
        rounds = Rounds::from_bytes(&rounds.to_bytes())?;
        assert_eq!((rounds.number(), rounds.at_most()), (number, at_most));
        let plan = Plan::from_bytes(&rounds.plan(problem, parts, block_rows, run)?.to_bytes())?;
        let mut results: Vec<Vec<u8>> = Vec::new();
        for &StagePlan { stage, cut, .. } in plan.stages() {
            let of_part = |part| {
                let mut earlier = results.iter().cloned().map(Ok);
                rounds.work(&plan, (stage, part), problem, &mut earlier, run)
            };
            results = (0..cut.parts()).map(of_part).collect::<Result<_>>()?;
        }
        match rounds.after(&plan, problem, &mut results.into_iter().map(Ok), run)? {
            Turn::Next(next) => rounds = *next,
            Turn::Last(fitted) => return Ok(fitted),
        }
    }
    panic!("{at_most} rounds are not all");
}

/// The same of cells.
fn in_rounds_of_cells(
    (info, settings, wrappers): (&'static MethodInfo, &Settings, &[Wrapper]),
    problem: &Problem<'_>,
    block_rows: Option<usize>,
    random: &mut Random,
    run: &Run,
) -> Result<(Vec<f64>, Vec<Warning>)> {
    let mut rounds = Rounds::new(info, settings, wrappers, problem.table().width(), run)?;
    loop {
        let table = problem.table().select_columns(&rounds.columns());
        let left = Problem::new(&table, problem.target())?.with_roles(problem.roles())?;
        let (draft, plan, sums) = sums_of_cells((info, settings), &left, block_rows, random, run)?;
        let mut sums = sums.into_iter().map(Ok);
        match rounds.after_draft(&draft, &plan, &mut sums, run)? {
            Turn::Next(next) => rounds = Rounds::from_bytes(&next.to_bytes())?,
            Turn::Last(found) => return Ok(found),
        }
    }
}

fn texts(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(Warning::to_string).collect()
}

/// Groups of 1 to 6 rows, in random places.
fn groups(rows: usize) -> Groups {
    let mut random = Random(3);
    let labels: Vec<String> =
        (0..rows).map(|_| format!("g{}", (random.next() * rows as f64 / 2.5) as usize)).collect();
    Groups::from_labels(&labels, GroupWeight::Group)
}

/// Weights of rows from 0.1 to 3.1.
fn weights(rows: usize) -> RowWeights {
    let mut random = Random(5);
    RowWeights::new("w", (0..rows).map(|_| 0.1 + 3.0 * random.next()).collect()).unwrap()
}

fn assert_same(
    name: &str,
    table: &Table<'_>,
    target: &Target,
    options: &[(&str, &str)],
    random: &mut Random,
) {
    assert_same_under(Roles::default(), name, (table, target), options, random);
}

fn assert_same_under(
    roles: Roles<'_>,
    name: &str,
    (table, target): (&Table<'_>, &Target),
    options: &[(&str, &str)],
    random: &mut Random,
) {
    let info = method(name).unwrap();
    let takes = |option: &str| info.options.iter().any(|own| own.name == option);
    let given: Vec<(&str, &str)> =
        options.iter().copied().filter(|(option, _)| takes(option)).collect();
    let settings = info.settings(&given).unwrap();
    let problem = Problem::new(table, target).unwrap().with_roles(roles).unwrap();
    let run = Run::new(Some(2)).unwrap().with_seed(7);
    let whole = info.fit(&problem, &settings, &run).unwrap();
    let most = 1 + (random.next() * 9.0) as usize;
    // Several blocks where rows are many, and now and then as many rows as the data suggest.
    let block_rows = (random.next() < 0.8).then_some(256);
    let plan = Plan::new(info, &settings, &problem, most, block_rows, &run).unwrap();
    let merged = in_parts(&plan, &problem, random).unwrap();
    let (rows, columns) = (table.rows(), table.width());
    let what = format!("{name} {rows} x {columns} {given:?} in {most} parts {roles:?}");
    let what = what.chars().take(400).collect::<String>();
    let bits = |weights: &[f64]| weights.iter().map(|w| w.to_bits()).collect::<Vec<u64>>();
    assert_eq!(bits(merged.model.weights()), bits(whole.model.weights()), "{what}");
    assert_eq!(texts(&merged.report.warnings), texts(&whole.report.warnings), "{what}");
    let (cells, warnings) =
        in_cells((info, &settings), &problem, block_rows, random, &run).unwrap();
    assert_eq!(texts(&warnings), texts(&whole.report.warnings), "{what} of cells");
    assert_close(&cells, whole.model.weights(), name, &what);
}

/// The radius of `surf` and its like follows from the columns on one machine, and is measured in parts: what
/// depends on distances themselves may differ in the last digits.
fn assert_close(weights: &[f64], whole: &[f64], name: &str, what: &str) {
    if name.starts_with("swrf") {
        let far = weights.iter().zip(whole).find(|(own, whole)| (*own - *whole).abs() > 1e-12);
        assert!(weights.len() == whole.len() && far.is_none(), "{what}: {far:?}");
    } else {
        let bits = |weights: &[f64]| weights.iter().map(|w| w.to_bits()).collect::<Vec<u64>>();
        assert_eq!(bits(weights), bits(whole), "{what} of cells");
    }
}

#[test]
fn the_methods_that_can_are_known() {
    let mut able: Vec<&str> =
        METHODS.iter().filter(|info| info.in_parts()).map(|info| info.name).collect();
    let mut expected = ABLE.to_vec();
    expected.push("irelief");
    able.sort_unstable();
    expected.sort_unstable();
    assert_eq!(able, expected);
}

/// Every fifth of the [`ABLE`] methods from this one on, on tables of every kind, with options that lead another way: five
/// tests, which run beside each other.
fn assert_same_bits_for_any_cut(first: usize) {
    let mut random = Random(2911 + first as u64);
    let sizes = [(9, 3, 0.0), (127, 6, 0.0), (130, 70, 0.08), (264, 4, 0.06), (150, 140, 0.0)];
    let options: [&[(&str, &str)]; 8] = [
        &[],
        &[("n_samples", "5"), ("n_neighbors", "3")],
        &[("ties", "first"), ("n_neighbors", "4")],
        &[("neighbor_weights", "rank:2"), ("n_neighbors", "5")],
        &[("neighbor_weights", "uniform"), ("metric", "euclidean")],
        &[("missing", "ignore"), ("n_neighbors", "200")],
        &[("missing", "pessimistic"), ("ramp", "0.1:0.4")],
        &[("genotype_diff", "categorical"), ("n_samples", "8")],
    ];
    for name in ABLE.into_iter().skip(first).step_by(5) {
        for kind in KINDS {
            for (rows, columns, missing) in sizes {
                let table = table(kind, rows, columns, missing);
                let some = options[(random.next() * 8.0) as usize];
                for options in [&[][..], some] {
                    let is_any = !["relieff", "relief", "relief-e", "rrelieff", "survival-relief"]
                        .contains(&name);
                    let count = if name == "relief" { 2 } else { 3 };
                    if takes_classes(name) {
                        assert_same(name, &table, &classes(rows, count), options, &mut random);
                    }
                    if name == "rrelieff" || is_any {
                        assert_same(name, &table, &real(rows), options, &mut random);
                    }
                    if name == "survival-relief" || is_any {
                        assert_same(name, &table, &survival(rows), options, &mut random);
                    }
                }
            }
        }
    }
}

/// Which blocks can be tables, and what is refused.
#[test]
fn blocks_of_tables() {
    let run = Run::new(Some(2)).unwrap();
    let drafted = |name: &str, options: &[(&str, &str)], kind: &str| {
        let table = table(kind, 700, 4, 0.0);
        let columns = table.columns().iter().map(|c| (c.name().to_string(), c.kind())).collect();
        let settings = method(name).unwrap().settings(options).unwrap();
        let given = (classes(700, 3), Roles::default());
        let info = method(name).unwrap();
        let draft = Draft::new(info, &settings, given, columns, Some(256), None, &run).unwrap();
        (draft, table)
    };
    let blocks = |name: &str, options: &[(&str, &str)], kind: &str| {
        drafted(name, options, kind).0.layout(&run).unwrap().tables
    };
    let all = blocks("relieff", &[], "numbers").unwrap();
    assert_eq!((all.first, &all.ranges[..]), (0, &[0..256, 256..512, 512..700][..]));
    assert!(all.rows_of_first.is_empty());
    let some = blocks("relieff", &[("n_samples", "5")], "numbers").unwrap();
    assert_eq!((some.first, some.rows_of_first.len(), some.ranges.len()), (1, 256, 2));
    assert!(some.rows_of_first.is_sorted());
    // The rows within a radius are in the order of their classes, and codes are those of all rows.
    assert!(blocks("surf", &[], "numbers").is_none());
    assert!(blocks("relieff", &[], "few").is_none());

    let (draft, table) = drafted("relieff", &[], "numbers");
    let (plan, _) = cells_of(&draft, std::slice::from_ref(&table), Some(0), &run).unwrap();
    let compare = |table: Table<'static>| {
        let both = [BlockRows::<Vec<u8>>::Table(table), BlockRows::Cells(&[])];
        draft.compare(&plan, Stage::Search, &[], (0, 0), both, &run)
    };
    assert!(compare(rows_of(&table, &all, 0)).is_ok());
    let text = message(compare(rows_of(&table, &all, 2)));
    assert!(text.contains("there are 188 rows in place of 256"), "{text}");
    let text = message(compare(rows_of(&table, &all, 0).select_columns(&[0, 1, 2])));
    assert!(text.contains("there are 3 columns in place of 4"), "{text}");
    let cells = [BlockRows::Cells(&[Vec::new()][..]), BlockRows::Cells(&[])];
    let text = message(draft.compare(&plan, Stage::Search, &[], (0, 0), cells, &run));
    assert!(text.contains("a cell is missing"), "{text}");
    let (plan, _) = cells_of(&draft, std::slice::from_ref(&table), None, &run).unwrap();
    let both = [BlockRows::<Vec<u8>>::Table(rows_of(&table, &all, 0)), BlockRows::Cells(&[])];
    let text = message(draft.compare(&plan, Stage::Search, &[], (0, 0), both, &run));
    assert!(text.contains("the plan requires cells"), "{text}");
}

#[test]
fn weights_have_the_same_bits_for_any_cut_first() {
    assert_same_bits_for_any_cut(0);
}

#[test]
fn weights_have_the_same_bits_for_any_cut_second() {
    assert_same_bits_for_any_cut(1);
}

#[test]
fn weights_have_the_same_bits_for_any_cut_third() {
    assert_same_bits_for_any_cut(2);
}

#[test]
fn weights_have_the_same_bits_for_any_cut_fourth() {
    assert_same_bits_for_any_cut(3);
}

#[test]
fn weights_have_the_same_bits_for_any_cut_fifth() {
    assert_same_bits_for_any_cut(4);
}

/// An age and a sex of every row.
fn ages_and_sexes(rows: usize) -> Covariates<'static> {
    let ages = (0..rows).map(|row| (row * 29 % 53) as f64).collect();
    let sexes = Categories::from_texts((0..rows).map(|row| Some(["f", "m"][row * 13 % 11 % 2])));
    let columns =
        vec![Column::from_values("age", ages).unwrap(), Column::categorical("sex", sexes)];
    Covariates::new(Table::new(columns).unwrap()).unwrap()
}

/// Groups of rows, weights of rows, priors of classes and covariates, alone and together.
#[test]
fn roles_of_rows_count_in_parts_as_on_one_machine() {
    let mut random = Random(77);
    for (rows, columns, missing) in [(130, 70, 0.08), (300, 4, 0.0), (264, 6, 0.06)] {
        let (own, weights) = (groups(rows), weights(rows));
        let by_rows = Groups::of_classes(
            &Classes::from_codes(own.codes(), own.names()).unwrap(),
            GroupWeight::Rows,
        );
        let uniform = ClassPriors::Uniform;
        let matched = ages_and_sexes(rows).with_caliper(0.8, Some(&weights)).unwrap();
        let near = ages_and_sexes(rows).in_distance();
        let both = near.clone().with_caliper(1.5, None).unwrap();
        let none = Roles::default();
        let of_classes = [
            none.with_groups(Some(&own)),
            none.with_groups(Some(&by_rows)),
            none.with_weights(Some(&weights)),
            none.with_priors(Some(&uniform)),
            none.with_groups(Some(&own)).with_weights(Some(&weights)).with_priors(Some(&uniform)),
            none.with_covariates(Some(&matched)).with_weights(Some(&weights)),
            none.with_covariates(Some(&near)),
            none.with_covariates(Some(&both)).with_groups(Some(&by_rows)),
        ];
        let options: [&[(&str, &str)]; 5] = [
            &[],
            &[("n_samples", "40"), ("n_neighbors", "3")],
            &[("ties", "first"), ("n_neighbors", "4")],
            &[("neighbor_weights", "rank:2"), ("n_neighbors", "5")],
            &[("missing", "ignore"), ("n_neighbors", "60")],
        ];
        for name in ABLE {
            for (at, roles) in of_classes.into_iter().enumerate() {
                let kind = KINDS[(random.next() * KINDS.len() as f64) as usize];
                let table = table(kind, rows, columns, missing);
                let options = options[at % options.len()];
                if takes_classes(name) {
                    let target = classes(rows, if name == "relief" { 2 } else { 3 });
                    assert_same_under(roles, name, (&table, &target), options, &mut random);
                }
                if matches!(name, "rrelieff" | "surf" | "multisurf*") {
                    let roles = roles.with_priors(None);
                    assert_same_under(roles, name, (&table, &real(rows)), options, &mut random);
                }
                if matches!(name, "survival-relief" | "multisurf") {
                    let roles = roles.with_priors(None);
                    let target = survival(rows);
                    assert_same_under(roles, name, (&table, &target), options, &mut random);
                }
            }
        }
    }
}

/// Parts with columns of one kind alone, of a table that has others: what of the whole table decides how sums
/// are made stands in the plan, and it matters.
#[test]
fn columns_of_one_kind_have_the_bits_that_they_have_beside_others() {
    let mut random = Random(12);
    let (rows, target) = (150, classes(150, 3));
    let kinds = ["genotypes", "numbers", "few"].map(|kind| table(kind, rows, 64, 0.0));
    let columns = kinds.into_iter().enumerate().flat_map(|(at, table)| {
        let named = move |column: Column<'static>| {
            let name = format!("{}-{at}", column.name());
            column.with_name(name)
        };
        table.into_columns().into_iter().map(named)
    });
    let table = Table::new(columns.collect()).unwrap();
    for name in ["surf", "multisurf*", "swrf*", "multiswrf", "multiswrfdb*", "relieff"] {
        assert_same(name, &table, &target, &[], &mut random);
    }
    assert_same("multisurf*", &table, &real(rows), &[], &mut random);
    // Similarities are the weight of all pairs less their differences.
    let info = method("multisurf*").unwrap();
    let settings = info.settings::<&str, &str>(&[]).unwrap();
    let (problem, run) = (Problem::new(&table, &target).unwrap(), Run::new(Some(2)).unwrap());
    let whole = info.fit(&problem, &settings, &run).unwrap();
    let plan = Plan::new(info, &settings, &problem, 3, Some(256), &run).unwrap();
    assert_eq!(plan.cut(Stage::Sums).map(|cut| cut.parts()), Some(3));
    let merged = in_parts(&plan, &problem, &mut random).unwrap();
    assert_eq!(merged.model.weights(), whole.model.weights());
    let text = String::from_utf8(plan.to_bytes()).unwrap();
    let other = text.replacen("\"more_than_bits\":true", "\"more_than_bits\":false", 1);
    assert_ne!(other, text);
    assert!(message(Plan::from_bytes(other.as_bytes())).contains("its checksum does not match"));
    let other = Plan::from_json(&serde_json::from_str(&other).unwrap()).unwrap();
    let merged = in_parts(&other, &problem, &mut random).unwrap();
    assert_ne!(merged.model.weights(), whole.model.weights());
}

/// Under other rules all features tell how one is weighed.
#[test]
fn weights_as_of_skrebate_have_the_same_bits() {
    let mut random = Random(17);
    for name in ["surf", "surf*", "multisurf", "multisurf*"] {
        for (kind, missing) in [("numbers", 0.0), ("mixed", 0.05)] {
            let table = table(kind, 90, 70, missing);
            let options =
                [("compat", "skrebate"), ("missing", "ignore"), ("genotype_diff", "categorical")];
            assert_same(name, &table, &classes(90, 3), &options, &mut random);
            assert_same(name, &table, &real(90), &options, &mut random);
        }
    }
}

/// More pairs than are added up at a time, more rows than blocks have, distances that are not kept, trees,
/// and many ties.
#[test]
fn weights_of_many_rows_have_the_same_bits() {
    let mut random = Random(4);
    for (name, kind, rows, columns, missing, options) in [
        ("relieff", "numbers", 2100, 3, 0.0, &[("ties", "first")][..]),
        ("relieff", "numbers", 2100, 3, 0.0, &[]),
        ("relieff", "tenths", 900, 2, 0.0, &[("n_neighbors", "3")]),
        ("relieff", "genotypes", 1200, 4, 0.0, &[("n_neighbors", "3")]),
        ("relieff", "genotypes", 1200, 5, 0.05, &[("n_neighbors", "700")]),
        ("surf", "numbers", 3100, 5, 0.0, &[]),
        ("multisurf*", "mixed", 3100, 6, 0.03, &[]),
        ("multisurf", "genotypes", 4200, 5, 0.0, &[]),
        ("multisurf", "mixed", 4200, 4, 0.0, &[]),
        ("swrf*", "tenths", 1500, 5, 0.0, &[]),
        ("multiswrfdb", "mixed", 1500, 5, 0.03, &[]),
        ("multiswrf*", "genotypes", 1500, 5, 0.0, &[]),
    ] {
        let table = table(kind, rows, columns, missing);
        assert_same(name, &table, &classes(rows, 2), options, &mut random);
    }
    for (name, kind, rows, neighbors) in [
        ("relieff", "numbers", 3000, "400"),
        ("rrelieff", "tenths", 3000, "800"),
        ("surf", "mixed", 1500, ""),
    ] {
        let (own, weights) = (groups(rows), weights(rows));
        let roles = Roles::default().with_groups(Some(&own)).with_weights(Some(&weights));
        let table = table(kind, rows, 4, 0.0);
        let options = [("n_neighbors", neighbors)];
        let target = if name == "rrelieff" { real(rows) } else { classes(rows, 2) };
        assert_same_under(roles, name, (&table, &target), &options, &mut random);
    }
}

/// All rows are equal, so that nobody is near, which a warning says.
#[test]
fn a_merge_warns_as_a_fit_does() {
    let column = |name: &str, values: [f64; 6]| Column::from_values(name, values.to_vec()).unwrap();
    let table =
        Table::new(vec![column("a", [1.0; 6]), column("b", [0.0, 0.0, 0.0, 0.0, 0.0, f64::NAN])])
            .unwrap();
    let target = classes(6, 2);
    assert_same("surf", &table, &target, &[], &mut Random(1));
    let settings = method("surf").unwrap().settings::<&str, &str>(&[]).unwrap();
    let (problem, run) = (Problem::new(&table, &target).unwrap(), Run::new(Some(1)).unwrap());
    let plan = Plan::new(method("surf").unwrap(), &settings, &problem, 3, Some(256), &run).unwrap();
    let merged = in_parts(&plan, &problem, &mut Random(1)).unwrap();
    assert!(merged.report.warnings.iter().any(|warning| warning.code() == "no-near-rows"));
}

/// Neighbors that are found once, and fits for every permutation; among all rows, and inside of groups.
#[test]
fn a_test_in_parts_finds_what_a_test_of_one_machine_finds() {
    const DRAWS: u64 = 47;
    let mut random = Random(8);
    let run = Run::new(Some(2)).unwrap().with_seed(5);
    let groups: Vec<String> = (0..90).map(|row| (row / 23).to_string()).collect();
    let groups = &Classes::from_labels(&groups);
    let mut refits = 0;
    // Scaled weights are not tested.
    for name in ABLE.into_iter().filter(|name| method(name).unwrap().check_test().is_ok()) {
        for (kind, missing, strata) in [("mixed", 0.05, None), ("genotypes", 0.0, Some(groups))] {
            let table = table(kind, 90, 7, missing);
            let target = match name {
                "rrelieff" => real(90),
                "survival-relief" => survival(90),
                _ => classes(90, 2),
            };
            let info = method(name).unwrap();
            let settings = info.settings::<&str, &str>(&[]).unwrap();
            let problem = Problem::new(&table, &target).unwrap().with_strata(strata);
            let permutations =
                &Permutations::new(&target, Roles::default().with_strata(strata), &run).unwrap();
            let (correction, alpha) = (Correction::MaxT, 0.05);
            let draws = Draws::Fixed(DRAWS);
            let sided = if missing > 0.0 { Sided::Two } else { Sided::One };
            let test = PermutationTest { permutations, draws, sided, correction, alpha };
            let weights = info.fit(&problem, &settings, &run).unwrap().model.weights().to_vec();
            let mut method = for_targets(info, &settings, &[], &problem, &run).unwrap();
            let reason = method.refit_reason().map(str::to_string);
            refits += usize::from(reason.is_some());
            let whole = test.run(&mut *method, &weights, &NoStore, &run).unwrap();

            let parts = 1 + (random.next() * 9.0) as usize;
            let plan = Plan::new(info, &settings, &problem, 3, Some(256), &run).unwrap();
            let plan = plan.with_permutations(&problem, (DRAWS, sided), parts).unwrap();
            assert_eq!(plan.cut(Stage::Permute).map(|cut| cut.parts()), Some(parts));
            let results = results_of(&plan, &problem, &mut random).unwrap();
            let permuted = || results[&Stage::Permute].iter().cloned().map(Ok);
            let found = |correction| {
                plan.significance(&problem, &weights, (correction, alpha), &mut permuted())
            };
            let (mut merged, told) = found(correction).unwrap();
            merged.seconds = whole.seconds;
            assert_eq!((merged, told), (whole, reason), "{name} {kind} in {parts} parts");
            assert!(message(found(Correction::MinP)).contains("min-p needs the weights"));
            let few = &mut permuted().skip(1);
            let few = plan.significance(&problem, &weights, (correction, alpha), few);
            assert!(few.is_err(), "{name} {kind}: a part is missing");

            let other = Problem::new(&table, &target).unwrap();
            let other = if strata.is_some() { other } else { other.with_strata(Some(groups)) };
            let mut sums = results[&Stage::Sums].iter().cloned().map(Ok);
            let text = message(plan.work(Stage::Permute, 0, &other, &mut sums, &run));
            assert!(text.contains("strata within which"), "{text}");
        }
    }
    assert!(refits > 0 && refits < 2 * ABLE.len(), "{refits}");
}

/// Every permutation is a fit under the roles, or shares neighbors, as on one machine; a part under other roles is
/// refused.
#[test]
fn a_test_in_parts_counts_rows_as_one_machine_does() {
    const DRAWS: u64 = 21;
    let mut random = Random(18);
    let run = Run::new(Some(2)).unwrap().with_seed(5);
    let (own, weights) = (groups(90), weights(90));
    let strata: Vec<String> = (0..90).map(|row| (row / 40).to_string()).collect();
    let strata = Classes::from_labels(&strata);
    let uniform = ClassPriors::Uniform;
    let ages = (0..90).map(|row| f64::from(row * 29 % 53)).collect();
    let ages = Table::new(vec![Column::from_values("age", ages).unwrap()]).unwrap();
    let matched = Covariates::new(ages).unwrap().with_caliper(0.8, None).unwrap();
    let near = ages_and_sexes(90).in_distance();
    let none = Roles::default();
    for (roles, words) in [
        (none.with_groups(Some(&own)), "groups of rows"),
        (none.with_weights(Some(&weights)), "weights of rows"),
        (none.with_priors(Some(&uniform)).with_strata(Some(&strata)), "strata within which"),
        (none.with_priors(Some(&uniform)), "priors of classes"),
        (none.with_covariates(Some(&matched)), "covariates"),
        (none.with_covariates(Some(&near)), "covariates"),
        (none.with_groups(Some(&own)).with_weights(Some(&weights)), "groups of rows"),
    ] {
        for name in ["relieff", "multisurf"] {
            let (table, target) = (table("mixed", 90, 7, 0.05), classes(90, 2));
            let info = method(name).unwrap();
            let settings = info.settings::<&str, &str>(&[]).unwrap();
            let problem = Problem::new(&table, &target).unwrap().with_roles(roles).unwrap();
            let permutations = &Permutations::new(&target, roles, &run).unwrap();
            let (correction, alpha, draws) = (Correction::MaxT, 0.05, Draws::Fixed(DRAWS));
            let sided = Sided::One;
            let test = PermutationTest { permutations, draws, sided, correction, alpha };
            let weights = info.fit(&problem, &settings, &run).unwrap().model.weights().to_vec();
            let mut method = for_targets(info, &settings, &[], &problem, &run).unwrap();
            let reason = method.refit_reason().map(str::to_string);
            let whole = test.run(&mut *method, &weights, &NoStore, &run).unwrap();

            let parts = 1 + (random.next() * 9.0) as usize;
            let plan = Plan::new(info, &settings, &problem, 3, Some(256), &run).unwrap();
            let plan = plan.with_permutations(&problem, (DRAWS, sided), parts).unwrap();
            let results = results_of(&plan, &problem, &mut random).unwrap();
            let mut permuted = results[&Stage::Permute].iter().cloned().map(Ok);
            let level = (correction, alpha);
            let (mut merged, told) =
                plan.significance(&problem, &weights, level, &mut permuted).unwrap();
            merged.seconds = whole.seconds;
            assert_eq!((merged, told), (whole, reason), "{name} {words} in {parts} parts");

            let other = Problem::new(&table, &target).unwrap();
            for stage in [Stage::Search, Stage::Permute] {
                let before = plan.before(stage).and_then(|before| results.get(&before));
                let mut before = before.into_iter().flatten().cloned().map(Ok);
                let text = message(plan.work(stage, 0, &other, &mut before, &run));
                let changed = text.contains("are not what they were");
                assert!(changed && text.contains(words), "{text}");
            }
        }
    }
}

fn assert_same_in_rounds(
    name: &str,
    data: (&Table<'_>, &Target),
    given: (&[(&str, &str)], &str),
    random: &mut Random,
) {
    assert_same_in_rounds_under(Roles::default(), name, data, given, random);
}

fn assert_same_in_rounds_under(
    roles: Roles<'_>,
    name: &str,
    (table, target): (&Table<'_>, &Target),
    (options, wrapper): (&[(&str, &str)], &str),
    random: &mut Random,
) {
    let info = method(name).unwrap();
    let settings = info.settings(options).unwrap();
    let wrappers = [Wrapper::parse(wrapper).unwrap()];
    let problem = Problem::new(table, target).unwrap().with_roles(roles).unwrap();
    let run = Run::new(Some(2)).unwrap().with_seed(5);
    let whole = fit_wrapped(info, &settings, &wrappers, &problem, &run).unwrap();
    let parts = 1 + (random.next() * 6.0) as usize;
    let block_rows = (random.next() < 0.8).then_some(256);
    let fit = (info, &settings, &wrappers[..]);
    let merged = in_rounds(fit, &problem, (parts, block_rows), &run).unwrap();
    let what = format!("{wrapper} of {name} {options:?} in {parts} parts");
    let bits = |weights: &[f64]| weights.iter().map(|w| w.to_bits()).collect::<Vec<u64>>();
    assert_eq!(bits(merged.model.weights()), bits(whole.model.weights()), "{what}");
    assert_eq!(texts(&merged.report.warnings), texts(&whole.report.warnings), "{what}");
    assert_eq!(merged.report.elimination, whole.report.elimination, "{what}");
    assert_eq!(merged.report.iterations, whole.report.iterations, "{what}");
    let (cells, warnings) = in_rounds_of_cells(fit, &problem, block_rows, random, &run).unwrap();
    assert_eq!(texts(&warnings), texts(&whole.report.warnings), "{what} of cells");
    assert_close(&cells, whole.model.weights(), name, &what);
}

/// `turf` around every method: rounds of parts, with warnings of all rounds and of some.
#[test]
fn turf_in_rounds_of_parts_has_the_same_bits() {
    let mut random = Random(71);
    for (at, name) in ABLE.into_iter().enumerate() {
        let kind = KINDS[at % KINDS.len()];
        let table = table(kind, 280, 70 + at, if at % 2 == 0 { 0.05 } else { 0.0 });
        let target = match name {
            "rrelieff" => real(280),
            "survival-relief" => survival(280),
            "relief" => classes(280, 2),
            _ => classes(280, 3),
        };
        let wrapper = ["turf:drop=0.4,keep=7", "turf:drop=0.6,keep=60", "turf:keep=500"][at % 3];
        assert_same_in_rounds(name, (&table, &target), (&[], wrapper), &mut random);
    }
    let table = table("mixed", 300, 12, 0.05);
    let options = [("n_samples", "40"), ("ties", "first")];
    let both = (&options[..], "turf:drop=0.2,keep=3");
    assert_same_in_rounds("relieff", (&table, &classes(300, 3)), both, &mut random);
    let (own, weights) = (groups(300), weights(300));
    let roles = Roles::default().with_groups(Some(&own)).with_weights(Some(&weights));
    for name in ["relieff", "multisurf"] {
        let data = (&table, &classes(300, 3));
        assert_same_in_rounds_under(roles, name, data, (&[], "turf:keep=3"), &mut random);
    }
    // A repeated and a constant column, which warnings of the whole name, and rows that are alike in what the
    // last rounds keep.
    let mut columns = table.into_columns();
    columns.truncate(3);
    columns.push(columns[0].clone().with_name("again"));
    for name in ["c", "d"] {
        columns.push(Column::from_values(name, vec![1.0; 300]).unwrap());
    }
    let table = Table::new(columns).unwrap();
    let target = classes(300, 2);
    assert_same_in_rounds("surf", (&table, &target), (&[], "turf:keep=1"), &mut random);
    let few = table.select_columns(&[4, 5]);
    assert_same_in_rounds("surf", (&few, &target), (&[], "turf:keep=1"), &mut random);
    let few = table.select_rows(&[0, 1, 2, 3, 4, 5, 6]);
    let target = classes(7, 2);
    assert_same_in_rounds("relieff", (&few, &target), (&[], "turf:keep=2"), &mut random);
}

fn assert_same_in_iterations(
    (table, target): (&Table<'_>, &Target),
    options: &[(&str, &str)],
    parts: usize,
) {
    let info = method("irelief").unwrap();
    let settings = info.settings(options).unwrap();
    let problem = Problem::new(table, target).unwrap();
    let run = Run::new(Some(2)).unwrap();
    let whole = info.fit(&problem, &settings, &run).unwrap();
    let merged = in_rounds((info, &settings, &[]), &problem, (parts, None), &run).unwrap();
    let what = format!("{} rows, {options:?} in {parts} parts", table.rows());
    let bits = |weights: &[f64]| weights.iter().map(|w| w.to_bits()).collect::<Vec<u64>>();
    assert_eq!(bits(merged.model.weights()), bits(whole.model.weights()), "{what}");
    assert_eq!(texts(&merged.report.warnings), texts(&whole.report.warnings), "{what}");
    assert_eq!(merged.report.changes, whole.report.changes, "{what}");
    assert_eq!(merged.report.iterations, whole.report.iterations, "{what}");
    assert_eq!(merged.report.converged, whole.report.converged, "{what}");
    assert_eq!(merged.report.objective, whole.report.objective, "{what}");
    let (cells, warnings) = in_iterations_of_cells((info, &settings), &problem, &run).unwrap();
    assert_eq!(bits(&cells), bits(whole.model.weights()), "{what} of cells");
    assert_eq!(texts(&warnings), texts(&whole.report.warnings), "{what} of cells");
}

/// `irelief`: every iteration in parts, of one block of rows and of several.
#[test]
fn iterations_in_parts_have_the_same_bits() {
    let cases: [&[(&str, &str)]; 5] = [
        &[],
        &[("max_iter", "3"), ("tol", "1e-12")],
        &[("squared", "yes"), ("outliers", "no"), ("max_iter", "4")],
        &[("missing", "ignore"), ("max_iter", "3")],
        &[("missing", "pessimistic"), ("ramp", "0.1:0.4"), ("sigma", "0.3"), ("max_iter", "3")],
    ];
    for (at, options) in cases.into_iter().enumerate() {
        for (kind, missing) in [(KINDS[at % KINDS.len()], 0.0), ("mixed", 0.06)] {
            let table = table(kind, 270 + 250 * at, 5 + 60 * (at % 2), missing);
            let target = classes(table.rows(), 3);
            assert_same_in_iterations((&table, &target), options, 1 + at);
        }
    }
    // One block alone, with a row that is alone in its class; and columns that tell nothing.
    let (small, mut labels) = (table("numbers", 40, 4, 0.0), vec!["a"; 40]);
    labels[3..20].fill("b");
    labels[30] = "c";
    let labels: Vec<String> = labels.into_iter().map(str::to_string).collect();
    let target = Target::Classes(Classes::from_labels(&labels));
    assert_same_in_iterations((&small, &target), &[], 7);
    let constant = Column::from_values("c", vec![1.0; 300]).unwrap();
    let constant = Table::new(vec![constant]).unwrap();
    assert_same_in_iterations((&constant, &classes(300, 2)), &[], 2);
    // Weights that alternate: the better of the last two comes from the round before.
    let columns = [("x", [4, 0, 4, 2, 3, 4, 0, 0]), ("y", [2, 4, 0, 4, 2, 4, 0, 1])]
        .map(|(name, column)| Column::from_values(name, column.map(f64::from).to_vec()).unwrap());
    let alternating = Table::new(columns.to_vec()).unwrap();
    let labels = ["a"; 4].into_iter().chain(["b"; 4]).map(str::to_string).collect::<Vec<_>>();
    let target = Target::Classes(Classes::from_labels(&labels));
    for most in ["3", "4", "5", "100"] {
        assert_same_in_iterations(
            (&alternating, &target),
            &[("sigma", "0.05"), ("max_iter", most)],
            2,
        );
    }
}

#[test]
fn what_does_not_fit_an_iteration_is_refused() {
    let (all, target) = (table("numbers", 600, 5, 0.0), classes(600, 2));
    let problem = Problem::new(&all, &target).unwrap();
    let run = Run::new(Some(1)).unwrap();
    let info = method("irelief").unwrap();
    let settings = info.settings(&[("max_iter", "3"), ("tol", "1e-12")]).unwrap();
    let online = info.settings(&[("mode", "online")]).unwrap();
    let text = message(Plan::new(info, &online, &problem, 2, None, &run));
    assert!(text.contains("online visits one row after the other"), "{text}");
    let text = message(Plan::new(info, &settings, &problem, 2, Some(256), &run));
    assert!(text.contains("blocks of irelief follow from the data alone"), "{text}");
    let turf = [Wrapper::parse("turf").unwrap()];
    let text = message(Rounds::new(info, &settings, &turf, 5, &run));
    assert!(text.contains("irelief iterates by itself"), "{text}");

    let first = Rounds::new(info, &settings, &[], 5, &run).unwrap();
    let plan = first.plan(&problem, 2, None, &run).unwrap();
    assert_eq!(plan.cut(Stage::Margins).map(|cut| (cut.items(), cut.parts())), Some((3, 2)));
    let work = |rounds: &Rounds, plan: &Plan, problem: &Problem<'_>, part| {
        rounds.work(plan, (Stage::Margins, part), problem, &mut std::iter::empty(), &run)
    };
    let results = [0, 1].map(|part| work(&first, &plan, &problem, part).unwrap());
    let after = |rounds: &Rounds, plan: &Plan, results: &[Vec<u8>]| {
        rounds.after(plan, &problem, &mut results.iter().cloned().map(Ok), &run)
    };
    let Turn::Next(second) = after(&first, &plan, &results).unwrap() else { panic!("it goes on") };
    let next = second.plan(&problem, 2, None, &run).unwrap();
    assert_ne!(next.to_bytes(), plan.to_bytes());
    assert!(message(after(&second, &plan, &results)).contains("the plan is of another fit"));
    assert!(message(after(&second, &next, &results)).contains("of another plan"));
    let swapped = [results[1].clone(), results[0].clone()];
    assert!(message(after(&first, &plan, &swapped)).contains("of another part"));
    assert!(message(after(&Rounds::once(&plan), &plan, &results)).contains("another fit"));
    let text = message(after(&first, &plan, &results[..1]));
    assert!(text.contains("part 2 of stage margins is missing"), "{text}");
    let text = message(work(&first, &plan, &Problem::new(&all, &classes(600, 3)).unwrap(), 0));
    assert!(text.contains("the target is not what it was"), "{text}");
    let mut random = Random(3);
    for at in (0..results[0].len()).filter(|&at| at < 60 || random.next() < 0.1) {
        let mut bytes = results[0].clone();
        bytes[at] ^= 1 << (at % 8);
        let text = message(after(&first, &plan, &[bytes, results[1].clone()]));
        assert!(text.contains("damaged") || text.contains("was written by"), "{at}: {text}");
    }
    let text = String::from_utf8(plan.to_bytes()).unwrap();
    for (was, is) in
        [("\"stage\":\"margins\"", "\"stage\":\"sums\""), ("\"weights\":\"3", "\"weights\":\"")]
    {
        assert!(text.contains(was), "{text}");
        let changed = serde_json::from_str(&text.replacen(was, is, 1)).unwrap();
        let text = message(Plan::from_json(&changed));
        assert!(text.contains("its entries do not fit together"), "{text}");
    }
}

/// What does not fit a round: other plans, other columns, damaged bytes, wrappers that have no rounds.
#[test]
fn what_does_not_fit_a_round_is_refused() {
    let (all, target) = (table("numbers", 40, 9, 0.0), classes(40, 2));
    let problem = Problem::new(&all, &target).unwrap();
    let run = Run::new(Some(1)).unwrap();
    let info = method("relieff").unwrap();
    let settings = info.settings::<&str, &str>(&[]).unwrap();
    let rounds = |text: &str| {
        let wrappers: Vec<Wrapper> =
            text.split(' ').map(|text| Wrapper::parse(text).unwrap()).collect();
        Rounds::new(info, &settings, &wrappers, 9, &run)
    };
    let text = message(rounds("vls"));
    assert!(text.contains("`vls` cannot be computed in parts; these can: turf"), "{text}");
    let text = message(rounds("turf turf"));
    assert!(text.contains("a wrapper around a wrapper cannot be computed in parts"), "{text}");

    let first = rounds("turf:drop=0.5,keep=3").unwrap();
    let plan = first.plan(&problem, 2, None, &run).unwrap();
    let mut results: Vec<Vec<u8>> = Vec::new();
    for own in plan.stages() {
        let of_part = |part| {
            let mut earlier = results.iter().cloned().map(Ok);
            first.work(&plan, (own.stage, part), &problem, &mut earlier, &run).unwrap()
        };
        results = (0..own.cut.parts()).map(of_part).collect();
    }
    let after = |rounds: &Rounds, problem: &Problem<'_>| {
        rounds.after(&plan, problem, &mut results.iter().cloned().map(Ok), &run)
    };
    let Turn::Next(second) = after(&first, &problem).unwrap() else { panic!("nine are too many") };
    assert_eq!((second.number(), second.columns().len(), second.at_most()), (2, 5, 3));
    assert!(message(after(&second, &problem)).contains("the plan is of another fit"));
    let none = first.after(&plan, &problem, &mut std::iter::empty(), &run);
    assert!(message(none).contains("part 1 of stage sums is missing"));
    let fewer = all.select_columns(&[0, 1, 2]);
    let text = message(after(&first, &Problem::new(&fewer, &target).unwrap()));
    assert!(text.contains("9 columns have become 3"), "{text}");
    let mut columns: Vec<Column<'_>> = all.columns().to_vec();
    let mut values = Vec::new();
    columns[4].copy_values(&mut values);
    values[3] += 0.5;
    columns[4] = Column::from_values(columns[4].name(), values).unwrap();
    let table = Table::new(columns).unwrap();
    let text = message(after(&first, &Problem::new(&table, &target).unwrap()));
    assert!(text.contains("is not what it was"), "{text}");

    let bytes = second.to_bytes();
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        let text = message(Rounds::from_bytes(&flipped));
        assert!(text.contains("damaged") || text.contains("was written by"), "{at}: {text}");
        assert!(message(Rounds::from_bytes(&bytes[..at])).contains("damaged"));
    }
}

fn message<T>(result: Result<T>) -> String {
    match result {
        Ok(_) => "no error".to_string(),
        Err(error @ (Error::Data(_) | Error::Option { .. })) => error.to_string(),
        Err(error) => panic!("{error:?}"),
    }
}

#[test]
fn methods_without_steps_are_refused_with_those_that_have_some() {
    let (table, target) = (table("numbers", 20, 3, 0.0), classes(20, 2));
    let (problem, run) = (Problem::new(&table, &target).unwrap(), Run::new(Some(1)).unwrap());
    for info in METHODS.iter().filter(|info| !info.in_parts()) {
        let settings = info.settings::<&str, &str>(&[]).unwrap();
        let text = message(Plan::new(*info, &settings, &problem, 2, Some(256), &run));
        assert!(text.contains(info.name) && text.contains("in parts"), "{text}");
        assert!(ABLE.iter().all(|able| text.contains(able)), "{text}");
    }
    let relieff = method("relieff").unwrap();
    let settings = relieff.settings::<&str, &str>(&[]).unwrap();
    let text = message(Plan::new(relieff, &settings, &problem, 0, Some(256), &run));
    assert!(text.contains("from 1 to"), "{text}");
}

/// Roles that a method in parts does not consult.
#[test]
fn roles_without_parts_are_refused() {
    let (table, target) = (table("numbers", 60, 3, 0.0), classes(60, 2));
    let (own, near) = (groups(60), ages_and_sexes(60).in_distance());
    let run = Run::new(Some(1)).unwrap();
    let none = Roles::default();
    for (roles, words) in [
        (none.with_groups(Some(&own)), "irelief does not use groups of rows; use"),
        (
            none.with_covariates(Some(&near)),
            "irelief does not use covariates in its neighbor search; use",
        ),
    ] {
        let info = method("irelief").unwrap();
        let settings = info.settings::<&str, &str>(&[]).unwrap();
        let problem = Problem::new(&table, &target).unwrap().with_roles(roles).unwrap();
        let text = message(Plan::new(info, &settings, &problem, 2, None, &run));
        assert!(text.contains(words), "{text}");
    }
}

/// What a draft cannot carry, and a covariate with the name of a feature.
#[test]
fn covariates_that_no_draft_carries_are_refused() {
    let (target, run) = (classes(60, 2), Run::new(Some(1)).unwrap());
    let draft = |target: &Target, covariates: &Covariates<'_>, name: &str| {
        let info = method("rrelieff").unwrap();
        let settings = info.settings::<&str, &str>(&[]).unwrap();
        let roles = Roles::default().with_covariates(Some(covariates));
        let columns = vec![(name.to_string(), ColumnKind::Numeric)];
        message(Draft::new(info, &settings, (target.clone(), roles), columns, None, None, &run))
    };
    let near = ages_and_sexes(60).in_distance();
    assert_eq!(draft(&real(60), &near, "weight"), "no error");
    let text = draft(&real(60), &near, "age");
    assert!(text.contains("`age`: a feature and a covariate have the same name"), "{text}");
    let adjusted = residuals(&target, ages_and_sexes(60), None, &run).unwrap();
    let text = draft(&adjusted.target, &adjusted.covariates, "weight");
    assert!(text.contains("residuals of classes are not sent to the parts of a fit"), "{text}");
}

/// What does not fit together: other data, missing, damaged, foreign and mixed up results, another version.
#[test]
fn what_does_not_fit_together_is_refused() {
    let (first, target) = (table("mixed", 600, 70, 0.05), classes(600, 2));
    let problem = Problem::new(&first, &target).unwrap();
    let run = Run::new(Some(1)).unwrap();
    let relieff = method("relieff").unwrap();
    let settings = relieff.settings::<&str, &str>(&[]).unwrap();
    let plan = Plan::new(relieff, &settings, &problem, 3, Some(256), &run).unwrap();
    let no = || std::iter::empty::<Result<Vec<u8>>>();
    let search = |plan: &Plan, problem: &Problem<'_>, part| {
        plan.work(Stage::Search, part, problem, &mut no(), &run)
    };
    let found: Vec<Vec<u8>> = (0..3).map(|part| search(&plan, &problem, part).unwrap()).collect();
    let lists = |found: Vec<Vec<u8>>| {
        plan.work(Stage::Lists, 1, &problem, &mut found.into_iter().map(Ok), &run)
    };
    assert!(lists(found.clone()).is_ok());

    let text = message(lists(found[..2].to_vec()));
    assert!(text.contains("part 3 of stage search is missing"), "{text}");
    let text = message(lists(vec![found[0].clone(), found[2].clone(), found[1].clone()]));
    assert!(text.contains("of another part than part 2"), "{text}");
    let other = plan_with_neighbors(&problem, "3", &run);
    let text = message(lists(vec![
        search(&other, &problem, 0).unwrap(),
        found[1].clone(),
        found[2].clone(),
    ]));
    assert!(text.contains("another plan"), "{text}");

    // Every byte counts, and so does every length.
    let mut random = Random(3);
    for at in (0..found[0].len()).filter(|&at| at < 60 || random.next() < 0.02) {
        let mut bytes = found[0].clone();
        bytes[at] ^= 1 << (at % 8);
        let text = message(plan.check(Stage::Search, 0, &bytes));
        assert!(text.contains("damaged") || text.contains("was written by"), "{at}: {text}");
        let cut = message(plan.check(Stage::Search, 0, &found[0][..at]));
        assert!(cut.contains("damaged"), "{at}: {cut}");
    }
    let mut longer = found[0].clone();
    longer.push(0);
    assert!(message(plan.check(Stage::Search, 0, &longer)).contains("damaged"));
    assert!(message(plan.check(Stage::Search, 0, b"weights")).contains("damaged"));
    // The version stands behind the mark and the version of the format, with its length.
    let mut bytes = found[0].clone();
    bytes[16] = b'9';
    let text = message(plan.check(Stage::Search, 0, &bytes));
    assert!(text.contains("use one version"), "{text}");

    for (stage, part, part_of_text) in [
        (Stage::Search, 3, "its parts are 1 to 3"),
        (Stage::Sums, 2, "its parts are 1 to 2"),
        (Stage::Lists, 3, "its parts are 1 to 3"),
        (Stage::Measure, 0, "its stages are: search, lists, sums"),
    ] {
        let text = message(plan.work(stage, part, &problem, &mut no(), &run));
        assert!(text.contains(part_of_text), "{text}");
    }

    // Other data.
    let mut columns = first.clone().into_columns();
    let mut values = Vec::new();
    columns[0].copy_values(&mut values);
    values[7] += 0.25;
    columns[0] = Column::from_values("f0", values).unwrap();
    let changed = Table::new(columns).unwrap();
    let of = |table: &Table<'_>, target: &Target| {
        search(&plan, &Problem::new(table, target).unwrap(), 0)
    };
    let text = message(of(&changed, &target));
    assert!(text.contains("column `f0` is not what it was"), "{text}");
    let text = message(of(&first, &classes(600, 3)));
    assert!(text.contains("the target is not what it was"), "{text}");
    let fewer: Vec<usize> = (0..50).collect();
    let text = message(of(&first.select_rows(&fewer), &classes(50, 2)));
    assert!(text.contains("600 rows have become 50"), "{text}");
    let text = message(of(&first.select_columns(&fewer), &target));
    assert!(text.contains("70 columns have become 50"), "{text}");
    let renamed: Vec<Column<'_>> =
        first.columns().iter().map(|column| column.clone().with_name("x")).take(1).collect();
    let renamed = renamed.into_iter().chain(first.columns()[1..].iter().cloned());
    let text = message(of(&Table::new(renamed.collect()).unwrap(), &target));
    assert!(text.contains("column `x` is not what it was"), "{text}");
}

/// Contents that nobody wrote, under a checksum that is right, are read or refused without a panic.
#[test]
fn foreign_contents_do_not_panic() {
    let (table, target) = (table("mixed", 600, 9, 0.1), classes(600, 2));
    let (own, weights) = (groups(600), weights(600));
    let priors = ClassPriors::parse("0=0.2,1=0.8").unwrap();
    let roles = Roles::default().with_groups(Some(&own)).with_weights(Some(&weights));
    let roles = roles.with_priors(priors.as_ref());
    let problem = Problem::new(&table, &target).unwrap().with_roles(roles).unwrap();
    let run = Run::new(Some(1)).unwrap();
    let mut random = Random(5);
    let mut changed = |bytes: &[u8]| {
        let mut bytes = bytes[..bytes.len() - 8].to_vec();
        // Behind the versions, the plan, the description and the length.
        let start = 16 + env!("CARGO_PKG_VERSION").len() + 8 + 4 + 8;
        for _ in 0..1 + (random.next() * 3.0) as usize {
            // Lengths and kinds are at the beginning.
            let most = if random.next() < 0.5 { 60 } else { bytes.len() - start };
            let at = start + (random.next() * most.min(bytes.len() - start) as f64) as usize;
            bytes[at] = if random.next() < 0.5 { 0xff } else { (random.next() * 256.0) as u8 };
        }
        bytes.extend(Checksum::from_bytes(&bytes).number().to_le_bytes());
        bytes
    };
    for (name, options) in [("relieff", "3"), ("multisurf", "")] {
        let info = method(name).unwrap();
        let options = [("n_neighbors", options)];
        let settings = info.settings(&options[..usize::from(name == "relieff")]).unwrap();
        let plan = Plan::new(info, &settings, &problem, 1, Some(256), &run).unwrap();
        let results = results_of(&plan, &problem, &mut Random(1)).unwrap();
        let columns = table.columns().iter().map(|c| (c.name().to_string(), c.kind())).collect();
        let given = (target.clone(), roles);
        let draft = Draft::new(info, &settings, given, columns, None, None, &run).unwrap();
        let (facts, cells, _) = draft.cells(0, &table, None, &run).unwrap();
        let own = draft.plan(std::slice::from_ref(&facts), &run).unwrap();
        let rounds = Rounds::once(&plan);
        for _ in 0..300 {
            for (before, bytes) in &results {
                let mut bytes = bytes.iter().map(|bytes| Ok(changed(bytes)));
                match plan.stages().iter().find(|own| plan.before(own.stage) == Some(*before)) {
                    Some(own) => drop(plan.work(own.stage, 0, &problem, &mut bytes, &run)),
                    None => drop(rounds.after(&plan, &problem, &mut bytes, &run)),
                }
            }
            drop(draft.plan(&[changed(&facts)], &run));
            let cells = [changed(&cells[0])];
            let both = [&cells[..], &[]].map(BlockRows::Cells);
            drop(draft.compare(&own, own.stages()[0].stage, &[], (0, 0), both, &run));
            drop(Draft::from_bytes(&changed(&draft.to_bytes())));
            drop(Rounds::from_bytes(&changed(&rounds.to_bytes())));
        }
    }
}

fn plan_with_neighbors(problem: &Problem<'_>, neighbors: &str, run: &Run) -> Plan {
    let info = method("relieff").unwrap();
    let settings = info.settings(&[("n_neighbors", neighbors)]).unwrap();
    Plan::new(info, &settings, problem, 3, Some(256), run).unwrap()
}

#[test]
fn plans_are_read_back_or_refused() {
    let (table, target) = (table("numbers", 600, 5, 0.0), classes(600, 2));
    let problem = Problem::new(&table, &target).unwrap();
    let run = Run::new(Some(1)).unwrap().with_seed(u64::MAX);
    let plan = plan_with_neighbors(&problem, "3", &run);
    let bytes = plan.to_bytes();
    let again = Plan::from_bytes(&bytes).unwrap();
    assert_eq!((again.seed(), again.stages()), (plan.seed(), plan.stages()));
    assert_eq!(again.settings(), plan.settings());
    assert_eq!(again.to_bytes(), bytes);
    let text = String::from_utf8(bytes).unwrap();
    let version = format!("\"basrelief\":\"{}\"", env!("CARGO_PKG_VERSION"));
    for (was, is, part) in [
        (version.as_str(), "\"basrelief\":\"0.0.0\"", "use one version"),
        ("\"version\":11", "\"version\":8", "use one version"),
        ("\"parts\":3", "\"parts\":3000", "its checksum does not match its contents"),
        ("\"seed\":1", "\"seed\":2", "its checksum does not match its contents"),
        ("\"checksum\"", "\"other\"", "it has no checksum"),
        ("basrelief-plan", "basrelief-model", "its format is not that of a plan"),
        ("{", "", "it is not JSON"),
    ] {
        assert!(text.contains(was), "{text}");
        let text = message(Plan::from_bytes(text.replacen(was, is, 1).as_bytes()));
        assert!(text.contains(part), "{text}");
    }
    for (was, is) in [
        ("\"parts\":3", "\"parts\":3000"),
        ("relieff", "lfe"),
        ("\"stage\":\"sums\"", "\"stage\":\"search\""),
    ] {
        let changed = serde_json::from_str(&text.replacen(was, is, 1)).unwrap();
        let text = message(Plan::from_json(&changed));
        assert!(text.contains("its entries do not fit together"), "{text}");
    }
}

/// Whatever byte of a plan is another, the plan is refused.
#[test]
fn a_changed_byte_of_a_plan_is_found() {
    let (table, target) = (table("numbers", 600, 5, 0.0), classes(600, 2));
    let problem = Problem::new(&table, &target).unwrap();
    let plan = plan_with_neighbors(&problem, "3", &Run::new(Some(1)).unwrap());
    let bytes = plan.to_bytes();
    for place in 0..bytes.len() {
        for mask in [1, 8, 0x20] {
            let mut changed = bytes.clone();
            changed[place] ^= mask;
            assert!(Plan::from_bytes(&changed).is_err(), "{place}");
        }
    }
}

/// Numbers of items that the rows do not have are refused, not looked up.
#[test]
fn plans_of_other_blocks_are_refused() {
    let (table, target) = (table("numbers", 600, 5, 0.0), classes(600, 2));
    let problem = Problem::new(&table, &target).unwrap();
    let run = Run::new(Some(1)).unwrap();
    let mut value = plan_with_neighbors(&problem, "3", &run).to_json();
    for stage in value["stages"].as_array_mut().unwrap() {
        if stage["stage"] != "sums" {
            let parts = stage["parts"].as_u64().unwrap();
            stage["items"] = (1000 * parts).into();
        }
    }
    let plan = Plan::from_json(&value).unwrap();
    for own in plan.stages().iter().filter(|own| own.stage != Stage::Sums) {
        let last = own.cut.parts() - 1;
        let mut none = std::iter::empty::<basrelief::Result<Vec<u8>>>();
        let text = message(plan.work(own.stage, last, &problem, &mut none, &run));
        assert!(text.contains("blocks than its rows"), "{text}");
    }
    for parts in [0, 1_000_001, usize::MAX] {
        let info = method("relieff").unwrap();
        let settings = info.settings::<&str, &str>(&[]).unwrap();
        let text = message(Plan::new(info, &settings, &problem, parts, None, &run));
        assert!(text.contains("from 1 to 1000000"), "{text}");
    }
}
