//! Table 3: training times relative to PCA.

use std::fmt::Write;

use basrelief::methods::map_method;
use basrelief::{Result, Run};
use basrelief_report::figures::{Panel, points};

use super::sets::{ALL, NoisyRun, RUNS};
use crate::claims::{Claim, Verdict};
use crate::curves::grouped;
use crate::data::{Data, DataSet};
use crate::protocol::{ProtocolInfo, Results, Work, numbers_table};

/// Registry entry.
pub(crate) static TABLE3: ProtocolInfo = ProtocolInfo {
    name: "sw08-table3",
    aliases: &[],
    purpose: "training times of LFE, DANN and NCA relative to PCA",
    source: "Sun & Wu 2008, section 5.1, Table 3",
    quick: "3 runs",
    options: &[&RUNS],
    generates: false,
    adds: false,
    data: ALL,
    run,
};

/// Table 3: seconds of NCA, DANN, LFE and PCA.
const PUBLISHED_SECONDS: [(&str, [f64; 4]); 6] = [
    ("banana", [12.6, 3.6, 3.3, 3.0]),
    ("splice", [383.6, 8.4, 8.4, 4.8]),
    ("waveform", [38.8, 4.4, 4.3, 4.2]),
    ("ringnorm", [39.4, 4.7, 4.7, 4.7]),
    ("twonorm", [41.6, 4.7, 4.8, 4.7]),
    ("thyroid", [4.9, 3.2, 3.3, 3.2]),
];

/// The training time of each method in seconds on the training rows of a run, the minimum of three measurements.
fn seconds(work: &Work<'_>, set: &DataSet, data: &Data, number: usize) -> Result<[f64; 4]> {
    let noisy = NoisyRun::draw(work.run, set, data, number)?;
    let (train, target) = noisy.training(data)?;
    let mut least = [f64::INFINITY; 4];
    for (least, name) in least.iter_mut().zip(["nca", "dann", "lfe", "pca"]) {
        let info = map_method(name)?;
        let settings = match name {
            "dann" => info.settings(&[("sphering", "none")])?,
            _ => info.settings::<&str, &str>(&[])?,
        };
        for _ in 0..3 {
            let fitted = info.fit(&train, Some(&target), &settings, &noisy.run)?;
            *least = least.min(fitted.report.seconds);
        }
    }
    Ok(least)
}

fn run(work: &Work<'_>) -> Result<Results> {
    let runs = if work.quick { 3 } else { work.settings.count(&RUNS)? };
    // Times are compared, so the methods run one after the other on one thread.
    let alone = Run::new(Some(1))?.with_seed(work.run.seed());
    let work = Work { run: &alone, ..*work };
    let mut file = String::from("set,method,seconds,over_pca,paper_over_pca\n");
    let mut rows = Vec::new();
    let mut ratios: Vec<(&str, (f64, f64))> = Vec::new();
    let mut lfe: Vec<(&'static str, f64)> = Vec::new();
    work.run.progress().start("sets", ALL.len() as u64);
    for (set, paper) in PUBLISHED_SECONDS {
        let Some(info) = ALL.iter().find(|info| info.file == set) else { continue };
        let Some(data) = work.data.load(info, work.run)? else { continue };
        let mut sums = [0.0; 4];
        for number in 0..runs {
            let found = seconds(&work, info, &data, number)?;
            sums.iter_mut().zip(found).for_each(|(sum, value)| *sum += value / runs as f64);
        }
        let mut row = vec![set.to_string(), format!("{:.1}", 1000.0 * sums[3])];
        for (place, method) in ["NCA", "DANN", "LFE"].into_iter().enumerate() {
            let (ours, theirs) = (sums[place] / sums[3], paper[place] / paper[3]);
            ratios.push((method, (theirs, ours)));
            if method == "LFE" {
                lfe.push((set, ours));
            }
            row.extend([theirs, ours].map(|ratio| format!("{ratio:.1}")));
            let _ = writeln!(file, "{set},{method},{},{ours},{theirs}", sums[place]);
        }
        rows.push(row);
    }
    let cost = Claim::about(
        "LFE costs about as much as PCA (less than three times).",
        &lfe,
        |(_, ratio)| Verdict::of_fact(*ratio < 3.0).with(format!("{ratio:.1} times")),
    );
    let opening = format!(
        "Sun & Wu 2008, Table 3: training times relative to PCA, mean of {runs} runs on one \
         thread.\n\nThe paper's times seem to include the classification of the test rows, which takes the \
         same time for all methods and brings its ratios closer to 1.\n",
    );
    let heads =
        ["set", "PCA, ms", "NCA, paper", "here", "DANN, paper", "here", "LFE, paper", "here"];
    let caption = "Table 3, times relative to PCA".to_string();
    let panel = Panel {
        title: String::new(),
        x_label: "time relative to PCA, paper".to_string(),
        y_label: "time relative to PCA, here".to_string(),
        curves: grouped(ratios),
    };
    let files = vec![
        ("table3.csv", file),
        ("table3.svg", points("Training time relative to PCA", 1, &[panel])?),
    ];
    Ok(Results {
        opening,
        tables: vec![numbers_table(caption, &heads, rows)],
        claims: vec![cost],
        files,
        ..Results::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_has_published_seconds() {
        for set in ALL {
            assert!(PUBLISHED_SECONDS.iter().any(|(name, _)| *name == set.file), "{}", set.file);
        }
    }
}
