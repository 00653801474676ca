//! The list of all generators.

use super::{Truth, majority, mixed, modulo, normals, waveform, xor};
use crate::data::{Classes, Column, Table, Target};
use crate::error::{Error, Result, nearest_name};
use crate::methods::options::{OptionInfo, Settings};
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

/// Generates a data set; the run gives the seed and may be cancelled.
pub type Generate = fn(&Settings, &Run) -> Result<Generated>;

/// A generator: everything the command line, Python and the documentation know of it.
pub struct GeneratorInfo {
    /// Name on the command line.
    pub name: &'static str,
    /// One line: what data it makes and what they are good for.
    pub purpose: &'static str,
    /// Where it is defined.
    pub source: &'static str,
    /// Its options, in the order shown.
    pub options: &'static [&'static OptionInfo],
    /// Makes the data.
    pub generate: Generate,
}

impl std::fmt::Debug for GeneratorInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GeneratorInfo").field("name", &self.name).finish_non_exhaustive()
    }
}

impl GeneratorInfo {
    /// Resolves and checks options given as texts, by option name or flag.
    ///
    /// # Errors
    /// As [`Settings::resolve`].
    pub fn settings<N: AsRef<str>, V: AsRef<str>>(&self, given: &[(N, V)]) -> Result<Settings> {
        Settings::resolve(self.name, self.options, given)
    }
}

/// Every generator, in the order of the documentation.
pub static GENERATORS: &[&GeneratorInfo] = &[
    &xor::INFO,
    &majority::INFO,
    &modulo::INFO,
    &normals::TWONORM,
    &normals::RINGNORM,
    &waveform::INFO,
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
    use super::*;

    fn make(info: &GeneratorInfo, seed: u64) -> Generated {
        let given: &[(&str, &str)] = &[("rows", "60")];
        let run = Run::new(Some(1)).unwrap().with_seed(seed);
        (info.generate)(&info.settings(given).unwrap(), &run).unwrap()
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
            assert!(data.table.find(data.target_name).is_err(), "{}", info.name);
        }
    }

    #[test]
    fn absurd_sizes_are_refused_and_cancelled_work_stops() {
        for info in GENERATORS {
            let run = Run::new(Some(1)).unwrap();
            let settings = info.settings(&[("rows", "99999999999")]).unwrap();
            let error = (info.generate)(&settings, &run).unwrap_err();
            assert!(error.to_string().contains("1000000000 values"), "{error}");
            assert!(info.settings(&[("rows", "1")]).is_err());

            let cancel = crate::CancelFlag::new();
            cancel.cancel();
            let run = run.with_cancel(cancel);
            let settings = info.settings::<&str, &str>(&[]).unwrap();
            assert!(matches!((info.generate)(&settings, &run), Err(Error::Cancelled)));
        }
    }

    #[test]
    fn an_unknown_kind_suggests_the_nearest() {
        let error = generator("twonrom").unwrap_err().to_string();
        assert!(error.contains("did you mean `twonorm`?"), "{error}");
    }
}
