//! Hierarchies of labels.

use std::collections::{HashMap, HashSet};

use super::multi::MultiTarget;
use crate::error::{Error, Result};
use crate::wording::quoted;

/// The weight of a label relative to that of its parent in a [`LabelTree`].
const DEPTH_FACTOR: f64 = 0.75;

/// A hierarchy of labels: every label has at most one parent. A row with a label also has all of its ancestors.
///
/// A label at depth `d` (0 for labels without a parent) has the weight `0.75^d`: rows whose labels differ near the root
/// differ most. The weights are those of C. Vens et al., Decision trees for hierarchical multi-label classification, Machine
/// Learning 73, 185-214, 2008, which I. Slavkov et al. use in ReliefF for hierarchical multi-label classification (HMC-ReliefF).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelTree {
    parents: HashMap<String, String>,
    /// All labels, in the order of the list.
    labels: Vec<String>,
}

impl LabelTree {
    /// Creates a hierarchy from labels and their parents; `None` for a label without a parent. A parent need not be listed.
    ///
    /// # Errors
    /// No label, a label with two parents, or a label that is its own ancestor; the message names the label.
    pub fn new(pairs: &[(String, Option<String>)]) -> Result<Self> {
        let refuse = |label: &str, problem: &str, help: &str| {
            Err(Error::option("target_tree", format!("{} {problem}", quoted(label)), help))
        };
        let (mut parents, mut labels) = (HashMap::new(), Vec::new());
        let mut known = HashSet::new();
        for (label, parent) in pairs {
            if let Some(parent) = parent
                && let Some(other) = parents.insert(label.clone(), parent.clone())
                && other != *parent
            {
                let problem = format!("has the parents {} and {}", quoted(&other), quoted(parent));
                return refuse(label, &problem, "a label has one parent: list one of them");
            }
            for name in parent.iter().chain([label]) {
                if known.insert(name.clone()) {
                    labels.push(name.clone());
                }
            }
        }
        if labels.is_empty() {
            return Err(Error::option(
                "target_tree",
                "the hierarchy has no labels",
                "list pairs of a label and its parent",
            ));
        }
        let tree = Self { parents, labels };
        for label in &tree.labels {
            if tree.ancestors(label).take(tree.labels.len()).any(|ancestor| ancestor == label) {
                return refuse(
                    label,
                    "is its own ancestor",
                    "remove the pair of a label and its parent that closes the cycle",
                );
            }
        }
        Ok(tree)
    }

    /// The ancestors of a label, nearest first.
    fn ancestors<'t>(&'t self, label: &str) -> impl Iterator<Item = &'t String> {
        let first = self.parents.get(label);
        std::iter::successors(first, |label| self.parents.get(label.as_str()))
    }

    /// Requires a label of the hierarchy.
    ///
    /// # Errors
    /// The label is not in the hierarchy.
    pub(super) fn require(&self, label: &str) -> Result<()> {
        if self.labels.iter().any(|own| own == label) {
            return Ok(());
        }
        Err(Error::option(
            "target_tree",
            format!("the label {} of the target is not in the hierarchy", quoted(label)),
            "add it with its parent, or correct its name",
        ))
    }

    /// The target of rows with these labels of the hierarchy, and their ancestors; `None` for a row whose labels are unknown.
    /// Labels that all rows have, or none, do not count.
    ///
    /// # Errors
    /// All rows have the same labels.
    pub(super) fn target(&self, rows: &[Option<Vec<&str>>]) -> Result<MultiTarget> {
        let width = self.labels.len();
        let index: HashMap<&str, usize> = self.labels.iter().map(String::as_str).zip(0..).collect();
        let mut values = vec![0.0; rows.len() * width];
        for (labels, values) in rows.iter().zip(values.chunks_mut(width)) {
            let Some(labels) = labels else {
                values.fill(f64::NAN);
                continue;
            };
            for label in labels {
                values[index[label]] = 1.0;
                self.ancestors(label).for_each(|name| values[index[name.as_str()]] = 1.0);
            }
        }
        let varies = |at: &usize| {
            let column = || values.iter().skip(*at).step_by(width);
            column().any(|value| *value == 1.0) && column().any(|value| *value == 0.0)
        };
        let kept: Vec<usize> = (0..width).filter(varies).collect();
        if kept.is_empty() {
            return Err(Error::data(
                "all rows have the same labels",
                "weights require a target that varies: provide rows with different labels",
            ));
        }
        let weight = |&at: &usize| {
            let depth = self.ancestors(&self.labels[at]).count();
            DEPTH_FACTOR.powi(i32::try_from(depth).unwrap_or(i32::MAX))
        };
        let names = kept.iter().map(|&at| self.labels[at].clone()).collect();
        let of_kept = |row: &[f64]| kept.iter().map(|&at| row[at]).collect::<Vec<f64>>();
        let values = values.chunks(width).flat_map(of_kept).collect();
        Ok(MultiTarget::from_labels(names, values, kept.iter().map(weight).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_trees_with_cycles_and_several_parents() {
        let refused = |list: &[(&str, &str)]| {
            let pairs: Vec<(String, Option<String>)> =
                list.iter().map(|(a, b)| ((*a).to_string(), Some((*b).to_string()))).collect();
            LabelTree::new(&pairs).unwrap_err().to_string()
        };
        assert!(refused(&[("a", "b"), ("b", "c"), ("c", "a")]).contains("own ancestor"));
        assert!(refused(&[("a", "a")]).contains("own ancestor"));
        assert!(refused(&[("a", "b"), ("a", "c")]).contains("has the parents"));
        assert!(refused(&[]).contains("no labels"));
    }
}
