//! The outcomes of studies: plain data, which can be stored and read again.

use basrelief::inference::{
    ResampledFeature, ResampledRankings, Resampling, Stability, WeightIntervals,
};
use basrelief::maps::FeatureRanking;
use basrelief::methods::wrappers::Wrapper;
use basrelief::methods::{self, MethodInfo, Settings};
use basrelief::sealed::SealedFormat;
use basrelief::{Error, Fitted, Result, Warning};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::blocks::WeighedBlocks;
use crate::pages::option_texts;
use crate::permutation_test::Tested;
use crate::recipe::Recipe;
use crate::resampling::{Resampled, StabilityAt};
use crate::selection::Selected;

/// The binary format of outcomes. Its version changes with the content of outcomes.
const OUTCOME: SealedFormat = SealedFormat {
    magic: b"BASROUTC",
    version: 7,
    same_release: false,
    what: "the stored outcome",
    other_version: "fit again, or read it with the version that wrote it",
    damaged: "fit again",
};

/// The outcome of a study as data. [`to_bytes`](Self::to_bytes) stores it, and [`from_bytes`](Self::from_bytes) reads
/// it again. With `serde` it can be stored in other formats.
///
/// # Examples
/// ```
/// use basrelief::Run;
/// use basrelief_study::{Outcome, Source, Stored, Study};
///
/// # let folder = std::env::temp_dir().join("basrelief-stored-example");
/// # std::fs::create_dir_all(&folder)?;
/// # let file = folder.join("flowers.csv");
/// # std::fs::write(&file, "width,noise,kind\n1,5,a\n2,3,a\n9,4,b\n8,5,b\n1.5,3,a\n9.5,4,b\n")?;
/// let study = Study::new(Source::new(&file), "kind").with_method("relieff", &[("n_neighbors", "2")])?;
/// let (_, outcome) = study.rank(&Run::new(None)?, &|_| ())?;
/// let again = Outcome::from_bytes(&outcome.to_bytes())?;
/// assert_eq!(again.fitted, outcome.fitted);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Stored: Serialize + for<'de> Deserialize<'de> {
    /// The kind of outcome, which is stored in its bytes.
    const KIND: &'static str;

    /// The outcome as bytes, with the version of their format and a checksum.
    fn to_bytes(&self) -> Vec<u8> {
        OUTCOME.seal(self, 0, Self::KIND)
    }

    /// Reads bytes of [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// The bytes are damaged, of another version, or of another kind of outcome.
    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let opened = OUTCOME.open(bytes)?;
        if opened.description != Self::KIND {
            return Err(Error::data(
                format!("the stored outcome is a {} and not a {}", opened.description, Self::KIND),
                "read it with the type of this kind of outcome",
            ));
        }
        opened.contents()
    }
}

/// A method with its options.
#[derive(Debug, Clone)]
pub struct MethodChoice {
    /// The method.
    pub info: &'static MethodInfo,
    /// Its options.
    pub settings: Settings,
}

impl MethodChoice {
    /// A method of the registry with some of its options, by their names: `[("n_neighbors", "10")]`.
    ///
    /// # Errors
    /// An unknown method; an option that it does not accept, or a value that the option does not accept.
    pub fn new<F: AsRef<str>, V: AsRef<str>>(name: &str, options: &[(F, V)]) -> Result<Self> {
        let info = methods::method(name)?;
        Ok(Self { info, settings: info.settings(options)? })
    }

    /// The method with wrappers around it.
    pub fn with<'r>(&'r self, wrappers: &'r [Wrapper]) -> Recipe<'r> {
        Recipe { info: self.info, settings: &self.settings, wrappers }
    }
}

/// The name and the options as texts.
impl Serialize for MethodChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let options: Vec<(String, String)> = option_texts(&self.settings).collect();
        (self.info.name, options).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for MethodChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let (name, options) = <(String, Vec<(String, String)>)>::deserialize(deserializer)?;
        Self::new(&name, &options).map_err(D::Error::custom)
    }
}

/// Wrappers as the texts that [`Wrapper::parse`] reads.
mod wrappers_as_texts {
    use super::*;

    pub(super) fn serialize<S: Serializer>(
        wrappers: &[Wrapper],
        serializer: S,
    ) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_seq(wrappers.iter().map(Wrapper::to_string))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> std::result::Result<Vec<Wrapper>, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)?;
        let wrappers: Result<Vec<Wrapper>> =
            texts.iter().map(|text| Wrapper::parse(text)).collect();
        wrappers.map_err(D::Error::custom)
    }
}

