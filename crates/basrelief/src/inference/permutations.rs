//! Permutations under the null hypothesis: the target is independent of the features, so that all orders of its
//! values are equally probable, or all orders that exchange rows within strata, or whole groups of rows.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::exchanges::{Exchange, Scheme, exchanges_of_groups, varies};
use super::given_covariates::{Given, given_covariates};
use crate::data::{AdjustedClasses, Covariates, Roles, Target, list};
use crate::error::{Error, Result};
use crate::random::{self, RandomStream};
use crate::run::{Run, derived_seed};
use crate::warning::Warning;

/// The number of arrangements of a target below which a warning reports it.
const FEW_ARRANGEMENTS: f64 = 1000.0;

/// Permutations of a target, numbered from 0. A permutation depends only on its number, the seed, the roles and the
/// number of rows, so that it is identical for every method.
///
/// Rows of one group are not independent, so that groups decide what is exchanged ([`Scheme`]):
///
/// - whole groups, if the target is constant within every group: the targets of the groups are assigned to the groups in
///   another order;
/// - otherwise, rows within each group in which the target varies, and groups of one row among each other. Other groups with
///   a constant target stay unchanged: it may be constant by chance, with a probability that depends on the group.
///
/// All of it happens within strata.
///
/// If covariates affect the neighbors, orders of the target are as probable as the target given the covariates, by a
/// linear or logistic regression (Berrett et al. 2020): the covariates and the target depend on each other in every
/// permutation as they do in the data. Weights of rows are such a covariate, together with the covariates for which the target
/// was adjusted. If the target is the [residuals](crate::solve::residuals) of two classes, the
/// classes are permuted in this way, and the residuals are computed again.
#[derive(Debug, Clone)]
pub struct Permutations<'t> {
    target: &'t Target,
    /// What is permuted: the target, or the classes whose residuals are the target.
    permuted: Cow<'t, Target>,
    exchanges: Vec<Exchange>,
    /// The residuals of the classes, if the target is these.
    adjusted: Option<Arc<AdjustedClasses>>,
    /// How the target depends on covariates, if it does.
    given: Option<Given>,
    scheme: Option<Scheme>,
    seed: u64,
    warnings: Vec<Warning>,
}

