//! The claims of the abstract, checked with our numbers.

use basrelief::wording::thousands;

use super::found::Found;
use super::ranks::{First, Ranks, first_tenth, optimal, power, successes};
use super::scenarios::{LARGE, TWO_WAY, XOR};
use crate::claims::{Claim, Finding, LEVEL, Verdict};

/// An algorithm is reliable if its power is at least this, where the color scale of `job_process_heatmap.py` changes.
const RELIABLE: f64 = 0.8;
/// The number of features up to which core algorithms are reliable according to the abstract (5,000 to 10,000).
const FEATURES: usize = 5000;

/// `29 of 30`.
fn counted(ranks: &[Ranks], is_absolute: bool, first: First) -> String {
    format!("{} of {}", successes(ranks, is_absolute, first), ranks.len())
}

/// Whether the power is at least [`RELIABLE`]. A smaller one is undecided if it may be smaller by chance.
fn reliable(ranks: &[Ranks], is_absolute: bool, first: First) -> Verdict {
    let found = successes(ranks, is_absolute, first);
    if power(ranks, is_absolute, first) >= RELIABLE {
        Verdict::Holds
    } else if at_most(found, ranks.len(), RELIABLE) < LEVEL {
        Verdict::Fails
    } else {
        Verdict::Open
    }
}

/// The probability of at most `successes` in `trials` (binomial distribution).
fn at_most(successes: usize, trials: usize, probability: f64) -> f64 {
    let (mut sum, mut ways) = (0.0, 1.0);
    for count in 0..=successes.min(trials) {
        let rest = trials - count;
        sum += ways * probability.powi(count as i32) * (1.0 - probability).powi(rest as i32);
        ways *= rest as f64 / (count + 1) as f64;
    }
    sum
}

/// The names of core or of wrapped algorithms.
fn names(all: &[Found], is_core: bool) -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for (name, family, _) in all.iter().flat_map(|found| &found.algorithms) {
        let is_wanted = match is_core {
            true => family.is_core(),
            false => *family == super::Family::Wrapped,
        };
        if is_wanted && !names.contains(name) {
            names.push(name);
        }
    }
    names
}

/// The ranks of an algorithm on the data sets of a group, by the number of features.
fn of<'a>(
    all: &'a [Found],
    name: &'a str,
    is_wanted: impl Fn(&Found) -> bool + 'a,
) -> impl Iterator<Item = (usize, &'a [Ranks])> + 'a {
    all.iter().filter(move |found| is_wanted(found)).filter_map(move |found| {
        let own = found.algorithms.iter().find(|one| one.0 == name)?;
        Some((found.configuration.features, own.2.as_slice()))
    })
}

/// All claims, with a finding for each algorithm.
pub(super) fn claims(all: &[Found]) -> Vec<Claim> {
    let findings = |names: Vec<&'static str>, finding: &dyn Fn(&'static str) -> Finding| {
        names.into_iter().map(|name| (name, finding(name))).collect::<Vec<_>>()
    };
    let mut claims = Vec::new();
    // The abstract does not define reliable.
    for (first, text) in [
        (
            optimal as First,
            "Core algorithms are reliable on pure 2-way interactions (heritability 0.4) with up to 5,000 to 10,000 \
             features: with 5,000, both features have the first ranks.",
        ),
        (first_tenth, "... or with 5,000 features, both are in the first tenth of the ranks."),
    ] {
        let finding = |name: &'static str| two_way(all, name, first);
        claims.push(Claim { text, findings: findings(names(all, true), &finding) });
    }
    for (first, text) in [
        (
            optimal as First,
            "TuRF and VLS, and both together, extend this to at least 100,000 features: both features have the first \
             ranks.",
        ),
        (first_tenth, "... or both are in the first tenth of the ranks of 100,000 features."),
    ] {
        let finding = |name: &'static str| large(all, name, first);
        claims.push(Claim { text, findings: findings(names(all, false), &finding) });
    }
    for (features, text) in [
        (20, "4-way interactions need absolute ranking (XOR among 20 features)."),
        (100, "4-way interactions need absolute ranking (XOR among 100 features)."),
    ] {
        let finding = |name: &'static str| four_way(all, features, name);
        claims.push(Claim { text, findings: findings(names(all, true), &finding) });
    }
    claims.retain(|claim| !claim.findings.is_empty());
    claims
}

/// Whether a core algorithm is reliable on 2-way interactions among [`FEATURES`] features.
fn two_way(all: &[Found], name: &str, first: First) -> Finding {
    let own = || of(all, name, |found| found.configuration.scenario == TWO_WAY);
    let part = |(features, ranks)| {
        format!("{} with {}", counted(ranks, false, first), thousands(features as u64))
    };
    let parts: Vec<String> = own().map(part).collect();
    if parts.is_empty() {
        return Finding::no_result();
    }
    let verdict = match own().find(|(features, _)| *features == FEATURES) {
        Some((_, ranks)) => reliable(ranks, false, first),
        None => Verdict::Open,
    };
    verdict.with(parts.join(", "))
}

