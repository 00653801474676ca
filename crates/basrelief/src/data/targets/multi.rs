//! Several targets per row: numbers and classes, of which some may be unknown, or labels in a hierarchy.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::super::{Categories, Column, MISSING_CODE};
use super::numbers::{codes_of_equal, target_range};
use super::values::{TargetDifferences, TargetValues};
use crate::checksum::Checksum;
use crate::error::{Error, Result};
use crate::packed::Packed;
use crate::wording::{quoted, setting};

/// How the targets of two rows are compared. Only targets that are known in both rows count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TargetDistance {
    /// The mean difference: that of two numbers is divided by their range, that of two classes is 0 or 1.
    #[default]
    Mean,
    /// The proportion of targets that are not equal.
    Hamming,
    /// One minus the number of labels of both rows, divided by the number of labels of either.
    Jaccard,
    /// One minus twice the number of labels of both rows, divided by the sum of their numbers of labels.
    F1,
    /// One minus the number of labels of both rows, divided by the geometric mean of their numbers of labels.
    Cosine,
}

/// The names of a label that is absent and of one that is present, in lower case.
const LABELS: [[&str; 2]; 4] =
    [["0", "1"], ["false", "true"], ["no", "yes"], ["absent", "present"]];

/// Several targets of the same rows. A target is numeric or has classes. A value may be unknown, and so may all of a row.
///
/// A row without a known target is unlabeled: it can be a neighbor, but its pairs do not count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct MultiTarget {
    names: Vec<String>,
    /// The names of the classes of each target; none if it is numeric.
    classes: Vec<Vec<String>>,
    /// Row by row, the numbers or class codes of all targets; NaN where unknown.
    values: Vec<f64>,
    /// The weights of labels in a hierarchy; empty if the targets are not in one.
    label_weights: Vec<f64>,
}

/// Names, classes, values and weights of labels.
type Stored = (Vec<String>, Vec<Vec<String>>, Packed<f64>, Packed<f64>);

impl From<MultiTarget> for Stored {
    fn from(target: MultiTarget) -> Self {
        (target.names, target.classes, Packed(target.values), Packed(target.label_weights))
    }
}

impl TryFrom<Stored> for MultiTarget {
    type Error = Error;

    fn try_from((names, classes, values, weights): Stored) -> Result<Self> {
        let (count, values, label_weights) = (names.len(), values.0, weights.0);
        let fits = count > 0 && classes.len() == count && values.len() % count == 0;
        if !fits || !(label_weights.is_empty() || label_weights.len() == count) {
            return Err(Error::Internal("several targets of different length".to_string()));
        }
        Ok(Self { names, classes, values, label_weights })
    }
}

impl MultiTarget {
    /// Targets with these names; the names of the classes of each, none if it is numeric; and row by row, the numbers or
    /// class codes, NaN where unknown.
    pub(super) fn from_parts(
        names: Vec<String>,
        classes: Vec<Vec<String>>,
        values: Vec<f64>,
    ) -> Self {
        Self { names, classes, values, label_weights: Vec::new() }
    }

    /// Labels in a hierarchy with their weights: row by row, 1 for a label of the row and 0 for others.
    pub(super) fn from_labels(names: Vec<String>, values: Vec<f64>, weights: Vec<f64>) -> Self {
        let classes = vec![Vec::new(); names.len()];
        Self { names, classes, values, label_weights: weights }
    }

    /// The names of the targets; of targets in a [`LabelTree`](super::LabelTree), those of the labels.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of targets.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// Whether any target of a row is known.
    pub fn is_labeled(&self, row: usize) -> bool {
        self.row(row).iter().any(|value| !value.is_nan())
    }

    /// The number of rows with a known target.
    pub fn labeled_rows(&self) -> usize {
        (0..self.rows()).filter(|&row| self.is_labeled(row)).count()
    }

    /// The number of rows without a known target.
    pub fn unlabeled_rows(&self) -> usize {
        self.rows() - self.labeled_rows()
    }

    /// Whether this is one target that is unknown in some rows, and no hierarchy of labels.
    pub(crate) fn is_one_target(&self) -> bool {
        self.count() == 1 && !self.is_tree()
    }

    /// Whether the targets are labels in a hierarchy.
    pub fn is_tree(&self) -> bool {
        !self.label_weights.is_empty()
    }

    /// The names of the classes of a target; none if it is numeric.
    pub(super) fn classes_of(&self, at: usize) -> &[String] {
        &self.classes[at]
    }

