//! Table 2, the test errors, and Figure 2, the errors by the number of features.

use std::fmt::Write;

use basrelief::evaluate::{
    Cell, Dimensions, KnnSettings, NestedCv, ParameterGrid, compare, paired_t_test,
};
use basrelief::methods::Scaling;
use basrelief::neighbors::Metric;
use basrelief::{Error, Result};
use basrelief_report::figures::{Curve, Panel, curves};

use super::sets::{ALL, METRIC, NOISE, NoisyRun, RUNS};
use crate::claims::{Claim, Finding, Subject, Verdict};
use crate::data::{Data, DataSet, nothing_for_quick};
use crate::protocol::{ProtocolInfo, Results, Work};
use crate::published::{Compared, Published, csv, picture, table};
use crate::statistics::mean;

/// The numbers of folds of the cross-validation, and of the one that chooses NCA's k.
const FOLDS: usize = 10;
const NCA_FOLDS: usize = 3;

/// The candidate numbers of neighbors M of RELIEF-F and LFE.
const NEIGHBORS: &str = "1|2|3|5|7|10|15|20|30";

/// The numbers of features for which NCA is learned, in addition to all features.
const NCA_FEATURES: [usize; 3] = [2, 5, 10];

/// The methods, and their indices in every row of results.
const METHODS: [&str; 4] = ["KNN", "RELIEF", "DANN", "LFE"];
const RELIEF: usize = 1;
const DANN: usize = 2;
const LFE: usize = 3;

/// Registry entry.
pub(crate) static TABLE2: ProtocolInfo = ProtocolInfo {
    name: "sw08-table2",
    aliases: &["sw08-fig2"],
    purpose: "test errors of KNN, RELIEF, DANN, NCA and LFE with irrelevant features",
    source: "Sun & Wu 2008, section 5.1, Table 2 and Figure 2",
    quick: "4 runs of banana, waveform and thyroid, NCA for 2 features and for all features",
    options: &[&RUNS, &METRIC],
    generates: false,
    adds: false,
    data: ALL,
    run,
};

/// A mean and a standard deviation.
type Spread = (f64, f64);

/// Table 2: mean and standard deviation of the test error in percent, for the methods in the order of [`METHODS`], and
/// for NCA.
const PUBLISHED: [(&str, [Spread; 4], Spread); 6] = [
    ("banana", [(37.1, 2.1), (12.3, 0.7), (23.0, 4.4), (18.2, 2.5)], (25.4, 4.4)),
    ("splice", [(26.6, 1.8), (11.4, 0.9), (14.1, 0.7), (12.0, 0.7)], (13.9, 0.4)),
    ("waveform", [(12.6, 0.7), (10.8, 0.5), (11.1, 0.8), (9.8, 0.6)], (10.9, 0.5)),
    ("ringnorm", [(39.2, 1.3), (31.3, 2.8), (24.1, 2.7), (22.0, 1.3)], (26.8, 1.2)),
    ("twonorm", [(3.9, 0.3), (3.5, 0.4), (2.9, 0.3), (2.6, 0.2)], (3.8, 0.5)),
    ("thyroid", [(17.0, 3.0), (9.5, 3.0), (8.8, 3.4), (6.2, 2.8)], (7.0, 2.6)),
];

/// One run of one set: the outcomes of [`METHODS`], of PCA, and of NCA for each number of features.
struct RunOutcomes {
    methods: Vec<Cell>,
    pca: Cell,
    nca: Vec<Cell>,
}

impl RunOutcomes {
    fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.methods.iter().chain([&self.pca]).chain(&self.nca)
    }
}

/// A set with all its runs.
struct SetResults {
    set: &'static DataSet,
    nca_features: Vec<String>,
    runs: Vec<RunOutcomes>,
}

