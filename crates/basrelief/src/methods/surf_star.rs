//! SURF*.

use super::radius::radius_method;

radius_method! {
    /// SURF* (Greene et al. 2010): as SURF, less the same statistic of the rows farther than the mean
    /// distance of all pairs, which sharpens interactions of two features and blurs main effects.
    ///
    /// Classes: per row, the mean difference to the near misses of each other class, weighted by
    /// P(C) / (1 - P(class of the row)), less the mean difference to the near hits; the mean over the
    /// sampled rows, in [-2, 2] with the far part. A real target: RReliefF's ratio over the near rows, less that over the far rows.
    SurfStar {
        name: "surf*",
        near: MeanOfPairs,
        far: Difference,
        purpose: "SURF, far rows counting the other way: for pure interactions of two features",
        source: "Greene et al. 2010",
    }
}
