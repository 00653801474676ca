//! The experiments of Wang, Fan, Li & Wu 2011, section 5: does LFE in a kernel's feature space (KLFE) find better
//! features for nearest-neighbor classification than other kernel methods, and features as good as those of LFE if
//! linear features suffice?
//!
//! The paper shows its errors only in figures. Its claims about them are checked one by one. In every run, 10-fold
//! cross-validation within the training rows chooses the parameters of a method, together with a number of features.
//! The error with these parameters is reported for every number of features. All methods use the paper's kernel, of
//! width 1. The kernel decreases with the distance, so the nearest neighbor in its feature space (KKNN) is the nearest
//! neighbor.
//!
//! The paper leaves some details open: the normalization of the data (here features are in standard deviations, and
//! rows of digits have length 1; see `--units`), the sizes and the distribution of the generated data (here those of
//! our generators), and the splits of the digits in several runs (here the split of the paper first, then random
//! splits of the same sizes).

use std::f64::consts::PI;
use std::fmt::Write;

use basrelief::data::synth::generator;
use basrelief::data::{Classes, Column, Split, Table, partition};
use basrelief::evaluate::{Cell, Dimensions, KnnSettings, NestedCv, ParameterGrid, compare};
use basrelief::methods::{OptionInfo, OptionKind, Scaling};
use basrelief::neighbors::Metric;
use basrelief::{Error, Result, Run, derived_seed};
use basrelief_report::figures::curves;

use crate::claims::{Claim, Finding, Verdict};
use crate::curves::{Measure, MethodCurve, SetCurves};
use crate::data::{Data, DataSet, PIMA, RINGNORM, USPS};
use crate::protocol::{ProtocolInfo, Results, Work, numbers_table};
use crate::statistics::mean;

static RUNS: OptionInfo = OptionInfo {
    name: "runs",
    flag: "runs",
    kind: OptionKind::Count { least: 1 },
    default: "10",
    help: "Number of runs, each with different data",
};

static RHO: OptionInfo = OptionInfo {
    name: "rho",
    flag: "rho",
    kind: OptionKind::Positive,
    default: "1",
    help: "Width of the kernel exp(-||a - b||^2 / (2 rho^2))",
};

static UNITS: OptionInfo = OptionInfo {
    name: "units",
    flag: "units",
    kind: OptionKind::Choice(&["range", "standard", "length", "none"]),
    default: "standard",
    help: "Normalization: features divided by their range or standard deviation, rows of length 1, or \
           none",
};

static UNITS_OF_DIGITS: OptionInfo = OptionInfo { default: "length", ..UNITS };

static DISTANCE: OptionInfo = OptionInfo {
    name: "distance",
    flag: "distance",
    kind: OptionKind::Positive,
    default: "1",
    help: "Distance D of the two sine surfaces, which also determines their noise",
};

static TRAIN: OptionInfo = OptionInfo {
    name: "train",
    flag: "train",
    kind: OptionKind::Count { least: 20 },
    default: "400",
    help: "Number of training rows",
};

static FEW_TO_TRAIN: OptionInfo = OptionInfo { default: "100", ..TRAIN };

static TEST: OptionInfo = OptionInfo {
    name: "test",
    flag: "test",
    kind: OptionKind::Count { least: 1 },
    default: "1000",
    help: "Number of test rows",
};

static FEATURES: OptionInfo = OptionInfo {
    name: "features",
    flag: "features",
    kind: OptionKind::Count { least: 3 },
    default: "10",
    help: "Number of features into which the three coordinates are mixed",
};

/// Figure 5.
pub(crate) static FIGURE5: ProtocolInfo = ProtocolInfo {
    name: "w11-fig5",
    aliases: &[],
    purpose: "twin sine: KLFE versus GDA, FSKPCA, KPCA and kernel k-NN",
    source: "Wang, Fan, Li & Wu 2011, section 5.2, Figure 5",
    quick: "2 runs, 3-fold cross-validation",
    options: &[&RUNS, &RHO, &UNITS, &TRAIN, &TEST, &FEATURES, &DISTANCE],
    generates: true,
    adds: false,
    data: &[],
    run: |work| figure(work, 5),
};

