//! SWRF*.

use super::radius::radius_method;

radius_method! {
    /// SWRF* (Stokes & Visweswaran 2012): as SURF*, but a row at distance d counts by the sigmoid `2 /
    /// (1 + exp(4 (d - mean) / sd)) - 1` with mean and standard deviation of all pairs: fully when
    /// very near (or, the other way, very far), nothing at the mean.
    ///
    /// Classes: per row, the mean difference to the near misses of each other class, weighted by
    /// P(C) / (1 - P(class of the row)), less the mean difference to the near hits; the mean over the
    /// sampled rows, in [-2, 2] with the far part. A real target: RReliefF's ratio over the near rows, less that over the far rows.
    SwrfStar {
        name: "swrf*",
        near: Sigmoid,
        far: Difference,
        purpose: "SURF*, with a smooth weight by distance instead of a radius",
        source: "Stokes & Visweswaran 2012",
    }
}
