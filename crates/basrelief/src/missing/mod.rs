//! Missing values: what the difference to one is, and what that adds to distances and to sums that
//! kernels take over coded values.

pub(crate) mod corrections;
pub(crate) mod pair_bits;
pub(crate) mod rounded_corrections;
pub(crate) mod sums;
pub(crate) mod table;