/// Figure 6.
pub(crate) static FIGURE6: ProtocolInfo = ProtocolInfo {
    name: "w11-fig6",
    aliases: &[],
    purpose: "Swiss roll: KLFE versus LFE and PCA",
    source: "Wang, Fan, Li & Wu 2011, section 5.2, Figure 6",
    quick: "2 runs, 3-fold cross-validation",
    options: &[&RUNS, &RHO, &UNITS, &FEW_TO_TRAIN, &TEST, &FEATURES],
    generates: true,
    adds: false,
    data: &[],
    run: |work| figure(work, 6),
};

/// Figure 7.
pub(crate) static FIGURE7: ProtocolInfo = ProtocolInfo {
    name: "w11-fig7",
    aliases: &[],
    purpose: "diabetes and ringnorm: KLFE versus GDA, FSKPCA, KPCA and kernel k-NN",
    source: "Wang, Fan, Li & Wu 2011, section 5.3, Figure 7",
    quick: "2 runs, 3-fold cross-validation",
    options: &[&RUNS, &RHO, &UNITS],
    generates: false,
    adds: false,
    data: &[&PIMA, &RINGNORM],
    run: |work| figure(work, 7),
};

/// Figure 8.
pub(crate) static FIGURE8: ProtocolInfo = ProtocolInfo {
    name: "w11-fig8",
    aliases: &[],
    purpose: "USPS digits 3 and 5: KLFE versus LFE and PCA",
    source: "Wang, Fan, Li & Wu 2011, section 5.3, Figure 8",
    quick: "2 runs, 3-fold cross-validation",
    options: &[&RUNS, &RHO, &UNITS_OF_DIGITS],
    generates: false,
    adds: false,
    data: &[&USPS],
    run: |work| figure(work, 8),
};

/// The tested numbers of features I'.
const DIMENSIONS: [usize; 16] = [1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 60, 80, 100, 150];

/// The number of folds of the cross-validation.
const FOLDS: usize = 10;

/// The numbers of runs and folds of the quick form.
const QUICK_RUNS: usize = 2;
const QUICK_FOLDS: usize = 3;

/// The panels in the claims.
const DIABETES: &str = "diabetes";
const RING: &str = "ringnorm";

/// The number of rows of the usual training set of USPS; the paper exchanges training and test set.
const USPS_TRAIN: usize = 7291;

/// A method that extracts features.
struct Method {
    name: &'static str,
    /// The method with its candidate options; `KERNEL` is replaced by the kernel.
    candidate: &'static str,
}

const KLFE: Method = Method { name: "KLFE", candidate: "klfe:KERNEL,n_neighbors=1|3|5|7|10" };
const LFE: Method = Method { name: "LFE", candidate: "lfe:n_neighbors=1|3|5|7|10" };
const KERNEL_METHODS: &[Method] = &[
    KLFE,
    Method { name: "GDA", candidate: "gda:KERNEL,ridge=1e-5|1e-4|1e-3|1e-2|1e-1" },
    Method { name: "FSKPCA", candidate: "fskpca:KERNEL,n_neighbors=1|3|5|7|10" },
    Method { name: "KPCA", candidate: "kpca:KERNEL" },
    // The kernel decreases with the distance, so the nearest row is the same.
    Method { name: "KKNN", candidate: "euclidean" },
];
const LINEAR_METHODS: &[Method] = &[KLFE, LFE, Method { name: "PCA", candidate: "pca" }];

