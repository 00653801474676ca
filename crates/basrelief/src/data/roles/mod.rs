//! Roles of rows: which rows may be neighbors, how much a row counts, and which rows a permutation may exchange; and blocks
//! of features, which change the distances. A
//! [`Problem`](crate::methods::Problem) carries them; the neighbor search, sums, splits, resampling and permutations
//! consult them.

mod covariates;
mod feature_blocks;
mod groups;
mod strata;
mod weights;

use std::fmt::Display;
use std::sync::Arc;

pub(crate) use covariates::Calipers;
pub use covariates::{Covariates, as_covariates};
pub use feature_blocks::{BlockScale, FeatureBlocks};
pub use groups::{GroupWeight, Groups};
pub use strata::strata;
pub use weights::{ClassPriors, RowWeights};

use super::{AdjustedClasses, Classes, Target};
use crate::error::{Error, Result};
use crate::wording::{Text, either, method, setting};

/// The roles of the rows of a table.
///
/// ```
/// use basrelief::data::{GroupWeight, Groups, Roles};
///
/// let groups = Groups::from_labels(&["ada", "ada", "bob", "eve"], GroupWeight::Group);
/// let roles = Roles::default().with_groups(Some(&groups));
/// assert!(roles.choose_neighbors());
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Roles<'a> {
    groups: Option<&'a Groups>,
    strata: Option<&'a Classes>,
    covariates: Option<&'a Covariates<'a>>,
    weights: Option<&'a RowWeights>,
    priors: Option<&'a ClassPriors>,
    blocks: Option<&'a FeatureBlocks>,
}

impl<'a> Roles<'a> {
    /// Sets the groups of rows that are not independent. Groups of one row each are the same as none.
    #[must_use]
    pub fn with_groups(self, groups: Option<&'a Groups>) -> Self {
        Self { groups: groups.filter(|groups| groups.are_repeated()), ..self }
    }

    /// Sets the strata, one per row, within which the target may be permuted.
    #[must_use]
    pub fn with_strata(self, strata: Option<&'a Classes>) -> Self {
        Self { strata, ..self }
    }

    /// Sets the covariates of the rows.
    #[must_use]
    pub fn with_covariates(self, covariates: Option<&'a Covariates<'a>>) -> Self {
        Self { covariates, ..self }
    }

    /// Sets the weights of the rows. Weights of 1 are the same as none.
    #[must_use]
    pub fn with_weights(self, weights: Option<&'a RowWeights>) -> Self {
        Self { weights: weights.filter(|weights| !weights.are_one()), ..self }
    }

    /// Sets the prior probabilities of the classes; `None` for the proportions in the data.
    #[must_use]
    pub fn with_priors(self, priors: Option<&'a ClassPriors>) -> Self {
        Self { priors, ..self }
    }

    /// Sets the blocks of features, each of which counts as one feature in distances.
    #[must_use]
    pub fn with_blocks(self, blocks: Option<&'a FeatureBlocks>) -> Self {
        Self { blocks, ..self }
    }

