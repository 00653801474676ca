//! A map that is learned in parts has the bits of one machine, whatever the parts; and what does not fit
//! together is refused.

mod common;

use std::collections::BTreeMap;

use basrelief::data::{Classes, Column, Roles, Table, Target};
use basrelief::distribute::{
    BlockRows, Draft, PairResult, PartedMethod, Plan, Rounds, Stage, StagePlan,
};
use basrelief::inference::Sided;
use basrelief::maps::{LinearMap, Map};
use basrelief::methods::wrappers::Wrapper;
use basrelief::methods::{MAP_METHODS, MapMethodInfo, Problem, Settings, map_method, method};
use basrelief::{Error, Fitted, Result, Run, Warning};
use common::tables::{Random, table};

type Options<'o> = &'o [(&'o str, &'o str)];

fn lfe() -> &'static MapMethodInfo {
    map_method("lfe").unwrap()
}

fn direct(options: Options<'_>) -> Settings {
    lfe().settings(&[&[("form", "direct")], options].concat()).unwrap()
}

fn classes(rows: usize, count: usize) -> Target {
    let labels: Vec<String> = (0..rows).map(|row| (row * row % 7 % count).to_string()).collect();
    Target::Classes(Classes::from_labels(&labels))
}

fn threads(count: usize) -> Run {
    Run::new(Some(count)).unwrap()
}

/// The results of all parts of all stages, those of a stage in the order that `random` gives.
fn results_of(
    plan: &Plan,
    problem: &Problem<'_>,
    random: &mut Random,
) -> Result<BTreeMap<Stage, Vec<Vec<u8>>>> {
    // What goes from machine to machine is bytes.
    let plan = Plan::from_bytes(&plan.to_bytes())?;
    let mut results: BTreeMap<Stage, Vec<Vec<u8>>> = BTreeMap::new();
    for &StagePlan { stage, cut, .. } in plan.stages() {
        let mut order: Vec<(u64, usize)> =
            (0..cut.parts()).map(|part| ((random.next() * 1e9) as u64, part)).collect();
        order.sort_unstable();
        let before = plan.before(stage).map_or(&[][..], |before| &results[&before]);
        let mut found: Vec<Vec<u8>> = vec![Vec::new(); cut.parts()];
        for (_, part) in order {
            let mut earlier = before.iter().cloned().map(Ok);
            found[part] = plan.work(stage, part, problem, &mut earlier, &threads(1 + part % 3))?;
            plan.check(stage, part, &found[part])?;
        }
        results.insert(stage, found);
    }
    Ok(results)
}

fn in_parts(plan: &Plan, problem: &Problem<'_>, random: &mut Random) -> Result<Fitted<Map>> {
    let mut results = results_of(plan, problem, random)?;
    let tiles = results.remove(&Stage::Scatter).unwrap_or_default();
    plan.merge_map(problem, &mut tiles.into_iter().map(Ok), &threads(2))
}

/// A draft, its plan, and the results of its scatter.
type Tiles = (Draft, Plan, Vec<Vec<u8>>);