/// The source of the rows.
enum Source {
    /// A generator, with new rows for every run.
    Generator { name: &'static str, given: &'static [(&'static str, &'static str)] },
    /// A data set, with a different split for every run.
    Parts { set: &'static DataSet, train: usize },
    /// The 3s and 5s of USPS.
    Digits { set: &'static DataSet },
}

/// One panel of a figure.
struct Panel {
    name: &'static str,
    source: Source,
    methods: &'static [Method],
}

static PANELS5: [Panel; 2] = [
    Panel {
        name: "twin sine, 0 dB",
        source: Source::Generator { name: "twin-sine", given: &[("snr", "0")] },
        methods: KERNEL_METHODS,
    },
    Panel {
        name: "twin sine, -5 dB",
        source: Source::Generator { name: "twin-sine", given: &[("snr", "-5")] },
        methods: KERNEL_METHODS,
    },
];
static PANELS6: [Panel; 1] = [Panel {
    name: "Swiss roll",
    source: Source::Generator { name: "swiss-roll", given: &[] },
    methods: LINEAR_METHODS,
}];
static PANELS7: [Panel; 2] = [
    Panel {
        name: DIABETES,
        source: Source::Parts { set: &PIMA, train: 468 },
        methods: KERNEL_METHODS,
    },
    Panel {
        name: RING,
        source: Source::Parts { set: &RINGNORM, train: 400 },
        methods: KERNEL_METHODS,
    },
];
static PANELS8: [Panel; 1] =
    [Panel { name: "USPS 3 v 5", source: Source::Digits { set: &USPS }, methods: LINEAR_METHODS }];

fn panels(figure: u64) -> &'static [Panel] {
    match figure {
        5 => &PANELS5,
        6 => &PANELS6,
        7 => &PANELS7,
        _ => &PANELS8,
    }
}

/// The constant parameters of an experiment.
struct Plan<'a> {
    work: &'a Work<'a>,
    figure: u64,
    runs: usize,
    folds: usize,
    scaling: Scaling,
    kernel: String,
}

fn figure(work: &Work<'_>, figure: u64) -> Result<Results> {
    let plan = Plan {
        work,
        figure,
        runs: work.settings.count(&RUNS)?.min(if work.quick { QUICK_RUNS } else { usize::MAX }),
        folds: if work.quick { QUICK_FOLDS } else { FOLDS },
        scaling: match work.settings.text(&UNITS)? {
            "range" => Scaling::Range,
            "standard" => Scaling::Standard,
            _ => Scaling::None,
        },
        kernel: format!("kernel=rbf:rho={}", work.settings.number(&RHO)?),
    };
    let progress = work.run.progress();
    let cells = panels(figure).iter().map(|panel| plan.runs * panel.methods.len()).sum::<usize>();
    progress.start("evaluation", cells as u64);
    let mut found = Vec::new();
    for (place, panel) in panels(figure).iter().enumerate() {
        let data = match panel.source {
            Source::Generator { .. } => None,
            Source::Parts { set, .. } | Source::Digits { set } => {
                match work.data.load(set, work.run)? {
                    None => continue,
                    data => data,
                }
            }
        };
        found.push(plan.measure(place as u64, panel, data.as_ref())?);
    }
    progress.finish();
    results(&plan, &found)
}

