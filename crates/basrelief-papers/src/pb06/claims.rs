//! The conclusions of Prat & Belanche from their figures (section 6), checked with our numbers.

use super::results::{
    DOUBLE, MAJORITY, METHODS, MODULO_P, NON_MONOTONIC, PROGRESSIVE, ProblemResults, RBF,
    RDG1_CATEGORICAL, RDG1_CONTINUOUS, RELIEFF, lead,
};
use crate::claims::{Claim, Finding, Verdict};
use crate::statistics::Estimate;

/// The first two numeric problems.
const FIRST_NUMERIC: [&str; 2] = [RDG1_CONTINUOUS, RBF];
const CATEGORICAL: [&str; 3] = [MAJORITY, MODULO_P, RDG1_CATEGORICAL];

/// Curves whose differences are below this fraction of the span of ReliefF's curve are almost the same.
const ALMOST: f64 = 0.1;

/// The verdict on a claim that all of these estimates are above 0.
fn of_order(expected: &[Estimate]) -> Verdict {
    if expected.iter().any(|lead| lead.value < 0.0 && lead.is_more_than_chance()) {
        Verdict::Fails
    } else if expected.iter().all(|lead| lead.is_more_than_chance()) {
        Verdict::Holds
    } else {
        Verdict::Open
    }
}

/// Formats an estimate as `+0.01234 (0.00041)`, with a star if it is significant.
pub(super) fn shown(estimate: Estimate) -> String {
    let star = if estimate.is_more_than_chance() { "*" } else { "" };
    format!("{:+.5} ({:.5}){star}", estimate.value, estimate.error)
}

/// Formats the difference of two methods as `drelieff - relieff +0.01234 (0.00041)*`.
fn named(a: usize, b: usize, estimate: Estimate) -> String {
    format!("{} - {} {}", METHODS[a], METHODS[b], shown(estimate))
}

/// All claims, with a finding for each problem.
pub(super) fn claims(problems: &[ProblemResults]) -> Vec<Claim> {
    let of = |names: &'static [&str]| problems.iter().filter(|one| names.contains(&one.name));
    vec![
        Claim::about(
            "With many attributes the three curves are almost the same: they differ by less than a \
             tenth of the span of relieff's curve.",
            problems,
            almost_the_same,
        ),
        Claim::about(
            "drelieff differs more from relieff if there are few attributes.",
            problems,
            differs_where_few,
        ),
        Claim::about("RandomRBF: drelieff is worse than both others.", of(&[RBF]), double_is_worst),
        Claim::about(
            "drelieff is always the worst, except on MajorityN.",
            problems.iter().filter(|one| one.name != MAJORITY),
            double_is_worst,
        ),
        Claim::about(
            "MajorityN: drelieff is better, but not significantly.",
            of(&[MAJORITY]),
            |problem| {
                let ahead = problem.mean(lead(DOUBLE, RELIEFF));
                Verdict::of_fact(!ahead.is_more_than_chance()).with(named(DOUBLE, RELIEFF, ahead))
            },
        ),
        Claim::about(
            "The first two numeric problems: relieff is the best, pdrelieff is close to it, and drelieff \
             is the last.",
            of(&FIRST_NUMERIC),
            relieff_is_best,
        ),
        Claim::about(
            "NonMonotonic: the separability stays high for any number of attributes (above half of \
             its largest mean), and the three are almost identical (within a tenth of it).",
            of(&[NON_MONOTONIC]),
            stays_high,
        ),
        Claim::about(
            "Categorical problems: from few to many attributes, drelieff loses the smallest amount, and \
             pdrelieff the second smallest.",
            of(&CATEGORICAL),
            double_loses_least,
        ),
        Claim::about(
            "pdrelieff is always between the other two, and closer to the better one.",
            problems,
            progressive_is_between,
        ),
    ]
}

fn relieff_is_best(problem: &ProblemResults) -> Finding {
    let first = problem.mean(lead(RELIEFF, PROGRESSIVE));
    let second = problem.mean(lead(PROGRESSIVE, DOUBLE));
    let nearer = problem.mean(|t| t[PROGRESSIVE] - t[DOUBLE] - (t[RELIEFF] - t[PROGRESSIVE]));
    of_order(&[first, second, nearer]).with(format!(
        "{}, {}",
        named(RELIEFF, PROGRESSIVE, first),
        named(PROGRESSIVE, DOUBLE, second)
    ))
}