fn run(work: &Work<'_>) -> Result<Results> {
    let Work { settings, quick, run, .. } = *work;
    let runs = if quick { 4 } else { settings.count(&RUNS)? };
    let metric = settings.text(&METRIC)?;
    let kept = |set: &&&DataSet| !quick || ["banana", "waveform", "thyroid"].contains(&set.file);
    let mut sets = Vec::new();
    for set in ALL.iter().filter(kept) {
        if let Some(data) = work.data.load(set, run)? {
            sets.push((*set, data));
        }
    }
    if sets.is_empty() {
        return Err(nothing_for_quick());
    }
    let units: Vec<(usize, usize)> =
        (0..runs).flat_map(|number| (0..sets.len()).map(move |set| (set, number))).collect();
    run.progress().start("runs", units.len() as u64);
    let found: Vec<RunOutcomes> = work.in_parallel(&units, |&(place, number)| {
        let (set, data) = &sets[place];
        let outcomes = one_run(work, set, data, metric, number)?;
        run.progress().advance(1);
        Ok(outcomes)
    })?;
    run.progress().finish();
    let mut results: Vec<SetResults> = sets
        .iter()
        .map(|(set, data)| SetResults {
            set,
            nca_features: nca_features(data.table.width() + NOISE, quick),
            runs: Vec::new(),
        })
        .collect();
    for ((place, _), outcomes) in units.iter().zip(found) {
        results[*place].runs.push(outcomes);
    }
    report(&results, runs, metric)
}

fn nca_features(all: usize, quick: bool) -> Vec<String> {
    let fewer = NCA_FEATURES.iter().filter(|&&count| count < all && (!quick || count == 2));
    fewer.map(usize::to_string).chain(["all".to_string()]).collect()
}

fn one_run(
    work: &Work<'_>,
    set: &DataSet,
    data: &Data,
    metric: &str,
    number: usize,
) -> Result<RunOutcomes> {
    let noisy = NoisyRun::draw(work.run, set, data, number)?;
    let (table, splits) = (&noisy.table, std::slice::from_ref(&noisy.split));
    let knn = KnnSettings {
        metric: if metric == "manhattan" { Metric::Manhattan } else { Metric::Euclidean },
        scaling: Scaling::None,
        one_unit: true,
        ..KnnSettings::default()
    };
    let trial = NestedCv {
        table,
        target: &data.target,
        groups: None,
        weights: None,
        knn,
        dimensions: Dimensions::Every,
        counts: (1..50).step_by(2).collect(),
        folds: FOLDS,
    };
    let judge = |trial: &NestedCv<'_>, texts: &[String]| -> Result<Vec<Cell>> {
        let candidates = texts
            .iter()
            .map(|text| ParameterGrid::parse(text, Scaling::None))
            .collect::<Result<Vec<_>>>()?;
        let name = format!("{}/{number}/", set.file);
        let found = compare(trial, &candidates, splits, &name, work.checkpoints, &noisy.run)?;
        Ok(found.into_iter().flatten().collect())
    };
    // Methods with weights use all features; for extracted features, the number is chosen.
    let weighing = NestedCv { dimensions: Dimensions::All, ..trial.clone() };
    let relief = format!("relieff:neighbors={NEIGHBORS},metric={metric}");
    let lfe = format!("lfe:neighbors={NEIGHBORS},metric={metric}");
    let mut methods = judge(&weighing, &["euclidean".to_string(), relief])?;
    let mut extracted = judge(&trial, &["dann:sphering=none".to_string(), lfe, "pca".to_string()])?;
    let pca = extracted.pop().ok_or_else(|| Error::Internal("no outcome of pca".to_string()))?;
    methods.append(&mut extracted);
    let often = NestedCv { folds: NCA_FOLDS, ..weighing };
    let numbers = nca_features(table.width(), work.quick);
    let nca: Vec<String> = numbers.iter().map(|n| format!("nca:components={n}")).collect();
    Ok(RunOutcomes { methods, pca, nca: judge(&often, &nca)? })
}

impl SetResults {
    /// The errors in percent, run by run; empty if a run failed.
    fn errors(&self, of: impl Fn(&RunOutcomes) -> &Cell) -> Vec<f64> {
        let percent = |run| of(run).outcome().map(|found| 100.0 * found.loss);
        self.runs.iter().map(percent).collect::<Option<_>>().unwrap_or_default()
    }

    /// The reasons why methods failed.
    fn failures(&self) -> impl Iterator<Item = &String> {
        self.runs.iter().flat_map(RunOutcomes::cells).filter_map(|cell| match cell {
            Cell::Failed(reason) => Some(reason),
            Cell::Done(_) => None,
        })
    }

    /// The errors of NCA for the number of features with the smallest mean, and that number.
    fn best_nca(&self) -> (Vec<f64>, &str) {
        let mut best: Option<(f64, Vec<f64>, &str)> = None;
        for (place, features) in self.nca_features.iter().enumerate() {
            let errors = self.errors(|run| &run.nca[place]);
            if errors.is_empty() {
                continue;
            }
            let mean = mean(&errors);
            if best.as_ref().is_none_or(|(least, _, _)| mean < *least) {
                best = Some((mean, errors, features));
            }
        }
        best.map_or((Vec::new(), "no"), |(_, errors, features)| (errors, features))
    }

