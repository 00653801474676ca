//! The methods: one short file each, composed from the five steps, and their list, from which the
//! command line, Python, the documentation and the tests take them.

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
mod shared;
mod start;
mod steps;
mod targets;
#[cfg(test)]
mod testing;
mod warning_counter;
mod weighted;
pub mod wrappers;

pub use crate::options::{OptionInfo, OptionKind, OptionValue, Settings};
pub use crate::solve::basis::Basis;
pub(crate) use elimination::{AfterRound, FeatureElimination, report_rounds};
pub(crate) use fit_map::Origin;
pub use fit_map::fit_map;
pub use info::{
    MapMethodInfo, MethodInfo, PythonText, Task, WeighFeatures, WeightScale, WrapperInfo,
};
pub use learn::{Coordinates, Directions, Frame, Learn, MAP_OPTIONS, MapSettings, SCALE, Scaling};
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
    lfda { Embedding, Lfda }
    mfa { Mfa }
    lfe { Form, Lfe }
    o_relief { ORelief }
    gi_relief { GiForm, GiInit, GiRelief }
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
