//! The data sets: four groups of those that the scripts of the comparison run.

use basrelief::data::synth::{Generated, generator};
use basrelief::wording::thousands;
use basrelief::{Result, Run};

use super::algorithms::{Algorithm, CORE, INSIDE, WRAPPED};

/// Names of the groups.
pub(super) const MAIN_EFFECT: &str = "main effect";
pub(super) const TWO_WAY: &str = "2-way interaction";
pub(super) const LARGE: &str = "2-way interaction, 100,000 features";
pub(super) const XOR: &str = "XOR";

/// In the order of the results.
pub(super) const SCENARIOS: [&str; 4] = [MAIN_EFFECT, TWO_WAY, LARGE, XOR];

/// The numbers of features of main effects.
const FEW: [usize; 2] = [100, 1000];
/// The numbers of features of 2-way interactions.
const FEATURES: [usize; 4] = [100, 1000, 5000, 10_000];
/// The number of features of the third group.
const MANY: usize = 100_000;
/// The numbers of interacting features and of all features of XOR.
const ORDERS: [(usize, usize); 6] = [(2, 100), (3, 100), (4, 100), (5, 100), (4, 20), (5, 20)];

/// One kind of data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Configuration {
    pub(super) scenario: &'static str,
    /// The number of predictive features.
    pub(super) order: usize,
    pub(super) features: usize,
}

/// All kinds of data sets with at most this number of features.
pub(super) fn configurations(most: usize) -> Vec<Configuration> {
    let of = |scenario, order| move |features| Configuration { scenario, order, features };
    let xor = |(order, features)| Configuration { scenario: XOR, order, features };
    FEW.map(of(MAIN_EFFECT, 1))
        .into_iter()
        .chain(FEATURES.map(of(TWO_WAY, 2)))
        .chain([of(LARGE, 2)(MANY)])
        .chain(ORDERS.map(xor))
        .filter(|one| one.features <= most)
        .collect()
}

impl Configuration {
    /// What distinguishes the seeds of its data sets.
    pub(super) fn seed(&self) -> u64 {
        let scenario = SCENARIOS.iter().position(|name| *name == self.scenario);
        ((scenario.unwrap_or(0) * 10 + self.order) * 1_000_000 + self.features) as u64
    }

    /// The number of data sets, of the number that the user asked for.
    pub(super) fn data_sets(&self, asked: usize) -> usize {
        if self.features == MANY { (asked / 3).max(1) } else { asked }
    }

    /// The algorithms that rank its features. Of the core algorithms, only the wrapped one ranks many features.
    pub(super) fn algorithms(&self) -> impl Iterator<Item = Algorithm> {
        let is_large = self.features == MANY;
        let wrapped: &[Algorithm] = if is_large { &WRAPPED } else { &[] };
        let core = CORE.iter().filter(move |one| !is_large || one.name == INSIDE);
        core.chain(wrapped).copied()
    }

    /// A data set of balanced classes, whose predictive features are the last columns.
    pub(super) fn generate(&self, rows: usize, run: &Run) -> Result<Generated> {
        let [frequency, heritability, prevalence] = match (self.scenario, self.order) {
            (XOR, _) => ["0.5", "1", "0.5"],
            // With this frequency, a prevalence of 0.5 allows no 2-way interaction of this heritability.
            (_, 2) => ["0.2", "0.4", "0.68"],
            _ => ["0.2", "0.4", "0.5"],
        };
        let (rows, order) = (rows.to_string(), self.order.to_string());
        let features = self.features.to_string();
        let info = generator("xor")?;
        let settings = info.settings(&[
            ("rows", rows.as_str()),
            ("features", &features),
            ("order", &order),
            ("minor_allele_frequency", frequency),
            ("heritability", heritability),
            ("prevalence", prevalence),
        ])?;
        info.generate(&settings, run)
    }

    /// The label of its column in the tables.
    pub(super) fn label(&self) -> String {
        let features = thousands(self.features as u64);
        match self.scenario {
            XOR => format!("{} of {features}", self.order),
            _ => features,
        }
    }

    /// The kind of data set in words.
    pub(super) fn described(&self) -> String {
        let features = thousands(self.features as u64);
        match self.scenario {
            XOR => format!("XOR of {} of {features} features, frequency 0.5", self.order),
            MAIN_EFFECT => {
                format!("Main effect, {features} features, frequency 0.2, heritability 0.4")
            }
            _ => format!("2-way interaction, {features} features, frequency 0.2, heritability 0.4"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_own_seed_and_predictive_features() {
        let all = configurations(usize::MAX);
        assert_eq!(all.len(), 13);
        for (place, one) in all.iter().enumerate() {
            assert!(all[..place].iter().all(|other| other.seed() != one.seed()));
        }
        let run = Run::new(Some(1)).unwrap();
        for one in configurations(100) {
            let data = one.generate(40, &run).unwrap();
            assert_eq!(data.truth.relevant.len(), one.order);
            assert_eq!((data.table.rows(), data.table.width()), (40, one.features));
            let last = &data.table.names()[one.features - one.order..];
            assert_eq!(last, data.truth.relevant);
        }
        assert_eq!(configurations(20).len(), 2);
    }

    #[test]
    fn many_features_have_fewer_data_sets_and_wrappers() {
        let all = configurations(usize::MAX);
        let large: Vec<&Configuration> = all.iter().filter(|one| one.scenario == LARGE).collect();
        assert_eq!(large.len(), 1);
        assert_eq!((large[0].data_sets(30), large[0].algorithms().count()), (10, 4));
        assert_eq!((all[0].data_sets(30), all[0].algorithms().count()), (30, 16));
    }
}
