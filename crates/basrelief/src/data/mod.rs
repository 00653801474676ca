//! Step one of five, **data**: tables of numeric, categorical, ordinal and genotype columns, targets,
//! type inference, and generated data sets.

mod annotations;
mod cell;
mod check;
mod column;
mod compact;
mod contiguous;
mod dense_matrix;
mod disk_columns;
mod encoding;
mod extent;
mod feature_set;
mod fingerprint;
mod folds;
mod genotype_blocks;
mod genotypes;
mod guesses;
mod infer;
mod input_matrix;
mod levels;
mod locus;
mod names;
#[cfg(feature = "ndarray")]
mod ndarray;
mod quantile_residuals;
mod read_columns;
mod reading;
mod repeated_rows;
mod roles;
mod sparse;
mod sparse_input;
pub mod synth;
mod table;
mod targets;

pub(crate) use cell::is_missing_number;
pub use cell::{Cell, exact_number, is_missing_text};
pub(crate) use check::{ColumnLook, column_warnings, list, looks_of, warnings_of_looks};
pub use column::{Categories, Column, ColumnKind, MISSING_CODE, Numbers, Strided, Values};
pub use compact::{CompactNumbers, exact_code};
pub use contiguous::Contiguous;
pub use dense_matrix::DenseMatrix;
pub(crate) use dense_matrix::squared_distance;
pub use disk_columns::{DiskColumn, Piece, write_columns};
pub(crate) use encoding::Part;
pub use encoding::{Differences, EncodedColumn, Encoding};
pub(crate) use extent::Extent;
pub use feature_set::FeatureSet;
pub(crate) use folds::Units;
pub use folds::{Split, deal, folds, holdout, leave_one_out, partition};
pub use genotypes::{Genotypes, MISSING_GENOTYPE, PackedGenotypes};
pub use guesses::guesses;
pub(crate) use guesses::similar_classes;
pub use infer::{
    KindOverrides, OrdinalColumn, RawColumn, RawTable, RawValues, TargetKind, Unlabeled,
    build_problem_parts, build_table, target_names,
};
pub use input_matrix::{InputMatrix, MatrixElement};
pub use locus::Locus;
pub use names::Names;
pub(crate) use quantile_residuals::{AdjustedClasses, ExpectedDifferences};
pub(crate) use read_columns::{ColumnBuffers, Lines, TOGETHER};
pub use reading::inexact;
pub use repeated_rows::{ColumnRole, FAMILY_ID, identifies_rows, repeated_rows};
pub use roles::{
    BlockScale, ClassPriors, Covariates, FeatureBlocks, GroupWeight, Groups, Roles, RowWeights,
    as_covariates, strata,
};
pub(crate) use roles::{Calipers, Eligible};
pub(crate) use sparse::StoredValues;
pub use sparse::{SparseColumn, SparseMatrix};
pub use sparse_input::{Compressed, SparseIndex, SparseValue};
pub use table::{Table, name_columns, named_places};
pub use targets::{
    Classes, LabelTree, MultiTarget, Survival, SurvivalCurve, Target, TargetDistance,
    survival_events,
};
pub(crate) use targets::{TargetDifferences, rows_by_code, target_range};