impl Plan<'_> {
    fn measure(&self, place: u64, panel: &Panel, data: Option<&Data>) -> Result<SetCurves> {
        let run = self.work.run;
        let parsed = |method: &Method| {
            ParameterGrid::parse(&method.candidate.replace("KERNEL", &self.kernel), self.scaling)
        };
        let candidates = panel.methods.iter().map(parsed).collect::<Result<Vec<_>>>()?;
        let repetitions: Vec<usize> = (0..self.runs).collect();
        let cells = self.work.in_parallel(&repetitions, |&repetition| {
            let seed = derived_seed(run.seed(), &[self.figure, place, repetition as u64]);
            let cells = self.cells(panel, &candidates, data, repetition, &run.part(seed))?;
            run.progress().advance(cells.len() as u64);
            Ok(cells)
        })?;
        let names: Vec<&'static str> = panel.methods.iter().map(|method| method.name).collect();
        let cells = cells.concat();
        Ok(SetCurves::new(panel.name, Measure::Error, &names, &cells, Some(&DIMENSIONS)))
    }

    /// Computes one cell per candidate.
    fn cells(
        &self,
        panel: &Panel,
        candidates: &[ParameterGrid],
        data: Option<&Data>,
        repetition: usize,
        part: &Run,
    ) -> Result<Vec<Cell>> {
        part.check()?;
        let drawn;
        let (data, split) = match (&panel.source, data) {
            (Source::Generator { name, given }, _) => {
                drawn = self.generated(name, given, part)?;
                let train = self.work.settings.count(&TRAIN)?;
                let (train, test) = (0..drawn.table.rows()).partition(|&row| row < train);
                (&drawn, Split { train, test })
            }
            (Source::Parts { train, .. }, Some(data)) => {
                (data, partition(data.table.rows(), *train, part.seed()))
            }
            (Source::Digits { set }, Some(data)) => {
                let classes = data.target.classes(set.file)?;
                (data, digits(classes, repetition, part.seed()))
            }
            (_, None) => return Err(Error::Internal(format!("{} has no data", panel.name))),
        };
        let of_length_one;
        let data = if self.work.settings.text(&UNITS)? == "length" {
            of_length_one = with_rows_of_length_one(data)?;
            &of_length_one
        } else {
            data
        };
        let trial = NestedCv {
            table: &data.table,
            target: &data.target,
            groups: None,
            weights: None,
            knn: KnnSettings {
                metric: Metric::Euclidean,
                scaling: self.scaling,
                ..KnnSettings::default()
            },
            dimensions: Dimensions::Some(DIMENSIONS.to_vec()),
            counts: vec![1],
            folds: self.folds,
        };
        let name = format!("{}/{repetition}/", panel.name);
        let found = compare(&trial, candidates, &[split], &name, self.work.checkpoints, part)?;
        Ok(found.into_iter().flatten().collect())
    }

    fn generated(&self, name: &str, given: &[(&str, &str)], run: &Run) -> Result<Data> {
        let info = generator(name)?;
        let settings = self.work.settings;
        let rows = (settings.count(&TRAIN)? + settings.count(&TEST)?).to_string();
        let features = settings.count(&FEATURES)?.to_string();
        let mut given = given.to_vec();
        given.extend([("rows", rows.as_str()), ("features", features.as_str())]);
        let distance;
        if self.figure == 5 {
            distance = settings.number(&DISTANCE)?.to_string();
            given.push((DISTANCE.name, &distance));
        }
        let found = info.generate(&info.settings(&given)?, run)?;
        Ok(Data { table: found.table, target: found.target })
    }
}

/// Divides every row by its length; a row of zeros remains unchanged.
fn with_rows_of_length_one(data: &Data) -> Result<Data> {
    let columns = data.table.columns();
    let lengths: Vec<f64> = (0..data.table.rows())
        .map(|row| columns.iter().map(|column| column.value(row).powi(2)).sum::<f64>().sqrt())
        .map(|length| if length > 0.0 { length } else { 1.0 })
        .collect();
    let divided = |column: &Column<'_>| {
        let values = lengths.iter().enumerate().map(|(row, length)| column.value(row) / length);
        Column::from_values(column.name(), values.collect())
    };
    let table = Table::new(columns.iter().map(divided).collect::<Result<Vec<_>>>()?)?;
    Ok(Data { table, target: data.target.clone() })
}

/// Returns the split of the 3s and 5s of USPS. In the first run, the usual test set is the training set; from the
/// second run on, as many training rows are drawn from both sets.
fn digits(classes: &Classes, repetition: usize, seed: u64) -> Split {
    let name = |row: usize| classes.names()[classes.codes()[row] as usize].as_str();
    let chosen: Vec<usize> =
        (0..classes.codes().len()).filter(|&row| matches!(name(row), "3" | "5")).collect();
    let (test, train): (Vec<usize>, Vec<usize>) =
        chosen.iter().copied().partition(|&row| row < USPS_TRAIN);
    if repetition == 0 {
        return Split { train, test };
    }
    let places = partition(chosen.len(), train.len(), seed);
    let rows = |places: Vec<usize>| places.into_iter().map(|place| chosen[place]).collect();
    Split { train: rows(places.train), test: rows(places.test) }
}

/// The errors of a method in percent, run by run, as means over these numbers of features.
fn errors(one: &SetCurves, method: &str, numbers: &[usize]) -> Option<Vec<f64>> {
    one.of(method)?.means_over(numbers)
}