/// The same where a part is given the rows and columns that it needs and no more.
fn tiles_of_cells(
    settings: &Settings,
    problem: &Problem<'_>,
    block_rows: Option<usize>,
    random: &mut Random,
) -> Result<Tiles> {
    let (table, run) = (problem.table(), &threads(2));
    let columns = table.columns().iter().map(|c| (c.name().to_string(), c.kind())).collect();
    let target = problem.target().clone();
    let together = (random.next() < 0.5).then_some(8);
    let draft = Draft::new(
        lfe(),
        settings,
        (target, Roles::default()),
        columns,
        block_rows,
        together,
        run,
    )?;
    let draft = Draft::from_bytes(&draft.to_bytes())?;
    let layout = draft.layout(run)?;
    let select = |of: &[usize]| {
        let columns = of.iter().flat_map(|&block| layout.columns[block].clone());
        table.select_columns(&columns.collect::<Vec<usize>>())
    };
    let mut facts = Vec::new();
    let mut cells = vec![Vec::new(); layout.blocks];
    for number in 0..layout.columns.len() {
        let (own, of_blocks, _) = draft.cells(number, &select(&[number]), None, run)?;
        facts.push(own);
        cells.iter_mut().zip(of_blocks).for_each(|(block, cell)| block.push(cell));
    }
    let plan = Plan::from_bytes(&draft.plan(&facts, run)?.to_bytes())?;
    let mut found: Vec<PairResult> = Vec::new();
    for (a, b) in draft.pairs(&plan, Stage::Search, run)? {
        let second = if a == b { &[][..] } else { &cells[b] };
        let both = [&cells[a][..], second].map(BlockRows::Cells);
        for (_, bytes) in draft.compare(&plan, Stage::Search, &[], (a, b), both, run)? {
            let at = (random.next() * (found.len() + 1) as f64) as usize;
            found.insert(at, ((a, b), bytes));
        }
    }
    let lists: Vec<Vec<u8>> = (0..layout.queries)
        .map(|block| draft.lists(&plan, block, &found, run))
        .collect::<Result<_>>()?;
    let of_pair = |(part, (a, b)): (usize, (usize, usize))| {
        let own = if a == b { select(&[a]) } else { select(&[a, b]) };
        let problem = draft.problem_of_part(&plan, (Stage::Scatter, part), &own)?;
        plan.work(Stage::Scatter, part, &problem, &mut lists.iter().cloned().map(Ok), run)
    };
    let tiles: Vec<Vec<u8>> = draft
        .pairs(&plan, Stage::Scatter, run)?
        .into_iter()
        .enumerate()
        .map(of_pair)
        .collect::<Result<_>>()?;
    Ok((draft, plan, tiles))
}

fn in_cells(
    settings: &Settings,
    problem: &Problem<'_>,
    block_rows: Option<usize>,
    random: &mut Random,
) -> Result<(LinearMap, Vec<Warning>)> {
    let (draft, plan, tiles) = tiles_of_cells(settings, problem, block_rows, random)?;
    draft.merge_map(&plan, &mut tiles.into_iter().map(Ok), &threads(1))
}

fn texts(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(Warning::to_string).collect()
}

fn linear(map: &Map) -> &LinearMap {
    match map {
        Map::Linear(map) => map,
        other => panic!("{other:?}"),
    }
}

fn bits(map: &LinearMap) -> Vec<u64> {
    let power = map.discriminant_power().unwrap_or_default();
    let all = map.mean().iter().chain(map.matrix().values()).chain(map.eigenvalues());
    all.chain([&power]).map(|number| number.to_bits()).collect()
}

fn assert_same(table: &Table<'_>, target: &Target, options: Options<'_>, random: &mut Random) {
    let settings = direct(options);
    let problem = Problem::new(table, target).unwrap();
    let whole = lfe().fit(table, Some(target), &settings, &threads(2)).unwrap();
    let most = 1 + (random.next() * 9.0) as usize;
    let block_rows = (random.next() < 0.8).then_some(256);
    let plan = Plan::new(lfe(), &settings, &problem, most, block_rows, &threads(1)).unwrap();
    let merged = in_parts(&plan, &problem, random).unwrap();
    let what = format!("{} x {} {options:?} in {most}", table.rows(), table.width());
    assert!(linear(&whole.model).matrix().values().iter().any(|entry| *entry != 0.0), "{what}");
    assert_eq!(linear(&merged.model).names(), linear(&whole.model).names());
    assert_eq!(bits(linear(&merged.model)), bits(linear(&whole.model)), "{what}");
    assert_eq!(texts(&merged.report.warnings), texts(&whole.report.warnings), "{what}");
    let (map, warnings) = in_cells(&settings, &problem, block_rows, random).unwrap();
    assert_eq!(map.names(), linear(&whole.model).names());
    assert_eq!(bits(&map), bits(linear(&whole.model)), "{what} of cells");
    assert_eq!(texts(&warnings), texts(&whole.report.warnings), "{what} of cells");
}

#[test]
fn the_methods_that_can_are_known() {
    let able: Vec<&str> =
        MAP_METHODS.iter().filter(|info| info.in_parts()).map(|info| info.name).collect();
    assert_eq!(able, ["lfe"]);
}

