//! The list of all generators.

use super::{
    GeneratorInfo, banana, cohort, concentric_rings, majority, mixed, modulo, non_monotonic,
    normals, rbf, rdg1, surfaces, survival, waveform, xor,
};
use crate::error::{Error, Result, nearest_name};

/// All generators, in the order of the documentation.
pub static GENERATORS: &[&GeneratorInfo] = &[
    &xor::INFO,
    &survival::INFO,
    &cohort::INFO,
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

/// Finds a generator by name.
///
/// # Errors
/// The generator does not exist; the message suggests the nearest name.
pub fn generator(name: &str) -> Result<&'static GeneratorInfo> {
    GENERATORS.iter().find(|info| info.name == name).copied().ok_or_else(|| {
        let all = GENERATORS.iter().map(|info| info.name);
        let help = match nearest_name(name, all.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the kinds are {}", all.collect::<Vec<_>>().join(", ")),
        };
        Error::option("kind", format!("unknown data set `{name}`"), help)
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
            assert!(error.to_string().contains("000000000 values"), "{error}");
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
