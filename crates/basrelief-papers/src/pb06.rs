//! The experiment of Prat & Belanche 2006, sections 4 and 5: does ReliefF separate relevant from irrelevant attributes
//! better if the current weights are used in the distance?
//!
//! There are six generated problems, with every number n of relevant attributes from 1 to 50 and every number of
//! irrelevant ones from 1 to 2n, 10 data sets of 100 rows for each pair of numbers, and three methods on the same data
//! sets. Figure 7 shows the mean separability over the total number of attributes, and Figure 8 its cumulative sum. The
//! paper has no table; its conclusions from the figures are checked claim by claim.
//!
//! The paper leaves some details open. We use 10 neighbors (which it calls a good choice), p = 2 for ModuloP, two
//! classes for RDG1 and RandomRBF, 50 centers, and roots by row in NonMonotonic. A data set with a single class is
//! drawn again. A pair of numbers that never results in two classes (NonMonotonic with one relevant attribute) is
//! excluded.

mod claims;
mod results;

use basrelief::data::Classes;
use basrelief::data::synth::{Generated, GeneratorInfo, generator};
use basrelief::methods::options::N_NEIGHBORS;
use basrelief::methods::{MethodInfo, OptionInfo, OptionKind, Problem, Settings, method};
use basrelief::{Error, Result, Run, derived_seed};
use basrelief_report::Table;
use basrelief_report::figures::{Curve, Panel, curves};

use self::results::{
    Cell, DOUBLE, MAJORITY, METHODS, MODULO_P, NON_MONOTONIC, PROGRESSIVE, ProblemResults, RBF,
    RDG1_CATEGORICAL, RDG1_CONTINUOUS, RELIEFF, lead,
};
use crate::protocol::{ProtocolInfo, Results, Work, numbers_table};
use crate::statistics::Estimate;

static ROWS: OptionInfo = OptionInfo {
    name: "rows",
    flag: "rows",
    kind: OptionKind::Count { least: 2 },
    default: "100",
    help: "Number of rows of a data set",
};

static MOST_RELEVANT: OptionInfo = OptionInfo {
    name: "most_relevant",
    flag: "most-relevant",
    kind: OptionKind::Count { least: 2 },
    default: "50",
    help: "Largest number of relevant attributes",
};

static DATA_SETS: OptionInfo = OptionInfo {
    name: "data_sets",
    flag: "data-sets",
    kind: OptionKind::Count { least: 2 },
    default: "10",
    help: "Number of data sets for each pair of numbers of attributes",
};

static ROOT: OptionInfo = OptionInfo {
    name: "root",
    flag: "root",
    kind: OptionKind::Choice(&["rows", "columns"]),
    default: "rows",
    help: "NonMonotonic: use the root in every second row (as printed) or in every second column",
};

/// Registry entry.
pub(crate) static INFO: ProtocolInfo = ProtocolInfo {
    name: "pb06",
    aliases: &["pb06-fig7", "pb06-fig8"],
    purpose: "separability with irrelevant attributes: relieff, drelieff, pdrelieff",
    source: "Prat & Belanche 2006, sections 4 and 5, Figures 7 and 8",
    quick: "1 to 5, 10, 15, ... relevant attributes, and 1, n/2, n, 3n/2 and 2n irrelevant ones",
    options: &[&ROWS, &MOST_RELEVANT, &DATA_SETS, &N_NEIGHBORS, &ROOT],
    generates: true,
    adds: false,
    data: &[],
    run,
};

/// The problems in the order of the figures: the generator, and the name in the paper.
const PROBLEMS: [(&str, &str); 6] = [
    (RDG1_CONTINUOUS, "RDG1NamedContinuous"),
    (RBF, "RandomRBF"),
    (NON_MONOTONIC, "NonMonotonic"),
    (MAJORITY, "MajorityN"),
    (MODULO_P, "ModuloP"),
    (RDG1_CATEGORICAL, "RDG1NamedCategoric"),
];

/// The number of draws of a data set after which a problem is considered to have only one class.
const MOST_DRAWS: u64 = 100;

