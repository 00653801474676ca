//! The specification of a study from Python: the data, the method and the run.

use std::collections::HashSet;

use basrelief::data::{
    BlockScale, ClassPriors, Classes, ColumnKind, Groups, Names, RowWeights, Table, Target, guesses,
};
use basrelief::methods::wrappers::Wrapper;
use basrelief::methods::{self, MapMethodInfo, Settings};
use basrelief::{FrontEnd, Result, Run, Warning};
use basrelief_study::{
    BlockPlan, BlockSource, Data, Method, MethodChoice, SelectionPlan, Source, Study, TestPlan,
    Wanted,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::TargetInput;
use crate::columns::{Borrowed, Features};
use crate::covariates::BorrowedCovariates;
use crate::errors::to_python;
use crate::stated::{Kinds, NameInput};
use crate::threads::run_on;

/// The attributes of `basrelief._base.Study`.
#[derive(FromPyObject)]
pub(crate) struct StudyInput<'py> {
    pub(crate) method: String,
    pub(crate) options: Vec<(String, String)>,
    wrappers: Vec<String>,
    features: Option<Features<'py>>,
    names: NameInput,
    kinds: Kinds,
    target: Option<TargetInput<'py>>,
    seed: u64,
    threads: Option<usize>,
    pub(crate) progress: Option<Py<PyAny>>,
    /// The selection of features: a number of them, or a number that their weights exceed, or neither for the significant
    /// ones; and the rule about redundant features.
    selection: Option<(Option<usize>, Option<f64>, String)>,
    rank_by: String,
    /// The blocks of features, and their scale.
    blocks: Option<(BlocksInput, String)>,
}

/// The blocks of features: `prefix:` and a separator, or the names of the blocks with those of their columns.
#[derive(FromPyObject)]
enum BlocksInput {
    Text(String),
    Named(Vec<(String, Vec<String>)>),
}

impl StudyInput<'_> {
    /// Creates the study of weights, without its data, and the method.
    pub(crate) fn study(&self, test: Option<TestPlan>) -> PyResult<(MethodChoice, Study)> {
        let method = MethodChoice::new(&self.method, &self.options).map_err(to_python)?;
        let wrappers: Result<Vec<Wrapper>> =
            self.wrappers.iter().map(|text| Wrapper::parse(text)).collect();
        let study = Study {
            method: Method::Named(method.clone()),
            wrappers: wrappers.map_err(to_python)?,
            test,
            selection: self.selection_plan()?,
            rank_by: self.rank_by.parse().map_err(to_python)?,
            blocks: self.block_plan()?,
            audience: FrontEnd::Python.into(),
            ..Study::new(Source::default(), "")
        };
        if study.test.is_some() {
            study.check_test().map_err(to_python)?;
        }
        study.check_ranking().map_err(to_python)?;
        study.check_blocks().map_err(to_python)?;
        Ok((method, study))
    }

    /// The blocks of features.
    fn block_plan(&self) -> PyResult<Option<BlockPlan>> {
        let Some((blocks, scale)) = &self.blocks else { return Ok(None) };
        let scale: BlockScale = scale.parse().map_err(to_python)?;
        Ok(Some(match blocks {
            BlocksInput::Text(text) => BlockPlan::from_text(text, scale),
            BlocksInput::Named(blocks) => {
                BlockPlan { source: BlockSource::Named(blocks.clone()), scale }
            }
        }))
    }

    /// The selection of features.
    fn selection_plan(&self) -> PyResult<Option<SelectionPlan>> {
        let Some((top, above, redundancy)) = &self.selection else { return Ok(None) };
        let wanted = match (*top, *above) {
            (Some(top), _) => Wanted::Top(top),
            (None, Some(above)) => Wanted::Above(above),
            (None, None) => Wanted::Significant,
        };
        let plan = SelectionPlan { wanted, redundancy: redundancy.parse().map_err(to_python)? };
        plan.check().map_err(to_python)?;
        Ok(Some(plan))
    }

    /// Returns the names and the declared kinds of the features.
    pub(crate) fn stated_columns(&self) -> PyResult<Vec<(String, ColumnKind)>> {
        let stated = |(name, kind): (&str, Option<ColumnKind>)| match kind {
            Some(kind) => Ok((name.to_string(), kind)),
            None => Err(PyValueError::new_err(format!("the kind of {name} is not specified"))),
        };
        self.names.0.iter().zip(self.kinds.iter()).map(stated).collect()
    }

    /// The number of features.
    pub(crate) fn width(&self) -> usize {
        self.names.0.len()
    }

    /// Returns the map method and its settings.
    pub(crate) fn map_method(&self) -> PyResult<(&'static MapMethodInfo, Settings)> {
        let method = methods::map_method(&self.method).map_err(to_python)?;
        let settings = method.settings(&self.options).map_err(to_python)?;
        Ok((method, settings))
    }

    /// Reads the target, if there is one.
    pub(crate) fn target(&self) -> PyResult<Option<Target>> {
        self.target.as_ref().map(TargetInput::read).transpose()
    }

    /// Reads the target of a method that requires one.
    pub(crate) fn required_target(&self) -> PyResult<Target> {
        self.target()?.ok_or_else(|| PyValueError::new_err("there is no target"))
    }

    /// Creates the run, with its seed and threads.
    pub(crate) fn run(&self, py: Python<'_>) -> PyResult<Run> {
        Ok(run_on(py, self.threads)?.with_seed(self.seed))
    }

    /// Borrows the features for use without the interpreter.
    pub(crate) fn columns(&self) -> PyResult<Columns<'_>> {
        let Self { features, names, kinds, .. } = self;
        let features = features.as_ref().ok_or_else(|| PyValueError::new_err("no features"))?;
        Ok(Columns { values: features.borrow()?, names: &names.0, kinds })
    }
}

