//! The experiments of Wang, Fan, Li & Wu 2011, section 5: does LFE in a kernel's space (KLFE) find
//! better features for the nearest neighbour than other kernel methods, and as good ones as LFE
//! where that suffices?
//!
//! The errors of the paper are in pictures only: what it says of them is checked claim by claim.
//! In every run the parameters of a scheme are those that 10-fold cross-validation inside the rows
//! learned from likes best together with some number of features, and its error with them is given
//! for every number of features. The kernel is the paper's, of width 1, for all schemes. As it falls
//! with the distance, the kernel's nearest neighbour (KKNN) is the nearest neighbour.
//!
//! What the paper leaves open: how the data are normalised (features in standard deviations, for the
//! digits rows of length 1: see `--units`), sizes and law of the generated data (our generators'),
//! how the digits come to several runs (the paper's parts first, then others of their sizes).

use std::f64::consts::PI;
use std::fmt::Write;

use basrelief::data::synth::generator;
use basrelief::data::{Classes, Column, Split, Table, partition};
use basrelief::evaluate::{Cell, Dimensions, KnnSettings, NestedCv, ParameterGrid, compare};
use basrelief::methods::{OptionInfo, OptionKind, Scaling};
use basrelief::neighbors::Metric;
use basrelief::{Error, Result, Run, derived_seed};
use basrelief_report::figures::{Curve, Panel as Drawn, curves};
use rayon::prelude::*;

use crate::claims::{self, Claim, Verdict};
use crate::data::{Data, DataSet, PIMA, RINGNORM, USPS};
use crate::registry::{ProtocolInfo, Results, Work};
use crate::statistics::{deviation, mean};

static RUNS: OptionInfo = OptionInfo {
    name: "runs",
    flag: "runs",
    kind: OptionKind::Count { least: 1 },
    default: "10",
    help: "Runs, each on data of its own",
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
    help: "What normalised means: features in ranges or standard deviations, rows of length 1, or \
           nothing",
};

static UNITS_OF_DIGITS: OptionInfo = OptionInfo { default: "length", ..UNITS };

static DISTANCE: OptionInfo = OptionInfo {
    name: "distance",
    flag: "distance",
    kind: OptionKind::Positive,
    default: "1",
    help: "Distance D of the two sine surfaces; their noise follows from it",
};

static TRAIN: OptionInfo = OptionInfo {
    name: "train",
    flag: "train",
    kind: OptionKind::Count { least: 20 },
    default: "400",
    help: "Rows to learn from",
};

static FEW_TO_TRAIN: OptionInfo = OptionInfo { default: "100", ..TRAIN };

static TEST: OptionInfo = OptionInfo {
    name: "test",
    flag: "test",
    kind: OptionKind::Count { least: 1 },
    default: "1000",
    help: "Rows to test on",
};

static FEATURES: OptionInfo = OptionInfo {
    name: "features",
    flag: "features",
    kind: OptionKind::Count { least: 3 },
    default: "10",
    help: "Features that the three coordinates are mixed into",
};

/// Figure 5.
pub(crate) static FIGURE5: ProtocolInfo = ProtocolInfo {
    name: "w11-fig5",
    aliases: &[],
    purpose: "twin sine: KLFE beside GDA, FSKPCA, KPCA and kernel k-NN",
    source: "Wang, Fan, Li & Wu 2011, section 5.2, Figure 5",
    quick: "2 runs, 3-fold cross-validation",
    options: &[&RUNS, &RHO, &UNITS, &TRAIN, &TEST, &FEATURES, &DISTANCE],
    generates: true,
    data: &[],
    run: |work| figure(work, 5),
};

/// Figure 6.
pub(crate) static FIGURE6: ProtocolInfo = ProtocolInfo {
    name: "w11-fig6",
    aliases: &[],
    purpose: "Swiss roll: KLFE beside LFE and PCA",
    source: "Wang, Fan, Li & Wu 2011, section 5.2, Figure 6",
    quick: "2 runs, 3-fold cross-validation",
    options: &[&RUNS, &RHO, &UNITS, &FEW_TO_TRAIN, &TEST, &FEATURES],
    generates: true,
    data: &[],
    run: |work| figure(work, 6),
};

