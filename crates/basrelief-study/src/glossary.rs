//! Terms of pages and their meanings.

/// A term and its meaning.
type Entry = (&'static str, &'static str);

/// The terms of all pages.
const TERMS: [Entry; 17] = [
    (
        "weight",
        "A measure of the association of a feature with the target, alone and in interaction with other features. Weights \
         of irrelevant features are close to 0 and can be negative.",
    ),
    (
        "hit, miss",
        "For a row, a hit is a near row of the same class, and a miss is a near row of another class. A feature has a large \
         weight if it differs more from misses than from hits.",
    ),
    (
        "permutation p",
        "The share of permutations of the target (the observed order included) in which the weight of the feature is at \
         least as large as observed.",
    ),
    (
        "adjusted p (max-T)",
        "The share of permutations in which the largest weight of all features is at least as large as the weight of this \
         feature. A threshold of 0.05 limits the probability of any false selection (family-wise error rate) to 5 %.",
    ),
    (
        "adjusted p (min-P)",
        "A p-value that is adjusted for the number of features or sets by the smallest p-value under permutations. It \
         controls the family-wise error rate, as max-T does.",
    ),
    (
        "q (FDR)",
        "The estimated share of false discoveries (false discovery rate) among all features or pairs with a p-value of at \
         most this size.",
    ),
    (
        "null threshold",
        "A percentile of the largest weight under permutations of the target, the 95th at the level 0.05.",
    ),
    (
        "rank",
        "The position of a feature when all features are sorted by weight. Features with equal weights have equal ranks.",
    ),
    (
        "interaction",
        "Two features interact if both together explain more of the target than the sum of their separate effects.",
    ),
    (
        "similarity",
        "The absolute correlation of two features, or the corresponding measure for categories, from 0 to 1.",
    ),
    (
        "stability",
        "The agreement of the features that are selected in resamples of the rows: 1 for identical selections, 0 for random \
         selections.",
    ),
    ("resample", "A random part of the rows, drawn without replacement."),
    (
        "component",
        "A new feature, computed from all features by a map, such as a principal component.",
    ),
    ("residuals", "The part of the target that the covariates do not explain."),
    (
        "cross-validation",
        "The rows are divided into parts. Each part is predicted from the other rows, so that errors are measured on rows \
         that were not used to learn.",
    ),
    (
        "minor allele frequency",
        "The share of the less frequent of two alleles among the known alleles of the founders.",
    ),
    (
        "Hardy-Weinberg p",
        "The p-value of an exact test for deviations from the genotype frequencies that random mating produces. Very small \
         values suggest genotyping errors.",
    ),
];

/// The entries of some terms, for a page.
pub(crate) fn glossary(terms: &[&str]) -> Vec<(String, String)> {
    let entry = |term: &&str| TERMS.iter().find(|(name, _)| name == term);
    let entries = terms.iter().filter_map(entry);
    entries.map(|(name, text)| ((*name).to_string(), (*text).to_string())).collect()
}

/// The terms of the page of a ranking.
pub(crate) const OF_RANKING: [&str; 10] = [
    "weight",
    "hit, miss",
    "rank",
    "permutation p",
    "adjusted p (max-T)",
    "q (FDR)",
    "null threshold",
    "interaction",
    "similarity",
    "residuals",
];

/// The terms of the page of pairs.
pub(crate) const OF_PAIRS: [&str; 4] =
    ["interaction", "adjusted p (max-T)", "q (FDR)", "residuals"];

/// The terms of the page of pairs with groups of rows.
pub(crate) const OF_PAIRS_IN_GROUPS: [&str; 2] = ["interaction", "adjusted p (max-T)"];

/// The terms of the page of sets.
pub(crate) const OF_SETS: [&str; 5] =
    ["weight", "hit, miss", "permutation p", "q (FDR)", "adjusted p (min-P)"];

/// The terms of the page of stability.
pub(crate) const OF_STABILITY: [&str; 4] = ["weight", "rank", "resample", "stability"];

/// The terms of the page of an evaluation.
pub(crate) const OF_EVALUATION: [&str; 3] = ["weight", "component", "cross-validation"];

/// The terms of the page of a map.
pub(crate) const OF_MAP: [&str; 1] = ["component"];

/// The terms of the page of the quality of a cohort.
pub(crate) const OF_QUALITY: [&str; 2] = ["minor allele frequency", "Hardy-Weinberg p"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_term_of_a_page_has_an_entry() {
        let pages: [&[&str]; 7] =
            [&OF_RANKING, &OF_PAIRS, &OF_SETS, &OF_STABILITY, &OF_EVALUATION, &OF_MAP, &OF_QUALITY];
        for terms in pages {
            assert_eq!(glossary(terms).len(), terms.len(), "{terms:?}");
        }
    }
}
