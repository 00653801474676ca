//! The study that the arguments of a call specify.

use basrelief::data::{ClassPriors, KindOverrides, OrdinalColumn, RawTable, TargetKind};
use basrelief::inference::Sided;
use basrelief::maps::RankBy;
use basrelief::methods::wrappers::Wrapper;
use basrelief::{FrontEnd, Result};
use basrelief_genetics::PHENOTYPE;
use basrelief_study::{
    BlockPlan, BlockSource, CovariateUse, GroupColumn, Method, MethodChoice, RowRoles, Source,
    Study, TestPlan,
};

use crate::arguments::Arguments;
use crate::cohort;

/// The data: a data frame, or a cohort if the argument `path` names its file.
///
/// # Errors
/// An argument has a wrong value.
pub(crate) fn source(arguments: &Arguments, table: Option<RawTable>) -> Result<Source> {
    let kinds = KindOverrides {
        categorical: arguments.list("categorical").to_vec(),
        numeric: arguments.list("numeric").to_vec(),
        genotype: arguments.list("genotype").to_vec(),
        ordinal: ordinal(arguments),
        unlabeled: arguments.text("unlabeled").map(Into::into),
        ..KindOverrides::default()
    };
    let target_kind = match arguments.text("target_type") {
        None | Some("auto") => None,
        Some(kind) => Some(TargetKind::from_text(kind, TargetKind::Auto)?),
    };
    let own = Source {
        kinds,
        target_kind,
        event: arguments.text("event").map(str::to_string),
        ..Source::default()
    };
    Ok(match arguments.path("path") {
        Some(path) => Source { path, cohort: Some(cohort::choice(arguments)?), ..own },
        None => {
            let path = arguments.path("data_name").unwrap_or_else(|| "data".into());
            Source { path, table: Some(table.unwrap_or_default()), ..own }
        }
    })
}

/// The ordinal columns; the levels of a column without any are in the order of their numbers.
fn ordinal(arguments: &Arguments) -> Vec<OrdinalColumn> {
    let listed = arguments.grouped("ordinal");
    if listed.is_empty() {
        let columns = arguments.list("ordinal").iter();
        return columns
            .map(|name| OrdinalColumn { name: name.clone(), order: Vec::new() })
            .collect();
    }
    listed.into_iter().map(|(name, order)| OrdinalColumn { name, order }).collect()
}

/// The study.
///
/// # Errors
/// An argument has a wrong value; the errors of [`Study::check`].
pub(crate) fn study(arguments: &Arguments, table: Option<RawTable>) -> Result<Study> {
    let source = source(arguments, table)?;
    let target = match source.cohort {
        Some(_) => arguments.text("pheno_name").unwrap_or(PHENOTYPE),
        None => arguments.text("target").unwrap_or_default(),
    };
    let target = target.to_string();
    let wrappers = arguments.list("wrap").iter().map(|text| Wrapper::parse(text));
    let rank_by: RankBy = arguments.text("rank_by").map_or(Ok(RankBy::Weight), str::parse)?;
    let method = MethodChoice::new(
        arguments.text("method").unwrap_or_default(),
        &arguments.named("options"),
    )?;
    let study = Study {
        method: Method::Named(method),
        wrappers: wrappers.collect::<Result<_>>()?,
        covariates: covariates(arguments)?,
        roles: roles(arguments)?,
        blocks: blocks(arguments)?,
        test: test(arguments, rank_by)?,
        intervals: arguments.switch("intervals"),
        rank_by,
        audience: FrontEnd::R.into(),
        ..Study::new(source, target)
    };
    study.check()?;
    Ok(study)
}

fn roles(arguments: &Arguments) -> Result<RowRoles> {
    let column = |name: &str| arguments.text(name).map(str::to_string);
    let stated = arguments.named("priors");
    let priors = match arguments.text("priors") {
        None => None,
        Some(_) if !stated.is_empty() => {
            let number = |text: String| text.parse().unwrap_or(f64::NAN);
            let stated = stated.into_iter().map(|(name, prior)| (name, number(prior)));
            Some(ClassPriors::stated(stated.collect())?)
        }
        Some(word) => ClassPriors::parse(word)?,
    };
    Ok(RowRoles {
        within: column("strata"),
        group: GroupColumn::stated(
            arguments.text("groups"),
            cohort::relatives(arguments)?,
            arguments.text("group_weight"),
        )?,
        weight: column("weights"),
        priors,
    })
}

fn covariates(arguments: &Arguments) -> Result<Option<CovariateUse>> {
    let own = CovariateUse {
        file: arguments.path("covar"),
        names: arguments.list("covariates").to_vec(),
        residuals: arguments.switch("residuals"),
        caliper: arguments.number("caliper", "caliper")?,
        in_distance: arguments.switch("covariate_distance"),
        in_models: false,
        drop_missing: arguments.switch("drop_missing_covariates"),
    };
    let has_strata = ["strata", "groups", "weights"].iter().any(|name| arguments.has(name));
    own.check(has_strata)?;
    Ok(own.are_there().then_some(own))
}

fn blocks(arguments: &Arguments) -> Result<Option<BlockPlan>> {
    let scale = arguments.text("block_scale").map_or(Ok(Default::default()), str::parse)?;
    let named = arguments.grouped("blocks");
    Ok(match arguments.text("blocks") {
        None => None,
        Some(text) if named.is_empty() => Some(BlockPlan::from_text(text, scale)),
        Some(_) => Some(BlockPlan { source: BlockSource::Named(named), scale }),
    })
}

fn test(arguments: &Arguments, rank_by: RankBy) -> Result<Option<TestPlan>> {
    let Some(draws) = arguments.text("permutations").filter(|draws| *draws != "0") else {
        return Ok(None);
    };
    let mut plan = TestPlan::new(draws.parse()?);
    if let Some(name) = arguments.text("correction") {
        plan.correction = name.parse()?;
    }
    plan.sided = match arguments.text("sided") {
        Some(sided) => sided.parse()?,
        // Absolute weights are evidence whatever their sign.
        None if rank_by == RankBy::Absolute => Sided::Two,
        None => plan.sided,
    };
    if let Some(alpha) = arguments.number("alpha", "alpha")? {
        plan.alpha = alpha;
    }
    plan.check()?;
    Ok(Some(plan))
}
