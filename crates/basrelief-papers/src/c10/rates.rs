//! Figure 4, the rates of the nearest neighbour, and Figure 5, the computing times.

use std::fmt::Write;

use basrelief::data::{Split, holdout, leave_one_out, partition};
use basrelief::evaluate::{Cell, Dimensions, NestedCv, compare, paired_t_test};
use basrelief::methods::{OptionInfo, OptionKind};
use basrelief::{Result, derived_seed};
use basrelief_report::figures::{Curve, Panel, curves, points};
use rayon::prelude::*;

use super::{
    BALANCE, DANN, EUCLIDEAN, FDA, GI_RELIEF, I_RELIEF, IONOSPHERE, IRIS, LFDA, LMNN, METHODS,
    MFDA, Method, PCA, PROSTATE, RCA, SPAMBASE, Source, USPS, WINE, YALE, candidate, classes,
    in_their_span, knn,
};
use crate::claims::{self, Claim, Verdict};
use crate::data::Data;
use crate::registry::{ProtocolInfo, Results, Work};
use crate::statistics::mean;

static RUNS: OptionInfo = OptionInfo {
    name: "runs",
    flag: "runs",
    kind: OptionKind::Count { least: 1 },
    default: "50",
    help: "Runs at most; the paper has 50 of the small sets, 1 of USPS and Spambase, 102 of prostate \
           (each row left out once) and 10 of Yale",
};

/// Figure 4.
pub(crate) static FIGURE4: ProtocolInfo = ProtocolInfo {
    name: "c10-fig4",
    aliases: &[],
    purpose: "nearest-neighbour rates of GI-RELIEF and ten other metrics",
    source: "Chang 2010, section 4.2, Table 3 and Figure 4",
    quick: "the five small sets, 3 runs",
    options: &[&RUNS],
    generates: true,
    data: &[&IRIS, &WINE, &BALANCE, &IONOSPHERE, &USPS, &SPAMBASE, &PROSTATE, &YALE],
    run: rates,
};

/// Figure 5.
pub(crate) static FIGURE5: ProtocolInfo = ProtocolInfo {
    name: "c10-fig5",
    aliases: &[],
    purpose: "computing times of GI-RELIEF and eight other metrics on large sets",
    source: "Chang 2010, section 4.2, Figure 5",
    quick: "Spambase only",
    options: &[],
    generates: false,
    data: &[&USPS, &SPAMBASE, &PROSTATE, &YALE],
    run: times,
};

const QUICK_RUNS: usize = 3;

/// How the rates of a set are estimated.
#[derive(Debug, Clone, Copy)]
enum Estimate {
    /// So many runs, each with this share of every class, rounded up, to learn from.
    Holdout {
        runs: usize,
        share: f64,
    },
    LeaveOneOut,
}

/// A data set of Table 3.
#[derive(Debug, Clone, Copy)]
struct Set {
    source: Source,
    estimate: Estimate,
    /// Whether it is one of the paper's five small sets.
    small: bool,
}

const fn small(source: Source) -> Set {
    Set { source, estimate: Estimate::Holdout { runs: 50, share: 0.75 }, small: true }
}

const fn large(source: Source, runs: usize) -> Set {
    Set { source, estimate: Estimate::Holdout { runs, share: 0.25 }, small: false }
}

static SETS: [Set; 9] = [
    small(Source::File(&IRIS)),
    small(Source::File(&WINE)),
    small(Source::File(&BALANCE)),
    small(Source::Rings),
    small(Source::File(&IONOSPHERE)),
    large(Source::File(&USPS), 1),
    large(Source::File(&SPAMBASE), 1),
    Set { source: Source::File(&PROSTATE), estimate: Estimate::LeaveOneOut, small: false },
    large(Source::File(&YALE), 10),
];

/// Sets on which the paper itself sees others ahead.
const OTHERS_AHEAD: [&str; 2] = ["usps", "extended_yale_b"];

/// Means that differ by less are equal but for rounding.
const EQUAL: f64 = 1e-9;

/// The methods of Figure 5.
const TIMED: [Method; 9] = [PCA, RCA, FDA, LFDA, DANN, LMNN, I_RELIEF, MFDA, GI_RELIEF];