/// Figure 7.
pub(crate) static FIGURE7: ProtocolInfo = ProtocolInfo {
    name: "w11-fig7",
    aliases: &[],
    purpose: "diabetes and ringnorm: KLFE beside GDA, FSKPCA, KPCA and kernel k-NN",
    source: "Wang, Fan, Li & Wu 2011, section 5.3, Figure 7",
    quick: "2 runs, 3-fold cross-validation",
    options: &[&RUNS, &RHO, &UNITS],
    generates: false,
    data: &[&PIMA, &RINGNORM],
    run: |work| figure(work, 7),
};

/// Figure 8.
pub(crate) static FIGURE8: ProtocolInfo = ProtocolInfo {
    name: "w11-fig8",
    aliases: &[],
    purpose: "USPS digits 3 and 5: KLFE beside LFE and PCA",
    source: "Wang, Fan, Li & Wu 2011, section 5.3, Figure 8",
    quick: "2 runs, 3-fold cross-validation",
    options: &[&RUNS, &RHO, &UNITS_OF_DIGITS],
    generates: false,
    data: &[&USPS],
    run: |work| figure(work, 8),
};

/// Numbers of features I' that are tried.
const DIMENSIONS: [usize; 16] = [1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 40, 50, 60, 80, 100, 150];

/// Parts of the cross-validation.
const FOLDS: usize = 10;

/// Runs and parts of the quick form.
const QUICK_RUNS: usize = 2;
const QUICK_FOLDS: usize = 3;

/// Panels that claims are about.
const DIABETES: &str = "diabetes";
const RING: &str = "ringnorm";

/// Rows of the usual training part of USPS; the paper swaps the parts.
const USPS_TRAIN: usize = 7291;

/// A way of making features.
struct Scheme {
    name: &'static str,
    /// The method and its candidates; `KERNEL` stands for the kernel.
    candidate: &'static str,
}

const KLFE: Scheme = Scheme { name: "KLFE", candidate: "klfe:KERNEL,n_neighbors=1|3|5|7|10" };
const LFE: Scheme = Scheme { name: "LFE", candidate: "lfe:n_neighbors=1|3|5|7|10" };
const KERNEL_SCHEMES: &[Scheme] = &[
    KLFE,
    Scheme { name: "GDA", candidate: "gda:KERNEL,ridge=1e-5|1e-4|1e-3|1e-2|1e-1" },
    Scheme { name: "FSKPCA", candidate: "fskpca:KERNEL,n_neighbors=1|3|5|7|10" },
    Scheme { name: "KPCA", candidate: "kpca:KERNEL" },
    // The kernel falls with the distance, and so the nearest row is the same.
    Scheme { name: "KKNN", candidate: "euclidean" },
];
const LINEAR_SCHEMES: &[Scheme] = &[KLFE, LFE, Scheme { name: "PCA", candidate: "pca" }];

