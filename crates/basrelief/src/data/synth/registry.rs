//! The list of all generators.

use super::{
    GeneratorInfo, banana, concentric_rings, majority, mixed, modulo, non_monotonic, normals, rbf,
    rdg1, surfaces, waveform, xor,
};
use crate::error::{Error, Result, nearest_name};
use crate::options::{OptionInfo, Settings};
use crate::run::Run;

/// A generated data set.
#[derive(Debug, Clone)]
pub struct Generated {
    /// The features.
    pub table: Table<'static>,
    /// The target.
    pub target: Target,
    /// Name of the target column in a file.
    pub target_name: &'static str,
    /// What is known of it.
    pub truth: Truth,
}

impl Generated {
    pub(super) fn classes(
        columns: Vec<Column<'static>>,
        labels: &[&str],
        target_name: &'static str,
        truth: Truth,
    ) -> Result<Self> {
        Ok(Self {
            table: Table::new(columns)?,
            target: Target::Classes(Classes::from_labels(labels)),
            target_name,
            truth,
        })
    }
}

/// Makes the columns, the target and the truth; the run gives the seed and may be cancelled.
pub(super) type Make = fn(&Settings, &Run) -> Result<Generated>;

/// A generator: everything the command line, Python and the documentation know of it.
pub struct GeneratorInfo {
    /// Name on the command line.
    pub name: &'static str,
    /// One line: what data it makes and what they are good for.
    pub purpose: &'static str,
    /// Where it is defined.
    pub source: &'static str,
    /// The options that are its own.
    pub(super) own_options: &'static [&'static OptionInfo],
    /// Makes the data without what is common to all generators.
    pub(super) make: Make,
}

impl std::fmt::Debug for GeneratorInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GeneratorInfo").field("name", &self.name).finish_non_exhaustive()
    }
}

impl GeneratorInfo {
    /// Its options, in the order shown: its own, and those of every generator.
    pub fn options(&self) -> Vec<&'static OptionInfo> {
        self.own_options.iter().copied().chain([&NOISE]).collect()
    }

    /// Resolves and checks options given as texts, by option name or flag.
    ///
    /// # Errors
    /// As [`Settings::resolve`].
    pub fn settings<N: AsRef<str>, V: AsRef<str>>(&self, given: &[(N, V)]) -> Result<Settings> {
        Settings::resolve(self.name, &self.options(), given)
    }

    /// Makes the data set, with the noise columns that `settings` ask for; the run gives the seed.
    ///
    /// # Errors
    /// More than a thousand million values, options that contradict each other;
    /// [`Error::Cancelled`].
    pub fn generate(&self, settings: &Settings, run: &Run) -> Result<Generated> {
        let mut data = (self.make)(settings, run)?;
        data.table = with_noise(data.table, settings.count(&NOISE)?, run)?;
        let relevant: HashSet<&String> = data.truth.relevant.iter().collect();
        let names = data.table.names().into_iter();
        data.truth.irrelevant = names.filter(|name| !relevant.contains(name)).collect();
        Ok(data)
    }
}

/// Every generator, in the order of the documentation.
pub static GENERATORS: &[&GeneratorInfo] = &[
    &xor::INFO,
    &majority::INFO,
    &modulo::INFO,
    &rdg1::CONTINUOUS,
    &rdg1::CATEGORICAL,
    &rbf::INFO,
    &non_monotonic::INFO,
    &normals::TWONORM,
    &normals::RINGNORM,
    &waveform::INFO,
    &surfaces::TWIN_SINE,
    &surfaces::SWISS_ROLL,
    &concentric_rings::INFO,
    &banana::INFO,
    &mixed::INFO,
];

/// The generator of that name.
///
/// # Errors
/// No such generator; the nearest name is suggested.
pub fn generator(name: &str) -> Result<&'static GeneratorInfo> {
    GENERATORS.iter().find(|info| info.name == name).copied().ok_or_else(|| {
        let all = GENERATORS.iter().map(|info| info.name);
        let help = match nearest_name(name, all.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the kinds are {}", all.collect::<Vec<_>>().join(", ")),
        };
        Error::option("kind", format!("there is no data set `{name}`"), help)
    })
}

#[cfg(test)]
mod tests {
    use super::super::Generated;
    use super::*;
    use crate::run::Run;

    fn make(info: &GeneratorInfo, seed: u64) -> Generated {
        let given: &[(&str, &str)] = &[("rows", "60")];
        let run = Run::new(Some(1)).unwrap().with_seed(seed);
        info.generate(&info.settings(given).unwrap(), &run).unwrap()
    }