impl<'t> Permutations<'t> {
    /// Permutations of a target, with the seed of the run. The roles of its rows are those under which the weights that are tested were computed.
    ///
    /// A stratum or a group in which the target does not vary stays unchanged; a warning reports it.
    ///
    /// # Errors
    /// The target does not vary, or does not vary within any stratum; groups or strata have another number of rows; a
    /// group that is exchanged as a whole has rows in several strata; nothing can be exchanged; covariates determine the
    /// target, or have too many parameters for a regression; all rows of a class have the same weight;
    /// [`Error::Cancelled`].
    pub fn new(target: &'t Target, roles: Roles<'_>, run: &Run) -> Result<Self> {
        // Residuals of numbers are exchangeable without the covariates, unless the rows have weights.
        let is_needed = |own: &&Covariates<'_>| {
            own.choose_neighbors() || own.adjusted().is_some() || roles.weights().is_some()
        };
        Self::given(target, roles, roles.covariates().filter(is_needed), run)
    }

    /// Like [`new`](Self::new), but the covariates of the roles need not affect the neighbors: orders of the target are as
    /// probable as the target given them, for a statistic that depends on them in another way.
    ///
    /// # Errors
    /// See [`new`](Self::new).
    pub fn given_covariates(target: &'t Target, roles: Roles<'_>, run: &Run) -> Result<Self> {
        Self::given(target, roles, roles.covariates(), run)
    }

    /// Permutations given some covariates, and the weights of the roles.
    fn given(
        target: &'t Target,
        roles: Roles<'_>,
        covariates: Option<&Covariates<'_>>,
        run: &Run,
    ) -> Result<Self> {
        let seed = run.seed();
        let rows = target.rows();
        roles.check_rows(rows)?;
        check_several(target, roles, covariates.is_some())?;
        let adjusted = roles.adjusted().map(Arc::clone);
        let permuted = match &adjusted {
            None => Cow::Borrowed(target),
            Some(own) => Cow::Owned(Target::Classes(own.classes().clone())),
        };
        let strata = match roles.strata() {
            None => vec![(0..rows as u32).collect()],
            Some(strata) => strata.members(),
        };
        if !varies(&permuted, &(0..rows as u32).collect::<Vec<u32>>()) {
            return Err(Error::data(
                "the target is the same in every row, so that there is nothing to permute",
                "give rows with different values of the target",
            ));
        }
        let mut warnings = Vec::new();
        if let Some(own) = roles.strata() {
            let is_constant = |rows: &Vec<u32>| !varies(&permuted, rows);
            let named = own.names().iter().zip(&strata);
            let constant: Vec<&str> = named
                .filter(|(_, rows)| is_constant(rows))
                .map(|(name, _)| name.as_str())
                .collect();
            if constant.len() == strata.len() {
                return Err(Error::data(
                    "the target does not vary within any stratum, so that there is nothing to permute",
                    "give strata that contain several classes or values of the target",
                ));
            }
            if !constant.is_empty() {
                warnings.push(Warning::new(
                    "constant-strata",
                    format!(
                        "the target does not vary in {} of {} strata, whose rows stay unchanged in every \
                         permutation: {}",
                        constant.len(),
                        strata.len(),
                        list(&constant)
                    ),
                ));
            }
        }
        let (exchanges, mut scheme) = match roles.groups() {
            // Unlabeled rows stay unlabeled.
            None => {
                let of_stratum = |rows: Vec<u32>| {
                    let labeled = rows.into_iter().filter(|&row| target.is_labeled(row as usize));
                    Exchange::Rows(labeled.collect())
                };
                (strata.into_iter().map(of_stratum).collect(), None)
            }
            Some(groups) => {
                let (exchanges, scheme) = exchanges_of_groups(&permuted, groups, roles.strata())?;
                (exchanges, Some(scheme))
            }
        };
        let mut given = None;
        let mut columns =
            covariates.map_or_else(Vec::new, |covariates| covariates.table().columns().to_vec());
        if let Some(weights) = roles.weights() {
            weights.refuse_weights_of_classes(&permuted)?;
            columns.push(weights.covariate()?);
        }
        if !columns.is_empty() {
            let found = given_covariates(&permuted, &exchanges, &columns, run)?;
            given = found.0;
            warnings.extend(found.1);
            let scheme = scheme.get_or_insert_default();
            scheme.given_covariates = covariates.is_some();
            scheme.given_weights = roles.weights().is_some();
        }
        let found = Self { target, permuted, exchanges, adjusted, given, scheme, seed, warnings };
        if roles.groups().is_some() { found.with_warnings_of_groups() } else { Ok(found) }
    }

    /// Adds warnings about groups that stay unchanged and about few arrangements of the target.
    ///
    /// # Errors
    /// There is one arrangement.
    fn with_warnings_of_groups(mut self) -> Result<Self> {
        let arrangements = self.log_arrangements();
        if arrangements < 1e-9 {
            return Err(Error::data(
                "no permutation changes the target: there is nothing to exchange between or within groups",
                "provide several groups of every class, or rows of several classes within groups",
            ));
        }
        if let Some(Scheme { unchanged: unchanged @ 1.., whole, singles, within, .. }) = self.scheme
        {
            let mut text = format!(
                "the rows of {unchanged} of {} groups stay unchanged in every permutation: the target does not vary \
                 within them",
                unchanged + whole + singles + within
            );
            text += &match within {
                0 => ", and no other group of their stratum has another target".to_string(),
                _ => format!(
                    ", maybe by chance, as it varies within {within} others; to exchange whole groups, exclude the \
                     groups in which it varies"
                ),
            };
            self.warnings.push(Warning::new("constant-groups", text));
        }
        if arrangements < FEW_ARRANGEMENTS.ln() {
            let count = arrangements.exp().round();
            // Two digits that are not 0.
            let digits = count.log10().floor() as usize + 2;
            self.warnings.push(Warning::new(
                "few-arrangements",
                format!(
                    "the target has only {count} different arrangements over these groups, so that no p-value can be \
                     below {:.digits$}",
                    1.0 / count
                ),
            ));
        }
        Ok(self)
    }

    /// The natural logarithm of the number of different arrangements of the target.
    fn log_arrangements(&self) -> f64 {
        let mut factorials = vec![0.0];
        for count in 1..=self.target.rows() {
            factorials.push(factorials[count - 1] + (count as f64).ln());
        }
        let codes = self.permuted.value_codes();
        let of_units = |units: Vec<u32>| {
            let mut counts: HashMap<u32, usize> = HashMap::new();
            for &row in &units {
                *counts.entry(codes[row as usize]).or_default() += 1;
            }
            // Sorted, so that the sum is the same in every run.
            let mut counts: Vec<usize> = counts.into_values().collect();
            counts.sort_unstable();
            factorials[units.len()] - counts.into_iter().map(|count| factorials[count]).sum::<f64>()
        };
        self.exchanges.iter().map(|exchange| of_units(exchange.first_rows())).sum()
    }

    /// The unpermuted target.
    pub fn target(&self) -> &'t Target {
        self.target
    }

    /// How groups of rows and covariates are treated; `None` if there are none.
    pub fn scheme(&self) -> Option<Scheme> {
        self.scheme
    }

    /// Warnings about strata and groups.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// For every row, the row whose target it receives, or whose class if the target is residuals of classes.
    pub fn order(&self, number: u64) -> Vec<u32> {
        let rows: Vec<u32> = (0..self.target.rows() as u32).collect();
        self.shuffled(number, &rows)
    }

    /// The permuted target of a permutation.
    pub fn permuted(&self, number: u64) -> Target {
        let permuted = self.permuted.reordered(&self.order(number));
        match (permuted.as_classes(), &self.adjusted) {
            (Some(classes), Some(adjusted)) => Target::Real(adjusted.means(classes.codes())),
            _ => permuted,
        }
    }

    /// The values of all rows, exchanged.
    fn shuffled<T: Copy>(&self, number: u64, values: &[T]) -> Vec<T> {
        let seed = derived_seed(self.seed, &[number]);
        let mut generator = random::generator(seed, RandomStream::Permutations);
        let mut found = values.to_vec();
        let order = self.given.as_ref().map(|given| (given, given.order(&mut generator)));
        let mut exchanged = Vec::new();
        for (place, exchange) in self.exchanges.iter().enumerate() {
            let value = |unit: usize| values[exchange.rows(unit)[0] as usize];
            exchanged.clear();
            let given =
                order.as_ref().and_then(|(given, order)| Some((given.units(place)?, order)));
            if let Some((units, order)) = given {
                let first = units.start;
                exchanged.extend(order[units].iter().map(|&unit| value(unit as usize - first)));
            } else {
                exchanged.extend((0..exchange.len()).map(value));
                random::shuffle(&mut exchanged, &mut generator);
            }
            for (unit, &value) in exchanged.iter().enumerate() {
                exchange.rows(unit).iter().for_each(|&row| found[row as usize] = value);
            }
        }
        found
    }
}

