//! The methods: one short file each, composed from the five steps, and the registry that lists
//! them for the command line, Python, the documentation and the tests.

mod compositions;
mod d_lmnn;
mod drelieff;
mod irelief;
mod kernelized;
mod learn;
mod lfe;
mod lmba;
mod mdm;
mod multisurf;
mod multisurf_star;
mod myopic;
pub mod options;
mod pca;
mod pdrelieff;
mod problem;
mod radius;
pub mod registry;
mod relief;
mod relief_e;
mod relief_margin;
mod relieff;
mod rrelieff;
mod shared;
mod surf;
mod surf_star;
mod swrf_star;
mod turf;
mod vls;
pub mod wrappers;

pub use multisurf::MultiSurf;
pub use multisurf_star::MultiSurfStar;
mod simba;

pub use crate::solve::basis::Basis;
pub use d_lmnn::DLmnn;
pub use drelieff::DReliefF;
pub use irelief::IRelief;
pub use learn::{
    Coordinates, Directions, Frame, Learn, MAP_OPTIONS, MapSettings, Scaling, fit_map,
};
pub use lfe::{Form, Lfe};
pub use lmba::Lmba;
pub use mdm::Mdm;
pub use myopic::Myopic;
pub use options::{OptionInfo, OptionKind, OptionValue, Settings};
pub use pca::Pca;
pub use pdrelieff::PDReliefF;
pub use problem::Problem;
pub use radius::Compat;
pub use registry::{LEARNERS, LearnerInfo, METHODS, MethodInfo, Task, learner, method};
pub use relief::Relief;
pub use relief_e::ReliefE;
pub use relief_margin::ReliefMargin;
pub use relieff::ReliefF;
pub use rrelieff::RReliefF;
pub use shared::NearestSettings;
pub use simba::{Simba, Utility};
pub use surf::Surf;
pub use surf_star::SurfStar;
pub use swrf_star::SwrfStar;
