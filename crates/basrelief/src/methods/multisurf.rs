//! MultiSURF.

use super::radius::radius_method;

radius_method! {
    /// MultiSURF (Urbanowicz et al. 2018): the neighbours of a row are all rows nearer than the row's
    /// own mean distance less half its standard deviation (population, over the other rows).
    ///
    /// Classes: per row, the mean difference to the near misses of each other class, weighted by
    /// P(C) / (1 - P(class of the row)), less the mean difference to the near hits; the mean over the
    /// sampled rows, in [-1, 1]. A real target: RReliefF's ratio over the near rows.
    MultiSurf {
        name: "multisurf",
        near: OwnMean,
        far: Ignored,
        purpose: "all rows well inside a radius of the row's own: the best all-round choice",
        source: "Urbanowicz et al. 2018",
    }
}
