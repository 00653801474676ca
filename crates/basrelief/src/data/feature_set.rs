//! Sets of features.

/// A named set of features, such as the variants of a gene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureSet {
    /// The name of the set.
    pub name: String,
    /// The features of the set, as column indices in a table, ascending.
    pub features: Vec<usize>,
}