/// Tests whether the errors of one method are below `share` times those of another, run by run, as means over these
/// numbers of features.
fn lead(one: &SetCurves, better: &str, worse: &str, share: f64, numbers: &[usize]) -> Finding {
    let (Some(better), Some(others)) = (errors(one, better, numbers), errors(one, worse, numbers))
    else {
        return Verdict::Open.with(format!("{worse}: no result"));
    };
    let leads: Vec<f64> = others.iter().zip(&better).map(|(a, b)| share * a - b).collect();
    let Finding { verdict, evidence } = Verdict::of_leads(&leads);
    let means = (mean(&better), mean(&others));
    verdict.with(format!("{:.2} vs {:.2} of {worse}, {evidence}", means.0, means.1))
}

/// Compares KLFE with all other methods.
fn leads(one: &SetCurves, share: f64, numbers: &[usize]) -> Finding {
    let others = one.methods().filter(|method| *method != KLFE.name);
    let (verdicts, evidence): (Vec<Verdict>, Vec<String>) = others
        .map(|other| lead(one, KLFE.name, other, share, numbers))
        .map(|Finding { verdict, evidence }| (verdict, evidence))
        .unzip();
    Verdict::of_all(verdicts).with(evidence.join("; "))
}

/// Combines two findings that must both hold; `names` are prefixes of the evidence.
fn both(findings: [Finding; 2], names: [&str; 2]) -> Finding {
    let verdict = Verdict::of_all(findings.iter().map(|finding| finding.verdict));
    let evidence = |place: usize| format!("{}{}", names[place], findings[place].evidence);
    verdict.with(format!("{}; {}", evidence(0), evidence(1)))
}

/// The asymptotic error in percent of the nearest neighbor for two normal classes whose means are `ratio` standard
/// deviations apart: the mean of `2 p (1 - p)`, where p is the probability of a class. No features can have a smaller
/// error.
fn limit(ratio: f64) -> f64 {
    let (steps, reach) = (2000, 10.0);
    let width = 2.0 * reach / f64::from(steps);
    let density = |x: f64| (-x * x / 2.0).exp() / (2.0 * PI).sqrt();
    let at = |step: i32| {
        let x = ratio / 2.0 - reach + (f64::from(step) + 0.5) * width;
        let (a, b) = (density(x), density(x - ratio));
        if a + b > 0.0 { a * b / (a + b) } else { 0.0 }
    };
    100.0 * (0..steps).map(at).sum::<f64>() * width
}

/// The tested numbers of features that are at least `least`.
fn from(least: usize) -> Vec<usize> {
    DIMENSIONS.into_iter().filter(|&count| count >= least).collect()
}

fn claims(figure: u64, found: &[SetCurves]) -> Vec<Claim> {
    let of = |name: &'static str| found.iter().filter(move |one| one.name == name);
    match figure {
        5 => vec![
            Claim::about(
                "With at least 10 features KLFE has the smallest error (means over these numbers).",
                found,
                |one| leads(one, 1.0, &from(10)),
            ),
            Claim::about(
                "Its error is more than 10 % below that of each other method.",
                found,
                |one| leads(one, 0.9, &from(10)),
            ),
        ],
        7 => vec![
            Claim::about(
                "Diabetes: with at least 30 features KLFE has the smallest error.",
                of(DIABETES),
                |one| leads(one, 1.0, &from(30)),
            ),
            Claim::about(
                "Ringnorm: KLFE has less than half the error of KKNN (with its best number of \
                 features).",
                of(RING),
                |one| {
                    let best = one.of(KLFE.name).and_then(MethodCurve::best);
                    let best = best.map_or(1, |point| point.features);
                    let Finding { verdict, evidence } = lead(one, KLFE.name, "KKNN", 0.5, &[best]);
                    verdict.with(format!("{evidence} relative to half of it, {best} features"))
                },
            ),
            Claim::about("Ringnorm: GDA is good too, better than KKNN.", of(RING), |one| {
                lead(one, "GDA", "KKNN", 1.0, &[1])
            }),
            Claim::about(
                "Ringnorm: FSKPCA and KPCA are worse than KKNN (means over all numbers of features).",
                of(RING),
                |one| {
                    let worse = |name| lead(one, "KKNN", name, 1.0, &DIMENSIONS);
                    both(["FSKPCA", "KPCA"].map(worse), ["", ""])
                },
            ),
        ],
        _ => {
            let mut claims = vec![
                Claim::about(
                    "KLFE is similar to LFE (from two features on, their mean errors differ by less \
                     than a percentage point).",
                    found,
                    |one| {
                        let of = |name| errors(one, name, &from(2)).map(|errors| mean(&errors));
                        let (Some(klfe), Some(lfe)) = (of(KLFE.name), of(LFE.name)) else {
                            return Finding::no_result();
                        };
                        Verdict::of_fact((klfe - lfe).abs() < 1.0)
                            .with(format!("{klfe:.2} vs {lfe:.2}"))
                    },
                ),
                Claim::about(
                    "Both are better than PCA (means from two features on).",
                    found,
                    |one| {
                        let better = |name| lead(one, name, "PCA", 1.0, &from(2));
                        both([KLFE.name, LFE.name].map(better), ["KLFE ", "LFE "])
                    },
                ),
            ];
            if figure == 6 {
                claims.push(Claim::about(
                    "With one feature KLFE is good, and the others are much worse.",
                    found,
                    |one| leads(one, 1.0, &[1]),
                ));
            }
            claims
        }
    }
}