/// Where rows come from.
enum Source {
    /// New rows for every run.
    Generator { name: &'static str, given: &'static [(&'static str, &'static str)] },
    /// Another part of the rows for every run.
    Parts { set: &'static DataSet, train: usize },
    /// The 3s and 5s of USPS.
    Digits { set: &'static DataSet },
}

/// One panel of a figure.
struct Panel {
    name: &'static str,
    source: Source,
    schemes: &'static [Scheme],
}

/// A panel and what came out.
struct Measured {
    panel: &'static Panel,
    /// By scheme and run.
    cells: Vec<Vec<Cell>>,
}

static PANELS5: [Panel; 2] = [
    Panel {
        name: "twin sine, 0 dB",
        source: Source::Generator { name: "twin-sine", given: &[("snr", "0")] },
        schemes: KERNEL_SCHEMES,
    },
    Panel {
        name: "twin sine, -5 dB",
        source: Source::Generator { name: "twin-sine", given: &[("snr", "-5")] },
        schemes: KERNEL_SCHEMES,
    },
];
static PANELS6: [Panel; 1] = [Panel {
    name: "Swiss roll",
    source: Source::Generator { name: "swiss-roll", given: &[] },
    schemes: LINEAR_SCHEMES,
}];
static PANELS7: [Panel; 2] = [
    Panel {
        name: DIABETES,
        source: Source::Parts { set: &PIMA, train: 468 },
        schemes: KERNEL_SCHEMES,
    },
    Panel {
        name: RING,
        source: Source::Parts { set: &RINGNORM, train: 400 },
        schemes: KERNEL_SCHEMES,
    },
];
static PANELS8: [Panel; 1] =
    [Panel { name: "USPS 3 v 5", source: Source::Digits { set: &USPS }, schemes: LINEAR_SCHEMES }];

fn panels(figure: u64) -> &'static [Panel] {
    match figure {
        5 => &PANELS5,
        6 => &PANELS6,
        7 => &PANELS7,
        _ => &PANELS8,
    }
}

/// What does not change during an experiment.
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
    let cells = panels(figure).iter().map(|panel| plan.runs * panel.schemes.len()).sum::<usize>();
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
    fn measure(&self, place: u64, panel: &'static Panel, data: Option<&Data>) -> Result<Measured> {
        let run = self.work.run;
        let parsed = |scheme: &Scheme| {
            let text = scheme.candidate.replace("KERNEL", &self.kernel);
            let candidate = ParameterGrid::parse(&text, self.scaling)?;
            Ok(candidate)
        };
        let candidates = panel.schemes.iter().map(parsed).collect::<Result<Vec<_>>>()?;
        let one = |repetition: usize| {
            let seed = derived_seed(run.seed(), &[self.figure, place, repetition as u64]);
            let cells = self.cells(panel, &candidates, data, repetition, &run.part(seed))?;
            run.progress().advance(cells.len() as u64);
            Ok(cells)
        };
        let by_run: Vec<Vec<Cell>> = run.install(|| {
            let runs = (0..self.runs).into_par_iter().with_max_len(1);
            runs.map(one).collect::<Result<_>>()
        })?;
        let of_scheme =
            |scheme: usize| by_run.iter().map(|cells| cells[scheme].clone()).collect::<Vec<_>>();
        Ok(Measured { panel, cells: (0..candidates.len()).map(of_scheme).collect() })
    }

    /// A cell per candidate.
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

/// The same rows, each divided by its length; a row of zeros stays.
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

/// The 3s and 5s of USPS: those of the usual test part to learn from, then, from the second run on,
/// as many drawn from both parts.
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

impl Measured {
    fn place(&self, name: &str) -> Option<usize> {
        self.panel.schemes.iter().position(|scheme| scheme.name == name)
    }

    /// The errors in percent, run by run, with so many features, or with all where there are fewer;
    /// `None` where some run failed.
    fn errors(&self, scheme: usize, dimensions: usize) -> Option<Vec<f64>> {
        let of_run = |cell: &Cell| Some(100.0 * cell.outcome()?.loss_with(dimensions));
        self.cells[scheme].iter().map(of_run).collect()
    }

    /// The means of these over numbers of features.
    fn mean_errors(&self, scheme: usize, dimensions: &[usize]) -> Option<Vec<f64>> {
        let all: Vec<Vec<f64>> =
            dimensions.iter().map(|&count| self.errors(scheme, count)).collect::<Option<_>>()?;
        let of_run = |run: usize| mean(&all.iter().map(|errors| errors[run]).collect::<Vec<_>>());
        Some((0..self.cells[scheme].len()).map(of_run).collect())
    }