/// Whether a wrapped algorithm is reliable on 2-way interactions among 100,000 features.
fn large(all: &[Found], name: &str, first: First) -> Finding {
    match of(all, name, |found| found.configuration.scenario == LARGE).next() {
        None => Finding::no_result(),
        Some((_, ranks)) => reliable(ranks, false, first).with(counted(ranks, false, first)),
    }
}

/// Whether an algorithm is reliable on 4-way XOR with absolute ranking, and only with it.
fn four_way(all: &[Found], features: usize, name: &str) -> Finding {
    let is_wanted = |found: &Found| {
        let one = found.configuration;
        (one.scenario, one.order, one.features) == (XOR, 4, features)
    };
    match of(all, name, is_wanted).next() {
        None => Finding::no_result(),
        Some((_, ranks)) => {
            let without = reliable(ranks, false, optimal).negated();
            Verdict::of_all([reliable(ranks, true, optimal), without]).with(format!(
                "all four features are first in {}, with absolute ranking in {}",
                counted(ranks, false, optimal),
                counted(ranks, true, optimal)
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::algorithms::Family;
    use super::super::ranks::fixture::ranks;
    use super::super::scenarios::Configuration;
    use super::*;

    fn found(
        scenario: &'static str,
        order: usize,
        features: usize,
        own: Vec<(&'static str, Family, Vec<Ranks>)>,
    ) -> Found {
        let configuration = Configuration { scenario, order, features };
        Found { configuration, algorithms: own }
    }

    #[test]
    fn binomial_probabilities_by_hand() {
        for (successes, trials, wanted) in [(0, 2, 0.04), (1, 2, 0.36), (2, 2, 1.0), (1, 4, 0.0272)]
        {
            let found = at_most(successes, trials, 0.8);
            assert!((found - wanted).abs() < 1e-12, "{successes} of {trials}: {found}");
        }
    }

    #[test]
    fn verdicts_by_hand() {
        use Verdict::{Fails, Holds, Open};
        let good: [&[usize]; 2] = [&[1, 2], &[1, 2]];
        let bad: [&[usize]; 2] = [&[1, 9], &[1, 2]];
        let two = |features, data_sets: &[[&[usize]; 2]]| {
            let own = ranks(features, data_sets);
            let control = ranks(features, &[good]);
            let all = vec![("SURF", Family::Near, own), ("Mutual Info", Family::Control, control)];
            found(TWO_WAY, 2, features, all)
        };
        let of = |all: &[Found], claim: usize| claims(all)[claim].findings.clone();
        // Four of five data sets are 80 %.
        let enough = [two(100, &[good]), two(5000, &[good, good, good, good, bad])];
        let evidence = "1 of 1 with 100, 4 of 5 with 5,000";
        assert_eq!(of(&enough, 0), [("SURF", Holds.with(evidence))]);
        assert_eq!(of(&enough, 1)[0].1, Holds.with("1 of 1 with 100, 5 of 5 with 5,000"));
        let less = [two(100, &[good]), two(5000, &[good, bad, bad, bad]), two(10_000, &[good])];
        assert_eq!(of(&less, 0)[0].1.verdict, Fails);
        // One of two may be by chance.
        let unclear = [two(5000, &[good, bad])];
        assert_eq!(of(&unclear, 0)[0].1.verdict, Open);
        let few = [two(100, &[bad])];
        assert_eq!(of(&few, 0)[0].1, Open.with("0 of 1 with 100"));

        let wrapped =
            |name, data_sets: &[[&[usize]; 2]]| (name, Family::Wrapped, ranks(100_000, data_sets));
        let own = vec![wrapped("TuRF", &[good, bad]), wrapped("VLS", &[good])];
        let large = [found(LARGE, 2, 100_000, own)];
        let [first, second] = <[_; 2]>::try_from(of(&large, 0)).unwrap();
        assert_eq!((first.0, first.1), ("TuRF", Open.with("1 of 2")));
        assert_eq!(second.1.verdict, Holds);
        assert_eq!(of(&large, 1)[0].1, Holds.with("2 of 2"));

        let four = |by: [&[usize]; 2]| {
            let own = vec![("SURF", Family::Near, ranks(20, &[by; 3]))];
            [found(XOR, 4, 20, own)]
        };
        let (all, none): (&[usize], &[usize]) = (&[1, 2, 3, 4], &[17, 18, 19, 20]);
        for (by, verdict) in
            [([none, all], Holds), ([all, all], Fails), ([none, none], Fails), ([all, none], Fails)]
        {
            let findings = of(&four(by), 2);
            assert_eq!(findings[0].1.verdict, verdict, "{findings:?}");
            // Not measured among 100 features.
            assert_eq!(of(&four(by), 3)[0].1, Finding::no_result());
        }
    }
}