/// Rates of a method on a set, in percent.
struct Rates {
    method: Method,
    /// By the number of components less one, and run.
    by_components: Vec<Vec<f64>>,
}

/// What became of the methods on a set.
struct Found {
    name: &'static str,
    runs: usize,
    rates: Vec<Rates>,
    failures: Vec<String>,
}

impl Rates {
    /// The best mean rate, and the least number of components that has it.
    fn best(&self) -> (f64, usize) {
        let means = self.by_components.iter().map(|rates| mean(rates));
        let best = |best: (f64, usize), (place, rate): (usize, f64)| {
            if rate > best.0 + EQUAL { (rate, place + 1) } else { best }
        };
        means.enumerate().fold((f64::NEG_INFINITY, 1), best)
    }

    /// The rates of the runs with that number.
    fn of_best(&self) -> &[f64] {
        &self.by_components[self.best().1 - 1]
    }

    fn new(method: Method, cells: &[Cell]) -> std::result::Result<Self, String> {
        let mut outcomes = Vec::with_capacity(cells.len());
        for cell in cells {
            match cell {
                Cell::Done(outcome) => outcomes.push(outcome),
                Cell::Failed(reason) => return Err(format!("{}: {reason}", method.name)),
            }
        }
        let most = outcomes.iter().filter_map(|outcome| outcome.curve.last());
        let most = most.map(|rate| rate.dimensions).max().unwrap_or(0).max(1);
        // Features that nothing orders count as one number.
        let first = if method == EUCLIDEAN { most } else { 1 };
        let rates = |count: usize| {
            outcomes.iter().map(|outcome| 100.0 * (1.0 - outcome.loss_with(count))).collect()
        };
        let mut by_components: Vec<Vec<f64>> = (first..=most).map(rates).collect();
        if first > 1 {
            let unordered = vec![f64::NEG_INFINITY; outcomes.len()];
            by_components.splice(0..0, vec![unordered; first - 1]);
        }
        Ok(Self { method, by_components })
    }
}

impl Found {
    fn of(&self, method: Method) -> Option<&Rates> {
        self.rates.iter().find(|rates| rates.method == method)
    }
}

impl Set {
    /// The splits of so many runs at most.
    fn splits(&self, data: &Data, seed: u64, most: usize) -> Result<Vec<Split>> {
        let Estimate::Holdout { runs, share } = self.estimate else {
            let rows = data.table.rows();
            let drawn = partition(rows, most.clamp(2, rows), seed).train;
            let mut splits = leave_one_out(rows);
            splits.retain(|split| split.test.iter().all(|row| drawn.contains(row)));
            return Ok(splits);
        };
        let one = |run: usize| {
            let count = |rows: usize| (share * rows as f64).ceil() as usize;
            holdout(&data.target, derived_seed(seed, &[run as u64]), count)
        };
        Ok((0..runs.min(most)).map(one).collect())
    }
}

fn rates(work: &Work<'_>) -> Result<Results> {
    let most = work.settings.count(&RUNS)?.min(if work.quick { QUICK_RUNS } else { usize::MAX });
    let mut found = Vec::new();
    for (place, set) in SETS.iter().enumerate() {
        if work.quick && !set.small {
            continue;
        }
        let seed = derived_seed(work.run.seed(), &[4, place as u64]);
        // Leaving one out is not a matter of runs, unless these are fewer than usual.
        let most = match set.estimate {
            Estimate::LeaveOneOut if most >= 50 => usize::MAX,
            _ => most,
        };
        if let Some(one) = measure(work, set, seed, most)? {
            found.push(one);
        }
    }
    rate_results(work, &found)
}

