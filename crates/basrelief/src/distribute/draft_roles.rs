//! The roles of the rows of a draft, which travel with it.

use serde::{Deserialize, Serialize};

use super::cell::WrittenValues;
use crate::data::{
    Calipers, ClassPriors, Classes, Column, Covariates, GroupWeight, Groups, Roles, RowWeights,
    Table,
};
use crate::error::{Error, Result};
use crate::packed::Packed;

/// Groups, strata, weights and covariates of rows, and priors of classes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(try_from = "WrittenRoles", into = "WrittenRoles")]
pub(super) struct DraftRoles {
    groups: Option<Groups>,
    strata: Option<Classes>,
    weights: Option<RowWeights>,
    priors: Option<ClassPriors>,
    /// Their categories are numbered.
    covariates: Option<Covariates<'static>>,
}

/// [`DraftRoles`] as they are written.
#[derive(Serialize, Deserialize)]
struct WrittenRoles {
    /// The groups as classes, and how much their rows count.
    groups: Option<(Classes, String)>,
    strata: Option<Classes>,
    weights: Option<Packed<f64>>,
    priors: Option<ClassPriors>,
    covariates: Option<WrittenCovariates>,
}

/// [`Covariates`] as they are written.
#[derive(Serialize, Deserialize)]
struct WrittenCovariates {
    rows: usize,
    columns: Vec<(String, WrittenValues)>,
    caliper: Option<(f64, Calipers)>,
    are_in_distance: bool,
}

impl From<&Covariates<'_>> for WrittenCovariates {
    fn from(covariates: &Covariates<'_>) -> Self {
        let written = |column: &Column<'_>| (column.name().to_string(), WrittenValues::of(column));
        let table = covariates.table();
        let calipers = covariates.calipers().map(|own| (**own).clone());
        Self {
            rows: table.rows(),
            columns: table.columns().iter().map(written).collect(),
            caliper: covariates.caliper().zip(calipers),
            are_in_distance: covariates.are_in_distance(),
        }
    }
}

impl WrittenCovariates {
    fn read(self) -> Result<Covariates<'static>> {
        let columns = self.columns.into_iter();
        let columns = columns.map(|(name, values)| values.into_column(self.rows, &name));
        let mut covariates = Covariates::new(Table::new(columns.collect::<Result<_>>()?)?)?;
        if let Some((caliper, calipers)) = self.caliper {
            covariates = covariates.with_known_calipers(caliper, calipers);
        }
        Ok(if self.are_in_distance { covariates.in_distance() } else { covariates })
    }
}

impl From<DraftRoles> for WrittenRoles {
    fn from(roles: DraftRoles) -> Self {
        let groups = roles.groups.and_then(|groups| {
            let classes = Classes::from_codes(groups.codes(), groups.names()).ok()?;
            Some((classes, groups.weight().name().to_string()))
        });
        let weights = roles.weights.map(|weights| Packed(weights.values().to_vec()));
        let covariates = roles.covariates.as_ref().map(WrittenCovariates::from);
        Self { groups, strata: roles.strata, weights, priors: roles.priors, covariates }
    }
}

impl TryFrom<WrittenRoles> for DraftRoles {
    type Error = Error;

    fn try_from(written: WrittenRoles) -> Result<Self> {
        let groups = written.groups.map(|(classes, weight)| {
            let weight: GroupWeight = weight.parse()?;
            Ok::<_, Error>(Groups::of_classes(&classes, weight))
        });
        let weights = written.weights.map(|weights| RowWeights::new("weights", weights.0));
        Ok(Self {
            groups: groups.transpose()?,
            strata: written.strata,
            weights: weights.transpose()?,
            priors: written.priors,
            covariates: written.covariates.map(WrittenCovariates::read).transpose()?,
        })
    }
}

impl DraftRoles {
    /// Copies the roles of a problem.
    ///
    /// # Errors
    /// Residuals of classes or blocks of features, which do not travel with a draft.
    pub(super) fn new(roles: Roles<'_>) -> Result<Self> {
        let covariates = roles.covariates();
        if covariates.is_some_and(|covariates| covariates.adjusted().is_some()) {
            let help = "rank on one machine, or plan parts that read the table";
            return Err(Error::data(
                "residuals of classes are not sent to the parts of a fit",
                help,
            ));
        }
        // Read as the parts will do, so that they have the same fingerprint.
        let covariates = covariates.map(|own| WrittenCovariates::from(own).read()).transpose()?;
        roles.refuse_blocks("a fit in parts", "rank on one machine")?;
        Ok(Self {
            groups: roles.groups().cloned(),
            strata: roles.strata().cloned(),
            weights: roles.weights().cloned(),
            priors: roles.priors().cloned(),
            covariates,
        })
    }

    /// The roles.
    pub(super) fn roles(&self) -> Roles<'_> {
        Roles::default()
            .with_groups(self.groups.as_ref())
            .with_strata(self.strata.as_ref())
            .with_weights(self.weights.as_ref())
            .with_priors(self.priors.as_ref())
            .with_covariates(self.covariates.as_ref())
    }
}
