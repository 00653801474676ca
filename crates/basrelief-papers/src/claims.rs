//! The claims of a paper, and whether our numbers confirm them.

use basrelief::evaluate::paired_t_test;

/// P-values below this are significant.
pub(crate) const LEVEL: f64 = 0.05;

/// Whether a claim holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The claim holds.
    Holds,
    /// The claim does not hold.
    Fails,
    /// The claim is undecided: the difference is not significant, or there are no numbers to compare.
    Open,
}

impl Verdict {
    pub(crate) fn of_fact(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Fails }
    }

    /// Tests whether the mean of some numbers, one per repetition, is above 0. The evidence contains the mean and its
    /// p-value. A single repetition has no p-value, so only its sign is used.
    pub(crate) fn of_leads(leads: &[f64]) -> Finding {
        match paired_t_test(leads, 0.0) {
            None => {
                let lead = leads.first().copied().unwrap_or(0.0);
                Self::of_fact(lead > 0.0).with(format!("{lead:+.2} (one run)"))
            }
            Some(test) => {
                let verdict = match test.p_value < LEVEL {
                    true => Self::of_fact(test.difference > 0.0),
                    false => Self::Open,
                };
                verdict.with(format!("{:+.2} (p = {:.2e})", test.difference, test.p_value))
            }
        }
    }

    /// The verdict on a claim with several parts: it holds if all parts hold, and fails if any part fails.
    pub(crate) fn of_all(parts: impl IntoIterator<Item = Self>) -> Self {
        parts.into_iter().fold(Self::Holds, |all, part| match (all, part) {
            (Self::Fails, _) | (_, Self::Fails) => Self::Fails,
            (Self::Open, _) | (_, Self::Open) => Self::Open,
            _ => Self::Holds,
        })
    }

    /// The verdict on the opposite claim.
    pub(crate) fn negated(self) -> Self {
        match self {
            Self::Holds => Self::Fails,
            Self::Fails => Self::Holds,
            Self::Open => Self::Open,
        }
    }

    /// Returns the verdict with its evidence.
    pub(crate) fn with(self, evidence: impl Into<String>) -> Finding {
        Finding { verdict: self, evidence: evidence.into() }
    }

    /// `holds`, `does not hold` or `undecided`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "does not hold",
            Self::Open => "undecided",
        }
    }
}

/// Whether a claim holds for one subject, with the evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Whether it holds.
    pub verdict: Verdict,
    /// The numbers that support the verdict.
    pub evidence: String,
}

impl Finding {
    /// The finding for a claim whose subject was not measured.
    pub(crate) fn no_result() -> Self {
        Verdict::Open.with("no result")
    }
}

/// The subject of a claim: usually a data set with the numbers measured on it.
pub(crate) trait Subject {
    fn name(&self) -> &'static str;
}

impl<T> Subject for (&'static str, T) {
    fn name(&self) -> &'static str {
        self.0
    }
}

/// A claim, with a finding for each of its subjects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The claim of the paper.
    pub text: &'static str,
    /// The names of the subjects, for example data sets, and the finding for each.
    pub findings: Vec<(&'static str, Finding)>,
}

impl Claim {
    /// Creates a claim about each of some subjects.
    pub(crate) fn about<'a, S: Subject + 'a>(
        text: &'static str,
        subjects: impl IntoIterator<Item = &'a S>,
        finding: impl Fn(&S) -> Finding,
    ) -> Self {
        let findings = subjects.into_iter().map(|one| (one.name(), finding(one))).collect();
        Self { text, findings }
    }

    /// Creates a claim about all measurements together.
    pub(crate) fn about_all(text: &'static str, name: &'static str, finding: Finding) -> Self {
        Self { text, findings: vec![(name, finding)] }
    }

    /// The verdicts, in the order of the subjects.
    #[cfg(test)]
    pub(crate) fn verdicts(&self) -> Vec<Verdict> {
        self.findings.iter().map(|(_, finding)| finding.verdict).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_needs_more_than_chance() {
        assert_eq!(Verdict::of_leads(&[1.0, 1.1, 0.9]).verdict, Verdict::Holds);
        assert_eq!(Verdict::of_leads(&[-1.0, -1.1, -0.9]).verdict, Verdict::Fails);
        // Mean 1/2, error 1/2: t = 1 with one degree of freedom is p = 1/2.
        assert_eq!(Verdict::of_leads(&[0.0, 1.0]), Verdict::Open.with("+0.50 (p = 5.00e-1)"));
        assert_eq!(Verdict::of_leads(&[0.5]), Verdict::Holds.with("+0.50 (one run)"));
    }

    #[test]
    fn all_parts_must_hold() {
        use Verdict::{Fails, Holds, Open};
        assert_eq!(Verdict::of_all([Holds, Holds]), Holds);
        assert_eq!(Verdict::of_all([Holds, Open]), Open);
        assert_eq!(Verdict::of_all([Open, Fails, Holds]), Fails);
        assert_eq!([Holds, Fails, Open].map(Verdict::negated), [Fails, Holds, Open]);
    }
}