/// Every method on every split of a set; `None` where its file is not there.
fn measure(work: &Work<'_>, set: &Set, seed: u64, most: usize) -> Result<Option<Found>> {
    let run = work.run;
    let Some(data) = set.source.load(work, seed)? else { return Ok(None) };
    let in_span = match set.estimate {
        Estimate::LeaveOneOut => Some(in_their_span(&data, &run.part(seed))?),
        Estimate::Holdout { .. } => None,
    };
    let splits = set.splits(&data, seed, most)?;
    let methods: Vec<Method> =
        METHODS.into_iter().filter(|method| set.small || !method.slow).collect();
    let name = set.source.name();
    let progress = run.progress();
    progress.start(name, (methods.len() * splits.len()) as u64);
    let units: Vec<(usize, Method)> = (0..splits.len())
        .flat_map(|split| methods.iter().map(move |&method| (split, method)))
        .collect();
    let one = |&(split, method): &(usize, Method)| {
        run.check()?;
        let drawn = match set.source {
            Source::Rings => set.source.load(work, derived_seed(seed, &[split as u64]))?,
            Source::File(_) => None,
        };
        let data = match (&drawn, &in_span) {
            (Some(drawn), _) => drawn,
            (None, Some(in_span)) if method != I_RELIEF => in_span,
            _ => &data,
        };
        let drawn_split;
        let chosen = match set.source {
            Source::Rings => {
                drawn_split = set.splits(data, derived_seed(seed, &[split as u64]), 1)?;
                &drawn_split[0]
            }
            Source::File(_) => &splits[split],
        };
        let trial = trial(data, Dimensions::Every);
        let candidate = candidate(method, data, run)?;
        let name = format!("{name}/{split}/");
        let part = run.part(derived_seed(seed, &[split as u64]));
        let cells = compare(
            &trial,
            &[candidate],
            std::slice::from_ref(chosen),
            &name,
            work.checkpoints,
            &part,
        )?;
        progress.advance(1);
        Ok(cells.into_iter().flatten().collect::<Vec<Cell>>())
    };
    let cells: Vec<Vec<Cell>> =
        run.install(|| units.par_iter().with_max_len(1).map(one).collect::<Result<_>>())?;
    progress.finish();
    let mut found = Found { name, runs: splits.len(), rates: Vec::new(), failures: Vec::new() };
    for (place, &method) in methods.iter().enumerate() {
        let own: Vec<Cell> =
            cells.iter().skip(place).step_by(methods.len()).flatten().cloned().collect();
        match Rates::new(method, &own) {
            Ok(rates) => found.rates.push(rates),
            Err(failure) => found.failures.push(failure),
        }
    }
    Ok(Some(found))
}

/// Best or second best, and by how much more than chance others are ahead.
fn standing(one: &Found) -> (Verdict, String) {
    let Some(own) = one.of(GI_RELIEF) else {
        return (Verdict::Open, "no result".to_string());
    };
    let rate = own.best().0;
    let mut ahead: Vec<(&Rates, f64)> = one
        .rates
        .iter()
        .map(|other| (other, other.best().0))
        .filter(|(_, other)| *other > rate + EQUAL)
        .collect();
    ahead.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut surely = 0;
    let words: Vec<String> = ahead
        .iter()
        .map(|(other, rate)| {
            let leads: Vec<f64> =
                other.of_best().iter().zip(own.of_best()).map(|(a, b)| a - b).collect();
            let p_value = paired_t_test(&leads, 0.0).map(|test| test.p_value);
            surely += usize::from(p_value.is_none_or(|p| p < 0.05));
            let chance = p_value.map_or(String::new(), |p| format!(", p = {p:.1e}"));
            format!("{} {rate:.2}{chance}", other.method.name)
        })
        .collect();
    let verdict = match (ahead.len(), surely) {
        (0 | 1, _) => Verdict::Holds,
        (_, 0 | 1) => Verdict::Open,
        _ => Verdict::Fails,
    };
    let before = if words.is_empty() { "nothing".to_string() } else { words.join("; ") };
    (verdict, format!("place {} with {rate:.2}; ahead: {before}", ahead.len() + 1))
}

/// A better rate than I-RELIEF, or one within a point of it from fewer components.
fn beside_i_relief(one: &Found) -> (Verdict, String) {
    let (Some(own), Some(other)) = (one.of(GI_RELIEF), one.of(I_RELIEF)) else {
        return (Verdict::Open, "no result".to_string());
    };
    let ((rate, count), (other_rate, other_count)) = (own.best(), other.best());
    let evidence = format!("{rate:.2} ({count}) beside {other_rate:.2} ({other_count})");
    let better = rate > other_rate + EQUAL || (rate > other_rate - 1.0 && count < other_count);
    (Verdict::of_fact(better), evidence)
}

