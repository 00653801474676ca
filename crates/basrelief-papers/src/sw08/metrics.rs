//! Figure 3: the metrics learned by LFE.

use std::fmt::Write;

use basrelief::maps::Map;
use basrelief::methods::map_method;
use basrelief::{Error, Result};
use basrelief_report::figures::heat_maps;

use super::sets::{METRIC, NoisyRun};
use crate::claims::{Claim, Verdict};
use crate::data::{BANANA, RINGNORM, SPLICE, TWONORM, WAVEFORM};
use crate::protocol::{ProtocolInfo, Results, Work, numbers_table};

/// Registry entry.
pub(crate) static FIGURE3: ProtocolInfo = ProtocolInfo {
    name: "sw08-fig3",
    aliases: &[],
    purpose: "the metric learned by LFE, as images: noise has almost no weight",
    source: "Sun & Wu 2008, section 5.1, Figure 3",
    quick: "the same",
    options: &[&METRIC],
    generates: false,
    adds: false,
    data: &[&BANANA, &SPLICE, &WAVEFORM, &RINGNORM, &TWONORM],
    run,
};

fn run(work: &Work<'_>) -> Result<Results> {
    let metric = work.settings.text(&METRIC)?;
    let mut pictures = Vec::new();
    let mut rows = Vec::new();
    let mut found = Vec::new();
    let mut file = String::from("set,row,column,entry\n");
    for set in FIGURE3.data {
        let Some(data) = work.data.load(set, work.run)? else { continue };
        let noisy = NoisyRun::draw(work.run, set, &data, 0)?;
        let (train, target) = noisy.training(&data)?;
        let info = map_method("lfe")?;
        let settings = info.settings(&[("metric", metric)])?;
        let fitted = info.fit(&train, Some(&target), &settings, &noisy.run)?;
        let Map::Linear(map) = fitted.model else {
            return Err(Error::Internal("LFE gave no linear map".to_string()));
        };
        let mut matrix = map.mahalanobis_matrix();
        let most = matrix.values().iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        matrix.values_mut().iter_mut().for_each(|value| *value = value.abs() / most);
        let relevant = data.table.width();
        let mean = |takes: &dyn Fn(usize, usize) -> bool| {
            let all: Vec<f64> = (0..matrix.rows())
                .flat_map(|i| (0..matrix.rows()).map(move |j| (i, j)))
                .filter(|&(i, j)| takes(i, j))
                .map(|(i, j)| matrix.row(i)[j])
                .collect();
            all.iter().sum::<f64>() / all.len() as f64
        };
        let means = Means {
            features: mean(&|i, j| i < relevant && j < relevant),
            noise: mean(&|i, j| i >= relevant && j >= relevant),
            diagonal: mean(&|i, j| i == j && i < relevant),
            off_diagonal: mean(&|i, j| i != j && i < relevant && j < relevant),
        };
        rows.push(vec![
            set.file.to_string(),
            format!("{:.3}", means.features),
            format!("{:.4}", means.noise),
            format!("{:.1}", means.features / means.noise),
            format!("{:.2}", means.dependence()),
        ]);
        found.push((set.file, means));
        for (i, row) in matrix.iter().enumerate() {
            for (j, entry) in row.iter().enumerate() {
                let _ = writeln!(file, "{},{i},{j},{entry}", set.file);
            }
        }
        pictures.push((set.file.to_string(), matrix));
    }
    let opening = "Sun & Wu 2008, Figure 3: absolute values of the entries of LFE's metric, divided by the largest; one \
                   run, with ten noise features at the end (at the right and at the top of the figure).\n"
        .to_string();
    let heads = ["set", "own features", "noise", "own / noise", "off / on the diagonal"];
    let caption =
        "Mean entries between the set's own features and between noise features, and the ratio of \
                   off-diagonal to diagonal entries of its own features"
            .to_string();
    let files = vec![
        ("figure3.csv", file),
        ("figure3.svg", heat_maps("Metrics learned by LFE", 3, &pictures)?),
    ];
    Ok(Results {
        opening,
        tables: vec![numbers_table(caption, &heads, rows)],
        claims: claims(&found),
        files,
        ..Results::default()
    })
}

/// Mean absolute values of the entries of a metric, divided by the largest entry.
struct Means {
    /// Between features of the set.
    features: f64,
    /// Between noise features.
    noise: f64,
    /// The diagonal and off-diagonal entries of features of the set.
    diagonal: f64,
    off_diagonal: f64,
}

impl Means {
    /// The degree to which the features of the set depend on each other.
    fn dependence(&self) -> f64 {
        self.off_diagonal / self.diagonal
    }
}

/// Groups of sets with a similar dependence of features in the paper, from the weakest to the strongest.
const BY_DEPENDENCE: [&[&str]; 3] =
    [&["banana", "splice"], &["waveform", "ringnorm"], &["twonorm"]];

fn claims(found: &[(&'static str, Means)]) -> Vec<Claim> {
    let of = |name: &&str| found.iter().find(|one| one.0 == *name).map(|one| one.1.dependence());
    // Only the available sets are used; a group without any is not compared.
    let groups = BY_DEPENDENCE.map(|names| names.iter().filter_map(of).collect::<Vec<f64>>());
    let rises = |pair: &[Vec<f64>]| {
        let most = pair[0].iter().copied().reduce(f64::max)?;
        let least = pair[1].iter().copied().reduce(f64::min)?;
        Some(Verdict::of_fact(most < least))
    };
    let parts = groups.windows(2).map(|pair| rises(pair).unwrap_or(Verdict::Open));
    let words: Vec<String> =
        found.iter().map(|(name, means)| format!("{name} {:.2}", means.dependence())).collect();
    vec![
        Claim::about(
            "Entries of noise features are near zero (on average below a tenth of the largest entry).",
            found,
            |(_, means)| {
                Verdict::of_fact(means.noise < 0.1).with(format!(
                    "{:.4} (the set's own features: {:.4})",
                    means.noise, means.features
                ))
            },
        ),
        Claim::about_all(
            "The features depend on each other more in waveform and ringnorm than in banana and \
             splice, and most in twonorm (ratio of off-diagonal to diagonal entries).",
            "sets",
            Verdict::of_all(parts).with(words.join(", ")),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_groups() {
        let means =
            |off_diagonal| Means { features: 0.5, noise: 0.05, diagonal: 1.0, off_diagonal };
        let verdict = |found: &[(&'static str, f64)]| {
            let found: Vec<_> = found.iter().map(|&(name, one)| (name, means(one))).collect();
            claims(&found)[1].verdicts()[0]
        };
        let rising = [("banana", 0.2), ("splice", 0.1), ("ringnorm", 0.3), ("twonorm", 0.4)];
        assert_eq!(verdict(&rising), Verdict::Holds);
        assert_eq!(verdict(&[("waveform", 0.1), rising[0], rising[3]]), Verdict::Fails);
        assert_eq!(verdict(&rising[..3]), Verdict::Open);
    }
}