    /// The mean error by the number of features. A run with fewer features is included with all its features.
    fn curve(&self, of: impl Fn(&RunOutcomes) -> &Cell) -> Vec<(f64, f64)> {
        let found: Vec<_> = self.runs.iter().filter_map(|run| of(run).outcome()).collect();
        let last = found.iter().filter_map(|outcome| outcome.curve.last());
        let most = last.map(|rate| rate.dimensions).max().unwrap_or(0);
        let mean = |features: usize| {
            let sum: f64 = found.iter().map(|outcome| outcome.loss_with(features)).sum();
            100.0 * sum / found.len() as f64
        };
        (1..=most).map(|features| (features as f64, mean(features))).collect()
    }
}

/// The errors on a set that are used in the claims, and the paper's numbers.
struct SetErrors {
    set: &'static str,
    /// The errors of [`METHODS`] in percent, run by run; empty if a run failed.
    methods: [Vec<f64>; 4],
    pca: Vec<f64>,
    nca: Vec<f64>,
    /// The number of features of NCA with these errors.
    nca_features: String,
    published: [Spread; 4],
    published_nca: Spread,
}

impl Subject for SetErrors {
    fn name(&self) -> &'static str {
        self.set
    }
}

impl SetErrors {
    fn new(found: &SetResults) -> Result<Self> {
        let file = found.set.file;
        let published = PUBLISHED.iter().find(|(name, _, _)| *name == file);
        let &(set, published, published_nca) =
            published.ok_or_else(|| Error::Internal(format!("{file} is not in the paper")))?;
        let (nca, nca_features) = found.best_nca();
        Ok(Self {
            set,
            methods: [0, 1, 2, 3].map(|place| found.errors(|run| &run.methods[place])),
            pca: found.errors(|run| &run.pca),
            nca,
            nca_features: nca_features.to_string(),
            published,
            published_nca,
        })
    }

    /// Our errors and those of the paper, method by method.
    fn compared(&self) -> impl Iterator<Item = Compared> + '_ {
        let methods = METHODS.iter().copied().zip(&self.methods).zip(self.published);
        let nca = (("NCA", &self.nca), self.published_nca);
        methods.chain([nca]).map(|((method, runs), (mean, deviation))| Compared {
            published: Published { set: self.set, method, mean, deviation },
            runs: runs.clone(),
        })
    }

    /// Whether LFE differs significantly from another method, in the same direction as in the paper. `paper` is the
    /// mean error of the other method in the paper.
    fn lfe_against(&self, name: &str, other: &[f64], paper: f64) -> Finding {
        let differences: Vec<f64> =
            self.methods[LFE].iter().zip(other).map(|(lfe, other)| lfe - other).collect();
        let Some(test) = paired_t_test(&differences, 0.0) else { return Finding::no_result() };
        let theirs = self.published[LFE].0 - paper;
        let as_there: Vec<f64> = differences.iter().map(|own| own * theirs.signum()).collect();
        Verdict::of_leads(&as_there).verdict.with(format!(
            "LFE minus {name} {:+.2} points, p = {:.2e}; paper {theirs:+.1}",
            test.difference, test.p_value
        ))
    }

    /// Whether LFE has a lower error than DANN, and DANN a lower error than PCA.
    fn order(&self) -> Finding {
        let all = [&self.methods[LFE], &self.methods[DANN], &self.pca];
        if all.iter().any(|errors| errors.is_empty()) {
            return Finding::no_result();
        }
        let [lfe, dann, pca] = all.map(|errors| mean(errors));
        Verdict::of_fact(lfe < dann && dann < pca)
            .with(format!("LFE {lfe:.2}, DANN {dann:.2}, PCA {pca:.2}"))
    }
}

fn claims(sets: &[SetErrors]) -> Vec<Claim> {
    vec![
        Claim::about(
            "LFE has a higher error than RELIEF on banana and splice, and a lower one on the other \
             sets.",
            sets,
            |one| one.lfe_against("RELIEF", &one.methods[RELIEF], one.published[RELIEF].0),
        ),
        Claim::about("LFE has a lower error than NCA.", sets, |one| {
            let Finding { verdict, evidence } =
                one.lfe_against("NCA", &one.nca, one.published_nca.0);
            verdict.with(format!("{evidence} (NCA with {} features)", one.nca_features))
        }),
        Claim::about(
            "With the chosen number of features, LFE has a lower error than DANN, and DANN a lower one than PCA.",
            sets,
            SetErrors::order,
        ),
    ]
}

