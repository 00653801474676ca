//! The claims of a paper, and whether they hold here.

use basrelief::evaluate::paired_t_test;

/// P-values below this are significant.
pub(crate) const LEVEL: f64 = 0.05;

/// Whether a claim holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Holds,
    /// It does not hold.
    Fails,
    /// The numbers do not decide: the difference may be chance, or there is none to test.
    Open,
}

impl Verdict {
    pub(crate) fn of_fact(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Fails }
    }

    /// Whether numbers, one per repetition, are above 0 on average; with their mean and its p-value
    /// as text. A single repetition has no p-value: only its sign counts.
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

    /// The verdict on a claim with several parts: all must hold, and one that fails is enough.
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

    /// The verdict with the numbers that it rests on.
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

/// Whether a claim holds for one subject, and the numbers that say so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Whether it holds.
    pub verdict: Verdict,
    /// The numbers that say so.
    pub evidence: String,
}

impl Finding {
    /// Nothing was measured that the claim is about.
    pub(crate) fn no_result() -> Self {
        Verdict::Open.with("no result")
    }
}

/// What a claim is about: usually a data set and what was measured on it.
pub(crate) trait Subject {
    fn name(&self) -> &'static str;
}

impl<T> Subject for (&'static str, T) {
    fn name(&self) -> &'static str {
        self.0
    }
}

/// A claim and a finding for each of its subjects, by their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// What the paper says.
    pub text: &'static str,
    /// Names of the subjects, as of data sets, and what was found of each.
    pub findings: Vec<(&'static str, Finding)>,
}

impl Claim {
    /// A claim about every one of these subjects.
    pub(crate) fn about<'a, S: Subject + 'a>(
        text: &'static str,
        subjects: impl IntoIterator<Item = &'a S>,
        finding: impl Fn(&S) -> Finding,
    ) -> Self {
        let findings = subjects.into_iter().map(|one| (one.name(), finding(one))).collect();
        Self { text, findings }
    }

    /// A claim about all that was measured.
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
