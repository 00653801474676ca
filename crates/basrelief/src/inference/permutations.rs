//! Permutations under the null hypothesis: the target is independent of the features, so that all orders of its
//! values are equally probable, or all orders within strata.

use crate::data::{Classes, Covariates, Target, list};
use crate::error::{Error, Result};
use crate::random::{self, RandomStream};
use crate::run::derived_seed;
use crate::warning::Warning;
use crate::wording::{either, setting};

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
            "for p-values, rank basrelief.residuals(y, covariates) or give groups to permutation_test \
             instead",
            "for p-values, adjust the target (residuals) or permute within strata instead",
        ),
    ))
}

/// Permutations of a target, numbered from 0. A permutation depends only on its number, the seed, the strata and the
/// number of rows, so that it is identical for every method.
#[derive(Debug, Clone)]
pub struct Permutations<'t> {
    target: &'t Target,
    /// The rows of every stratum, ascending.
    strata: Vec<Vec<u32>>,
    seed: u64,
    warnings: Vec<Warning>,
}

impl<'t> Permutations<'t> {
    /// Permutations of a target, within strata (groups of rows, named as classes are) if given. The covariates are
    /// those of the weights that are tested.
    ///
    /// A stratum in which the target does not vary stays unchanged; a warning reports it.
    ///
    /// # Errors
    /// The target does not vary, or does not vary within any stratum; the strata have another number of rows;
    /// covariates determine the neighbors ([`check_p_values`]).
    pub fn new(
        target: &'t Target,
        strata: Option<&Classes>,
        covariates: Option<&Covariates<'_>>,
        seed: u64,
    ) -> Result<Self> {
        if let Some(covariates) = covariates {
            check_p_values(covariates.caliper().is_some(), covariates.are_in_distance())?;
        }
        let rows = target.rows();
        let mut warnings = Vec::new();
        let strata = match strata {
            None => vec![(0..rows as u32).collect()],
            Some(strata) if strata.codes().len() != rows => {
                return Err(Error::data(
                    format!(
                        "the strata have {} rows, but the target has {rows}",
                        strata.codes().len()
                    ),
                    "give one stratum per row",
                ));
            }
            Some(strata) => {
                let mut members = vec![Vec::new(); strata.len()];
                for (row, &code) in (0..).zip(strata.codes()) {
                    members[code as usize].push(row);
                }
                let constant = |rows: &Vec<u32>| !varies(target, rows);
                let named = strata.names().iter().zip(&members);
                let alike: Vec<&str> = named
                    .filter(|(_, rows)| constant(rows))
                    .map(|(name, _)| name.as_str())
                    .collect();
                if alike.len() == members.len() && varies(target, &members.concat()) {
                    return Err(Error::data(
                        "the target does not vary within any stratum, so that there is nothing to permute",
                        "give strata that contain several classes or values of the target",
                    ));
                }
                if !alike.is_empty() {
                    warnings.push(Warning::new(
                        "constant-strata",
                        format!(
                            "the target does not vary in {} of {} strata, whose rows stay unchanged in every \
                             permutation: {}",
                            alike.len(),
                            members.len(),
                            list(&alike)
                        ),
                    ));
                }
                members
            }
        };
        if !strata.iter().any(|rows| varies(target, rows)) {
            return Err(Error::data(
                "the target is the same in every row, so that there is nothing to permute",
                "give rows with different values of the target",
            ));
        }
        Ok(Self { target, strata, seed, warnings })
    }

    /// The unpermuted target.
    pub fn target(&self) -> &'t Target {
        self.target
    }

    /// Warnings about the strata.
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

    /// The values of all rows, permuted within strata.
    fn shuffled<T: Copy>(&self, number: u64, values: &[T]) -> Vec<T> {
        let seed = derived_seed(self.seed, &[number]);
        let mut generator = random::generator(seed, RandomStream::Permutations);
        let mut found = values.to_vec();
        if let [_] = &*self.strata {
            random::shuffle(&mut found, &mut generator);
            return found;
        }
        let mut of_stratum = Vec::new();
        for rows in &self.strata {
            of_stratum.clear();
            of_stratum.extend(rows.iter().map(|&row| values[row as usize]));
            random::shuffle(&mut of_stratum, &mut generator);
            for (&row, &value) in rows.iter().zip(&of_stratum) {
                found[row as usize] = value;
            }
        }
        found
    }
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
        let permutations = Permutations::new(&target, Some(&strata), None, 7).unwrap();
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
        let whole = Permutations::new(&target, None, None, 7).unwrap();
        assert_eq!(whole.order(0), PINNED);
        let Target::Real(values) = whole.permuted(0) else { panic!("a real target") };
        assert_eq!(values, PINNED.map(f64::from));
    }

    const PINNED: [u32; 12] = [0, 6, 7, 2, 8, 9, 5, 11, 10, 1, 4, 3];

    #[test]
    fn strata_without_variation_are_named_or_refused() {
        let target = Target::Classes(classes(&["x", "y", "x", "x"]));
        let strata = classes(&["n", "n", "s", "s"]);
        let permutations = Permutations::new(&target, Some(&strata), None, 0).unwrap();
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
            let error = Permutations::new(&of(&labels), strata.as_ref(), None, 0).unwrap_err();
            assert!(error.to_string().contains(part), "{error}");
        }
        let short = classes(&["n", "s"]);
        assert!(Permutations::new(&target, Some(&short), None, 0).is_err());
    }
}