/// The curves of a set by the number of features.
fn panel(found: &SetResults) -> Panel {
    let all = found.runs.first().and_then(|run| run.pca.outcome());
    let all = all.and_then(|pca| pca.curve.last()).map_or(0, |rate| rate.dimensions);
    let point = |(place, features): (usize, &String)| {
        let errors = found.errors(|run| &run.nca[place]);
        let features = features.parse().unwrap_or(all) as f64;
        (!errors.is_empty()).then(|| (features, mean(&errors)))
    };
    let nca = found.nca_features.iter().enumerate().filter_map(point).collect();
    let mut curves = vec![
        Curve { name: "PCA".to_string(), points: found.curve(|run| &run.pca) },
        Curve { name: "LFE".to_string(), points: found.curve(|run| &run.methods[LFE]) },
        Curve { name: "NCA".to_string(), points: nca },
        Curve { name: "DANN".to_string(), points: found.curve(|run| &run.methods[DANN]) },
    ];
    curves.retain(|curve| !curve.points.is_empty());
    Panel {
        title: found.set.file.to_string(),
        x_label: "features".to_string(),
        y_label: "test error %".to_string(),
        curves,
    }
}

fn report(results: &[SetResults], runs: usize, metric: &str) -> Result<Results> {
    let sets = results.iter().map(SetErrors::new).collect::<Result<Vec<_>>>()?;
    let compared: Vec<Compared> = sets.iter().flat_map(SetErrors::compared).collect();
    let panels: Vec<Panel> = results.iter().map(panel).collect();
    let mut figure = String::from("set,method,features,error_percent\n");
    for panel in &panels {
        for curve in &panel.curves {
            for (features, error) in &curve.points {
                let _ = writeln!(figure, "{},{},{features},{error}", panel.title, curve.name);
            }
        }
    }
    let opening = format!(
        "Sun & Wu 2008, Table 2 and Figure 2: test error in percent, {runs} runs, ten noise features \
         added, {metric} distances.\n\nThe paper does not specify the distance, nor the candidates for M and \
         k; DANN is used without sphering.\n",
    );
    let failures = results
        .iter()
        .filter_map(|found| Some(format!("{}: {}", found.set.file, found.failures().next()?)));
    let files = vec![
        ("table2.svg", picture("Test errors", "mean test error in %", &compared)?),
        ("table2.csv", csv(&compared)),
        ("figure2.csv", figure),
        ("figure2.svg", curves("Test error by the number of features", 3, &panels)?),
    ];
    Ok(Results {
        basis: String::new(),
        opening,
        tables: vec![table("Table 2, test error in percent", &compared)],
        note: "p of paired t-tests over the runs",
        claims: claims(&sets),
        remarks: failures.collect(),
        files,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_has_published_errors() {
        for set in ALL {
            assert!(PUBLISHED.iter().any(|(name, _, _)| *name == set.file), "{}", set.file);
        }
    }

    #[test]
    fn nca_is_learned_for_fewer_features_and_for_all() {
        assert_eq!(nca_features(12, false), ["2", "5", "10", "all"]);
        assert_eq!(nca_features(10, true), ["2", "all"]);
    }

    #[test]
    fn claims_by_hand() {
        use Verdict::{Fails, Holds, Open};
        let around = |mean: f64| vec![mean - 0.1, mean, mean + 0.2];
        let (_, published, published_nca) = PUBLISHED[0];
        let one = |nca: Vec<f64>| SetErrors {
            set: "banana",
            methods: [40.0, 12.0, 23.0, 18.0].map(around),
            pca: around(30.0),
            nca,
            nca_features: "2".to_string(),
            published,
            published_nca,
        };
        let verdicts = |one: SetErrors| -> Vec<Verdict> {
            claims(&[one]).iter().flat_map(Claim::verdicts).collect()
        };
        // In the paper, RELIEF is better than LFE on banana, and LFE is better than NCA.
        assert_eq!(verdicts(one(vec![20.0, 20.0, 20.5])), [Holds, Holds, Holds]);
        assert_eq!(verdicts(one(vec![10.0, 10.0, 10.5])), [Holds, Fails, Holds]);
        assert_eq!(verdicts(one(vec![10.0, 20.0, 30.0])), [Holds, Open, Holds]);
        assert_eq!(verdicts(one(Vec::new())), [Holds, Open, Holds]);
    }
}
