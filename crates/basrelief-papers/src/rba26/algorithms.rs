//! The algorithms of the comparison, with their names in it.

use basrelief::data::synth::Generated;
use basrelief::data::{Classes, Column, Table};
use basrelief::maps::FeatureRanking;
use basrelief::methods::wrappers::{Wrapper, fit_wrapped};
use basrelief::methods::{MethodInfo, Problem, Settings, method};
use basrelief::{Result, Run, derived_seed};

use super::ranks::Ranks;

/// The kind of an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// Not a Relief-based algorithm.
    Control,
    /// A fixed number of neighbors.
    Nearest,
    /// All rows within a radius.
    Near,
    /// All rows within a radius, and those beyond it.
    NearAndFar,
    /// A wrapper around an algorithm.
    Wrapped,
}

impl Family {
    /// The families of core algorithms in figures.
    pub(super) const SHOWN: [(Self, &str); 3] = [
        (Self::Nearest, "number of neighbors"),
        (Self::Near, "near rows"),
        (Self::NearAndFar, "near and far rows"),
    ];

    /// Whether it is a family of core algorithms.
    pub(super) fn is_core(self) -> bool {
        !matches!(self, Self::Control | Self::Wrapped)
    }
}

/// How an algorithm scores features.
#[derive(Debug, Clone, Copy)]
enum Scores {
    /// A random order.
    Shuffle,
    /// The mutual information of a feature and the class, from their counts.
    MutualInformation,
    /// A method with an option, and the wrappers around it.
    Method { name: &'static str, neighbors: &'static str, wrappers: &'static [&'static str] },
}

/// An algorithm.
#[derive(Debug, Clone, Copy)]
pub(super) struct Algorithm {
    pub(super) name: &'static str,
    family: Family,
    scores: Scores,
}

const fn core(name: &'static str, method: &'static str, family: Family) -> Algorithm {
    let scores = Scores::Method { name: method, neighbors: "", wrappers: &[] };
    Algorithm { name, family, scores }
}

const fn nearest(name: &'static str, method: &'static str, neighbors: &'static str) -> Algorithm {
    let scores = Scores::Method { name: method, neighbors, wrappers: &[] };
    Algorithm { name, family: Family::Nearest, scores }
}

const fn wrapped(
    name: &'static str,
    method: &'static str,
    wrappers: &'static [&'static str],
) -> Algorithm {
    let scores = Scores::Method { name: method, neighbors: "", wrappers };
    Algorithm { name, family: Family::Wrapped, scores }
}

/// The 16 algorithms of the comparison.
pub(super) static CORE: [Algorithm; 16] = [
    Algorithm { name: "Random Shuffle", family: Family::Control, scores: Scores::Shuffle },
    Algorithm { name: "Mutual Info", family: Family::Control, scores: Scores::MutualInformation },
    nearest("ReliefF 10NN", "relieff", "10"),
    nearest("ReliefF 100NN", "relieff", "100"),
    nearest("Mu-Relief 10N", "mu-relief", "10"),
    nearest("Mu-Relief 100N", "mu-relief", "100"),
    core("SURF", "surf", Family::Near),
    core("MultiSURF", "multisurf", Family::Near),
    core("SWRF", "swrf", Family::Near),
    core("MultiSWRF", "multiswrf", Family::Near),
    core("MultiSWRFDB", "multiswrfdb", Family::Near),
    core("SURF*", "surf*", Family::NearAndFar),
    core("MultiSURF*", "multisurf*", Family::NearAndFar),
    core("SWRF*", "swrf*", Family::NearAndFar),
    core("MultiSWRF*", "multiswrf*", Family::NearAndFar),
    core("MultiSWRFDB*", "multiswrfdb*", Family::NearAndFar),
];

const TURF: &str = "turf:drop=0.5,keep=100";
const VLS: &str = "vls:size=20000,rounds=12";

/// The name of the algorithm inside the wrappers.
pub(super) const INSIDE: &str = "MultiSURF";

/// Wrappers around an algorithm, for many features.
pub(super) static WRAPPED: [Algorithm; 3] = [
    wrapped("TuRF (MultiSURF)", "multisurf", &[TURF]),
    wrapped("VLS (MultiSURF)", "multisurf", &[VLS]),
    wrapped("VLS + TuRF (MultiSURF)", "multisurf", &[TURF, VLS]),
];

/// An algorithm with its options.
pub(super) struct Prepared {
    algorithm: Algorithm,
    method: Option<(&'static MethodInfo, Settings, Vec<Wrapper>)>,
}

impl Prepared {
    pub(super) fn new(algorithm: Algorithm) -> Result<Self> {
        let method = match algorithm.scores {
            Scores::Shuffle | Scores::MutualInformation => None,
            Scores::Method { name, neighbors, wrappers } => {
                let info = method(name)?;
                let mut given = vec![("genotype_diff", "categorical")];
                if !neighbors.is_empty() {
                    given.push(("n_neighbors", neighbors));
                }
                let wrappers = wrappers.iter().map(|text| Wrapper::parse(text));
                Some((info, info.settings(&given)?, wrappers.collect::<Result<_>>()?))
            }
        };
        Ok(Self { algorithm, method })
    }

