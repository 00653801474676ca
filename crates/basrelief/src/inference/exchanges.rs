//! What a permutation of the target exchanges: the targets of rows, or of whole groups of rows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::data::{Classes, Groups, Target};
use crate::error::{Error, Result};
use crate::wording::{quoted, thousands};

/// Units whose targets are exchanged with each other. The target stays unchanged in all other rows.
#[derive(Debug, Clone)]
pub(super) enum Exchange {
    /// Rows, ascending.
    Rows(Vec<u32>),
    /// Whole groups of rows; the target is constant within each.
    Groups(Vec<Vec<u32>>),
}

impl Exchange {
    /// The number of units.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Rows(rows) => rows.len(),
            Self::Groups(groups) => groups.len(),
        }
    }

    /// The rows of a unit.
    pub(super) fn rows(&self, unit: usize) -> &[u32] {
        match self {
            Self::Rows(rows) => std::slice::from_ref(&rows[unit]),
            Self::Groups(groups) => &groups[unit],
        }
    }

    /// The first row of every unit, whose target is that of the unit.
    pub(super) fn first_rows(&self) -> Vec<u32> {
        (0..self.len()).map(|unit| self.rows(unit)[0]).collect()
    }

    /// Whether the target varies among the units.
    pub(super) fn varies(&self, target: &Target) -> bool {
        varies(target, &self.first_rows())
    }
}

/// How permutations treat groups of rows and covariates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scheme {
    /// The number of groups whose targets are exchanged as a whole.
    pub whole: usize,
    /// The number of groups of one row that are exchanged with each other, beside groups within which targets are exchanged.
    #[serde(default)]
    pub singles: usize,
    /// The number of groups within which targets are exchanged.
    pub within: usize,
    /// The number of groups that stay unchanged.
    pub unchanged: usize,
    /// Whether orders are as probable as the target given the covariates.
    pub given_covariates: bool,
    /// Whether orders are as probable as the target given the weights of rows.
    #[serde(default)]
    pub given_weights: bool,
}

impl Scheme {
    /// A description, such as `whole groups of patient are exchanged (60)`, for groups of this name, which may be empty.
    pub fn words(&self, name: &str) -> String {
        let of = if name.is_empty() { String::new() } else { format!(" of {name}") };
        let whole = format!("whole groups{of} are exchanged ({})", thousands(self.whole as u64));
        let within =
            format!("targets are exchanged within groups{of} ({})", thousands(self.within as u64));
        let mut words = match (self.whole, self.within) {
            (0, 0) => "rows are exchanged".to_string(),
            (_, 0) => whole,
            _ => within,
        };
        if self.singles > 0 {
            let singles = thousands(self.singles as u64);
            words += &format!(", and those of groups of one row with each other ({singles})");
        }
        let given = match (self.given_covariates, self.given_weights) {
            (false, false) => None,
            (true, false) => Some("covariates"),
            (false, true) => Some("row weights"),
            (true, true) => Some("covariates and the row weights"),
        };
        if let Some(given) = given {
            words += &format!(" with the odds of a regression of the target on the {given}");
        }
        if self.unchanged > 0 {
            words += &format!("; {} stay unchanged", thousands(self.unchanged as u64));
        }
        words
    }
}

/// What permutations exchange if rows are in groups, within strata if there are any: whole groups if the target is constant
/// within every group, and otherwise rows within the groups in which it varies, and groups of one row among each other.
///
/// If the target varies within some groups, it may be constant within others by chance, with a probability that depends on
/// the group. To exchange such groups is wrong if groups differ in the features and in the target.
///
/// # Errors
/// Whole groups are exchanged, and one with a constant target has rows in several strata.
pub(super) fn exchanges_of_groups(
    target: &Target,
    groups: &Groups,
    strata: Option<&Classes>,
) -> Result<(Vec<Exchange>, Scheme)> {
    let stratum = |row: u32| strata.map_or(0, |strata| strata.codes()[row as usize]);
    let members = groups.members();
    // Of every group, the rows of each stratum among which the target varies.
    let varying = |rows: &Vec<u32>| -> Vec<Vec<u32>> {
        let mut parts = BTreeMap::<u32, Vec<u32>>::new();
        rows.iter().for_each(|&row| parts.entry(stratum(row)).or_default().push(row));
        parts.into_values().filter(|rows| varies(target, rows)).collect()
    };
    let parts: Vec<Vec<Vec<u32>>> = members.iter().map(varying).collect();
    let within = parts.iter().filter(|parts| !parts.is_empty()).count();
    let mut exchanges = Vec::new();
    let mut unchanged = 0;
    let mut wholes = BTreeMap::<u32, Vec<Vec<u32>>>::new();
    for ((rows, name), parts) in members.into_iter().zip(groups.names()).zip(parts) {
        let is_split = rows.iter().any(|&row| stratum(row) != stratum(rows[0]));
        if !parts.is_empty() {
            exchanges.extend(parts.into_iter().map(Exchange::Rows));
        } else if (within > 0 && rows.len() > 1) || (is_split && varies(target, &rows)) {
            unchanged += 1;
        } else if is_split {
            return Err(Error::data(
                format!(
                    "the rows of group {} are in several strata, and their target is constant: the group can be \
                     exchanged with another group neither within one stratum nor between strata",
                    quoted(name)
                ),
                "use strata that contain whole groups, or omit the strata",
            ));
        } else {
            wholes.entry(stratum(rows[0])).or_default().push(rows);
        }
    }
    let mut whole = 0;
    for groups in wholes.into_values() {
        let (count, exchange) = (groups.len(), Exchange::Groups(groups));
        if exchange.varies(target) {
            whole += count;
            exchanges.push(exchange);
        } else {
            unchanged += count;
        }
    }
    let (whole, singles) = if within > 0 { (0, whole) } else { (whole, 0) };
    Ok((exchanges, Scheme { whole, singles, within, unchanged, ..Scheme::default() }))
}

/// Whether the target varies among some rows.
pub(super) fn varies(target: &Target, rows: &[u32]) -> bool {
    target.varies_among(rows)
}
