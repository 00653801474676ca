//! MultiSURF*.

use super::radius::radius_method;

radius_method! {
    /// MultiSURF* (Granizo-Mackenzie & Moore 2013): as MultiSURF, and the rows farther than the row's
    /// own mean distance plus half its standard deviation count by their similarity, one less the
    /// difference: far misses add, far hits subtract.
    ///
    /// Classes: per row, the mean difference to the near misses of each other class, weighted by
    /// P(C) / (1 - P(class of the row)), less the mean difference to the near hits; the mean over the
    /// sampled rows, in [-2, 2] with the far part. A real target: RReliefF's ratio over the near rows, less that over the far rows.
    MultiSurfStar {
        name: "multisurf*",
        near: OwnMean,
        far: Similarity,
        purpose: "MultiSURF, with far rows counting by similarity: for pure interactions",
        source: "Granizo-Mackenzie & Moore 2013",
    }
}
