//! The experiment of Prat & Belanche 2006, sections 4 and 5: does feedback of the estimates into
//! the distance help ReliefF to tell relevant from irrelevant attributes?
//!
//! Six generated problems; every number of relevant attributes n from 1 to 50 and of irrelevant
//! ones from 1 to 2n; 10 data sets of 100 rows for each pair; three methods on the same data sets.
//! Figure 7 shows the mean separability over the total number of attributes, Figure 8 its
//! accumulated sum. The paper has no table; what it concludes from the figures is checked claim by
//! claim.
//!
//! What the paper leaves open: 10 neighbours (it calls them a good choice), p = 2 for ModuloP, two
//! classes for RDG1 and RandomRBF, 50 centres, roots by row in NonMonotonic. A data set that has only one class is drawn again;
//! a pair of numbers that never gives two classes (NonMonotonic with one relevant attribute) is
//! left out.

mod claims;

use std::collections::BTreeMap;

use basrelief::data::Classes;
use basrelief::data::synth::{Generated, GeneratorInfo, generator};
use basrelief::maps::{accumulated_separability, separability};
use basrelief::methods::options::N_NEIGHBORS;
use basrelief::methods::{MethodInfo, OptionInfo, OptionKind, Problem, Settings, method};
use basrelief::{Result, Run, derived_seed};
use basrelief_report::figures::{Curve, Panel, curves};
use rayon::prelude::*;

use crate::registry::{ProtocolInfo, Results, Work};
use crate::statistics::Estimate;

static ROWS: OptionInfo = OptionInfo {
    name: "rows",
    flag: "rows",
    kind: OptionKind::Count { least: 2 },
    default: "100",
    help: "Rows of a data set",
};

static MOST_RELEVANT: OptionInfo = OptionInfo {
    name: "most_relevant",
    flag: "most-relevant",
    kind: OptionKind::Count { least: 2 },
    default: "50",
    help: "Greatest number of relevant attributes",
};

static DATA_SETS: OptionInfo = OptionInfo {
    name: "data_sets",
    flag: "data-sets",
    kind: OptionKind::Count { least: 2 },
    default: "10",
    help: "Data sets for each pair of numbers of attributes",
};

static ROOT: OptionInfo = OptionInfo {
    name: "root",
    flag: "root",
    kind: OptionKind::Choice(&["rows", "columns"]),
    default: "rows",
    help: "NonMonotonic: take the root in every second row (as printed) or in every second column",
};

/// Registry entry.
pub(crate) static INFO: ProtocolInfo = ProtocolInfo {
    name: "pb06",
    aliases: &["pb06-fig7", "pb06-fig8"],
    purpose: "separability under irrelevant attributes: relieff, drelieff, pdrelieff",
    source: "Prat & Belanche 2006, sections 4 and 5, Figures 7 and 8",
    quick: "1 to 5, 10, 15, ... relevant attributes, and 1, n/2, n, 3n/2 and 2n irrelevant ones",
    options: &[&ROWS, &MOST_RELEVANT, &DATA_SETS, &N_NEIGHBORS, &ROOT],
    generates: true,
    data: &[],
    run,
};

/// The problems in the order of the figures: generator and the paper's name.
const PROBLEMS: [(&str, &str); 6] = [
    ("rdg1-continuous", "RDG1NamedContinuous"),
    ("rbf", "RandomRBF"),
    ("non-monotonic", "NonMonotonic"),
    ("majority", "MajorityN"),
    ("modulo-p", "ModuloP"),
    ("rdg1-categorical", "RDG1NamedCategoric"),
];
/// The places of problems that claims are about.
const NUMERIC_WITH_ORDER: [usize; 2] = [0, 1];
const RBF: usize = 1;
const NON_MONOTONIC: usize = 2;
const MAJORITY: usize = 3;
const CATEGORICAL: [usize; 3] = [3, 4, 5];

/// The methods, and their places in every triple of results.
const METHODS: [&str; 3] = ["relieff", "drelieff", "pdrelieff"];
const RELIEFF: usize = 0;
const DOUBLE: usize = 1;
const PROGRESSIVE: usize = 2;