/// Fewer components than the methods whose rate is within a point.
fn few_components(one: &Found) -> (Verdict, String) {
    let Some(own) = one.of(GI_RELIEF) else {
        return (Verdict::Open, "no result".to_string());
    };
    let (rate, count) = own.best();
    let comparable: Vec<(&str, usize)> = one
        .rates
        .iter()
        .filter(|other| other.method != GI_RELIEF && other.method != EUCLIDEAN)
        .map(|other| (other.method.name, other.best()))
        .filter(|(_, (other, _))| (other - rate).abs() <= 1.0)
        .map(|(name, (_, count))| (name, count))
        .collect();
    if comparable.is_empty() {
        return (Verdict::Open, format!("{count} components, no other within a point"));
    }
    let more = comparable.iter().filter(|(_, other)| *other > count).count();
    let fewer = comparable.iter().filter(|(_, other)| *other < count).count();
    let words: Vec<String> =
        comparable.iter().map(|(name, count)| format!("{name} {count}")).collect();
    (Verdict::of_fact(more > fewer), format!("{count} components beside {}", words.join(", ")))
}

fn rate_claims(found: &[Found]) -> Vec<Claim> {
    let of = |chosen: &dyn Fn(&str) -> bool, finding: fn(&Found) -> (Verdict, String)| {
        let one = |one: &Found| {
            let (verdict, evidence) = finding(one);
            (one.name, verdict, evidence)
        };
        found.iter().filter(|one| chosen(one.name)).map(one).collect::<Vec<_>>()
    };
    vec![
        Claim {
            text: "GI-RELIEF has the best or second best rate except on USPS and YALE.",
            findings: of(&|name| !OTHERS_AHEAD.contains(&name), standing),
        },
        Claim {
            text: "It has not on USPS and YALE.",
            findings: of(&|name| OTHERS_AHEAD.contains(&name), |one| {
                let (verdict, evidence) = standing(one);
                let turned = match verdict {
                    Verdict::Holds => Verdict::Fails,
                    Verdict::Fails => Verdict::Holds,
                    Verdict::Open => Verdict::Open,
                };
                (turned, evidence)
            }),
        },
        Claim {
            text: "It is better than I-RELIEF in the rate or in the number of components, except on \
                   USPS.",
            findings: of(&|name| name != "usps", beside_i_relief),
        },
        Claim {
            text: "It often needs fewer components than methods of a comparable rate (within a \
                   point).",
            findings: of(&|_| true, few_components),
        },
    ]
}

fn rate_results(work: &Work<'_>, found: &[Found]) -> Result<Results> {
    let mut best = String::from("set,method,best_rate_percent,components,runs\n");
    let mut all = String::from("set,method,components,rate_percent\n");
    let mut summary = format!(
        "C10, Figure 4: rates of the nearest neighbour in percent, the best mean over the runs with \
         its number of components in brackets; no scaling{}.\n\n{:<10}",
        if work.quick { " (quick form)" } else { "" },
        "method"
    );
    for one in found {
        let _ = write!(summary, "{:>16}", one.name);
    }
    let _ = write!(summary, "\n{:<10}", "runs");
    for one in found {
        let _ = write!(summary, "{:>16}", one.runs);
    }
    summary.push('\n');
    for method in METHODS {
        let _ = write!(summary, "{:<10}", method.name);
        for one in found {
            let text = match one.of(method) {
                None => "-".to_string(),
                Some(rates) => {
                    let (rate, count) = rates.best();
                    let _ =
                        writeln!(best, "{},{},{rate},{count},{}", one.name, method.name, one.runs);
                    for (place, rates) in rates.by_components.iter().enumerate() {
                        let rate = mean(rates);
                        if rate.is_finite() {
                            let count = place + 1;
                            let _ = writeln!(all, "{},{},{count},{rate}", one.name, method.name);
                        }
                    }
                    format!("{rate:.2} ({count})")
                }
            };
            let _ = write!(summary, "{text:>16}");
        }
        summary.push('\n');
    }
    for one in found {
        for failure in &one.failures {
            let _ = writeln!(summary, "\n{}: {failure}", one.name);
        }
    }
    summary.push_str("\nWhat the paper says, and whether it holds here:\n\n");
    summary.push_str(&claims::text(&rate_claims(found)));
    let mut files = vec![("best.csv", best), ("rates.csv", all)];
    let panels: Vec<Panel> = found.iter().filter_map(panel).collect();
    if !panels.is_empty() {
        files.push(("figure.svg", curves("Rates by the number of components", 3, &panels)?));
    }
    Ok(Results { summary, files })
}

