//! The methods, one short file each, composed from the five steps, and the list of all methods. The command line,
//! Python, the documentation and the tests read this list.
//!
//! The module documentation of a method is its page: when to use it, the formula, the cost, the limits and the
//! source. The formulas use the [notation](self#notation) below. The pages use the option names of the command line.
//! The type of a method has one setter per option, under its Python name, such as `n_neighbors` for `--neighbors`.
//!
//! Every method has the same two calls:
//!
//! - `fit(&table, &target)` on all cores, with seed 0;
//! - `fit_with(&problem, &run)` with the threads, seed, memory, progress and cancellation flag of a
//!   [`Run`](crate::Run), and with the covariates and strata of a [`Problem`].
//!
//! [`fit_map`] learns a map with other [`MapSettings`]: the number of components, the scaling, a kernel.
//!
//! ## Notation
//!
//! There are $n$ rows, $p$ features and $m$ sampled rows (all rows unless `--samples` specifies fewer); $c$ or $c_i$
//! is the class of a row and $P(C)$ the proportion of class $C$. A *hit* is another row of the same class, a *miss* a
//! row of a different class.
//!
//! $\mathrm{diff}_A(i, j)$ is the difference of rows $i$ and $j$ in feature $A$, in $[0, 1]$:
//!
//! - a number: $|a - b|$ divided by the range of the non-missing values; a ramp (`--ramp`) sets small differences
//!   to 0 and large ones to 1;
//! - a category: 0 if equal, otherwise 1;
//! - an ordered level (`--ordinal`): the number of steps between the two levels, divided by the number of declared
//!   levels minus 1 (Gower 1971). Levels that do not occur count, and no ramp applies;
//! - a genotype: half the number of allele copies that differ; with `--genotype-diff categorical`, as for a category;
//! - a missing value: by default its expected difference, with the value drawn from the non-missing values of the
//!   row's class. `--missing ignore` excludes the feature from the pair. `--missing pessimistic` uses the largest
//!   difference that the non-missing value allows, which is 1 for a category. Formulas: `docs/engine/missing.md`.
//!
//! The distance between two rows is the sum of their differences over all features (with `--metric euclidean`, the
//! square root of the sum of squares). Neighbors tied at the largest distance share the remaining places as tie
//! weights, so that the result does not depend on the order of the rows (with `--ties first`, the first rows of the
//! table are used). Constant features get weight 0 and are otherwise ignored.

mod compositions;
pub mod corelearn;
mod declare;
mod elimination;
mod fit_map;
mod info;
mod kernelized;
mod learn;
mod least_cost;
mod log_det;
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
mod row_comparisons;
mod row_pair;
mod row_pairs;
mod settings;
mod shared;
pub mod skrebate;
mod start;
mod steps;
mod targets;
mod task;
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
    Lesson, MapMethodInfo, MethodInfo, PythonText, WeighFeatures, WeightScale, WrapperInfo,
};
pub(crate) use learn::MAP_OPTIONS;
pub use learn::{Coordinates, Directions, Frame, Learn, MapSettings, SCALE, Scaling};
pub use lookup::{map_method, method, weightings};
pub(crate) use map_steps::MapSteps;
pub use problem::Problem;
pub(crate) use problem::check_names;
pub use radius::Compat;
pub(crate) use reweighting::{Iteration, Reweighting, added, mean_margins};
pub use ridge::Ridge;
pub use row_comparison::RowComparison;
pub use row_pair::RowPair;
pub use row_pairs::{PairCount, Prior, draw_pairs};
pub use shared::{NearestSettings, SampledSpace};
pub use start::Start;
pub(crate) use steps::{Steps, joined, nobody_near};
pub use targets::WeighTargets;
pub use task::Task;
pub(crate) use warning_counter::WarningCounter;
pub use weighted::Weighted;

/// The documentation of this module, with the notation used by the formulas of all pages.
pub static OVERVIEW: &str = page::page!("mod.rs");

declare::weighting_methods! {
    relieff { ReliefF }
    rrelieff { RReliefF }
    survival_relief { SurvivalRelief, SurvivalDifference }
    surf { Surf }
    surf_star { SurfStar }
    multisurf { MultiSurf }
    multisurf_star { MultiSurfStar }
    swrf { Swrf }
    swrf_star { SwrfStar }
    multiswrf { MultiSwrf }
    multiswrf_star { MultiSwrfStar }
    multiswrfdb { MultiSwrfDb }
    multiswrfdb_star { MultiSwrfDbStar }
    mu_relief { MuRelief }
    relief { Relief }
    relief_e { ReliefE }
    relief_margin { ReliefMargin }
    myopic { Myopic }
    drelieff { DReliefF }
    pdrelieff { PDReliefF }
    irelief { IRelief }
    logo { Logo }
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
    mlkr { Mlkr }
    ldm { Ldm }
    lmnn { Lmnn, Solver }
    itml { Itml }
    sdml { Sdml }
    mmc { Mmc, MetricEntries }
    frobmetric { FrobMetric }
    lsml { Lsml }
    scml { Scml }
    kpca {}
    klfe {}
    gda {}
    fskpca {}
    fskgp {}
}

declare::wrapper_methods! {
    turf
    vls
    iter
}
