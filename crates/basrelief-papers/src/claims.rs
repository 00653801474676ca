//! What a paper claims, and whether it holds here.

use std::fmt::Write;

use basrelief::evaluate::paired_t_test;

/// P-values below this are more than chance.
const LEVEL: f64 = 0.05;

/// Whether a claim holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Holds,
    Fails,
    /// What there is could be chance.
    Open,
}

impl Verdict {
    pub(crate) fn of_fact(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Fails }
    }

    /// Of numbers, one per run, whose mean should be above 0, and their mean with its p-value as
    /// text; a single run can but have the right sign.
    pub(crate) fn of_leads(leads: &[f64]) -> (Self, String) {
        match paired_t_test(leads, 0.0) {
            None => {
                let lead = leads.first().copied().unwrap_or(0.0);
                (Self::of_fact(lead > 0.0), format!("{lead:+.2} (one run)"))
            }
            Some(test) => {
                let verdict = match test.p_value < LEVEL {
                    true => Self::of_fact(test.difference > 0.0),
                    false => Self::Open,
                };
                (verdict, format!("{:+.2} (p = {:.2e})", test.difference, test.p_value))
            }
        }
    }

    /// Of a claim with several parts: all must hold, and one that fails is enough.
    pub(crate) fn of_all(parts: impl IntoIterator<Item = Self>) -> Self {
        parts.into_iter().fold(Self::Holds, |all, part| match (all, part) {
            (Self::Fails, _) | (_, Self::Fails) => Self::Fails,
            (Self::Open, _) | (_, Self::Open) => Self::Open,
            _ => Self::Holds,
        })
    }

    fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "does not hold",
            Self::Open => "undecided",
        }
    }
}

/// A claim and what it comes to in everything that it is about: name, verdict, evidence.
pub(crate) struct Claim {
    pub(crate) text: &'static str,
    pub(crate) findings: Vec<(&'static str, Verdict, String)>,
}

/// Every claim, finding by finding, as text.
pub(crate) fn text(claims: &[Claim]) -> String {
    let mut text = String::new();
    for (place, claim) in claims.iter().enumerate() {
        let _ = writeln!(text, "{}. {}", place + 1, claim.text);
        for (about, verdict, evidence) in &claim.findings {
            let _ = writeln!(text, "   {:<13}  {about}: {evidence}", verdict.words());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_needs_more_than_chance() {
        assert_eq!(Verdict::of_leads(&[1.0, 1.1, 0.9]).0, Verdict::Holds);
        assert_eq!(Verdict::of_leads(&[-1.0, -1.1, -0.9]).0, Verdict::Fails);
        // Mean 1/2, error 1/2: t = 1 with one degree of freedom is p = 1/2.
        let (verdict, evidence) = Verdict::of_leads(&[0.0, 1.0]);
        assert_eq!((verdict, evidence.as_str()), (Verdict::Open, "+0.50 (p = 5.00e-1)"));
        assert_eq!(Verdict::of_leads(&[0.5]), (Verdict::Holds, "+0.50 (one run)".to_string()));
    }

    #[test]
    fn all_parts_must_hold() {
        use Verdict::{Fails, Holds, Open};
        assert_eq!(Verdict::of_all([Holds, Holds]), Holds);
        assert_eq!(Verdict::of_all([Holds, Open]), Open);
        assert_eq!(Verdict::of_all([Open, Fails, Holds]), Fails);
    }
}
