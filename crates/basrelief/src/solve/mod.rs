//! Step four of five, **solve**: what turns statistics of pairs into a map when it takes more than
//! a mean.

pub(crate) mod basis;
pub(crate) mod hinges;
pub(crate) mod lbfgs;
pub(crate) mod leading;
pub(crate) mod linear_program;
mod nonnegative;
pub(crate) mod pairs;
