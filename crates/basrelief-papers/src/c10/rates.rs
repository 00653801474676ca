//! Figure 4: success rates of the nearest neighbor by the number of components.

use std::fmt::Write;

use basrelief::data::Split;
use basrelief::evaluate::{Cell, Dimensions, compare, paired_t_test};
use basrelief::methods::{OptionInfo, OptionKind};
use basrelief::{Result, derived_seed};
use basrelief_report::figures::{Panel, curves};

use super::methods::{EUCLIDEAN, GI_RELIEF, I_RELIEF, METHODS, Method, candidate, trial};
use super::sets::{SETS, Set, Source, Splitting, in_their_span};
use crate::claims::{Claim, Finding, LEVEL, Verdict};
use crate::curves::{EQUAL, Measure, MethodCurve, Point, SetCurves};
use crate::data::{BALANCE, Data, IONOSPHERE, IRIS, PROSTATE, SPAMBASE, USPS, WINE, YALE};
use crate::protocol::{ProtocolInfo, Results, Work, numbers_table};

static RUNS: OptionInfo = OptionInfo {
    name: "runs",
    flag: "runs",
    kind: OptionKind::Count { least: 1 },
    default: "50",
    help: "Maximum number of runs; the paper has 50 for the small sets, 1 for USPS and Spambase, 102 for prostate \
           (leave-one-out) and 10 for Yale",
};

/// Registry entry.
pub(crate) static FIGURE4: ProtocolInfo = ProtocolInfo {
    name: "c10-fig4",
    aliases: &[],
    purpose: "nearest-neighbor rates of GI-RELIEF and ten other metrics",
    source: "Chang 2010, section 4.2, Table 3 and Figure 4",
    quick: "the five small sets, 3 runs",
    options: &[&RUNS],
    generates: true,
    adds: false,
    data: &[&IRIS, &WINE, &BALANCE, &IONOSPHERE, &USPS, &SPAMBASE, &PROSTATE, &YALE],
    run,
};

const QUICK_RUNS: usize = 3;

/// The sets on which other methods are better in the paper.
const OTHERS_AHEAD: [&str; 2] = ["usps", "extended_yale_b"];

/// Rates whose difference is at most this, in percentage points, are comparable.
const COMPARABLE: f64 = 1.0;

fn run(work: &Work<'_>) -> Result<Results> {
    let most = work.settings.count(&RUNS)?.min(if work.quick { QUICK_RUNS } else { usize::MAX });
    let mut found = Vec::new();
    for (place, set) in SETS.iter().enumerate() {
        if work.quick && !set.small {
            continue;
        }
        let seed = derived_seed(work.run.seed(), &[4, place as u64]);
        // All leave-one-out splits are used unless fewer runs than usual are requested.
        let most = match set.splitting {
            Splitting::LeaveOneOut if most >= 50 => usize::MAX,
            _ => most,
        };
        if let Some(one) = measure(work, set, seed, most)? {
            found.push(one);
        }
    }
    results(work, &found)
}

