//! Figure 5: the computing times of methods on the large sets.

use std::fmt::Write;

use basrelief::evaluate::{Cell, Dimensions, compare};
use basrelief::{Result, derived_seed};
use basrelief_report::figures::{Panel, points};

use super::methods::{
    DANN, FDA, GI_RELIEF, I_RELIEF, LFDA, LMNN, MFDA, Method, PCA, RCA, candidate, trial,
};
use super::sets::{SETS, classes};
use crate::claims::{Claim, Finding, Verdict};
use crate::curves::grouped;
use crate::data::{PROSTATE, SPAMBASE, USPS, YALE};
use crate::protocol::{ProtocolInfo, Results, Work, numbers_table};

/// Registry entry.
pub(crate) static FIGURE5: ProtocolInfo = ProtocolInfo {
    name: "c10-fig5",
    aliases: &[],
    purpose: "computing times of GI-RELIEF and eight other metrics on large sets",
    source: "Chang 2010, section 4.2, Figure 5",
    quick: "Spambase only",
    options: &[],
    generates: false,
    adds: false,
    data: &[&USPS, &SPAMBASE, &PROSTATE, &YALE],
    run,
};

/// The methods of Figure 5.
const TIMED: [Method; 9] = [PCA, RCA, FDA, LFDA, DANN, LMNN, I_RELIEF, MFDA, GI_RELIEF];

/// A set, and the seconds of each method that succeeded on it.
type Times = (&'static str, Vec<(Method, f64)>);

fn run(work: &Work<'_>) -> Result<Results> {
    let run = work.run;
    let mut numbers = String::from("set,method,seconds\n");
    let opening = format!(
        "C10, Figure 5: seconds to learn a map once, on {} threads (the paper: two Xeon 2.0 GHz, \
         MATLAB).\n",
        run.threads()
    );
    let (mut tables, mut remarks) = (Vec::new(), Vec::new());
    let mut found: Vec<Times> = Vec::new();
    for (place, set) in SETS.iter().enumerate().filter(|(_, set)| !set.small) {
        let name = set.source.name();
        if work.quick && name != SPAMBASE.file {
            continue;
        }
        let seed = derived_seed(run.seed(), &[4, place as u64]);
        let Some(data) = set.source.load(work, seed)? else { continue };
        let splits = set.splits(&data, seed, 1)?;
        run.progress().start(name, TIMED.len() as u64);
        let caption = format!(
            "{name}: {} training rows, {} features, {} classes",
            splits[0].train.len(),
            data.table.width(),
            classes(&data)?.len()
        );
        let (mut rows, mut seconds) = (Vec::new(), Vec::new());
        for method in TIMED {
            run.check()?;
            let trial = trial(&data, Dimensions::All);
            let candidate = candidate(method, &data, run)?;
            let (start, part) = (format!("{name}/"), run.part(seed));
            let cells =
                compare(&trial, &[candidate], &splits[..1], &start, work.checkpoints, &part)?;
            match &cells[0][0] {
                Cell::Failed(reason) => {
                    remarks.push(format!("{name}, {}: {reason}", method.name));
                }
                Cell::Done(outcome) => {
                    let time = outcome.seconds;
                    rows.push(vec![method.name.to_string(), format!("{time:.3}")]);
                    let _ = writeln!(numbers, "{name},{},{time}", method.name);
                    seconds.push((method, time));
                }
            }
            run.progress().advance(1);
        }
        run.progress().finish();
        tables.push(numbers_table(caption, &["method", "seconds"], rows));
        found.push((name, seconds));
    }
    let claim = Claim::about(
        "The time of GI-RELIEF is feasible (it is not the slowest).",
        &found,
        not_slowest,
    );
    let mut files = vec![("seconds.csv", numbers)];
    if let Some(panel) = panel(&found) {
        files.push(("figure.svg", points("Time to learn", 1, &[panel])?));
    }
    Ok(Results { opening, tables, claims: vec![claim], remarks, files, ..Results::default() })
}

/// The times of every method on every set; `None` if there are none.
fn panel(found: &[Times]) -> Option<Panel> {
    let times = found.iter().enumerate().flat_map(|(place, (_, seconds))| {
        let point = move |time: f64| ((place + 1) as f64, time.max(1e-6).log10());
        seconds.iter().map(move |(method, time)| (method.name, point(*time)))
    });
    let curves = grouped(times);
    let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
    (!curves.is_empty()).then(|| Panel {
        title: String::new(),
        x_label: names.join(", "),
        y_label: "log10 of seconds".to_string(),
        curves,
    })
}

/// Whether GI-RELIEF is not the slowest method, which is our interpretation of "feasible" in the paper.
fn not_slowest((_, seconds): &Times) -> Finding {
    let own = seconds.iter().find(|(method, _)| *method == GI_RELIEF);
    let most = seconds.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let (Some((_, own)), Some((slowest, most))) = (own, most) else {
        return Finding::no_result();
    };
    Verdict::of_fact(*slowest != GI_RELIEF)
        .with(format!("{own:.2} s; the slowest is {} with {most:.2} s", slowest.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_is_named() {
        let times = |own: f64| ("usps", vec![(PCA, 0.5), (GI_RELIEF, own)]);
        let slow = Verdict::Fails.with("2.00 s; the slowest is GI-RELIEF with 2.00 s");
        assert_eq!(not_slowest(&times(2.0)), slow);
        assert_eq!(not_slowest(&times(0.1)).verdict, Verdict::Holds);
        assert_eq!(not_slowest(&("usps", vec![(PCA, 0.5)])), Finding::no_result());
    }
}