/// The description of the experiment.
fn opening(plan: &Plan<'_>) -> Result<String> {
    let settings = plan.work.settings;
    let mut text = format!(
        "W11, Figure {}: nearest-neighbor error by the number of features, in percent: means \
         (standard deviations) over {} runs.\nKernel exp(-||a - b||^2 / (2 rho^2)), rho = {}; \
         normalization: {}; neighbors of KLFE, LFE and FSKPCA (1, 3, 5, 7, 10) and the ridge of GDA by \
         {}-fold cross-validation within the training rows.\n",
        plan.figure,
        plan.runs,
        settings.number(&RHO)?,
        settings.text(&UNITS)?,
        plan.folds
    );
    if plan.figure < 7 {
        let _ = writeln!(
            text,
            "{} training rows, {} test rows, {} features: the paper does not specify these numbers.",
            settings.count(&TRAIN)?,
            settings.count(&TEST)?,
            settings.count(&FEATURES)?
        );
    }
    if plan.figure == 5 {
        let limits = [0.0, -5.0].map(|decibels: f64| limit(10_f64.powf(decibels / 20.0)));
        let _ = writeln!(
            text,
            "The classes overlap: the asymptotic error of the nearest neighbor is {:.1} % (0 dB) and \
             {:.1} % (-5 dB) for any features.",
            limits[0], limits[1]
        );
    }
    Ok(text)
}

