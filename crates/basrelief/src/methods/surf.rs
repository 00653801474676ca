//! SURF.

use super::radius::radius_method;

radius_method! {
    /// SURF (Greene et al. 2009): the neighbours of a row are all rows nearer than the mean distance of
    /// all pairs, so that there is no number of neighbours to choose.
    ///
    /// Classes: per row, the mean difference to the near misses of each other class, weighted by
    /// P(C) / (1 - P(class of the row)), less the mean difference to the near hits; the mean over the
    /// sampled rows, in [-1, 1]. A real target: RReliefF's ratio over the near rows.
    Surf {
        name: "surf",
        near: MeanOfPairs,
        far: Ignored,
        purpose: "all rows nearer than the mean distance: no number of neighbours to choose",
        source: "Greene et al. 2009",
    }
}