fn double_loses_least(problem: &ProblemResults) -> Finding {
    let loss = |of: &dyn Fn(&[f64; 3]) -> f64| {
        let [few, many] = problem.few_and_many(of);
        few.less(many)
    };
    let second = loss(&lead(PROGRESSIVE, DOUBLE));
    let third = loss(&lead(RELIEFF, PROGRESSIVE));
    let losses: Vec<String> = METHODS
        .iter()
        .enumerate()
        .map(|(place, name)| format!("{name} {}", shown(loss(&|t| t[place]))))
        .collect();
    of_order(&[second, third]).with(format!("loss of {}", losses.join(", ")))
}

fn almost_the_same(problem: &ProblemResults) -> Finding {
    let greatest = [(DOUBLE, RELIEFF), (PROGRESSIVE, RELIEFF), (PROGRESSIVE, DOUBLE)]
        .map(|(a, b)| problem.few_and_many(lead(a, b))[1].value.abs())
        .into_iter()
        .fold(0.0, f64::max);
    let values = problem.curve(|triple| triple[RELIEFF]);
    let most = values.iter().map(|(_, mean)| mean.value).fold(f64::NEG_INFINITY, f64::max);
    let least = values.iter().map(|(_, mean)| mean.value).fold(f64::INFINITY, f64::min);
    let span = most - least;
    let evidence = format!("largest mean difference {greatest:.4}, span {span:.4}");
    Verdict::of_fact(greatest < ALMOST * span).with(evidence)
}

fn differs_where_few(problem: &ProblemResults) -> Finding {
    let [few, many] = problem.few_and_many(lead(DOUBLE, RELIEFF));
    let evidence = format!(
        "up to {} attributes {}, above {}",
        problem.few(),
        named(DOUBLE, RELIEFF, few),
        shown(many)
    );
    of_order(&[few.size().less(many.size())]).with(evidence)
}

fn double_is_worst(problem: &ProblemResults) -> Finding {
    let leads = [RELIEFF, PROGRESSIVE].map(|other| problem.mean(lead(other, DOUBLE)));
    let evidence =
        format!("{}, {}", named(RELIEFF, DOUBLE, leads[0]), named(PROGRESSIVE, DOUBLE, leads[1]));
    of_order(&leads).with(evidence)
}

fn stays_high(problem: &ProblemResults) -> Finding {
    let mut holds = true;
    let mut parts = Vec::new();
    for (place, name) in METHODS.iter().enumerate() {
        let values = problem.curve(|triple| triple[place]);
        let least = values.iter().map(|(_, mean)| mean.value).fold(f64::INFINITY, f64::min);
        let most = values.iter().map(|(_, mean)| mean.value).fold(f64::NEG_INFINITY, f64::max);
        let apart = problem.mean(lead(place, RELIEFF)).value.abs();
        holds &= least > 0.5 * most && apart < ALMOST * most;
        let mean = problem.mean(|triple| triple[place]).value;
        parts.push(format!("{name} {least:.3} to {most:.3}, mean {mean:.4}"));
    }
    Verdict::of_fact(holds).with(parts.join("; "))
}

fn progressive_is_between(problem: &ProblemResults) -> Finding {
    let ahead = problem.mean(lead(DOUBLE, RELIEFF));
    let (better, worse) = if ahead.value > 0.0 { (DOUBLE, RELIEFF) } else { (RELIEFF, DOUBLE) };
    let above = problem.mean(lead(better, PROGRESSIVE));
    let below = problem.mean(lead(PROGRESSIVE, worse));
    let nearer = problem.mean(|t| 2.0 * t[PROGRESSIVE] - t[better] - t[worse]);
    let evidence =
        format!("{}, {}", named(better, PROGRESSIVE, above), named(PROGRESSIVE, worse, below));
    of_order(&[above, below, nearer]).with(evidence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_needs_more_than_chance() {
        let sure = |value: f64| Estimate { value, error: 0.1 };
        assert_eq!(of_order(&[sure(1.0), sure(0.5)]), Verdict::Holds);
        assert_eq!(of_order(&[sure(1.0), sure(0.2)]), Verdict::Open);
        assert_eq!(of_order(&[sure(1.0), sure(-0.2)]), Verdict::Open);
        assert_eq!(of_order(&[sure(1.0), sure(-0.5)]), Verdict::Fails);
        assert_eq!(of_order(&[sure(0.2), sure(-0.5)]), Verdict::Fails);
    }
}