    fn values(data: &Generated) -> Vec<u64> {
        let columns = data.table.columns().iter();
        columns
            .flat_map(|column| (0..column.len()).map(|row| column.value(row).to_bits()))
            .collect()
    }

    #[test]
    fn the_seed_decides_the_data() {
        for info in GENERATORS {
            let (first, again, other) = (make(info, 7), make(info, 7), make(info, 8));
            assert_eq!(values(&first), values(&again), "{}", info.name);
            assert_eq!(first.target, again.target, "{}", info.name);
            assert_ne!(values(&first), values(&other), "{}", info.name);
        }
    }

    #[test]
    fn rows_are_as_asked_and_the_truth_names_columns() {
        for info in GENERATORS {
            let data = make(info, 1);
            assert_eq!((data.table.rows(), data.target.rows()), (60, 60), "{}", info.name);
            assert!(!data.truth.relevant.is_empty(), "{}", info.name);
            let truth = &data.truth;
            let groups = truth.interacting.iter().chain([&truth.relevant, &truth.constant]);
            for name in groups.flatten().chain(truth.copies.iter().flatten()) {
                data.table.find(name).unwrap();
            }
            let mut all: Vec<String> = [&truth.relevant[..], &truth.irrelevant[..]].concat();
            all.sort();
            let mut names = data.table.names();
            names.sort();
            assert_eq!(all, names, "{}", info.name);
            assert!(data.table.find(data.target_name).is_err(), "{}", info.name);
        }
    }

    #[test]
    fn noise_is_appended_to_any_set_and_changes_nothing_else() {
        for info in GENERATORS {
            let plain = make(info, 5);
            let run = Run::new(Some(1)).unwrap().with_seed(5);
            let settings = info.settings(&[("rows", "60"), ("noise", "2")]).unwrap();
            let noisy = info.generate(&settings, &run).unwrap();
            assert_eq!(noisy.table.names()[plain.table.width()..], ["noise1", "noise2"]);
            assert_eq!(values(&noisy)[..values(&plain).len()], values(&plain), "{}", info.name);
            assert_eq!(noisy.target, plain.target, "{}", info.name);
            assert_eq!(noisy.truth.relevant, plain.truth.relevant, "{}", info.name);
            assert!(noisy.truth.irrelevant.ends_with(&["noise1".into(), "noise2".into()]));
        }
    }

    #[test]
    fn every_number_of_relevant_and_irrelevant_columns_can_be_had() {
        let counted = |info: &&&GeneratorInfo| {
            ["relevant", "irrelevant"]
                .iter()
                .all(|name| info.options().iter().any(|option| option.name == *name))
        };
        for info in GENERATORS.iter().filter(counted) {
            for (relevant, irrelevant) in [("1", "1"), ("1", "2"), ("2", "1"), ("50", "100")] {
                let given = [("rows", "100"), ("relevant", relevant), ("irrelevant", irrelevant)];
                let run = Run::new(Some(1)).unwrap().with_seed(2);
                let data = info.generate(&info.settings(&given).unwrap(), &run).unwrap();
                let found = (data.truth.relevant.len(), data.truth.irrelevant.len());
                let asked = (relevant.parse().unwrap(), irrelevant.parse().unwrap());
                assert_eq!(found, asked, "{}", info.name);
            }
        }
        assert_eq!(GENERATORS.iter().filter(counted).count(), 6);
    }

    #[test]
    fn absurd_sizes_are_refused_and_cancelled_work_stops() {
        for info in GENERATORS {
            let run = Run::new(Some(1)).unwrap();
            let settings = info.settings(&[("rows", "99999999999")]).unwrap();
            let error = info.generate(&settings, &run).unwrap_err();
            assert!(error.to_string().contains("1000000000 values"), "{error}");
            assert!(info.settings(&[("rows", "1")]).is_err());
            let settings = info.settings(&[("noise", "99999999999")]).unwrap();
            assert!(info.generate(&settings, &run).is_err(), "{}", info.name);

            let cancel = crate::CancelFlag::new();
            cancel.cancel();
            let run = run.with_cancel(cancel);
            let settings = info.settings::<&str, &str>(&[]).unwrap();
            assert!(matches!(info.generate(&settings, &run), Err(Error::Cancelled)));
        }
    }

    #[test]
    fn an_unknown_kind_suggests_the_nearest() {
        let error = generator("twonrom").unwrap_err().to_string();
        assert!(error.contains("did you mean `twonorm`?"), "{error}");
    }
}
