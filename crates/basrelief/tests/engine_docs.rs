//! The tables of `docs/engine` say which routes the planner takes for data of every kind.
//!
//! `UPDATE_DOCS=1 cargo test -p basrelief --test engine_docs` writes the tables; without `UPDATE_DOCS` the
//! tests fail where a table is not what the planner does.

use std::path::Path;

use basrelief::Run;
use basrelief::data::{Categories, Column, Table};
use basrelief::margins::{SumPlan, margin_sums, row_means};
use basrelief::neighbors::{
    Grouping, MissingPolicy, NearestOptions, NeighborWeights, Neighborhoods, PairSource,
    RadiusNeighbors, RadiusRule, Ramp, SearchPlan, Space, SpaceOptions, Ties,
};

/// What the values of a column are.
#[derive(Clone, Copy)]
enum Kind {
    /// Numbers on no common grid.
    Numbers,
    /// Numbers whose rows are the same again and again.
    Repeated,
    /// Whole numbers.
    Integers,
    Genotypes,
    /// Categories of so many values.
    Categories(usize),
}

use Kind::{Genotypes, Integers, Numbers as Continuous, Repeated};

/// A table, and how neighbors are sought in it.
struct Case {
    /// What the table of the documentation calls it.
    data: &'static str,
    rows: usize,
    /// Columns of every kind.
    columns: Vec<(Kind, usize)>,
    /// Whether every column misses some values.
    has_missing: bool,
    options: SpaceOptions,
    /// Rows whose neighbors are sought, if not all.
    sampled: Option<usize>,
    weights: NeighborWeights,
}

impl Case {
    fn new(data: &'static str, rows: usize, columns: &[(Kind, usize)]) -> Self {
        Self {
            data,
            rows,
            columns: columns.to_vec(),
            has_missing: false,
            options: SpaceOptions::default(),
            sampled: None,
            weights: NeighborWeights::Uniform,
        }
    }

    fn missing(mut self) -> Self {
        self.has_missing = true;
        self
    }

    fn ignoring(mut self) -> Self {
        self.options.missing = MissingPolicy::Ignore;
        self.missing()
    }

    fn euclidean(mut self) -> Self {
        self.options.metric = basrelief::neighbors::Metric::Euclidean;
        self
    }

    fn ramp(mut self) -> Self {
        self.options.ramp = Ramp::new(0.05, 0.1);
        self
    }

    fn ranked(mut self) -> Self {
        self.weights = NeighborWeights::Rank { sigma: NeighborWeights::DEFAULT_SIGMA };
        self
    }

    fn sampled(mut self, rows: usize) -> Self {
        self.sampled = Some(rows);
        self
    }

    /// The table; values follow from the places alone.
    fn table(&self) -> Table<'static> {
        let kinds = self.columns.iter().flat_map(|&(kind, count)| (0..count).map(move |_| kind));
        let columns = kinds.enumerate().map(|(feature, kind)| self.column(feature, kind));
        Table::new(columns.collect()).expect("columns of one length")
    }

    fn column(&self, feature: usize, kind: Kind) -> Column<'static> {
        // Parts of a circle, well spread and with nothing in common.
        let part = |row: usize| {
            ((row + 1) as f64 * (0.618_033_988 + 0.414_213_562 * (feature + 1) as f64)).fract()
        };
        let is_missing =
            |row: usize| self.has_missing && (row * 7 + feature * 3).is_multiple_of(23);
        let number = |row: usize| match kind {
            Repeated => part(row % 5),
            Integers => (part(row) * 9.0).floor(),
            _ => part(row) * part(row),
        };
        let code = |row: usize, levels: usize| (part(row) * levels as f64) as usize;
        let name = format!("f{feature}");
        match kind {
            Continuous | Repeated | Integers => {
                let value = |row| if is_missing(row) { f64::NAN } else { number(row) };
                let values: Vec<f64> = (0..self.rows).map(value).collect();
                Column::from_values(name, values).expect("numbers")
            }
            Genotypes => {
                let copies = |row| if is_missing(row) { 3 } else { code(row, 3) as u8 };
                let copies: Vec<u8> = (0..self.rows).map(copies).collect();
                Column::genotype(name, copies.into()).expect("genotypes")
            }
            Kind::Categories(levels) => {
                let texts: Vec<Option<String>> = (0..self.rows)
                    .map(|row| (!is_missing(row)).then(|| format!("{}", code(row, levels))))
                    .collect();
                let texts = texts.iter().map(|text| text.as_deref());
                Column::categorical(name, Categories::from_texts(texts))
            }
        }
    }

    /// Calls `with` with the space, the rows whose neighbors are sought, and all rows' classes, of which there
    /// are two.
    fn search<T>(&self, with: impl FnOnce(&Space<'_>, &[u32], &[u32], &Run) -> T) -> T {
        let run = Run::new(Some(2)).expect("a run");
        let table = self.table();
        let codes: Vec<u32> = (0..self.rows as u32).map(|row| row % 2).collect();
        let space = Space::new(&table, Some((&codes, 2)), self.options, &run).expect("a space");
        let sampled: Vec<u32> = (0..self.sampled.unwrap_or(self.rows) as u32).collect();
        with(&space, &sampled, &codes, &run)
    }

    fn nearest<'s, 'c>(
        &self,
        space: &'s Space<'s>,
        sampled: &[u32],
        codes: &'c [u32],
        run: &Run,
    ) -> Neighborhoods<'s, 'c> {
        let options = NearestOptions { k: 10, ties: Ties::Share, weights: self.weights };
        let grouping = Grouping::HitMiss(codes);
        Neighborhoods::find(space, sampled, grouping, options, run).expect("neighbors")
    }

    fn radius<'s, 'c>(
        &self,
        rule: RadiusRule,
        space: &'s Space<'s>,
        sampled: &[u32],
        codes: &'c [u32],
        run: &Run,
    ) -> RadiusNeighbors<'s, 'c> {
        let grouping = Grouping::HitMiss(codes);
        RadiusNeighbors::new(space, sampled, grouping, rule, false, run).expect("neighbors")
    }

    fn name(&self) -> String {
        let width: usize = self.columns.iter().map(|(_, count)| count).sum();
        format!("{}: {} x {width}", self.data, self.rows)
    }
}