/// Draws of a data set after which a problem counts as having one class only.
const MOST_DRAWS: u64 = 100;

/// What does not change during the experiment.
struct Plan {
    methods: [(&'static MethodInfo, Settings); 3],
    rows: String,
    root: String,
    data_sets: u64,
}

/// The data sets of one problem with one pair of numbers of attributes.
struct Cell {
    attributes: usize,
    /// One triple per data set, in the order of [`METHODS`]; none if only one class is possible.
    separabilities: Vec<[f64; 3]>,
    /// Data sets of one class that were drawn again.
    redrawn: u64,
}

fn run(work: &Work<'_>) -> Result<Results> {
    let Work { settings, quick, run, .. } = *work;
    let neighbors = settings.count(&N_NEIGHBORS)?.to_string();
    let with_settings = |name: &str| -> Result<(&'static MethodInfo, Settings)> {
        let info = method(name)?;
        Ok((info, info.settings(&[(N_NEIGHBORS.name, &neighbors)])?))
    };
    let [first, second, third] = METHODS.map(with_settings);
    let plan = Plan {
        methods: [first?, second?, third?],
        rows: settings.count(&ROWS)?.to_string(),
        root: settings.text(&ROOT)?.to_string(),
        data_sets: settings.count(&DATA_SETS)? as u64,
    };
    let grid = grid(settings.count(&MOST_RELEVANT)?, quick);
    let units: Vec<(usize, (usize, usize))> = (0..PROBLEMS.len())
        .flat_map(|problem| grid.iter().map(move |&pair| (problem, pair)))
        .collect();

    run.progress().start("data sets", units.len() as u64 * plan.data_sets);
    let cells: Vec<Cell> = run.install(|| {
        let measured = |&(problem, pair): &(usize, (usize, usize))| plan.cell(problem, pair, run);
        units.par_iter().with_max_len(1).map(measured).collect::<Result<_>>()
    })?;
    run.progress().finish();

    let mut cells = cells.into_iter();
    let problems: Vec<ProblemResults> = PROBLEMS
        .iter()
        .map(|&(name, title)| {
            let cells: Vec<Cell> = cells.by_ref().take(grid.len()).collect();
            ProblemResults::new(name, title, cells)
        })
        .collect();
    results(&problems, settings, &grid, quick)
}

/// Pairs of numbers of relevant and irrelevant attributes.
fn grid(most_relevant: usize, quick: bool) -> Vec<(usize, usize)> {
    let kept = |relevant: &usize| !quick || *relevant <= 5 || relevant.is_multiple_of(5);
    (1..=most_relevant)
        .filter(kept)
        .flat_map(|relevant| {
            let is_kept = move |irrelevant: &usize| {
                let quarters = (1..=4).map(|quarter| (2 * relevant * quarter).div_ceil(4));
                !quick || *irrelevant == 1 || quarters.into_iter().any(|n| n == *irrelevant)
            };
            (1..=2 * relevant).filter(is_kept).map(move |irrelevant| (relevant, irrelevant))
        })
        .collect()
}

impl Plan {
    fn cell(&self, problem: usize, pair: (usize, usize), run: &Run) -> Result<Cell> {
        let (relevant, irrelevant) = pair;
        let info = generator(PROBLEMS[problem].0)?;
        let (relevant_text, irrelevant_text) = (relevant.to_string(), irrelevant.to_string());
        let mut given = vec![
            ("rows", &self.rows),
            ("relevant", &relevant_text),
            ("irrelevant", &irrelevant_text),
        ];
        if problem == NON_MONOTONIC {
            given.push((ROOT.name, &self.root));
        }
        let settings = info.settings(&given)?;
        let mut cell = Cell {
            attributes: relevant + irrelevant,
            separabilities: Vec::with_capacity(self.data_sets as usize),
            redrawn: 0,
        };
        for data_set in 0..self.data_sets {
            let place = [problem as u64, relevant as u64, irrelevant as u64, data_set];
            match self.data_set(info, &settings, &place, run)? {
                None => {
                    // What is left of this cell is not computed.
                    run.progress().advance(self.data_sets - data_set);
                    cell.separabilities.clear();
                    break;
                }
                Some((data, part, redrawn)) => {
                    cell.redrawn += redrawn;
                    cell.separabilities.push(self.separabilities(&data, &part)?);
                    run.progress().advance(1);
                }
            }
        }
        Ok(cell)
    }

    /// A data set of two classes or more, the run it was drawn in, and how many were drawn before
    /// it; `None` if there seems to be none.
    fn data_set(
        &self,
        info: &GeneratorInfo,
        settings: &Settings,
        place: &[u64],
        run: &Run,
    ) -> Result<Option<(Generated, Run, u64)>> {
        let seed = derived_seed(run.seed(), place);
        for draw in 0..MOST_DRAWS {
            run.check()?;
            let part = run.part(derived_seed(seed, &[draw]));
            let data = info.generate(settings, &part)?;
            if data.target.classes(info.name).map(Classes::len)? > 1 {
                return Ok(Some((data, part, draw)));
            }
        }
        Ok(None)
    }

    fn separabilities(&self, data: &Generated, run: &Run) -> Result<[f64; 3]> {
        let problem = Problem::new(&data.table, &data.target)?;
        let mut found = [0.0; 3];
        for (found, (method, settings)) in found.iter_mut().zip(&self.methods) {
            let fitted = method.fit(&problem, settings, run)?;
            *found = separability(&fitted.map, &data.truth.relevant)?;
        }
        Ok(found)
    }
}

/// One problem's data sets by the total number of attributes.
struct ProblemResults {
    name: &'static str,
    title: &'static str,
    by_total: BTreeMap<usize, Vec<Vec<[f64; 3]>>>,
    left_out: usize,
    redrawn: u64,
}

impl ProblemResults {
    fn new(name: &'static str, title: &'static str, cells: Vec<Cell>) -> Self {
        let mut all = Self { name, title, by_total: BTreeMap::new(), left_out: 0, redrawn: 0 };
        for cell in cells {
            all.redrawn += cell.redrawn;
            if cell.separabilities.is_empty() {
                all.left_out += 1;
            } else {
                all.by_total.entry(cell.attributes).or_default().push(cell.separabilities);
            }
        }
        all
    }

    /// At every total number of attributes the mean of what `of` makes of a data set's triple:
    /// over the data sets of a pair of numbers, then over the pairs.
    fn curve(&self, of: impl Fn(&[f64; 3]) -> f64) -> Vec<(usize, Estimate)> {
        self.by_total
            .iter()
            .map(|(&total, pairs)| {
                let means: Vec<Estimate> = pairs
                    .iter()
                    .map(|triples| {
                        Estimate::of_draws(&triples.iter().map(&of).collect::<Vec<f64>>())
                    })
                    .collect();
                (total, Estimate::mean(&means))
            })
            .collect()
    }

    /// The mean of a curve.
    fn mean(&self, of: impl Fn(&[f64; 3]) -> f64) -> Estimate {
        Estimate::mean(&self.curve(of).into_iter().map(|(_, mean)| mean).collect::<Vec<_>>())
    }

    /// The means of a curve over few attributes (up to a third of the most) and over many.
    fn few_and_many(&self, of: impl Fn(&[f64; 3]) -> f64) -> [Estimate; 2] {
        let bound = self.few();
        let (few, many): (Vec<_>, Vec<_>) =
            self.curve(of).into_iter().partition(|(total, _)| *total <= bound);
        [few, many]
            .map(|part| Estimate::mean(&part.into_iter().map(|(_, mean)| mean).collect::<Vec<_>>()))
    }

    /// The most attributes that count as few: a third of the most there are, but at least the
    /// least.
    fn few(&self) -> usize {
        let (least, most) = (self.by_total.keys().next(), self.by_total.keys().next_back());
        (most.copied().unwrap_or(0) / 3).max(least.copied().unwrap_or(0))
    }
}

/// The mean of `a` less `b`, paired over the data sets.
fn lead(a: usize, b: usize) -> impl Fn(&[f64; 3]) -> f64 {
    move |triple| triple[a] - triple[b]
}

fn results(
    problems: &[ProblemResults],
    settings: &Settings,
    grid: &[(usize, usize)],
    quick: bool,
) -> Result<Results> {
    let mut figure7 =
        String::from("problem,attributes,method,separability,standard_error,pairs,data_sets\n");
    let mut figure8 = String::from("problem,attributes,method,accumulated_separability\n");
    let (mut panels7, mut panels8) = (Vec::new(), Vec::new());
    for problem in problems {
        let panel = |y_label: &str| Panel {
            title: problem.title.to_string(),
            x_label: "attributes (relevant and irrelevant)".to_string(),
            y_label: y_label.to_string(),
            curves: Vec::new(),
        };
        let mut panel7 = panel("separability");
        let mut panel8 = panel("accumulated separability");
        for (place, method) in METHODS.iter().enumerate() {
            let curve = problem.curve(|triple| triple[place]);
            let values: Vec<f64> = curve.iter().map(|(_, mean)| mean.value).collect();
            let accumulated = accumulated_separability(&values)?;
            let mut points = (Vec::new(), Vec::new());
            for ((total, mean), sum) in curve.iter().zip(accumulated) {
                let pairs = &problem.by_total[total];
                let data_sets: usize = pairs.iter().map(Vec::len).sum();
                let start = format!("{},{total},{method}", problem.name);
                let Estimate { value, error } = mean;
                figure7.push_str(&format!("{start},{value},{error},{},{data_sets}\n", pairs.len()));
                figure8.push_str(&format!("{start},{sum}\n"));
                points.0.push((*total as f64, *value));
                points.1.push((*total as f64, sum));
            }
            let name = method.to_string();
            panel7.curves.push(Curve { name: name.clone(), points: points.0 });
            panel8.curves.push(Curve { name, points: points.1 });
        }
        panels7.push(panel7);
        panels8.push(panel8);
    }
    let title7 = "Separability of relevant from irrelevant attributes (PB06, Figure 7)";
    let title8 = "Accumulated separability (PB06, Figure 8)";
    Ok(Results {
        summary: summary(problems, settings, grid, quick)?,
        files: vec![
            ("figure7.csv", figure7),
            ("figure7.svg", curves(title7, 3, &panels7)?),
            ("figure8.csv", figure8),
            ("figure8.svg", curves(title8, 3, &panels8)?),
        ],
    })
}

/// What was done, the means, and the paper's claims one by one.
fn summary(
    problems: &[ProblemResults],
    settings: &Settings,
    grid: &[(usize, usize)],
    quick: bool,
) -> Result<String> {
    let mut text = format!(
        "PB06: separability of relevant from irrelevant attributes by {}\n({})\n\n",
        METHODS.join(", "),
        INFO.source
    );
    text.push_str(&format!(
        "{} rows, 1 to {} relevant attributes, 1 to 2n irrelevant ones: {} pairs, {} data sets \
         each.\n",
        settings.count(&ROWS)?,
        settings.count(&MOST_RELEVANT)?,
        grid.len(),
        settings.count(&DATA_SETS)?
    ));
    if quick {
        text.push_str(&format!("Quick form, a thinned grid: {}.\n", INFO.quick));
    }
    for problem in problems.iter().filter(|problem| problem.left_out + problem.redrawn as usize > 0)
    {
        text.push_str(&format!(
            "{}: {} pairs that give one class only were left out, {} data sets of one class drawn \
             again.\n",
            problem.name, problem.left_out, problem.redrawn
        ));
    }
    text.push_str(
        "\nMean separability over all numbers of attributes, and what feedback changes (paired \
         over\nthe data sets; in brackets the standard error; * is more than chance: beyond 3 \
         standard\nerrors):\n\n",
    );
    text.push_str(&format!(
        "{:<16}  {:>8}  {:>8}  {:>9}  {:<19}  pdrelieff - relieff\n",
        "problem", METHODS[0], METHODS[1], METHODS[2], "drelieff - relieff"
    ));
    for problem in problems {
        let [first, second, third] =
            [0, 1, 2].map(|place| problem.mean(|triple| triple[place]).value);
        text.push_str(&format!(
            "{:<16}  {first:>+8.4}  {second:>+8.4}  {third:>+9.4}  {:<19}  {}\n",
            problem.name,
            claims::shown(problem.mean(lead(DOUBLE, RELIEFF))),
            claims::shown(problem.mean(lead(PROGRESSIVE, RELIEFF))),
        ));
    }
    text.push_str("\nWhat the paper concludes, and whether it holds here:\n\n");
    text.push_str(&claims::text(problems));
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_is_the_papers() {
        let all = grid(50, false);
        // 3 methods and 10 data sets: the 76,500 runs per problem of the paper.
        assert_eq!(all.len() * 3 * 10, 76_500);
        assert_eq!(all[..4], [(1, 1), (1, 2), (2, 1), (2, 2)]);
        let quick = grid(50, true);
        assert!(quick.iter().all(|pair| all.contains(pair)));
        assert_eq!(quick[..6], [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (2, 4)]);
        assert_eq!(quick[quick.len() - 5..], [(50, 1), (50, 25), (50, 50), (50, 75), (50, 100)]);
    }

    /// Two pairs of 3 attributes with two data sets each, one pair of 4; first method only.
    fn by_hand() -> ProblemResults {
        let cell = |attributes, values: [f64; 2]| Cell {
            attributes,
            separabilities: values.map(|value| [value, 0.0, 0.0]).to_vec(),
            redrawn: 1,
        };
        let nothing = Cell { attributes: 2, separabilities: Vec::new(), redrawn: 0 };
        let cells = vec![nothing, cell(3, [0.0, 1.0]), cell(4, [0.5, 0.5]), cell(3, [0.25, 0.75])];
        ProblemResults::new("name", "title", cells)
    }

    #[test]
    fn means_are_over_data_sets_then_pairs_then_numbers_of_attributes() {
        let problem = by_hand();
        assert_eq!((problem.left_out, problem.redrawn), (1, 3));
        let curve = problem.curve(|triple| 2.0 * triple[0]);
        assert_eq!(curve.len(), 2);
        let (total, mean) = curve[0];
        assert_eq!((total, mean.value), (3, 1.0));
        // Twice 0, 1 and 0.25, 0.75: errors 1 and 1/2; their root of squares, halved.
        assert!((mean.error - 1.25f64.sqrt() / 2.0).abs() < 1e-15, "{}", mean.error);
        assert_eq!(curve[1], (4, Estimate { value: 1.0, error: 0.0 }));
        assert_eq!(problem.mean(|triple| triple[0]).value, 0.5);
        let [few, many] = problem.few_and_many(|triple| triple[0]);
        assert_eq!((few.value, many.error), (0.5, 0.0));
    }

    #[test]
    fn data_sets_have_two_classes_or_do_not_count() {
        let plan = Plan {
            methods: METHODS.map(|name| {
                let info = method(name).unwrap();
                (info, info.settings::<&str, &str>(&[]).unwrap())
            }),
            rows: "30".to_string(),
            root: ROOT.default.to_string(),
            data_sets: 3,
        };
        let run = Run::new(Some(1)).unwrap();
        // One relevant attribute makes one class of NonMonotonic, two make two.
        let none = plan.cell(NON_MONOTONIC, (1, 1), &run).unwrap();
        assert_eq!((none.attributes, none.separabilities.len()), (2, 0));
        let some = plan.cell(NON_MONOTONIC, (2, 1), &run).unwrap();
        assert_eq!(some.separabilities.len(), 3);
        let finite = some.separabilities.iter().flatten().all(|value| value.is_finite());
        assert!(finite && some.separabilities[0] != some.separabilities[1]);
    }
}