/// Strata, groups and weights of rows, and priors of classes.
#[derive(Default)]
pub(crate) struct InputRoles {
    pub(crate) strata: Option<Classes>,
    pub(crate) groups: Option<Groups>,
    pub(crate) weights: Option<RowWeights>,
    pub(crate) priors: Option<ClassPriors>,
}

/// Features that can be read without the interpreter.
pub(crate) struct Columns<'a> {
    values: Borrowed<'a>,
    names: &'a Names,
    kinds: &'a Kinds,
}

impl<'a> Columns<'a> {
    /// Creates the table of the features.
    pub(crate) fn table(&self, run: &Run) -> Result<Table<'a>> {
        self.values.table(self.names, self.kinds, run)
    }

    /// Returns the warnings about inferred kinds.
    pub(crate) fn guesses(&self, table: &Table<'_>) -> Vec<Warning> {
        let inferred = self.names.iter().zip(self.kinds.iter()).filter(|(_, kind)| kind.is_none());
        let inferred: HashSet<&str> = inferred.map(|(name, _)| name).collect();
        guesses(table.columns(), |name| inferred.contains(name))
    }

    /// Creates the data of a study. [`doubts`](Self::doubts) returns the warnings about them.
    pub(crate) fn data(
        &self,
        target: Target,
        roles: InputRoles,
        covariates: Option<&BorrowedCovariates<'a>>,
        run: &Run,
    ) -> Result<Data<'a>> {
        let table = self.table(run)?;
        let (mut target, mut unadjusted, mut used) = (target, None, None);
        let (target_name, mut warnings) = (String::new(), Vec::new());
        if let Some(covariates) = covariates {
            let residuals;
            (used, residuals) =
                covariates.read(&target, roles.weights.as_ref(), run, &mut warnings)?;
            unadjusted = residuals.map(|residuals| std::mem::replace(&mut target, residuals));
        }
        let InputRoles { strata, groups, weights, priors } = roles;
        if let Some(priors) = &priors {
            priors.check(&target)?;
        }
        Ok(Data {
            table,
            target,
            unadjusted,
            target_name,
            target_columns: Vec::new(),
            strata,
            groups,
            weights,
            priors,
            covariates: used,
            blocks: None,
            unlabeled: 0,
            warnings,
        })
    }

    /// Returns the warnings about inferred kinds and about rows that look like repeated measurements.
    pub(crate) fn doubts(&self, data: &Data<'_>) -> Vec<Warning> {
        let mut doubts = self.guesses(&data.table);
        // The rows of stated groups are known to be repeated.
        if data.groups.is_none() {
            doubts.extend(self.values.repeated_rows(
                &data.table,
                data.covariates.as_ref(),
                &data.target,
            ));
        }
        doubts
    }
}