/// Numbers, ties, copies of alleles, few rows, more columns than rows, several blocks of columns and of rows.
#[test]
fn maps_have_the_same_bits_for_any_cut() {
    let mut random = Random(3107);
    let options: [Options<'_>; 6] = [
        &[],
        &[("scale", "range"), ("components", "2")],
        &[("scale", "standard"), ("neighbors", "5")],
        &[("neighbors", "3"), ("ties", "first")],
        &[("metric", "manhattan"), ("scale", "range"), ("neighbors", "2")],
        &[("components", "1000")],
    ];
    for kind in ["numbers", "tenths", "genotypes"] {
        for (rows, columns) in [(9, 3), (40, 130), (264, 64), (530, 65), (300, 200)] {
            let table = table(kind, rows, columns, 0.0);
            let some = options[(random.next() * 6.0) as usize];
            for options in [&[][..], some] {
                let count = 2 + (random.next() * 3.0) as usize;
                assert_same(&table, &classes(rows, count), options, &mut random);
            }
        }
    }
    for options in options {
        assert_same(&table("numbers", 300, 70, 0.0), &classes(300, 3), options, &mut random);
    }
}

/// More rows than products are added up of at a time.
#[test]
fn maps_of_many_rows_have_the_same_bits() {
    let mut random = Random(5);
    let table = table("tenths", 4200, 70, 0.0);
    let options = [("scale", "range"), ("neighbors", "3"), ("components", "3")];
    assert_same(&table, &classes(4200, 2), &options, &mut random);
}

/// Columns in units that differ by far, a constant one, one far from 0, a repeated one, a row alone in its class.
#[test]
fn odd_columns_and_classes_have_the_same_bits_and_warnings() {
    let mut random = Random(77);
    let mut columns = table("numbers", 300, 5, 0.0).into_columns();
    let factors = [1e-9, 1e7, 1.0, 1e3, 0.1];
    for (column, factor) in columns.iter_mut().zip(factors) {
        let mut values = Vec::new();
        column.copy_values(&mut values);
        values.iter_mut().for_each(|value| *value = *value * factor + factor * 1e5);
        *column = Column::from_values(column.name(), values).unwrap();
    }
    columns.push(columns[1].clone().with_name("again"));
    columns.push(Column::from_values("same", vec![0.1; 300]).unwrap());
    let table = Table::new(columns).unwrap();
    let mut labels: Vec<String> = (0..300).map(|row| (row % 2).to_string()).collect();
    labels[17] = "alone".to_string();
    let target = Target::Classes(Classes::from_labels(&labels));
    for scale in ["none", "standard", "range"] {
        assert_same(&table, &target, &[("scale", scale), ("neighbors", "2")], &mut random);
        assert_same(&table, &target, &[("scale", scale), ("components", "7")], &mut random);
    }
}

fn message<T>(result: Result<T>) -> String {
    match result {
        Ok(_) => "no error".to_string(),
        Err(error @ (Error::Data(_) | Error::Option { .. })) => error.to_string(),
        Err(error) => panic!("{error:?}"),
    }
}