    pub(super) fn name(&self) -> &'static str {
        self.algorithm.name
    }

    pub(super) fn family(&self) -> Family {
        self.algorithm.family
    }

    /// The ranks of the predictive features of a data set.
    pub(super) fn ranks(&self, data: &Generated, run: &Run) -> Result<Ranks> {
        let ranking = match &self.method {
            Some((method, settings, wrappers)) => {
                let problem = Problem::new(&data.table, &data.target)?;
                fit_wrapped(method, settings, wrappers, &problem, run)?.model
            }
            None => match self.algorithm.scores {
                Scores::MutualInformation => {
                    let classes = data.target.classes("mutual information")?;
                    FeatureRanking::new(
                        data.table.names(),
                        mutual_information(&data.table, classes),
                    )
                }
                _ => FeatureRanking::new(data.table.names(), shuffled(data.table.width(), run)),
            },
        };
        Ok(Ranks::new(&ranking, &data.truth.relevant))
    }
}

/// Scores in random order.
fn shuffled(width: usize, run: &Run) -> Vec<f64> {
    let score = |feature| derived_seed(run.seed(), &[feature as u64]) as f64;
    (0..width).map(score).collect()
}

/// The mutual information of every genotype and the class, in nats.
fn mutual_information(table: &Table<'_>, classes: &Classes) -> Vec<f64> {
    let mut values = Vec::new();
    let rows = table.rows() as f64;
    let of_column = |column: &Column<'_>| {
        values.clear();
        column.copy_values(&mut values);
        let mut counts = vec![[0.0_f64; 3]; classes.len()];
        for (&value, &class) in values.iter().zip(classes.codes()) {
            counts[class as usize][value as usize] += 1.0;
        }
        let of_class: Vec<f64> = counts.iter().map(|own| own.iter().sum()).collect();
        let of_value = |value: usize| counts.iter().map(|own| own[value]).sum::<f64>();
        let mut information = 0.0;
        for value in 0..3 {
            let of_value = of_value(value);
            for (own, of_class) in counts.iter().zip(&of_class) {
                if own[value] > 0.0 {
                    information += own[value] * (own[value] * rows / (of_value * of_class)).ln();
                }
            }
        }
        information / rows
    };
    table.columns().iter().map(of_column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutual_information_by_hand() {
        let columns = [vec![0, 0, 2, 2], vec![0, 1, 0, 1], vec![1, 1, 1, 0]];
        let named = |(place, codes): (usize, Vec<u8>)| {
            Column::genotype(place.to_string(), codes.into()).unwrap()
        };
        let table = Table::new(columns.into_iter().enumerate().map(named).collect()).unwrap();
        let found = mutual_information(&table, &Classes::from_labels(&["a", "a", "b", "b"]));
        // The class itself has one bit, and the second feature none.
        assert!((found[0] - 2f64.ln()).abs() < 1e-15 && found[1].abs() < 1e-15, "{found:?}");
        // H(class) - H(class | feature): one value is certain, the others are two of one class and one of the other.
        let third = 1.0 / 3.0_f64;
        let left = -(third * third.ln() + 2.0 * third * (2.0 * third).ln());
        assert!((found[2] - (2f64.ln() - 0.75 * left)).abs() < 1e-15, "{found:?}");
    }

    #[test]
    fn all_algorithms_have_valid_options_and_other_names() {
        let all: Vec<Algorithm> = CORE.into_iter().chain(WRAPPED).collect();
        for (place, algorithm) in all.iter().enumerate() {
            Prepared::new(*algorithm).unwrap();
            assert!(all[..place].iter().all(|other| other.name != algorithm.name));
        }
        assert_eq!(CORE.iter().filter(|one| one.family.is_core()).count(), 14);
    }

    #[test]
    fn a_shuffle_depends_on_the_seed_and_ranks_nothing_first() {
        let run = |seed| Run::new(Some(1)).unwrap().with_seed(seed);
        assert_ne!(shuffled(50, &run(1)), shuffled(50, &run(2)));
        let firsts: Vec<f64> = (0..400)
            .map(|seed| {
                let scores = shuffled(10, &run(seed));
                scores.iter().filter(|other| **other > scores[0]).count() as f64
            })
            .collect();
        let mean = firsts.iter().sum::<f64>() / 400.0;
        // 4.5 on average, with a standard error of 2.87 / 20.
        assert!((mean - 4.5).abs() < 0.6, "{mean}");
    }
}