fn results(plan: &Plan<'_>, found: &[SetCurves]) -> Result<Results> {
    let mut numbers = String::from("panel,scheme,features,error_percent,deviation,runs\n");
    let mut tables = Vec::new();
    for one in found {
        let mut heads = vec!["features"];
        let mut rows: Vec<Vec<String>> =
            DIMENSIONS.iter().map(|count| vec![count.to_string()]).collect();
        for (method, curve) in one.curves() {
            heads.push(method);
            for (row, point) in rows.iter_mut().zip(&curve.points) {
                let (mean, deviation) = (point.mean(), point.deviation());
                row.push(format!("{mean:.2} ({deviation:.2})"));
                let _ = writeln!(
                    numbers,
                    "\"{}\",{method},{},{mean},{deviation},{}",
                    one.name, point.features, one.repetitions
                );
            }
        }
        let caption = format!("{}: error in percent by the number of features", one.name);
        tables.push(numbers_table(caption, &heads, rows));
    }
    let title =
        format!("Nearest-neighbor error by the number of features (W11, Figure {})", plan.figure);
    let panels: Vec<_> = found.iter().map(|one| one.panel("features")).collect();
    let figure = curves(&title, 2, &panels)?;
    Ok(Results {
        basis: String::new(),
        opening: opening(plan)?,
        tables,
        note: "in percentage points of the error",
        claims: claims(plan.figure, found),
        remarks: found.iter().flat_map(SetCurves::failures).collect(),
        files: vec![("errors.csv", numbers), ("figure.svg", figure)],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curves::fixture::cell;
    use basrelief::data::Target;

    /// Two runs of KLFE, LFE and PCA, whose errors are constant from two features on.
    fn measured(errors: [[f64; 2]; 3]) -> SetCurves {
        let run = |run: usize| errors.map(|errors| cell(&[(1, 0.5), (2, errors[run])]));
        let cells = [run(0), run(1)].concat();
        let names = LINEAR_METHODS.iter().map(|method| method.name).collect::<Vec<_>>();
        SetCurves::new("Swiss roll", Measure::Error, &names, &cells, Some(&DIMENSIONS))
    }

    #[test]
    fn a_lead_is_over_a_share_of_the_others_error() {
        let found = measured([[0.10, 0.11], [0.12, 0.13], [0.40, 0.41]]);
        assert_eq!(lead(&found, "KLFE", "LFE", 1.0, &[2]).verdict, Verdict::Holds);
        assert_eq!(lead(&found, "KLFE", "LFE", 0.5, &[2]).verdict, Verdict::Fails);
        assert_eq!(leads(&found, 1.0, &from(2)).verdict, Verdict::Holds);
        // The differences of the errors, 20 - 10 and 20.5 - 11 points, are positive in both runs.
        let Finding { verdict, evidence } = lead(&found, "KLFE", "PCA", 0.5, &[2]);
        assert_eq!(verdict, Verdict::Holds);
        assert!(evidence.starts_with("10.50 vs 40.50 of PCA, +9.75"), "{evidence}");
        // A method that was not measured leaves the claim undecided.
        let missing = Verdict::Open.with("GDA: no result");
        assert_eq!(lead(&found, "KLFE", "GDA", 1.0, &[2]), missing);
    }

    #[test]
    fn all_claims_of_a_figure_are_judged() {
        let found = [measured([[0.10, 0.11], [0.12, 0.13], [0.40, 0.41]])];
        let verdicts = |figure| -> Vec<_> {
            claims(figure, &found).iter().flat_map(Claim::verdicts).collect()
        };
        // Two percentage points apart; both better than PCA; equal with one feature.
        assert_eq!(verdicts(6), [Verdict::Fails, Verdict::Holds, Verdict::Open]);
        assert_eq!(verdicts(8), [Verdict::Fails, Verdict::Holds]);
        // Figure 7 is about other sets.
        assert_eq!(verdicts(7), []);
    }

    #[test]
    fn digits_are_learned_from_the_usual_test_part_first() {
        let labels: Vec<String> = (0..USPS_TRAIN + 100).map(|row| (row % 10).to_string()).collect();
        let classes = Classes::from_labels(&labels);
        let first = digits(&classes, 0, 1);
        assert_eq!((first.train.len(), first.test.len()), (20, 1458));
        assert!(first.train.iter().all(|&row| row >= USPS_TRAIN));
        let second = digits(&classes, 1, 1);
        assert_eq!((second.train.len(), second.test.len()), (20, 1458));
        assert!(second.train.iter().any(|&row| row < USPS_TRAIN));
        let mut all: Vec<usize> = second.train.iter().chain(&second.test).copied().collect();
        all.sort_unstable();
        all.dedup();
        assert!(all.len() == 1478 && all.iter().all(|row| row % 10 == 3 || row % 10 == 5));
    }

    #[test]
    fn the_limit_is_between_the_best_error_and_a_half() {
        // Identical classes, and classes far apart.
        assert!((limit(0.0) - 50.0).abs() < 1e-9);
        assert!(limit(10.0) < 1e-4);
        // The best error at a distance of one deviation is 30.85 %.
        assert!(limit(1.0) > 30.85 && limit(1.0) < 50.0);
    }

    #[test]
    fn rows_of_length_one() {
        let columns = [("a", vec![3.0, 0.0, -1.0]), ("b", vec![4.0, 0.0, 0.0])];
        let columns = columns.map(|(name, values)| Column::from_values(name, values).unwrap());
        let target = Target::Classes(Classes::from_labels(&["x", "y", "x"]));
        let data = Data { table: Table::new(columns.to_vec()).unwrap(), target };
        let found = with_rows_of_length_one(&data).unwrap().table;
        let row = |row: usize| [found.columns()[0].value(row), found.columns()[1].value(row)];
        assert_eq!([row(0), row(1), row(2)], [[0.6, 0.8], [0.0, 0.0], [-1.0, 0.0]]);
    }
}