/// What has no parts, and what a fit refuses too, with the same words where it does.
#[test]
fn what_cannot_be_done_in_parts_is_refused() {
    let (numbers, target) = (table("numbers", 40, 5, 0.0), classes(40, 2));
    let problem = Problem::new(&numbers, &target).unwrap();
    let run = threads(1);
    let plan = |options: Options<'_>, problem: &Problem<'_>| {
        Plan::new(lfe(), &lfe().settings(options).unwrap(), problem, 2, None, &run)
    };
    for (options, part) in [
        (&[][..], "auto may use the span of the rows"),
        (&[("form", "fast")], "use direct"),
        (&[("form", "fast"), ("metric", "manhattan")], "only Euclidean distances"),
        (&[("form", "direct"), ("kernel", "rbf:rho=1")], "in a kernel's space"),
    ] {
        let text = message(plan(options, &problem));
        assert!(text.contains(part), "{text}");
    }
    assert!(plan(&[("metric", "manhattan")], &problem).is_ok(), "there is one form");
    let others = map_method("pca").unwrap();
    let text = message(Plan::new(
        others,
        &others.settings::<&str, &str>(&[]).unwrap(),
        &problem,
        2,
        None,
        &run,
    ));
    assert!(text.contains("pca cannot be computed in parts yet"), "{text}");
    assert!(text.contains("relieff") && text.contains("lfe"), "{text}");

    let one = Target::Classes(Classes::from_labels(&["a"; 40]));
    let real = Target::real((0..40).map(f64::from).collect()).unwrap();
    let gaps = table("numbers", 40, 5, 0.2);
    let categories = table("few", 40, 5, 0.0);
    let constant = Table::new(vec![Column::from_values("c", vec![2.5; 40]).unwrap()]).unwrap();
    for table in [&gaps, &categories] {
        let problem = Problem::new(table, &target).unwrap();
        let settings = direct(&[]);
        assert_eq!(message(lfe().fit(table, Some(&target), &settings, &run)), "no error");
        let text = message(plan(&[("form", "direct")], &problem));
        assert!(text.contains("lfe in parts"), "{text}");
        assert_eq!(message(in_cells(&settings, &problem, None, &mut Random(1))), text);
    }
    for (table, target) in [(&numbers, &one), (&numbers, &real), (&constant, &target)] {
        let problem = Problem::new(table, target).unwrap();
        let settings = direct(&[]);
        let whole = message(lfe().fit(table, Some(target), &settings, &run));
        assert_ne!(whole, "no error");
        assert_eq!(message(plan(&[("form", "direct")], &problem)), whole);
        assert_eq!(message(in_cells(&settings, &problem, None, &mut Random(1))), whole);
    }

    let turf = [Wrapper::parse("turf").unwrap()];
    let text = message(Rounds::new(lfe(), &direct(&[]), &turf, 5, &run));
    assert!(text.contains("learns a map, and wrappers rank features"), "{text}");
    let planned = plan(&[("form", "direct")], &problem).unwrap();
    let text = message(planned.clone().with_permutations(&problem, (9, Sided::One), 2));
    assert!(text.contains("which has no weights to test"), "{text}");
    let none = &mut std::iter::empty();
    let text = message(Rounds::once(&planned).after(&planned, &problem, none, &run));
    assert!(text.contains("learns a map and ranks nothing"), "{text}");
    let relieff = method("relieff").unwrap();
    let settings = relieff.settings::<&str, &str>(&[]).unwrap();
    let weights = Plan::new(relieff, &settings, &problem, 2, None, &run).unwrap();
    let text = message(weights.merge_map(&problem, &mut std::iter::empty(), &run));
    assert!(text.contains("relieff, which computes weights"), "{text}");
    assert!(message(PartedMethod::named("pca")).contains("learns a map"));
    assert_eq!(PartedMethod::named("lfe").unwrap().name(), "lfe");
}