/// What is asked of a method: the rates of the nearest neighbour; nothing is chosen.
fn trial(data: &Data, dimensions: Dimensions) -> NestedCv<'_> {
    NestedCv {
        table: &data.table,
        target: &data.target,
        knn: knn(),
        dimensions,
        counts: vec![1],
        folds: 0,
    }
}

/// The mean rates of a set's methods; features that nothing orders are a level line.
fn panel(found: &Found) -> Option<Panel> {
    let most = found.rates.iter().map(|rates| rates.by_components.len()).max()?;
    let curve = |rates: &Rates| {
        let means = rates.by_components.iter().map(|rates| mean(rates)).enumerate();
        let means = means.filter(|(_, rate)| rate.is_finite());
        let mut points: Vec<(f64, f64)> =
            means.map(|(place, rate)| ((place + 1) as f64, rate)).collect();
        if let [(_, rate)] = points[..] {
            points = vec![(1.0, rate), (most as f64, rate)];
        }
        Curve { name: rates.method.name.to_string(), points }
    };
    Some(Panel {
        title: found.name.to_string(),
        x_label: "components".to_string(),
        y_label: "rate %".to_string(),
        curves: found.rates.iter().map(curve).filter(|curve| !curve.points.is_empty()).collect(),
    })
}

fn times(work: &Work<'_>) -> Result<Results> {
    let run = work.run;
    let mut numbers = String::from("set,method,seconds\n");
    let mut summary = format!(
        "C10, Figure 5: seconds to learn a map once, on {} threads (the paper: two Xeon 2.0 GHz, \
         MATLAB).\n\n",
        run.threads()
    );
    let mut found = Vec::new();
    for (place, set) in SETS.iter().enumerate().filter(|(_, set)| !set.small) {
        if work.quick && set.source.name() != SPAMBASE.file {
            continue;
        }
        let seed = derived_seed(run.seed(), &[4, place as u64]);
        let Some(data) = set.source.load(work, seed)? else { continue };
        let splits = set.splits(&data, seed, 1)?;
        run.progress().start(set.source.name(), TIMED.len() as u64);
        let _ = writeln!(
            summary,
            "{} ({} rows to learn from, {} features, {} classes)",
            set.source.name(),
            splits[0].train.len(),
            data.table.width(),
            classes(&data)?.len()
        );
        let mut seconds = Vec::new();
        for method in TIMED {
            run.check()?;
            let trial = trial(&data, Dimensions::All);
            let candidate = candidate(method, &data, run)?;
            let name = format!("{}/", set.source.name());
            let part = run.part(seed);
            let cells =
                compare(&trial, &[candidate], &splits[..1], &name, work.checkpoints, &part)?;
            match &cells[0][0] {
                Cell::Failed(reason) => {
                    let _ = writeln!(summary, "  {:<10} {reason}", method.name);
                }
                Cell::Done(outcome) => {
                    let time = outcome.seconds;
                    let _ = writeln!(summary, "  {:<10} {time:>9.3}", method.name);
                    let _ = writeln!(numbers, "{},{},{time}", set.source.name(), method.name);
                    seconds.push((method, time));
                }
            }
            run.progress().advance(1);
        }
        run.progress().finish();
        found.push((set.source.name(), seconds));
    }
    summary.push_str("\nWhat the paper says, and whether it holds here:\n\n");
    summary.push_str(&claims::text(&[time_claim(&found)]));
    let mut groups: Vec<Curve> = Vec::new();
    for (place, (_, seconds)) in found.iter().enumerate() {
        for (method, time) in seconds {
            let point = ((place + 1) as f64, time.max(1e-6).log10());
            match groups.iter_mut().find(|group| group.name == method.name) {
                Some(group) => group.points.push(point),
                None => groups.push(Curve { name: method.name.to_string(), points: vec![point] }),
            }
        }
    }
    let mut files = vec![("seconds.csv", numbers)];
    if !groups.is_empty() {
        let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
        let panel = Panel {
            title: String::new(),
            x_label: names.join(", "),
            y_label: "log10 of seconds".to_string(),
            curves: groups,
        };
        files.push(("figure.svg", points("Time to learn", 1, &[panel])?));
    }
    Ok(Results { summary, files })
}

