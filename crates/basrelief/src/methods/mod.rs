//! The methods: one short file each, composed from the five steps, and their list, from which the
//! command line, Python, the documentation and the tests take them.
//!
//! A module per method contains its page: when to use it, the formula, the cost, the limits and the source. The symbols
//! of the formulas are those of the [notation](self#notation) below. The pages name options as the command line does; a
//! type has a setter for each under the name in Python, such as `n_neighbors` for `--neighbors`.
//!
//! Every method has the same two calls:
//!
//! - `fit(&table, &target)` on all cores, with seed 0;
//! - `fit_with(&problem, &run)` with the threads, seed, memory, progress and cancellation flag of a [`Run`](crate::Run),
//!   and with what a [`Problem`] knows of the rows.
//!
//! [`fit_map`] learns a map with other [`MapSettings`]: fewer components, units, a kernel.
//!
//! ## Notation
//!
//! $n$ rows, $p$ features, $m$ sampled rows (all unless `--samples` says fewer); $c$ or $c_i$ a row's
//! class, $P(C)$ the share of class $C$; a *hit* is another row of the same class, a *miss* a row of
//! another one.
//!
//! $\mathrm{diff}_A(i, j)$ is the difference of rows $i$ and $j$ in feature $A$, in $[0, 1]$:
//!
//! - a number: $|a - b|$ over the range of the known values; a ramp (`--ramp`) makes small differences
//!   0 and large ones 1;
//! - a category: 0 if equal, else 1;
//! - a level in an order (`--ordinal`): the number of steps between the two levels, over the number of declared levels
//!   minus 1 (Gower 1971). Levels that do not occur count, and no ramp applies;
//! - a genotype: half the number of allele copies that differ, or with `--genotype-diff categorical` as
//!   a category;
//! - a missing value: its expected difference, the value being drawn from the known values of the row's
//!   class; or `--missing ignore`: the feature is left out of the pair; or `--missing pessimistic`: the
//!   largest difference that the known value allows, which is 1 for a category. Formulas: `docs/engine/missing.md`.
//!
//! The distance of two rows is the sum of their differences over all features (`--metric euclidean`:
//! the root of the sum of squares). Rows tied at the last place of the nearest share it, so that the
//! order of the rows changes nothing (`--ties first`: the first rows of the table win). Constant
//! features weigh 0 and count nowhere.

mod compositions;
mod declare;
mod elimination;
mod fit_map;
mod info;
mod kernelized;
mod learn;
mod least_cost;
mod lookup;
mod map_steps;
pub mod options;
mod page;
mod positive_part;
mod problem;
mod radius;
mod reweighting;
mod ridge;
mod row_comparison;
mod row_pair;
mod row_pairs;
mod settings;
mod shared;
mod start;
mod steps;
mod targets;
#[cfg(test)]
mod testing;
mod warning_counter;
mod weighted;
pub mod wrappers;

use crate::data::{Table, Target};
pub use crate::options::{OptionInfo, OptionKind, OptionValue, Settings};
pub use crate::solve::basis::Basis;
pub(crate) use elimination::{AfterRound, FeatureElimination, report_rounds};
pub(crate) use fit_map::Origin;
pub use fit_map::fit_map;
pub use info::{
    MapMethodInfo, MethodInfo, PythonText, Task, WeighFeatures, WeightScale, WrapperInfo,
};
pub(crate) use learn::MAP_OPTIONS;
pub use learn::{Coordinates, Directions, Frame, Learn, MapSettings, SCALE, Scaling};
pub use lookup::{map_method, method, weightings};
pub(crate) use map_steps::{MapSteps, ScaledRows};
pub use problem::Problem;
pub use radius::Compat;
pub(crate) use reweighting::{Iteration, Reweighting, added, mean_margins};
pub use ridge::Ridge;
pub use row_comparison::RowComparison;
pub use row_pair::RowPair;
pub use row_pairs::{PairCount, Prior};
pub use shared::{NearestSettings, SampledSpace};
pub use start::Start;
pub(crate) use steps::{Steps, nobody_near};
pub use targets::WeighTargets;
pub(crate) use warning_counter::WarningCounter;
pub use weighted::Weighted;

/// The documentation of this module: what all pages presuppose, with the notation of their formulas.
pub static OVERVIEW: &str = page::page!("mod.rs");

declare::weighting_methods! {
    relieff { ReliefF }
    rrelieff { RReliefF }
    surf { Surf }
    surf_star { SurfStar }
    multisurf { MultiSurf }
    multisurf_star { MultiSurfStar }
    swrf_star { SwrfStar }
    relief { Relief }
    relief_e { ReliefE }
    relief_margin { ReliefMargin }
    myopic { Myopic }
    drelieff { DReliefF }
    pdrelieff { PDReliefF }
    irelief { IRelief }
    simba { Simba, Utility }
    lmba { Lmba }
    mdm { Mdm }
    d_lmnn { DLmnn }
}

declare::map_methods! {
    euclidean { Euclidean }
    pca { Pca }
    lda { Lda }
    rca { Rca }
    dann { Dann }
    lfda { Lfda, Embedding }
    mfa { Mfa }
    lfe { Lfe, Form }
    o_relief { ORelief }
    gi_relief { GiRelief, GiForm, GiInit }
    nca { Nca, NcaObjective }
    ldm { Ldm }
    lmnn { Lmnn, Solver }
    itml { Itml }
    sdml { Sdml }
    frobmetric { FrobMetric }
    kpca {}
    klfe {}
    gda {}
    fskpca {}
    fskgp {}
}

declare::wrapper_methods! {
    turf
    vls
}
