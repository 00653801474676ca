//! Permutations under the null hypothesis: the target is independent of the features, so that all orders of its
//! values are equally probable, or all orders that exchange rows within strata, or whole groups of rows.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::data::{Classes, Groups, Roles, Target, list};
use crate::error::{Error, Result};
use crate::random::{self, RandomStream};
use crate::run::derived_seed;
use crate::warning::Warning;
use crate::wording::{either, quoted, setting, thousands};

/// The number of arrangements of a target below which a warning reports it.
const FEW_ARRANGEMENTS: f64 = 1000.0;

/// Rejects p-values if covariates determine the neighbors, by a caliper or as a part of distances. The null
/// distributions of tests ignore these covariates, so that an effect of a covariate on the target would count as an
/// effect of the features correlated with it.
///
/// # Errors
/// Covariates are used in such a way.
pub fn check_p_values(has_caliper: bool, in_distance: bool) -> Result<()> {
    let option = match (has_caliper, in_distance) {
        (true, _) => "caliper",
        (false, true) => "covar_distance",
        (false, false) => return Ok(()),
    };
    let (residuals, within) = (setting("residuals", None), setting("within", Some("COLUMN")));
    Err(Error::option(
        option,
        "p-values are not valid with it: covariates determine the neighbors, but the null distribution of the \
         test ignores them",
        either(
            format!(
                "for p-values, adjust the target with {residuals} or permute within groups with {within} \
                 instead"
            ),
            "for p-values, rank basrelief.residuals(y, covariates) or give strata to permutation_test \
             instead",
            "for p-values, adjust the target (residuals) or permute within strata instead",
        ),
    ))
}

/// Permutations of a target, numbered from 0. A permutation depends only on its number, the seed, the roles and the
/// number of rows, so that it is identical for every method.
///
/// Rows of one group are not independent, so that groups decide what is exchanged ([`Scheme`]):
///
/// - whole groups, if the target is constant within every group: the targets of the groups are assigned to the groups in
///   another order;
/// - rows within each group, if the target varies within every group;
/// - both, if some groups are constant: rows within the groups that vary, and whole constant groups of the same size,
///   because a larger group is less often constant.
///
/// All of it happens within strata.
#[derive(Debug, Clone)]
pub struct Permutations<'t> {
    target: &'t Target,
    exchanges: Vec<Exchange>,
    scheme: Option<Scheme>,
    seed: u64,
    warnings: Vec<Warning>,
}

/// What a permutation exchanges; the target stays unchanged in all other rows.
#[derive(Debug, Clone)]
enum Exchange {
    /// The targets of these rows, ascending.
    Rows(Vec<u32>),
    /// The targets of whole groups of rows; the target is constant within each.
    Groups(Vec<Vec<u32>>),
}

/// How permutations treat groups of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scheme {
    /// The number of groups whose targets are exchanged as a whole.
    pub whole: usize,
    /// The number of groups within which targets are exchanged.
    pub within: usize,
    /// The number of groups that stay unchanged.
    pub unchanged: usize,
}

impl Scheme {
    /// A description, such as `whole groups of patient are exchanged (60)`, for groups of this name, which may be empty.
    pub fn words(&self, name: &str) -> String {
        let of = if name.is_empty() { String::new() } else { format!(" of {name}") };
        let whole = format!("whole groups{of} are exchanged ({})", thousands(self.whole as u64));
        let within =
            format!("targets are exchanged within groups{of} ({})", thousands(self.within as u64));
        let mut words = match (self.whole, self.within) {
            (_, 0) => whole,
            (0, _) => within,
            _ => format!("{within}, and {whole} of the same size"),
        };
        if self.unchanged > 0 {
            words += &format!("; {} stay unchanged", thousands(self.unchanged as u64));
        }
        words
    }
}