    /// The value of a target in every row: a number or a class code, NaN where unknown.
    pub(super) fn values_of(&self, at: usize) -> impl Iterator<Item = f64> + '_ {
        self.values.iter().skip(at).step_by(self.count()).copied()
    }

    /// The values of all targets in a row: numbers or class codes, NaN where unknown.
    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.count()..(row + 1) * self.count()]
    }

    /// Checks that every target varies, or that the labels of rows in a hierarchy do.
    ///
    /// # Errors
    /// A target with one value, or without a known one.
    pub fn check_varies(&self) -> Result<()> {
        match self.is_tree() {
            true => self.tree_differences(TargetDistance::Mean).map(drop),
            false => (0..self.count()).try_for_each(|at| self.range(at).map(drop)),
        }
    }

    /// How much the targets of two rows differ. A target that does not vary in these rows, as in some resamples, makes no
    /// difference. Of labels in a [`LabelTree`](super::LabelTree), only the default distance is defined: the root
    /// of the sum of the weights of all labels that only one of both rows has, divided by the largest possible value.
    ///
    /// # Errors
    /// No target varies; a distance between sets of labels and a target that is not a label (two values, such as 0
    /// and 1); another than the default distance of labels in a hierarchy.
    pub(crate) fn differences_by(
        &self,
        distance: TargetDistance,
    ) -> Result<Box<dyn TargetDifferences + '_>> {
        if self.is_tree() {
            return self.tree_differences(distance);
        }
        let found: Vec<Result<Option<f64>>> = (0..self.count()).map(|at| self.range(at)).collect();
        if found.iter().all(Result::is_err) {
            found.into_iter().next().transpose()?;
            return Err(Error::Internal("there is no target".to_string()));
        }
        // The range of a constant is of no effect: its differences are 0.
        let ranges = found.into_iter().zip(&self.classes).map(|(range, classes)| match range {
            Err(_) if classes.is_empty() => Some(1.0),
            range => range.ok().flatten(),
        });
        let ranges: Vec<Option<f64>> = ranges.collect();
        let pair = match distance {
            TargetDistance::Mean => PairDifference::Mean(ranges),
            TargetDistance::Hamming => PairDifference::Mean(vec![None; self.count()]),
            TargetDistance::Jaccard | TargetDistance::F1 | TargetDistance::Cosine => {
                if let Some(at) = (0..self.count()).find(|&at| !self.is_label(at)) {
                    return Err(Error::option(
                        "target_distance",
                        format!(
                            "{} is not a label: it has other values than 0 and 1",
                            quoted(&self.names[at])
                        ),
                        format!("use {}", setting("target_distance", Some("mean"))),
                    ));
                }
                PairDifference::Labels(distance)
            }
        };
        Ok(Box::new(Differences { target: self, pair }))
    }

    fn tree_differences(
        &self,
        distance: TargetDistance,
    ) -> Result<Box<dyn TargetDifferences + '_>> {
        if distance != TargetDistance::Mean {
            return Err(Error::option(
                "target_distance",
                "labels in a hierarchy are compared by the weights of their levels",
                format!("remove {}", setting("target_distance", None)),
            ));
        }
        let size = |row: usize| -> f64 {
            let weighted = self.row(row).iter().zip(&self.label_weights);
            weighted.filter(|(value, _)| **value == 1.0).map(|(_, weight)| weight).sum()
        };
        let largest = (0..self.rows()).map(size).fold(0.0, f64::max);
        if largest == 0.0 {
            return Err(Error::data(
                "the labels of all rows are the same",
                "weights require a target that varies: provide rows with different labels",
            ));
        }
        let pair = PairDifference::Tree { largest: (2.0 * largest).sqrt() };
        Ok(Box::new(Differences { target: self, pair }))
    }

    /// The range of a numeric target; `None` if it has classes.
    ///
    /// # Errors
    /// The target does not vary, or its range overflows.
    fn range(&self, at: usize) -> Result<Option<f64>> {
        let located = |error: Error| match error {
            Error::Data(error) => error.in_column(&self.names[at]).into(),
            other => other,
        };
        let known: Vec<f64> = self.values_of(at).filter(|value| !value.is_nan()).collect();
        let Some(first) = known.first() else {
            return Err(located(Error::data(
                "the target is unknown in every row",
                "omit this target",
            )));
        };
        match self.classes[at].as_slice() {
            [] => target_range(&known).map(Some).map_err(located),
            names if known.iter().all(|value| value == first) => Err(located(Error::data(
                format!("the target is {} in every row", quoted(&names[*first as usize])),
                "weights require targets that vary: omit this one",
            ))),
            _ => Ok(None),
        }
    }

    /// Whether the values of a target are those of a label, absent (0) or present (1).
    pub(super) fn is_label(&self, at: usize) -> bool {
        let names: Vec<String> = self.classes[at].iter().map(|name| name.to_lowercase()).collect();
        match names.as_slice() {
            [] => {
                let mut known = self.values_of(at).filter(|value| !value.is_nan());
                known.all(|value| value == 0.0 || value == 1.0)
            }
            names => LABELS.iter().any(|pair| names == pair),
        }
    }
}

