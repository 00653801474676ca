//! Features in sets.

/// Features that belong together, as the variants of a gene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureSet {
    /// What it is called.
    pub name: String,
    /// Its features, as places in a table, ascending.
    pub features: Vec<usize>,
}