/// Tables small enough to be searched here, of every kind that the planner tells apart.
fn cases() -> Vec<Case> {
    let few = Kind::Categories(3);
    let many = Kind::Categories(12);
    let mixed = [(Continuous, 10), (Genotypes, 10), (many, 10)];
    vec![
        Case::new("numbers", 300, &[(Continuous, 40)]),
        Case::new("whole numbers", 300, &[(Integers, 40)]),
        Case::new("numbers, some missing", 300, &[(Continuous, 40)]).missing(),
        Case::new("numbers, some missing, `ignore`", 300, &[(Continuous, 40)]).ignoring(),
        Case::new("numbers, a ramp", 300, &[(Continuous, 40)]).ramp(),
        Case::new("numbers, Euclidean", 300, &[(Continuous, 40)]).euclidean(),
        Case::new("numbers, weights by rank", 300, &[(Continuous, 40)]).ranked(),
        Case::new("numbers, 50 rows sampled", 300, &[(Continuous, 40)]).sampled(50),
        Case::new("numbers, many rows equal", 1000, &[(Repeated, 40)]),
        Case::new("numbers, many rows", 4200, &[(Continuous, 10)]),
        Case::new("numbers, few columns", 2000, &[(Continuous, 3)]),
        Case::new("numbers, few columns, few rows", 300, &[(Continuous, 3)]),
        Case::new("numbers, more columns", 2000, &[(Continuous, 6)]),
        Case::new("genotypes", 300, &[(Genotypes, 100)]),
        Case::new("genotypes, some missing", 300, &[(Genotypes, 100)]).missing(),
        Case::new("genotypes, some missing, weights by rank", 300, &[(Genotypes, 100)])
            .missing()
            .ranked(),
        Case::new("genotypes, some missing, `ignore`", 300, &[(Genotypes, 100)]).ignoring(),
        Case::new("genotypes, many rows", 4200, &[(Genotypes, 100)]),
        Case::new("categories of 3 values", 300, &[(few, 100)]),
        Case::new("categories of 3 values, some missing", 300, &[(few, 100)]).missing(),
        Case::new("categories of 12 values", 300, &[(many, 100)]),
        Case::new("categories of 12 values, some missing", 300, &[(many, 100)]).missing(),
        Case::new("mixed", 300, &mixed),
        Case::new("mixed, some missing", 300, &mixed).missing(),
    ]
}

/// A row of a table in Markdown.
fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

fn table(header: &[&str], rows: Vec<Vec<String>>) -> String {
    let header: Vec<String> = header.iter().map(|cell| (*cell).to_string()).collect();
    let line: Vec<String> = header.iter().map(|_| "---".to_string()).collect();
    let mut text = row(&header) + &row(&line).replace(" --- ", "---");
    rows.iter().for_each(|cells| text += &row(cells));
    text
}

/// Compares the table of a page with what it should be, or writes it.
fn settle(page: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/engine").join(page);
    let text = std::fs::read_to_string(&path).expect("a page of docs/engine");
    let (start, end) = ("<!-- tests/engine_docs.rs -->\n", "<!-- end -->\n");
    let (before, rest) = text.split_once(start).expect("a place for the table");
    let (found, after) = rest.split_once(end).expect("the place for the table has an end");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, format!("{before}{start}{expected}{end}{after}")).expect("written");
        return;
    }
    let differ = found.lines().zip(expected.lines()).find(|(found, wanted)| found != wanted);
    assert!(
        found == expected,
        "the table of docs/engine/{page} is old, first here, found and wanted: {differ:?}\n\
         UPDATE_DOCS=1 cargo test -p basrelief --test engine_docs mends it"
    );
}