impl<'t> Permutations<'t> {
    /// Permutations of a target. The roles of its rows are those under which the weights that are tested were computed.
    ///
    /// A stratum or a group in which the target does not vary stays unchanged; a warning reports it.
    ///
    /// # Errors
    /// The target does not vary, or does not vary within any stratum; groups or strata have another number of rows; a
    /// group with a constant target has rows in several strata; nothing can be exchanged; covariates determine the
    /// neighbors ([`check_p_values`]).
    pub fn new(target: &'t Target, roles: Roles<'_>, seed: u64) -> Result<Self> {
        if let Some(covariates) = roles.covariates() {
            check_p_values(covariates.caliper().is_some(), covariates.are_in_distance())?;
        }
        let rows = target.rows();
        roles.with_covariates(None).check_rows(rows)?;
        let strata = match roles.strata() {
            None => vec![(0..rows as u32).collect()],
            Some(strata) => members(strata),
        };
        if !varies(target, &(0..rows as u32).collect::<Vec<u32>>()) {
            return Err(Error::data(
                "the target is the same in every row, so that there is nothing to permute",
                "give rows with different values of the target",
            ));
        }
        let mut warnings = Vec::new();
        if let Some(own) = roles.strata() {
            let is_constant = |rows: &Vec<u32>| !varies(target, rows);
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
        let Some(groups) = roles.groups() else {
            let exchanges = strata.into_iter().map(Exchange::Rows).collect();
            return Ok(Self { target, exchanges, scheme: None, seed, warnings });
        };
        let (exchanges, scheme) = exchanges_of_groups(target, groups, roles.strata())?;
        let found = Self { target, exchanges, scheme: Some(scheme), seed, warnings };
        found.with_warnings_of_groups()
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
        if let Some(Scheme { unchanged: unchanged @ 1.., whole, within }) = self.scheme {
            self.warnings.push(Warning::new(
                "constant-groups",
                format!(
                    "the rows of {unchanged} of {} groups stay unchanged in every permutation: the target does not \
                     vary within them, and no other constant group has the same number of rows",
                    unchanged + whole + within
                ),
            ));
        }
        if arrangements < FEW_ARRANGEMENTS.ln() {
            let count = arrangements.exp().round();
            self.warnings.push(Warning::new(
                "few-arrangements",
                format!(
                    "the target has only {count} different arrangements over these groups, so that no p-value can be \
                     below {:.2}",
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
        let of_units = |units: Vec<u32>| {
            let mut counts: HashMap<u64, usize> = HashMap::new();
            for &row in &units {
                let value = match self.target {
                    Target::Classes(classes) => u64::from(classes.codes()[row as usize]),
                    Target::Real(values) => (values[row as usize] + 0.0).to_bits(),
                };
                *counts.entry(value).or_default() += 1;
            }
            // Sorted, so that the sum is the same in every run.
            let mut counts: Vec<usize> = counts.into_values().collect();
            counts.sort_unstable();
            factorials[units.len()] - counts.into_iter().map(|count| factorials[count]).sum::<f64>()
        };
        let of_exchange = |exchange: &Exchange| match exchange {
            Exchange::Rows(rows) => of_units(rows.clone()),
            Exchange::Groups(groups) => of_units(groups.iter().map(|rows| rows[0]).collect()),
        };
        self.exchanges.iter().map(of_exchange).sum()
    }

    /// The unpermuted target.
    pub fn target(&self) -> &'t Target {
        self.target
    }

    /// How groups of rows are treated; `None` if all rows are independent.
    pub fn scheme(&self) -> Option<Scheme> {
        self.scheme
    }

    /// Warnings about strata and groups.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// For every row, the row whose target it receives.
    pub fn order(&self, number: u64) -> Vec<u32> {
        let rows: Vec<u32> = (0..self.target.rows() as u32).collect();
        self.shuffled(number, &rows)
    }

    /// The permuted target of a permutation.
    pub fn permuted(&self, number: u64) -> Target {
        match self.target {
            Target::Classes(classes) => {
                Target::Classes(classes.with_order(self.shuffled(number, classes.codes())))
            }
            Target::Real(values) => Target::Real(self.shuffled(number, values)),
        }
    }

    /// The values of all rows, exchanged.
    fn shuffled<T: Copy>(&self, number: u64, values: &[T]) -> Vec<T> {
        let seed = derived_seed(self.seed, &[number]);
        let mut generator = random::generator(seed, RandomStream::Permutations);
        let mut found = values.to_vec();
        let mut exchanged = Vec::new();
        for exchange in &self.exchanges {
            exchanged.clear();
            match exchange {
                Exchange::Rows(rows) => {
                    exchanged.extend(rows.iter().map(|&row| values[row as usize]));
                    random::shuffle(&mut exchanged, &mut generator);
                    for (&row, &value) in rows.iter().zip(&exchanged) {
                        found[row as usize] = value;
                    }
                }
                Exchange::Groups(groups) => {
                    exchanged.extend(groups.iter().map(|rows| values[rows[0] as usize]));
                    random::shuffle(&mut exchanged, &mut generator);
                    for (rows, &value) in groups.iter().zip(&exchanged) {
                        rows.iter().for_each(|&row| found[row as usize] = value);
                    }
                }
            }
        }
        found
    }
}

/// The rows of every stratum, ascending.
fn members(strata: &Classes) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); strata.len()];
    for (row, &code) in (0..).zip(strata.codes()) {
        members[code as usize].push(row);
    }
    members
}

/// What permutations exchange if rows are in groups, within strata if there are any.
///
/// # Errors
/// A group with a constant target has rows in several strata.
fn exchanges_of_groups(
    target: &Target,
    groups: &Groups,
    strata: Option<&Classes>,
) -> Result<(Vec<Exchange>, Scheme)> {
    let stratum = |row: u32| strata.map_or(0, |strata| strata.codes()[row as usize]);
    let mut exchanges = Vec::new();
    let (mut constant, mut within) = (Vec::new(), 0);
    for (rows, name) in groups.members().into_iter().zip(groups.names()) {
        if varies(target, &rows) {
            within += 1;
            let mut parts = BTreeMap::<u32, Vec<u32>>::new();
            for row in rows {
                parts.entry(stratum(row)).or_default().push(row);
            }
            exchanges.extend(parts.into_values().map(Exchange::Rows));
        } else if rows.iter().any(|&row| stratum(row) != stratum(rows[0])) {
            return Err(Error::data(
                format!(
                    "the rows of group {} are in several strata, and their target is constant: the group can be \
                     exchanged with another group neither within one stratum nor between strata",
                    quoted(name)
                ),
                "use strata that contain whole groups, or omit the strata",
            ));
        } else {
            constant.push(rows);
        }
    }
    // By stratum, and by size where being constant depends on the size.
    let mut alike = BTreeMap::<(u32, usize), Vec<Vec<u32>>>::new();
    for rows in constant {
        let size = if within == 0 { 0 } else { rows.len() };
        alike.entry((stratum(rows[0]), size)).or_default().push(rows);
    }
    let (mut whole, mut unchanged) = (0, 0);
    for groups in alike.into_values() {
        let first: Vec<u32> = groups.iter().map(|rows| rows[0]).collect();
        if varies(target, &first) {
            whole += groups.len();
            exchanges.push(Exchange::Groups(groups));
        } else {
            unchanged += groups.len();
        }
    }
    Ok((exchanges, Scheme { whole, within, unchanged }))
}

/// Whether the target varies among some rows.
fn varies(target: &Target, rows: &[u32]) -> bool {
    let differs = |same: &dyn Fn(usize, usize) -> bool| {
        rows.windows(2).any(|pair| !same(pair[0] as usize, pair[1] as usize))
    };
    match target {
        Target::Classes(classes) => differs(&|a, b| classes.codes()[a] == classes.codes()[b]),
        Target::Real(values) => differs(&|a, b| values[a] == values[b]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(labels: &[&str]) -> Classes {
        Classes::from_labels(labels)
    }

    #[test]
    fn strata_keep_their_values_and_numbers_their_permutations() {
        let target = Target::Real((0..12).map(f64::from).collect());
        let strata = classes(&["a", "b", "a", "b", "a", "b", "a", "b", "a", "b", "a", "b"]);
        let permutations =
            Permutations::new(&target, Roles::default().with_strata(Some(&strata)), 7).unwrap();
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
        let whole = Permutations::new(&target, Roles::default(), 7).unwrap();
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
            Permutations::new(&target, Roles::default().with_strata(Some(&strata)), 0).unwrap();
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
            let error = Permutations::new(&of(&labels), roles, 0).unwrap_err();
            assert!(error.to_string().contains(part), "{error}");
        }
        let short = classes(&["n", "s"]);
        assert!(Permutations::new(&target, Roles::default().with_strata(Some(&short)), 0).is_err());
    }
}