    /// The groups of rows that are not independent; `None` if all rows are.
    pub fn groups(&self) -> Option<&'a Groups> {
        self.groups
    }

    /// The strata within which the target may be permuted; `None` if it may be permuted among all rows.
    pub fn strata(&self) -> Option<&'a Classes> {
        self.strata
    }

    /// The covariates of the rows, if any.
    pub fn covariates(&self) -> Option<&'a Covariates<'a>> {
        self.covariates
    }

    /// The weights of the rows; `None` if all are 1.
    pub fn weights(&self) -> Option<&'a RowWeights> {
        self.weights
    }

    /// The prior probabilities of the classes; `None` for the proportions in the data.
    pub fn priors(&self) -> Option<&'a ClassPriors> {
        self.priors
    }

    /// The blocks of features, if any.
    pub fn blocks(&self) -> Option<&'a FeatureBlocks> {
        self.blocks
    }

    /// The classes whose quantile residuals are the target, if the target was adjusted for covariates.
    pub(crate) fn adjusted(&self) -> Option<&'a Arc<AdjustedClasses>> {
        self.covariates.and_then(Covariates::adjusted)
    }

    /// Whether the roles affect which rows are neighbors, or how much they count. Blocks of features are not roles of rows.
    pub fn choose_neighbors(&self) -> bool {
        self.groups.is_some()
            || self.weights.is_some()
            || self.priors.is_some()
            || self.covariates.is_some_and(Covariates::choose_neighbors)
    }

    /// Which rows may be neighbors; `None` if all may.
    pub(crate) fn eligible(&self) -> Option<Eligible> {
        let calipers = self.covariates.and_then(Covariates::calipers).map(Arc::clone);
        let groups = self.groups.map(|groups| Arc::clone(groups.shared_codes()));
        (calipers.is_some() || groups.is_some()).then_some(Eligible { calipers, groups })
    }

    /// How many of the places among the nearest neighbors each row takes; `None` if all rows take one.
    pub(crate) fn masses(&self) -> Option<Arc<[f64]>> {
        self.weights.map(|weights| Arc::clone(weights.shared()))
    }

    /// How much every row counts, before priors: its weight, divided by that of its group if all groups count equally;
    /// `None` if all rows count equally.
    fn counts(&self) -> Option<Vec<f64>> {
        let masses = self.weights.map(RowWeights::values);
        match self.groups {
            Some(groups) if groups.weight() == GroupWeight::Group => {
                let counts = groups.row_weights(masses);
                counts.iter().any(|count| *count != counts[0]).then_some(counts)
            }
            _ => masses.map(<[f64]>::to_vec),
        }
    }

    /// Whether all rows count equally in sums over rows, whatever the target.
    pub(crate) fn count_equally(&self) -> bool {
        self.counts().is_none() && self.priors.is_none()
    }

    /// The weight of each of these rows in sums over rows, with mean 1; `None` if all rows count equally. With priors,
    /// the sum over the rows of a class is proportional to its prior.
    ///
    /// # Errors
    /// A class without a prior.
    pub(crate) fn row_weights(&self, rows: &[u32], target: &Target) -> Result<Option<Vec<f64>>> {
        let mut all = match (self.counts(), self.priors) {
            (None, None) => return Ok(None),
            (counts, _) => counts.unwrap_or_else(|| vec![1.0; target.rows()]),
        };
        if let (Some(priors), Some(classes)) = (self.priors, target.as_classes()) {
            let priors = priors.of(classes)?;
            let class = |row: u32| classes.codes()[row as usize] as usize;
            let mut sums = vec![0.0; classes.len()];
            rows.iter().for_each(|&row| sums[class(row)] += all[row as usize]);
            for (row, weight) in (0..).zip(&mut all) {
                *weight *= priors[class(row)] / sums[class(row)];
            }
        }
        let sum: f64 = rows.iter().map(|&row| all[row as usize]).sum();
        let scale = rows.len() as f64 / sum;
        Ok(Some(all.into_iter().map(|weight| weight * scale).collect()))
    }

    /// The prior of every class: as stated, or its proportion of the weight of all rows.
    ///
    /// # Errors
    /// A class without a prior.
    pub(crate) fn class_priors(&self, classes: &Classes) -> Result<Vec<f64>> {
        if let Some(priors) = self.priors {
            return priors.of(classes);
        }
        let Some(weights) = self.counts() else {
            return Ok(classes.shares());
        };
        let mut shares = vec![0.0; classes.len()];
        for (&code, weight) in classes.codes().iter().zip(&weights) {
            shares[code as usize] += weight;
        }
        let sum: f64 = shares.iter().sum();
        Ok(shares.iter().map(|share| share / sum).collect())
    }

    /// Checks that groups, strata, covariates and weights have one entry per row.
    ///
    /// # Errors
    /// Another number of rows.
    pub(crate) fn check_rows(&self, rows: usize) -> Result<()> {
        let found = [
            ("groups", self.groups.map(|groups| groups.codes().len())),
            ("strata", self.strata.map(|strata| strata.codes().len())),
            ("covariates", self.covariates.map(|own| own.table().rows())),
            ("weights", self.weights.map(|weights| weights.values().len())),
        ];
        for (role, found) in found {
            if let Some(found) = found.filter(|found| *found != rows) {
                return Err(Error::data(
                    format!("{rows} rows of features, but {found} rows of {role}"),
                    "provide one value per row",
                ));
            }
        }
        Ok(())
    }

    /// The fingerprint of every role that the rows have, with the words for it in messages.
    pub(crate) fn fingerprints(&self) -> [(&'static str, Option<u64>); 5] {
        let covariates = self.covariates.map(Covariates::fingerprint);
        [
            ("groups of rows", self.groups.map(Groups::fingerprint)),
            ("strata within which the target is permuted", self.strata.map(Classes::fingerprint)),
            ("covariates", covariates),
            ("weights of rows", self.weights.map(RowWeights::fingerprint)),
            ("priors of classes", self.priors.map(ClassPriors::fingerprint)),
        ]
    }

    /// Checks that there are no blocks of features, for a method or task `name` that does not use them.
    ///
    /// # Errors
    /// Blocks of features.
    pub(crate) fn refuse_blocks(&self, name: impl Display, help: impl Into<Text>) -> Result<()> {
        match self.blocks {
            None => Ok(()),
            Some(_) => {
                let problem = format!("{name} does not use blocks of features");
                Err(Error::option("blocks", problem, help))
            }
        }
    }

    /// Checks that no role affects the neighbors, for a method or task `name` that does not consult them.
    ///
    /// # Errors
    /// Blocks of features, groups, weights, priors, or covariates that affect the neighbors.
    pub(crate) fn refuse(&self, name: impl Display) -> Result<()> {
        let supported = || {
            format!(
                "use {}, {}, {} or {}",
                method("relieff"),
                method("rrelieff"),
                method("surf"),
                method("multisurf")
            )
        };
        self.refuse_blocks(&name, supported())?;
        if self.groups.is_some() {
            return Err(Error::option(
                "group",
                format!("{name} does not use groups of rows"),
                supported(),
            ));
        }
        if self.weights.is_some() {
            let problem = format!("{name} does not use weights of rows");
            return Err(Error::option("row_weight", problem, supported()));
        }
        if self.priors.is_some() {
            let problem = format!("{name} does not use priors of classes");
            return Err(Error::option("priors", problem, supported()));
        }
        match self.covariates.filter(|own| own.choose_neighbors()) {
            None => Ok(()),
            Some(covariates) => Err(Error::option(
                if covariates.caliper().is_some() { "caliper" } else { "covar_distance" },
                format!("{name} does not use covariates in its neighbor search"),
                format!(
                    "{}, or rank the residuals of the target ({})",
                    supported(),
                    either(
                        setting("residuals", None),
                        "residuals=True with RReliefF or MultiSURF",
                        "`residuals`"
                    ),
                ),
            )),
        }
    }
}

