//! The roles of the rows of a draft, which travel with it.

use serde::{Deserialize, Serialize};

use crate::data::{ClassPriors, Classes, GroupWeight, Groups, Roles, RowWeights};
use crate::error::{Error, Result};
use crate::packed::Packed;

/// Groups, strata and weights of rows, and priors of classes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(try_from = "WrittenRoles", into = "WrittenRoles")]
pub(super) struct DraftRoles {
    groups: Option<Groups>,
    strata: Option<Classes>,
    weights: Option<RowWeights>,
    priors: Option<ClassPriors>,
}

/// [`DraftRoles`] as they are written.
#[derive(Serialize, Deserialize)]
struct WrittenRoles {
    /// The groups as classes, and how much their rows count.
    groups: Option<(Classes, String)>,
    strata: Option<Classes>,
    weights: Option<Packed<f64>>,
    priors: Option<ClassPriors>,
}

impl From<DraftRoles> for WrittenRoles {
    fn from(roles: DraftRoles) -> Self {
        let groups = roles.groups.and_then(|groups| {
            let classes = Classes::from_codes(groups.codes(), groups.names()).ok()?;
            Some((classes, groups.weight().name().to_string()))
        });
        let weights = roles.weights.map(|weights| Packed(weights.values().to_vec()));
        Self { groups, strata: roles.strata, weights, priors: roles.priors }
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
        })
    }
}

impl DraftRoles {
    /// Copies the roles of a problem.
    ///
    /// # Errors
    /// Covariates or blocks of features, which do not travel with a draft.
    pub(super) fn new(roles: Roles<'_>) -> Result<Self> {
        if roles.covariates().is_some() {
            let help = "rank on one machine, or plan parts that read the table";
            return Err(Error::data("covariates are not sent to the parts of a fit", help));
        }
        roles.refuse_blocks("a fit in parts", "rank on one machine")?;
        Ok(Self {
            groups: roles.groups().cloned(),
            strata: roles.strata().cloned(),
            weights: roles.weights().cloned(),
            priors: roles.priors().cloned(),
        })
    }

    /// The roles.
    pub(super) fn roles(&self) -> Roles<'_> {
        Roles::default()
            .with_groups(self.groups.as_ref())
            .with_strata(self.strata.as_ref())
            .with_weights(self.weights.as_ref())
            .with_priors(self.priors.as_ref())
    }
}