/// How the targets of two rows are compared.
enum PairDifference {
    /// The mean of the differences of numbers, divided by their range, and of those that are 0 or 1 (`None`).
    Mean(Vec<Option<f64>>),
    /// A distance between sets of labels.
    Labels(TargetDistance),
    /// A distance between labels with weights, divided by the largest.
    Tree { largest: f64 },
}

/// See [`MultiTarget::differences_by`].
struct Differences<'t> {
    target: &'t MultiTarget,
    pair: PairDifference,
}

impl TargetDifferences for Differences<'_> {
    fn of(&self, row: u32, other: u32) -> f64 {
        let (own, others) = (self.target.row(row as usize), self.target.row(other as usize));
        let values = own.iter().zip(others);
        let is_known = |pair: &(&f64, &f64)| !pair.0.is_nan() && !pair.1.is_nan();
        match &self.pair {
            PairDifference::Mean(ranges) => {
                let (mut sum, mut known) = (0.0, 0.0);
                for ((a, b), range) in values.zip(ranges).filter(|(pair, _)| is_known(pair)) {
                    sum += match range {
                        Some(range) => (a - b).abs() / range,
                        None => f64::from(u8::from(a != b)),
                    };
                    known += 1.0;
                }
                // Not a number if no target is known in both rows.
                sum / known
            }
            PairDifference::Labels(distance) => {
                let (mut both, mut own, mut other, mut known) = (0.0, 0.0, 0.0, 0);
                for (a, b) in values.filter(is_known) {
                    both += a * b;
                    own += a;
                    other += b;
                    known += 1;
                }
                let similarity = match distance {
                    _ if known == 0 => return f64::NAN,
                    // Two rows without labels are the same.
                    _ if own + other == 0.0 => 1.0,
                    TargetDistance::Jaccard => both / (own + other - both),
                    TargetDistance::F1 => 2.0 * both / (own + other),
                    _ if both == 0.0 => 0.0,
                    _ => both / (own * other).sqrt(),
                };
                1.0 - similarity
            }
            PairDifference::Tree { largest } => {
                let (mut sum, mut known) = (0.0, 0);
                for ((a, b), weight) in
                    values.zip(&self.target.label_weights).filter(|(pair, _)| is_known(pair))
                {
                    sum += if a == b { 0.0 } else { *weight };
                    known += 1;
                }
                if known == 0 { f64::NAN } else { sum.sqrt() / largest }
            }
        }
    }
}

impl TargetValues for MultiTarget {
    fn rows(&self) -> usize {
        self.values.len() / self.count()
    }

    fn select_rows(&self, rows: &[usize]) -> Result<Self> {
        let values = rows.iter().flat_map(|&row| self.row(row)).copied().collect();
        Ok(Self { values, ..self.clone() })
    }

    fn reordered(&self, order: &[u32]) -> Self {
        let values = order.iter().flat_map(|&row| self.row(row as usize)).copied().collect();
        Self {
            names: self.names.clone(),
            classes: self.classes.clone(),
            values,
            label_weights: self.label_weights.clone(),
        }
    }

    fn is_same(&self, row: usize, other: usize) -> bool {
        let pairs = self.row(row).iter().zip(self.row(other));
        pairs.into_iter().all(|(a, b)| a == b || (a.is_nan() && b.is_nan()))
    }

    fn value_codes(&self) -> Cow<'_, [u32]> {
        let key = |row: usize| -> Vec<u64> {
            self.row(row).iter().map(|value| (value + 0.0).to_bits()).collect()
        };
        Cow::Owned(codes_of_equal((0..self.rows()).map(key)))
    }

    fn phrase(&self) -> &'static str {
        match (self.is_tree(), self.count()) {
            (true, _) => "has labels in a hierarchy",
            (_, 1) => "is unknown in some rows",
            _ => "consists of several targets",
        }
    }

    fn columns(&self, _: &str) -> Result<Vec<Column<'static>>> {
        let column = |(at, name): (usize, &String)| {
            let values = self.values_of(at);
            match self.classes[at].as_slice() {
                [] => Column::from_values(name, values.collect()),
                names => {
                    let code =
                        |value: f64| if value.is_nan() { MISSING_CODE } else { value as u32 };
                    let categories = Categories::new(values.map(code).collect(), names.to_vec())?;
                    Ok(Column::categorical(name, categories))
                }
            }
        };
        self.names.iter().enumerate().map(column).collect()
    }

    fn fingerprint(&self) -> u64 {
        let mut checksum = Checksum::default();
        checksum.add_words(&self.values, f64::to_bits);
        checksum.add_words(&self.label_weights, f64::to_bits);
        checksum.number()
    }

    fn regression_values(&self) -> Option<Cow<'_, [f64]>> {
        None
    }

    fn is_labeled(&self, row: usize) -> bool {
        self.is_labeled(row)
    }

    fn differences(&self) -> Result<Box<dyn TargetDifferences + '_>> {
        self.differences_by(TargetDistance::Mean)
    }
}