/// The paper calls the time feasible: here, not the longest of all.
fn time_claim(found: &[(&'static str, Vec<(Method, f64)>)]) -> Claim {
    let one = |(name, seconds): &(&'static str, Vec<(Method, f64)>)| {
        let own = seconds.iter().find(|(method, _)| *method == GI_RELIEF);
        let most = seconds.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let (Some((_, own)), Some((slowest, most))) = (own, most) else {
            return (*name, Verdict::Open, "no result".to_string());
        };
        let evidence = format!("{own:.2} s; the slowest is {} with {most:.2} s", slowest.name);
        (*name, Verdict::of_fact(*slowest != GI_RELIEF), evidence)
    };
    Claim {
        text: "The time of GI-RELIEF is feasible (it is not the slowest).",
        findings: found.iter().map(one).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
            seconds: 1.0,
            warnings: Vec::new(),
        })
    }

    #[test]
    fn rates_are_means_over_runs_of_as_many_components_as_there_are() {
        let cells = [cell(&[(1, 0.5), (2, 0.25), (3, 0.25)]), cell(&[(1, 0.5), (2, 0.0)])];
        let rates = Rates::new(GI_RELIEF, &cells).unwrap();
        // 2 and 3 components have 87.5 %: the fewer are named.
        assert_eq!(rates.best(), (87.5, 2));
        assert_eq!(rates.of_best(), [75.0, 100.0]);
        assert_eq!(rates.by_components[2], [75.0, 100.0]);
        let features = Rates::new(EUCLIDEAN, &[cell(&[(4, 0.25)])]).unwrap();
        assert_eq!(features.best(), (75.0, 4));
        assert!(Rates::new(PCA, &[Cell::Failed("no".to_string())]).is_err());
    }

    fn found(best: &[(Method, &[f64], usize)]) -> Found {
        let rates = |&(method, rates, count): &(Method, &[f64], usize)| {
            let mut by_components = vec![vec![0.0; rates.len()]; count - 1];
            by_components.push(rates.to_vec());
            Rates { method, by_components }
        };
        Found {
            name: "wine",
            runs: best[0].1.len(),
            rates: best.iter().map(rates).collect(),
            failures: Vec::new(),
        }
    }

    #[test]
    fn second_best_holds_and_third_may_be_chance() {
        let own: (Method, &[f64], usize) = (GI_RELIEF, &[90.0, 91.0, 89.0], 2);
        let surely: (Method, &[f64], usize) = (PCA, &[92.0, 93.1, 90.9], 1);
        let perhaps: (Method, &[f64], usize) = (LFDA, &[95.0, 91.0, 86.0], 5);
        let also: (Method, &[f64], usize) = (LMNN, &[93.0, 94.1, 91.9], 5);
        assert_eq!(standing(&found(&[own, surely])).0, Verdict::Holds);
        assert_eq!(standing(&found(&[own, surely, perhaps])).0, Verdict::Open);
        assert_eq!(standing(&found(&[own, surely, also])).0, Verdict::Fails);
        // Within a point: LFDA only, with more components.
        assert_eq!(few_components(&found(&[own, surely, perhaps])).0, Verdict::Holds);
    }

    #[test]
    fn the_training_parts_are_those_of_table_3() {
        // 59, 71 and 48 rows of wine: 45 + 54 + 36 = 135.
        let labels: Vec<&str> = (0..178)
            .map(|row| {
                if row < 59 {
                    "a"
                } else if row < 130 {
                    "b"
                } else {
                    "c"
                }
            })
            .collect();
        let target =
            basrelief::data::Target::Classes(basrelief::data::Classes::from_labels(&labels));
        let column = basrelief::data::Column::from_values("x", vec![0.0; 178]).unwrap();
        let data = Data { table: basrelief::data::Table::new(vec![column]).unwrap(), target };
        let splits = SETS[1].splits(&data, 1, 50).unwrap();
        assert_eq!(splits.len(), 50);
        assert!(splits.iter().all(|split| split.train.len() == 135 && split.test.len() == 43));
    }
}
