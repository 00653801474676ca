//! How well weights separate relevant features from irrelevant ones, if the truth is known.
//!
//! This evaluates the result of any method, so it is next to the maps and takes only names. The
//! source of the truth (a generator, an expert's list) is up to the caller.

use std::collections::HashSet;

use super::FeatureRanking;
use crate::error::{Error, Result, nearest_name};

impl FeatureRanking {
    /// Separability (Prat & Belanche 2006, eq. 5.1): the largest weight of a relevant feature minus
    /// the largest weight of all others.
    ///
    /// Above 0, a relevant feature is ranked first; below 0, an irrelevant one is. For weights in
    /// [-1, 1] it is in [-2, 2].
    ///
    /// # Errors
    /// No feature is relevant, all are, or `relevant` contains an unknown name.
    ///
    /// ```
    /// use basrelief::maps::FeatureRanking;
    ///
    /// let names = ["a", "b", "c"].map(String::from).to_vec();
    /// let ranking = FeatureRanking::new(names, vec![0.5, 0.25, -0.125]);
    /// assert_eq!(ranking.separability(&["a", "c"])?, 0.5 - 0.25);
    /// # Ok::<(), basrelief::Error>(())
    /// ```
    pub fn separability<N: AsRef<str>>(&self, relevant: &[N]) -> Result<f64> {
        let named: HashSet<&str> = relevant.iter().map(AsRef::as_ref).collect();
        let known: HashSet<&str> = self.names().iter().map(String::as_str).collect();
        if let Some(unknown) = relevant.iter().map(AsRef::as_ref).find(|name| !known.contains(name))
        {
            let near = nearest_name(unknown, self.names().iter().map(String::as_str));
            return Err(Error::data(
                format!("unknown feature `{unknown}`"),
                near.map_or_else(String::new, |near| format!("did you mean `{near}`?")),
            ));
        }
        let mut best = [None::<f64>; 2];
        for (name, &weight) in self.names().iter().zip(self.weights()) {
            let best = &mut best[usize::from(named.contains(name.as_str()))];
            *best = Some(best.map_or(weight, |best| best.max(weight)));
        }
        let none = |what: &str| {
            Error::data(
                format!("no feature is {what}"),
                "separability compares relevant features with irrelevant ones: name some, not all",
            )
        };
        match best {
            [_, None] => Err(none("relevant")),
            [None, _] => Err(none("irrelevant")),
            [Some(irrelevant), Some(relevant)] => Ok(relevant - irrelevant),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(weights: &[f64]) -> FeatureRanking {
        let names = (0..weights.len()).map(|index| format!("f{index}")).collect();
        FeatureRanking::new(names, weights.to_vec())
    }

    #[test]
    fn it_compares_the_best_of_both() {
        let map = map(&[-0.5, 0.125, 0.375, -0.25]);
        assert_eq!(map.separability(&["f0", "f2"]).unwrap(), 0.25);
        assert_eq!(map.separability(&["f1", "f3"]).unwrap(), -0.25);
        // The smallest relevant weight has no influence; the largest one counts even if it is
        // negative.
        assert_eq!(map.separability(&["f0"]).unwrap(), -0.875);
        assert_eq!(map.separability(&["f0", "f1", "f2"]).unwrap(), 0.625);
    }

    #[test]
    fn empty_sides_and_unknown_names_are_refused() {
        let map = map(&[0.5, 0.25]);
        let message = |relevant: &[&str]| map.separability(relevant).unwrap_err().to_string();
        assert!(message(&[]).starts_with("no feature is relevant;"), "{}", message(&[]));
        assert!(message(&["f0", "f1"]).starts_with("no feature is irrelevant;"));
        assert!(message(&["f0", "f11"]).contains("unknown feature `f11`; did you mean `f1`?"));
    }
}