/// Evaluates every method on every split of a set. Returns `None` if its file is missing.
fn measure(work: &Work<'_>, set: &Set, seed: u64, most: usize) -> Result<Option<SetCurves>> {
    let run = work.run;
    let Some(data) = set.source.load(work, seed)? else { return Ok(None) };
    let in_span = match set.splitting {
        Splitting::LeaveOneOut => Some(in_their_span(&data, &run.part(seed))?),
        Splitting::Holdout { .. } => None,
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
    let one = |&(repetition, method): &(usize, Method)| {
        let own_seed = derived_seed(seed, &[repetition as u64]);
        let judge = |data: &Data, split: &Split| {
            let candidate = candidate(method, data, run)?;
            let (trial, splits) = (trial(data, Dimensions::Every), std::slice::from_ref(split));
            let name = format!("{name}/{repetition}/");
            compare(&trial, &[candidate], splits, &name, work.checkpoints, &run.part(own_seed))
        };
        let cells = match (set.source, &in_span) {
            // New rows for every repetition.
            (Source::Rings, _) => match set.source.load(work, own_seed)? {
                Some(drawn) => judge(&drawn, &set.splits(&drawn, own_seed, 1)?[0])?,
                None => Vec::new(),
            },
            (Source::File(_), Some(in_span)) if method != I_RELIEF => {
                judge(in_span, &splits[repetition])?
            }
            (Source::File(_), _) => judge(&data, &splits[repetition])?,
        };
        progress.advance(1);
        Ok(cells.into_iter().flatten().collect::<Vec<Cell>>())
    };
    let cells = work.in_parallel(&units, one)?.concat();
    progress.finish();
    let names: Vec<&'static str> = methods.iter().map(|method| method.name).collect();
    Ok(Some(SetCurves::new(name, Measure::SuccessRate, &names, &cells, None)))
}

/// The best point of a method's curve.
fn best(one: &SetCurves, method: Method) -> Option<&Point> {
    one.of(method.name).and_then(MethodCurve::best)
}

/// The best points of all methods except GI-RELIEF.
fn others(one: &SetCurves) -> impl Iterator<Item = (&'static str, &Point)> {
    one.curves()
        .filter(|(method, _)| *method != GI_RELIEF.name)
        .filter_map(|(method, curve)| Some((method, curve.best()?)))
}

/// Whether GI-RELIEF is best or second best, and which methods are significantly better.
fn best_or_second(one: &SetCurves) -> Finding {
    let Some(own) = best(one, GI_RELIEF) else { return Finding::no_result() };
    let rate = own.mean();
    let mut ahead: Vec<(&str, &Point)> =
        others(one).filter(|(_, other)| other.mean() > rate + EQUAL).collect();
    ahead.sort_by(|a, b| b.1.mean().total_cmp(&a.1.mean()));
    let mut significant = 0;
    let words: Vec<String> = ahead
        .iter()
        .map(|(method, other)| {
            let leads: Vec<f64> =
                other.values.iter().zip(&own.values).map(|(a, b)| a - b).collect();
            let p_value = paired_t_test(&leads, 0.0).map(|test| test.p_value);
            significant += usize::from(p_value.is_none_or(|p| p < LEVEL));
            let chance = p_value.map_or(String::new(), |p| format!(", p = {p:.1e}"));
            format!("{method} {:.2}{chance}", other.mean())
        })
        .collect();
    let verdict = match (ahead.len(), significant) {
        (0 | 1, _) => Verdict::Holds,
        (_, 0 | 1) => Verdict::Open,
        _ => Verdict::Fails,
    };
    let before = if words.is_empty() { "none".to_string() } else { words.join("; ") };
    verdict.with(format!("rank {} with {rate:.2}; better: {before}", ahead.len() + 1))
}

/// Whether GI-RELIEF has a higher rate than I-RELIEF, or a comparable rate with fewer components.
fn better_than_i_relief(one: &SetCurves) -> Finding {
    let (Some(own), Some(other)) = (best(one, GI_RELIEF), best(one, I_RELIEF)) else {
        return Finding::no_result();
    };
    let ((rate, count), (other_rate, other_count)) =
        ((own.mean(), own.features), (other.mean(), other.features));
    let better =
        rate > other_rate + EQUAL || (rate > other_rate - COMPARABLE && count < other_count);
    Verdict::of_fact(better).with(format!("{rate:.2} ({count}) vs {other_rate:.2} ({other_count})"))
}

/// Whether GI-RELIEF needs fewer components than most methods with a comparable rate.
fn few_components(one: &SetCurves) -> Finding {
    let Some(own) = best(one, GI_RELIEF) else { return Finding::no_result() };
    let count = own.features;
    let comparable: Vec<(&str, usize)> = others(one)
        .filter(|(method, _)| *method != EUCLIDEAN.name)
        .filter(|(_, other)| (other.mean() - own.mean()).abs() <= COMPARABLE)
        .map(|(method, other)| (method, other.features))
        .collect();
    if comparable.is_empty() {
        return Verdict::Open.with(format!("{count} components, no other method within a point"));
    }
    let more = comparable.iter().filter(|(_, other)| *other > count).count();
    let fewer = comparable.iter().filter(|(_, other)| *other < count).count();
    let words: Vec<String> =
        comparable.iter().map(|(name, count)| format!("{name} {count}")).collect();
    Verdict::of_fact(more > fewer).with(format!("{count} components vs {}", words.join(", ")))
}

fn claims(found: &[SetCurves]) -> Vec<Claim> {
    let (ahead, not_ahead): (Vec<_>, Vec<_>) =
        found.iter().partition(|one| OTHERS_AHEAD.contains(&one.name));
    vec![
        Claim::about(
            "GI-RELIEF has the best or second best rate, except on USPS and YALE.",
            not_ahead,
            best_or_second,
        ),
        Claim::about("On USPS and YALE it has neither.", ahead, |one| {
            let Finding { verdict, evidence } = best_or_second(one);
            verdict.negated().with(evidence)
        }),
        Claim::about(
            "It has a better rate or fewer components than I-RELIEF, except on USPS.",
            found.iter().filter(|one| one.name != USPS.file),
            better_than_i_relief,
        ),
        Claim::about(
            "It often needs fewer components than methods with a comparable rate (within a percentage point).",
            found,
            few_components,
        ),
    ]
}

fn results(work: &Work<'_>, found: &[SetCurves]) -> Result<Results> {
    let mut best_rates = String::from("set,method,best_rate_percent,components,runs\n");
    let mut all = String::from("set,method,components,rate_percent\n");
    let opening = format!(
        "C10, Figure 4: rates of the nearest neighbor in percent; no scaling{}.\n",
        if work.quick { " (quick form)" } else { "" },
    );
    let heads: Vec<&str> = ["method"].into_iter().chain(found.iter().map(|one| one.name)).collect();
    let mut runs = vec!["runs".to_string()];
    runs.extend(found.iter().map(|one| one.repetitions.to_string()));
    let mut rows = vec![runs];
    for method in METHODS {
        let mut row = vec![method.name.to_string()];
        for one in found {
            let start = format!("{},{}", one.name, method.name);
            for point in one.of(method.name).iter().flat_map(|curve| &curve.points) {
                let _ = writeln!(all, "{start},{},{}", point.features, point.mean());
            }
            let text = best(one, method).map_or("-".to_string(), |point| {
                let (rate, count) = (point.mean(), point.features);
                let _ = writeln!(best_rates, "{start},{rate},{count},{}", one.repetitions);
                format!("{rate:.2} ({count})")
            });
            row.push(text);
        }
        rows.push(row);
    }
    let caption =
        "Best mean rate over the runs, with its number of components in brackets".to_string();
    let mut files = vec![("best.csv", best_rates), ("rates.csv", all)];
    let panels: Vec<Panel> = found
        .iter()
        .filter(|one| one.curves().next().is_some())
        .map(|one| one.panel("components"))
        .collect();
    if !panels.is_empty() {
        files.push(("figure.svg", curves("Rates by the number of components", 3, &panels)?));
    }
    Ok(Results {
        opening,
        tables: vec![numbers_table(caption, &heads, rows)],
        claims: claims(found),
        remarks: found.iter().flat_map(SetCurves::failures).collect(),
        files,
        ..Results::default()
    })
}

#[cfg(test)]
mod tests {
    use super::super::methods::{LFDA, LMNN, PCA};
    use super::*;
    use crate::curves::fixture::cell;

    /// Methods with their rates in percent, run by run, and the number of components for these rates; fewer components
    /// have a rate of 0.
    fn found(best: &[(Method, [f64; 3], usize)]) -> SetCurves {
        let names: Vec<&'static str> = best.iter().map(|(method, ..)| method.name).collect();
        let one = |rate: f64, count: usize| {
            let losses =
                (1..=count).map(|at| (at, if at < count { 1.0 } else { 1.0 - rate / 100.0 }));
            cell(&losses.collect::<Vec<_>>())
        };
        let run = |run: usize| best.iter().map(move |(_, rates, count)| one(rates[run], *count));
        let cells: Vec<Cell> = (0..3).flat_map(run).collect();
        SetCurves::new("wine", Measure::SuccessRate, &names, &cells, None)
    }

    #[test]
    fn second_best_holds_and_third_may_be_chance() {
        let own = (GI_RELIEF, [90.0, 91.0, 89.0], 2);
        let significant = (PCA, [92.0, 93.1, 90.9], 1);
        let chance = (LFDA, [95.0, 91.0, 86.0], 5);
        let another = (LMNN, [93.0, 94.1, 91.9], 5);
        let verdict = |best: &[_]| best_or_second(&found(best)).verdict;
        assert_eq!(verdict(&[own, significant]), Verdict::Holds);
        assert_eq!(verdict(&[own, significant, chance]), Verdict::Open);
        assert_eq!(verdict(&[own, significant, another]), Verdict::Fails);
        // Only LFDA is within a percentage point, and it has more components.
        let close = found(&[own, significant, chance]);
        assert_eq!(few_components(&close).verdict, Verdict::Holds);
        assert_eq!(better_than_i_relief(&close), Finding::no_result());
    }

    #[test]
    fn gi_relief_may_be_better_by_fewer_components() {
        let own = (GI_RELIEF, [90.0; 3], 2);
        let beside = |rate: f64, count: usize| {
            better_than_i_relief(&found(&[own, (I_RELIEF, [rate; 3], count)])).verdict
        };
        assert_eq!(beside(89.0, 1), Verdict::Holds);
        assert_eq!(beside(90.5, 3), Verdict::Holds);
        assert_eq!(beside(90.5, 2), Verdict::Fails);
        assert_eq!(beside(91.5, 3), Verdict::Fails);
    }
}