/// What became of a route.
fn taken(plan: &SearchPlan) -> String {
    match &plan.fallback {
        Some(why) => format!("exact distances ({why})"),
        None => plan.route.to_string(),
    }
}

/// Two cells as one, with the name of each where they differ.
fn joined([first, second]: [(&str, String); 2]) -> String {
    match first.1 == second.1 {
        true => first.1,
        false => format!("{}: {}<br>{}: {}", first.0, first.1, second.0, second.1),
    }
}

/// What rules out a route whatever the data are, of one radius of all rows and of one per row; the page
/// says it before the table.
const WHATEVER_THE_DATA: [&str; 2] = [
    "27-bit distances: the radius is one of all pairs",
    "15-bit distances: a radius follows from distances",
];

#[test]
fn the_search_is_documented() {
    let (mut rows, mut left_out) = (Vec::new(), [0; 2]);
    for case in cases() {
        rows.push(case.search(|space, sampled, codes, run| {
            let nearest = case.nearest(space, sampled, codes, run).plan().clone();
            let radius = |rule| case.radius(rule, space, sampled, codes, run).plan().clone();
            let [one, own] = [RadiusRule::SURF, RadiusRule::MULTISURF].map(radius);
            let mut reasons = nearest.not_used.clone();
            for why in one.not_used.iter().chain(&own.not_used) {
                let of_radius = format!("*radius*, {why}");
                if let Some(at) = WHATEVER_THE_DATA.iter().position(|known| known == why) {
                    left_out[at] += 1;
                } else if !reasons.contains(why) && !reasons.contains(&of_radius) {
                    reasons.push(of_radius);
                }
            }
            let within = joined([("one of all", taken(&one)), ("one per row", taken(&own))]);
            let why = if reasons.is_empty() { "–".into() } else { reasons.join("<br>") };
            vec![case.name(), taken(&nearest), within, why]
        }));
    }
    assert!(left_out.iter().all(|count| *count > 0), "the planner says it in other words");
    let header = ["data", "k nearest", "within a radius", "why not the faster"];
    settle("search.md", &table(&header, rows));
}

/// How the differences of the columns are added up.
fn differences(plan: &SumPlan) -> String {
    let ways =
        [(plan.counted, "counted as bits"), (plan.weighed, "weighed"), (plan.apart, "one by one")];
    counts(&ways)
}

/// Names with their counts, which are left out where there is one.
fn counts(ways: &[(usize, &str)]) -> String {
    let ways: Vec<_> = ways.iter().filter(|(count, _)| *count > 0).collect();
    match ways[..] {
        [] => "–".to_string(),
        [(_, name)] => (*name).to_string(),
        _ => {
            let with_count = |(count, name): &&(usize, &str)| format!("{count} {name}");
            ways.iter().map(with_count).collect::<Vec<_>>().join(", ")
        }
    }
}

fn sums(plan: &SumPlan) -> [String; 3] {
    let corrected =
        [(plan.corrected_by_bits, "counts of bits"), (plan.looked_up, "looked up in tables")];
    let pairs = if plan.undirected { "once for both directions" } else { "row by row" };
    [differences(plan), counts(&corrected), pairs.to_string()]
}

#[test]
fn the_sums_are_documented() {
    let weigh =
        |_: u32, group: usize, _: u32, weight: f64| [if group == 0 { -weight } else { weight }];
    let plan_of = |space: &Space<'_>, source: &dyn PairSource, run: &Run| {
        sums(&margin_sums(space, source, weigh, run).expect("sums").plan)
    };
    let mut rows = Vec::new();
    let many_rows = Case::new("genotypes, some missing, 50 rows sampled", 8200, &[(Genotypes, 20)]);
    for case in cases().into_iter().chain([many_rows.missing().sampled(50)]) {
        case.search(|space, sampled, codes, run| {
            let nearest = plan_of(space, &case.nearest(space, sampled, codes, run), run);
            // Weights by rank are of nearest rows alone.
            let radius = match case.weights {
                NeighborWeights::Uniform => {
                    let rule = RadiusRule::MULTISURF;
                    plan_of(space, &case.radius(rule, space, sampled, codes, run), run)
                }
                NeighborWeights::Rank { .. } => nearest.clone(),
            };
            let both = nearest.into_iter().zip(radius);
            let cells = both.map(|(a, b)| joined([("nearest", a), ("radius", b)]));
            rows.push([case.name()].into_iter().chain(cells).collect());
        });
    }
    let case = Case::new("numbers, the mean of every row's pairs", 300, &[(Continuous, 40)]);
    case.search(|space, sampled, codes, run| {
        let nearest = case.nearest(space, sampled, codes, run);
        let of_means = row_means(space, &nearest, &[], weigh, run).expect("sums");
        rows.push([case.name()].into_iter().chain(sums(&of_means.plan)).collect());
    });
    let header = ["data", "differences", "missing values", "pairs"];
    settle("sums.md", &table(&header, rows));
}