    /// The number of features with the least mean error.
    fn best(&self, scheme: usize) -> usize {
        let error = |count: &usize| self.errors(scheme, *count).map_or(f64::NAN, |e| mean(&e));
        let least = DIMENSIONS.iter().min_by(|a, b| error(a).total_cmp(&error(b)));
        least.copied().unwrap_or(DIMENSIONS[0])
    }

    /// How far the errors of a scheme are below `share` of those of another, run by run, on average
    /// over numbers of features: verdict and evidence.
    fn lead(
        &self,
        better: &str,
        worse: &str,
        share: f64,
        dimensions: &[usize],
    ) -> (Verdict, String) {
        let of = |name: &str| self.mean_errors(self.place(name)?, dimensions);
        let (Some(better), Some(others)) = (of(better), of(worse)) else {
            return (Verdict::Open, format!("{worse}: no result"));
        };
        let leads: Vec<f64> = others.iter().zip(&better).map(|(a, b)| share * a - b).collect();
        let (verdict, lead) = Verdict::of_leads(&leads);
        (verdict, format!("{:.2} beside {:.2} of {worse}, {lead}", mean(&better), mean(&others)))
    }

    /// KLFE beside all others.
    fn leads(&self, share: f64, dimensions: &[usize]) -> (Verdict, String) {
        let others = self.panel.schemes.iter().filter(|scheme| scheme.name != KLFE.name);
        let (verdicts, evidence): (Vec<Verdict>, Vec<String>) =
            others.map(|other| self.lead(KLFE.name, other.name, share, dimensions)).unzip();
        (Verdict::of_all(verdicts), evidence.join("; "))
    }
}

/// The error in percent that the nearest of very many rows has where two classes are normal and their
/// means `ratio` deviations apart: the mean of `2 p (1 - p)`, p the probability of a class.
/// No features can have less.
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

/// The numbers of features from `least` on.
fn from(least: usize) -> Vec<usize> {
    DIMENSIONS.into_iter().filter(|&count| count >= least).collect()
}

fn claims(figure: u64, found: &[Measured]) -> Vec<Claim> {
    let all = |finding: &dyn Fn(&Measured) -> (Verdict, String)| {
        let one = |measured: &Measured| {
            let (verdict, evidence) = finding(measured);
            (measured.panel.name, verdict, evidence)
        };
        found.iter().map(one).collect::<Vec<_>>()
    };
    let of = |name: &str, finding: &dyn Fn(&Measured) -> (Verdict, String)| {
        all(finding).into_iter().filter(|(about, ..)| *about == name).collect::<Vec<_>>()
    };
    match figure {
        5 => vec![
            Claim {
                text: "For 10 features and more KLFE has the least error (means over these \
                       numbers).",
                findings: all(&|one| one.leads(1.0, &from(10))),
            },
            Claim {
                text: "Its error is more than 10 % below that of each of the others.",
                findings: all(&|one| one.leads(0.9, &from(10))),
            },
        ],
        7 => vec![
            Claim {
                text: "Diabetes: for 30 features and more KLFE has the least error.",
                findings: of(DIABETES, &|one| one.leads(1.0, &from(30))),
            },
            Claim {
                text: "Ringnorm: KLFE has less than half the error of KKNN (with the number of \
                       features that suits it best).",
                findings: of(RING, &|one| {
                    let best = one.place(KLFE.name).map_or(1, |place| one.best(place));
                    let (verdict, evidence) = one.lead(KLFE.name, "KKNN", 0.5, &[best]);
                    (verdict, format!("{evidence} to half of it, {best} features"))
                }),
            },
            Claim {
                text: "Ringnorm: GDA is good too, better than KKNN.",
                findings: of(RING, &|one| one.lead("GDA", "KKNN", 1.0, &[1])),
            },
            Claim {
                text: "Ringnorm: FSKPCA and KPCA are worse than KKNN (means over all numbers of \
                       features).",
                findings: of(RING, &|one| {
                    let (first, a) = one.lead("KKNN", "FSKPCA", 1.0, &DIMENSIONS);
                    let (second, b) = one.lead("KKNN", "KPCA", 1.0, &DIMENSIONS);
                    (Verdict::of_all([first, second]), format!("{a}; {b}"))
                }),
            },
        ],
        _ => {
            let mut claims = vec![
                Claim {
                    text: "KLFE is much like LFE (from two features on, their mean errors differ \
                           by less than a point).",
                    findings: all(&|one| {
                        let of = |name| one.mean_errors(one.place(name)?, &from(2));
                        let (Some(klfe), Some(lfe)) = (of(KLFE.name), of(LFE.name)) else {
                            return (Verdict::Open, "no result".to_string());
                        };
                        let (klfe, lfe) = (mean(&klfe), mean(&lfe));
                        let alike = (klfe - lfe).abs() < 1.0;
                        (Verdict::of_fact(alike), format!("{klfe:.2} beside {lfe:.2}"))
                    }),
                },
                Claim {
                    text: "Both are better than PCA (means from two features on).",
                    findings: all(&|one| {
                        let (first, a) = one.lead(KLFE.name, "PCA", 1.0, &from(2));
                        let (second, b) = one.lead(LFE.name, "PCA", 1.0, &from(2));
                        (Verdict::of_all([first, second]), format!("KLFE {a}; LFE {b}"))
                    }),
                },
            ];
            if figure == 6 {
                claims.push(Claim {
                    text: "With one feature KLFE is good, and the others are much worse.",
                    findings: all(&|one| one.leads(1.0, &[1])),
                });
            }
            claims
        }
    }
}

/// What was done.
fn opening(plan: &Plan<'_>) -> Result<String> {
    let settings = plan.work.settings;
    let mut text = format!(
        "W11, Figure {}: error of the nearest neighbour by the number of features, in percent: means \
         (standard deviations) over {} runs.\nKernel exp(-||a - b||^2 / (2 rho^2)), rho = {}; \
         normalised: {}; neighbours of KLFE, LFE and FSKPCA (1, 3, 5, 7, 10) and the ridge of GDA by \
         {}-fold cross-validation inside the rows learned from.\n",
        plan.figure,
        plan.runs,
        settings.number(&RHO)?,
        settings.text(&UNITS)?,
        plan.folds
    );
    if plan.figure < 7 {
        let _ = writeln!(
            text,
            "{} rows to learn from, {} to test on, {} features: the paper does not say how many.",
            settings.count(&TRAIN)?,
            settings.count(&TEST)?,
            settings.count(&FEATURES)?
        );
    }
    if plan.figure == 5 {
        let limits = [0.0, -5.0].map(|decibels: f64| limit(10_f64.powf(decibels / 20.0)));
        let _ = writeln!(
            text,
            "The classes overlap: with very many rows the nearest neighbour errs in {:.1} % (0 dB) and \
             {:.1} % (-5 dB), whatever the features.",
            limits[0], limits[1]
        );
    }
    Ok(text)
}

fn results(plan: &Plan<'_>, found: &[Measured]) -> Result<Results> {
    let mut numbers = String::from("panel,scheme,features,error_percent,deviation,runs\n");
    let mut drawn = Vec::new();
    let mut summary = opening(plan)?;
    for one in found {
        let mut panel = Drawn {
            title: one.panel.name.to_string(),
            x_label: "features".to_string(),
            y_label: "error, %".to_string(),
            curves: Vec::new(),
        };
        let mut table = format!("\n{:<17}", one.panel.name);
        let mut lines: Vec<String> =
            DIMENSIONS.iter().map(|count| format!("{count:>8} features")).collect();
        for (place, scheme) in one.panel.schemes.iter().enumerate() {
            if let Some(Cell::Failed(reason)) =
                one.cells[place].iter().find(|cell| cell.outcome().is_none())
            {
                let _ = writeln!(summary, "\n{}, {}: {reason}", one.panel.name, scheme.name);
                continue;
            }
            let _ = write!(table, "{:>14}", scheme.name);
            let mut points = Vec::new();
            for (line, &count) in lines.iter_mut().zip(&DIMENSIONS) {
                let errors = one.errors(place, count).unwrap_or_default();
                let (mean, deviation) = (mean(&errors), deviation(&errors));
                let _ = write!(line, "{mean:>7.2} ({deviation:.2})");
                let (panel, scheme, runs) = (one.panel.name, scheme.name, errors.len());
                let _ = writeln!(numbers, "\"{panel}\",{scheme},{count},{mean},{deviation},{runs}");
                points.push((count as f64, mean));
            }
            panel.curves.push(Curve { name: scheme.name.to_string(), points });
        }
        let _ = writeln!(summary, "{table}\n{}", lines.join("\n"));
        drawn.push(panel);
    }
    summary
        .push_str("\nWhat the paper says, and whether it holds here (in points of the error):\n\n");
    summary.push_str(&claims::text(&claims(plan.figure, found)));
    let title = format!(
        "Error of the nearest neighbour by the number of features (W11, Figure {})",
        plan.figure
    );
    Ok(Results {
        summary,
        files: vec![("errors.csv", numbers), ("figure.svg", curves(&title, 2, &drawn)?)],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use basrelief::data::Target;
    use basrelief::evaluate::{Outcome, Rate};

    fn cell(losses: &[(usize, f64)]) -> Cell {
        let curve = losses.iter().map(|&(dimensions, loss)| Rate { dimensions, loss }).collect();
        Cell::Done(Outcome {
            loss: 0.0,
            rank: 1,
            dimensions: 1,
            neighbors: 1,
            options: Vec::new(),
            curve,
            seconds: 0.0,
            warnings: Vec::new(),
        })
    }

    /// Two runs of KLFE, LFE and PCA, whose errors do not change from two features on.
    fn measured(errors: [[f64; 2]; 3]) -> Measured {
        let cells = errors.map(|runs| runs.map(|loss| cell(&[(1, 0.5), (2, loss)])).to_vec());
        Measured { panel: &PANELS6[0], cells: cells.to_vec() }
    }

    #[test]
    fn errors_are_those_of_as_many_features_as_there_are() {
        let found = measured([[0.1, 0.3], [0.2, 0.2], [0.4, 0.6]]);
        assert_eq!(found.errors(0, 1), Some(vec![50.0, 50.0]));
        assert_eq!(found.errors(0, 150), Some(vec![10.0, 30.0]));
        let means = found.mean_errors(2, &[1, 2, 150]).unwrap();
        assert!((means[0] - 130.0 / 3.0).abs() < 1e-9 && (means[1] - 170.0 / 3.0).abs() < 1e-9);
        assert_eq!(found.best(0), 2);
        let failed = Measured {
            panel: &PANELS6[0],
            cells: vec![vec![cell(&[(1, 0.5)]), Cell::Failed("no".to_string())]],
        };
        assert_eq!(failed.errors(0, 1), None);
        assert_eq!(failed.lead("KLFE", "KLFE", 1.0, &[1]).0, Verdict::Open);
    }

    #[test]
    fn a_lead_is_over_a_share_of_the_others_error() {
        let found = measured([[0.10, 0.11], [0.12, 0.13], [0.40, 0.41]]);
        assert_eq!(found.lead("KLFE", "LFE", 1.0, &[2]).0, Verdict::Holds);
        assert_eq!(found.lead("KLFE", "LFE", 0.5, &[2]).0, Verdict::Fails);
        assert_eq!(found.leads(1.0, &from(2)).0, Verdict::Holds);
        // 19.5 less 10 and 20.5 less 11 points: the same in both runs.
        let (verdict, evidence) = found.lead("KLFE", "PCA", 0.5, &[2]);
        assert_eq!(verdict, Verdict::Holds);
        assert!(evidence.starts_with("10.50 beside 40.50 of PCA, +9.75"), "{evidence}");
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
        // Classes that are the same, and classes far apart.
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