/// The constant parameters of the experiment.
struct Plan {
    methods: [(&'static MethodInfo, Settings); 3],
    rows: String,
    root: String,
    data_sets: u64,
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
    let cells = work.in_parallel(&units, |&(problem, pair)| plan.cell(problem, pair, run))?;
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

/// Returns the pairs of numbers of relevant and irrelevant attributes.
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
        if info.name == NON_MONOTONIC {
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
                    // The rest of this cell is not computed.
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

    /// Draws data sets until one has at least two classes. Returns it with its run and the number of draws before it;
    /// `None` after too many draws.
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
            *found = fitted.model.separability(&data.truth.relevant)?;
        }
        Ok(found)
    }
}

/// Computes the accumulated separability (Prat & Belanche 2006, eq. 5.2): at every point, the sum of the
/// separabilities up to it, in the given order (in the paper, by the total number of features).
///
/// A curve that ends higher has a larger mean separability.
///
/// # Errors
/// The list is empty.
fn accumulated_separability(separabilities: &[f64]) -> Result<Vec<f64>> {
    if separabilities.is_empty() {
        return Err(Error::data(
            "the list of separabilities is empty",
            "give the separability of at least one point",
        ));
    }
    let add = |sum: &mut f64, &value: &f64| {
        *sum += value;
        Some(*sum)
    };
    Ok(separabilities.iter().scan(0.0, add).collect())
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
    let title7 = "Separability of relevant and irrelevant attributes (PB06, Figure 7)";
    let title8 = "Accumulated separability (PB06, Figure 8)";
    Ok(Results {
        opening: opening(problems, settings, grid, quick)?,
        tables: vec![means(problems)],
        claims: claims::claims(problems),
        files: vec![
            ("figure7.csv", figure7),
            ("figure7.svg", curves(title7, 3, &panels7)?),
            ("figure8.csv", figure8),
            ("figure8.svg", curves(title8, 3, &panels8)?),
        ],
        ..Results::default()
    })
}

/// The description of the experiment.
fn opening(
    problems: &[ProblemResults],
    settings: &Settings,
    grid: &[(usize, usize)],
    quick: bool,
) -> Result<String> {
    let mut text = format!(
        "PB06: separability of relevant and irrelevant attributes by {}\n({})\n\n",
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
            "{}: {} pairs that result in only one class were excluded, {} data sets with one class were \
             drawn again.\n",
            problem.name, problem.left_out, problem.redrawn
        ));
    }
    text.push_str(
        "\nDifferences are paired over the data sets, with standard errors in brackets; * means more than\n\
         3 standard errors.\n",
    );
    Ok(text)
}

/// The table of means, and of the effect of feedback.
fn means(problems: &[ProblemResults]) -> Table {
    let row = |problem: &ProblemResults| {
        let mut cells = vec![problem.name.to_string()];
        for place in 0..METHODS.len() {
            cells.push(format!("{:+.4}", problem.mean(|triple| triple[place]).value));
        }
        for other in [DOUBLE, PROGRESSIVE] {
            cells.push(claims::shown(problem.mean(lead(other, RELIEFF))));
        }
        cells
    };
    let [first, second, third] = METHODS;
    let differences = [second, third].map(|method| format!("{method} - {first}"));
    let heads = ["problem", first, second, third, &differences[0], &differences[1]];
    let caption = "Mean separability over all numbers of attributes, and the effect of feedback";
    numbers_table(caption.to_string(), &heads, problems.iter().map(row).collect())
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
        // NonMonotonic has one class with one relevant attribute, and two classes with two.
        let place = PROBLEMS.iter().position(|problem| problem.0 == NON_MONOTONIC).unwrap();
        let none = plan.cell(place, (1, 1), &run).unwrap();
        assert_eq!((none.attributes, none.separabilities.len()), (2, 0));
        let some = plan.cell(place, (2, 1), &run).unwrap();
        assert_eq!(some.separabilities.len(), 3);
        let finite = some.separabilities.iter().flatten().all(|value| value.is_finite());
        assert!(finite && some.separabilities[0] != some.separabilities[1]);
    }
}