/// Which rows may be neighbors of each other: rows of different groups, within the calipers of the covariates.
#[derive(Debug, Clone)]
pub(crate) struct Eligible {
    calipers: Option<Arc<Calipers>>,
    groups: Option<Arc<[u32]>>,
}

impl Eligible {
    /// Per covariate with a caliper, a value per row; rows that differ by more than 1 are not neighbors.
    pub(crate) fn calipers(&self) -> &[Vec<f64>] {
        self.calipers.as_ref().map_or(&[], |calipers| calipers.columns())
    }

    /// A group per row, if there are groups; rows of one group are not neighbors.
    pub(crate) fn groups(&self) -> Option<&[u32]> {
        self.groups.as_deref()
    }

    /// Selects rows, in the order of the list.
    pub(crate) fn select_rows(&self, rows: &[u32]) -> Self {
        let of_calipers = |calipers: &Arc<Calipers>| {
            let rows: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
            Arc::new(calipers.select_rows(&rows))
        };
        let of_groups =
            |groups: &Arc<[u32]>| rows.iter().map(|&row| groups[row as usize]).collect();
        Self {
            calipers: self.calipers.as_ref().map(of_calipers),
            groups: self.groups.as_ref().map(of_groups),
        }
    }

    /// Whether two different rows may be neighbors.
    pub(crate) fn may_be_neighbors(&self, i: usize, j: usize) -> bool {
        self.groups.as_ref().is_none_or(|groups| groups[i] != groups[j])
            && self.calipers.as_ref().is_none_or(|calipers| calipers.are_comparable(i, j))
    }

    /// What restricts the neighbors, for messages.
    pub(crate) fn words(&self) -> &'static str {
        match (&self.groups, &self.calipers) {
            (Some(_), Some(_)) => "in another group within the caliper",
            (Some(_), None) => "in another group",
            (None, _) => "within the caliper",
        }
    }
}