/// Refuses tests of several targets that are not known to be valid.
///
/// # Errors
/// Several targets, or one with unlabeled rows, with covariates or weights; unlabeled rows with groups.
fn check_several(target: &Target, roles: Roles<'_>, has_covariates: bool) -> Result<()> {
    let Some(several) = target.as_multi() else { return Ok(()) };
    let what = if has_covariates {
        "covariates"
    } else if roles.weights().is_some() {
        "weights of rows"
    } else if roles.groups().is_some() && !(0..target.rows()).all(|row| several.is_labeled(row)) {
        "groups of rows and unlabeled rows"
    } else {
        return Ok(());
    };
    Err(Error::data(
        format!("a target that {} has no permutation test with {what}", target.phrase()),
        "test the targets one at a time, without unlabeled rows",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Classes;

    fn seeded(seed: u64) -> Run {
        Run::new(Some(1)).unwrap().with_seed(seed)
    }

    fn classes(labels: &[&str]) -> Classes {
        Classes::from_labels(labels)
    }

    #[test]
    fn strata_keep_their_values_and_numbers_their_permutations() {
        let target = Target::Real((0..12).map(f64::from).collect());
        let strata = classes(&["a", "b", "a", "b", "a", "b", "a", "b", "a", "b", "a", "b"]);
        let permutations =
            Permutations::new(&target, Roles::default().with_strata(Some(&strata)), &seeded(7))
                .unwrap();
        assert!(permutations.warnings().is_empty());
        let mut changed = 0;
        for number in 0..20 {
            let order = permutations.order(number);
            assert!(order.iter().enumerate().all(|(row, from)| *from as usize % 2 == row % 2));
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..12));
            assert_eq!(order, permutations.order(number));
            changed += usize::from(order != permutations.order(number + 1));
        }
        assert!(changed >= 19);
        // Pinned: an update of the generator must not change published p-values unnoticed.
        let whole = Permutations::new(&target, Roles::default(), &seeded(7)).unwrap();
        assert_eq!(whole.order(0), PINNED);
        let Target::Real(values) = whole.permuted(0) else { panic!("a real target") };
        assert_eq!(values, PINNED.map(f64::from));
    }

    const PINNED: [u32; 12] = [0, 6, 7, 2, 8, 9, 5, 11, 10, 1, 4, 3];

    #[test]
    fn strata_without_variation_are_named_or_refused() {
        let target = Target::Classes(classes(&["x", "y", "x", "x"]));
        let strata = classes(&["n", "n", "s", "s"]);
        let permutations =
            Permutations::new(&target, Roles::default().with_strata(Some(&strata)), &seeded(0))
                .unwrap();
        let [warning] = permutations.warnings() else { panic!("one warning") };
        assert!(
            warning
                .to_string()
                .ends_with("1 of 2 strata, whose rows stay unchanged in every permutation: s")
        );
        let order = permutations.order(3);
        assert!(order[2..].iter().all(|&row| row >= 2));
        let of = |labels: &[&str]| Target::Classes(classes(labels));
        for (labels, strata, part) in [
            (["x", "x", "x", "x"], None, "the same in every row"),
            (["x", "x", "y", "y"], Some(["n", "n", "s", "s"]), "within any stratum"),
        ] {
            let strata = strata.map(|names| classes(&names));
            let roles = Roles::default().with_strata(strata.as_ref());
            let error = Permutations::new(&of(&labels), roles, &seeded(0)).unwrap_err();
            assert!(error.to_string().contains(part), "{error}");
        }
        let short = classes(&["n", "s"]);
        assert!(
            Permutations::new(&target, Roles::default().with_strata(Some(&short)), &seeded(0))
                .is_err()
        );
    }
}