/// The outcome of [`Study::rank`](crate::Study::rank): the weights, their intervals, the test and the resamples.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Outcome {
    /// The method that computed the weights.
    pub method: MethodChoice,
    /// The wrappers around the method, the innermost first.
    #[serde(with = "wrappers_as_texts")]
    pub wrappers: Vec<Wrapper>,
    /// The seed of the fit, the test and the resamples.
    pub seed: u64,
    /// The weights and the report of the fit, which also contains the warnings of the test.
    pub fitted: Fitted<FeatureRanking>,
    /// The 95 % intervals of the weights, if the study has them.
    pub intervals: Option<WeightIntervals>,
    /// The permutation test, if the study has one.
    pub tested: Option<Tested>,
    /// The selected features, if the study selects some.
    pub selection: Option<Selected>,
    /// The rankings of resamples, if the study has them.
    pub resampled: Option<Resampled>,
    /// The blocks of features and their weights, if the study has blocks.
    pub blocks: Option<WeighedBlocks>,
}

impl Stored for Outcome {
    const KIND: &'static str = "ranking";
}

impl Outcome {
    /// The outcome of a fit without intervals, test, selection and resamples.
    pub fn of_fit(method: MethodChoice, seed: u64, fitted: Fitted<FeatureRanking>) -> Self {
        Self {
            method,
            wrappers: Vec::new(),
            seed,
            fitted,
            intervals: None,
            tested: None,
            selection: None,
            resampled: None,
            blocks: None,
        }
    }

    /// The method with its wrappers.
    pub fn recipe(&self) -> Recipe<'_> {
        self.method.with(&self.wrappers)
    }
}

/// The outcome of [`Study::select_on_resamples`](crate::Study::select_on_resamples): how often each feature is
/// selected on resamples of the rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Selections {
    /// The method that computed the weights.
    pub method: MethodChoice,
    /// The wrappers around the method, the innermost first.
    #[serde(with = "wrappers_as_texts")]
    pub wrappers: Vec<Wrapper>,
    /// The seed of the resamples.
    pub seed: u64,
    /// The resampling of the rows.
    pub resampling: Resampling,
    /// The number of rows of a resample.
    pub rows: usize,
    /// The features, in column order.
    pub features: Vec<ResampledFeature>,
    /// How often the permuted copy of each feature was selected, in column order, if copies were ranked too.
    pub copies: Option<Vec<f64>>,
    /// The stability of the selections; `None` if it is undefined, because no feature or every feature was always
    /// selected.
    pub stability: Option<Stability>,
    /// The same stability if every resample selected another number of features, from the same rankings.
    pub curve: Vec<StabilityAt>,
    /// For every resample the indices of the features that it selects, the best first.
    pub selections: Vec<Vec<u32>>,
    /// Warnings.
    pub warnings: Vec<Warning>,
    /// Wall-clock seconds of all fits.
    pub seconds: f64,
}

impl Stored for Selections {
    const KIND: &'static str = "stability of a selection";
}

impl Selections {
    /// The features in decreasing order of selection frequency, as in [`ResampledRankings::order`].
    pub fn order(&self) -> Vec<usize> {
        ResampledRankings::order_of(&self.features)
    }

    /// The method with its wrappers.
    pub fn recipe(&self) -> Recipe<'_> {
        self.method.with(&self.wrappers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome() -> Outcome {
        let fitted = Fitted {
            model: FeatureRanking::new(vec!["a".into(), "b".into()], vec![0.1 + 0.2, -0.0]),
            report: basrelief::Report::default(),
        };
        let method = MethodChoice::new("relieff", &[("n_neighbors", "7")]).unwrap();
        let wrappers = vec![Wrapper::parse("turf:drop=0.3,keep=1").unwrap()];
        Outcome { wrappers, ..Outcome::of_fit(method, 42, fitted) }
    }

    #[test]
    fn outcomes_are_stored_with_all_bits() {
        let outcome = outcome();
        let again = Outcome::from_bytes(&outcome.to_bytes()).unwrap();
        assert_eq!(again.fitted, outcome.fitted);
        assert_eq!(again.fitted.model.weights()[1].to_bits(), (-0.0_f64).to_bits());
        assert_eq!((again.seed, again.method.info.name), (42, "relieff"));
        assert_eq!(again.method.settings.to_json(), outcome.method.settings.to_json());
        assert_eq!(again.wrappers[0].to_string(), outcome.wrappers[0].to_string());
        let text = serde_json::to_string(&outcome).unwrap();
        assert_eq!(serde_json::from_str::<Outcome>(&text).unwrap().fitted, outcome.fitted);
    }

    #[test]
    fn what_is_no_outcome_is_refused() {
        let bytes = outcome().to_bytes();
        let refused = |bytes: &[u8]| Outcome::from_bytes(bytes).unwrap_err().to_string();
        assert!(refused(&bytes[..bytes.len() - 1]).contains("damaged"));
        assert!(refused(b"weights").contains("does not start with the expected header"));
        let mut other = bytes.clone();
        other[8] += 1;
        let message = refused(&other);
        assert!(
            message.contains("with format 8, but this is") && message.contains("fit again"),
            "{message}"
        );
        let message = Selections::from_bytes(&bytes).unwrap_err().to_string();
        assert!(message.contains("is a ranking and not a stability of a selection"), "{message}");
    }
}