/// Other data, missing, damaged, foreign and mixed up results.
#[test]
fn what_does_not_fit_together_is_refused() {
    let mut random = Random(9);
    let (first, target) = (table("numbers", 300, 200, 0.0), classes(300, 2));
    let problem = Problem::new(&first, &target).unwrap();
    let settings = direct(&[("scale", "range")]);
    let run = threads(1);
    let plan = Plan::new(lfe(), &settings, &problem, 3, Some(256), &run).unwrap();
    assert_eq!(plan.cut(Stage::Scatter).map(|cut| (cut.items(), cut.parts())), Some((10, 3)));
    assert_eq!(plan.cut(Stage::Sums), None);
    assert!(plan.makes_map());
    let results = results_of(&plan, &problem, &mut random).unwrap();
    let tiles = &results[&Stage::Scatter];
    let merged =
        |tiles: &[Vec<u8>]| plan.merge_map(&problem, &mut tiles.iter().cloned().map(Ok), &run);
    assert!(merged(tiles).is_ok());
    let text = message(merged(&tiles[..2]));
    assert!(text.contains("part 3 of stage scatter is missing"), "{text}");
    let swapped = [tiles[1].clone(), tiles[0].clone(), tiles[2].clone()];
    let text = message(merged(&swapped));
    assert!(text.contains("of another part than part 1 of stage scatter"), "{text}");
    for at in (0..tiles[0].len()).filter(|&at| at < 60 || random.next() < 1e-3) {
        let mut bytes = tiles[0].clone();
        bytes[at] ^= 1 << (at % 8);
        let text = message(merged(&[bytes, tiles[1].clone(), tiles[2].clone()]));
        assert!(text.contains("damaged") || text.contains("was written by"), "{at}: {text}");
        assert!(message(plan.check(Stage::Scatter, 0, &tiles[0][..at])).contains("damaged"));
    }
    // Another scale is another plan.
    let other = Plan::new(lfe(), &direct(&[]), &problem, 3, Some(256), &run).unwrap();
    let foreign = &results_of(&other, &problem, &mut random).unwrap()[&Stage::Scatter];
    let text = message(merged(&[foreign[0].clone(), tiles[1].clone(), tiles[2].clone()]));
    assert!(text.contains("another plan"), "{text}");

    let scatter = |table: &Table<'_>, target: &Target| {
        let problem = Problem::new(table, target).unwrap();
        let lists = results[&Stage::Lists].iter().cloned().map(Ok);
        plan.work(Stage::Scatter, 1, &problem, &mut { lists }, &run)
    };
    assert!(scatter(&first, &target).is_ok());
    let mut columns = first.clone().into_columns();
    let mut values = Vec::new();
    columns[150].copy_values(&mut values);
    values[7] += 0.25;
    columns[150] = Column::from_values("f150", values).unwrap();
    let text = message(scatter(&Table::new(columns).unwrap(), &target));
    assert!(text.contains("column `f150` is not what it was"), "{text}");
    let text = message(scatter(&first, &classes(300, 3)));
    assert!(text.contains("the target is not what it was"), "{text}");

    let text = String::from_utf8(plan.to_bytes()).unwrap();
    for (was, is) in [
        ("\"stage\":\"scatter\"", "\"stage\":\"sums\""),
        ("\"items\":10", "\"items\":9"),
        ("\"columns_together\":64", "\"columns_together\":60"),
        ("\"mean\":\"", "\"mean\":\"0"),
        ("\"units\":\"", "\"units\":\"0000000000000000"),
        ("\"origin\":{", "\"origins\":{"),
        ("\"method\":\"lfe\"", "\"method\":\"relieff\""),
        ("\"method\":\"lfe\"", "\"method\":\"klfe\""),
    ] {
        assert!(text.contains(was), "{was}: {text}");
        let changed = serde_json::from_str(&text.replacen(was, is, 1)).unwrap();
        let text = message(Plan::from_json(&changed));
        assert!(text.contains("its entries do not fit together"), "{was}: {text}");
    }
}

/// Cells of other rows, columns of other parts, and a plan of another draft.
#[test]
fn what_does_not_fit_a_draft_is_refused() {
    let mut random = Random(4);
    let (all, target) = (table("numbers", 300, 130, 0.0), classes(300, 2));
    let problem = Problem::new(&all, &target).unwrap();
    let run = threads(1);
    let (draft, plan, tiles) =
        tiles_of_cells(&direct(&[]), &problem, Some(256), &mut random).unwrap();
    assert_eq!(
        draft.pairs(&plan, Stage::Scatter, &run).unwrap(),
        [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)]
    );
    let none = || std::iter::empty::<Result<Vec<u8>>>();
    let columns =
        |columns: std::ops::Range<usize>| all.select_columns(&columns.collect::<Vec<_>>());
    let scatter = |table: &Table<'_>| {
        let problem = draft.problem_of_part(&plan, (Stage::Scatter, 1), table)?;
        plan.work(Stage::Scatter, 1, &problem, &mut none(), &run)
    };
    let text = message(scatter(&columns(0..64)));
    assert!(text.contains("there are 64 columns in place of 128"), "{text}");
    let text = message(scatter(&columns(1..129)));
    assert!(text.contains("column `f1` (numeric) came in place of `f0` (numeric)"), "{text}");
    let text = message(scatter(&columns(0..128)));
    assert!(text.contains("part 1 of stage lists is missing"), "{text}");
    let (other, other_plan, _) =
        tiles_of_cells(&direct(&[("scale", "range")]), &problem, Some(256), &mut random).unwrap();
    let merged = |draft: &Draft, plan: &Plan| {
        draft.merge_map(plan, &mut tiles.iter().cloned().map(Ok), &run)
    };
    assert!(merged(&draft, &plan).is_ok());
    assert!(message(merged(&other, &plan)).contains("the plan is of another fit"));
    assert!(message(merged(&other, &other_plan)).contains("another plan"));
    assert!(message(draft.merge_map(&plan, &mut none(), &run)).contains("part 1 of stage scatter"));
}
