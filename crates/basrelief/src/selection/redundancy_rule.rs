//! Rules about redundant features in a selection.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Whether a selection excludes features that are redundant, given the features selected before.
///
/// # Examples
/// ```
/// use basrelief::selection::RedundancyRule;
///
/// assert_eq!("correlation:0.95".parse::<RedundancyRule>()?, RedundancyRule::Correlation(0.95));
/// assert_eq!(RedundancyRule::Relief.to_string(), "relief");
/// # Ok::<(), basrelief::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum RedundancyRule {
    /// The features with the largest weights.
    #[default]
    None,
    /// The features with the largest weights, without those that are correlated with a feature selected before by more than
    /// this number (`|r|` of numbers and genotypes, Cramér's V or the correlation ratio with categories).
    Correlation(f64),
    /// The features with the largest weights after a discount for their redundancy ([`select`](super::select)).
    Relief,
}

impl FromStr for RedundancyRule {
    type Err = Error;

    /// Reads `none`, `correlation:R` or `relief`.
    fn from_str(text: &str) -> Result<Self> {
        let help = "use `none`, `correlation:0.95` or `relief`";
        match text.split_once(':') {
            None if text == "none" => Ok(RedundancyRule::None),
            None if text == "relief" => Ok(RedundancyRule::Relief),
            Some(("correlation", number)) => {
                let value = number.parse::<f64>().ok().filter(|value| (0.0..=1.0).contains(value));
                value.map(RedundancyRule::Correlation).ok_or_else(|| {
                    let problem = format!("`{number}` is not a correlation from 0 to 1");
                    Error::option("redundancy", problem, help)
                })
            }
            _ => {
                Err(Error::option("redundancy", format!("`{text}` is not one of its values"), help))
            }
        }
    }
}

impl fmt::Display for RedundancyRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RedundancyRule::None => f.write_str("none"),
            RedundancyRule::Correlation(most) => write!(f, "correlation:{most}"),
            RedundancyRule::Relief => f.write_str("relief"),
        }
    }
}

impl TryFrom<String> for RedundancyRule {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<RedundancyRule> for String {
    fn from(rule: RedundancyRule) -> Self {
        rule.to_string()
    }
}
