//! Selections of features from a ranking: which ones, and what each of them represents.

use std::fmt::Write;

use basrelief::data::{Roles, Table};
use basrelief::maps::FeatureRanking;
use basrelief::selection::{RedundancyRule, Selection, select};
use basrelief::wording::{setting, ways};
use basrelief::{Error, Result, Run};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::permutation_test::Tested;
use crate::text::{counted, cut, wrapped};

/// Features that a text names after "represents".
const NAMED: usize = 5;

/// Which features are selected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Wanted {
    /// This number of features, at most all.
    Top(usize),
    /// All features with a weight above this number.
    Above(f64),
    /// All features that are significant in the permutation test of the study.
    Significant,
}

/// A selection, as a user specified it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SelectionPlan {
    /// Which features are selected.
    pub wanted: Wanted,
    /// The rule about redundant features.
    pub redundancy: RedundancyRule,
}

impl SelectionPlan {
    /// Refuses a plan that selects no particular features.
    ///
    /// # Errors
    /// The rule `relief` without a number of features.
    pub fn check(&self) -> Result<()> {
        match (self.redundancy, self.wanted) {
            (RedundancyRule::Relief, Wanted::Above(_) | Wanted::Significant) => Err(Error::option(
                "redundancy",
                "`relief` orders the features, and so requires the number of selected ones",
                ways(&[
                    format!("give the number with {}", setting("top", Some("20"))),
                    format!("use {}", setting("redundancy", Some("correlation:0.95"))),
                    "use the rule `correlation:0.95`".to_string(),
                ]),
            )),
            _ => Ok(()),
        }
    }

    /// Selects features of a ranking.
    ///
    /// # Errors
    /// The errors of [`select`].
    pub(crate) fn select(
        &self,
        table: &Table<'_>,
        ranking: &FeatureRanking,
        tested: Option<&Tested>,
        roles: Roles<'_>,
        run: &Run,
    ) -> Result<Selected> {
        let mut order = ranking.order();
        let count = match self.wanted {
            Wanted::Top(count) => Some(count),
            Wanted::Above(least) => {
                let is_above = ranking.are_above(least);
                order.retain(|&feature| is_above[feature]);
                None
            }
            Wanted::Significant => {
                order.retain(|&feature| tested.is_some_and(|tested| tested.is_selected(feature)));
                None
            }
        };
        let scores = ranking.scores();
        let candidates = (&scores[..], &order[..]);
        let selection = select(table, candidates, count, self.redundancy, roles, run)?;
        Ok(Selected { redundancy: self.redundancy, selection })
    }
}

/// Selected features, and the rule by which redundant features were excluded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Selected {
    /// The rule.
    pub redundancy: RedundancyRule,
    /// The features.
    pub selection: Selection,
}

impl Selected {
    /// A description of the rule.
    pub fn rule_in_words(&self) -> String {
        match self.redundancy {
            RedundancyRule::None => "the features with the largest weights".to_string(),
            RedundancyRule::Correlation(most) => format!(
                "the features with the largest weights, without those that are correlated by more than {most} with one selected \
                 before"
            ),
            RedundancyRule::Relief => "one after the other, the feature with the largest weight after a discount for its redundancy \
                                       with those selected before: the correlation of their differences between near rows"
                .to_string(),
        }
    }

    /// The selected features that represent others, one per line, with the redundancy of each; at most `most` lines.
    pub fn represented_lines(&self, names: &[String], most: usize, width: usize) -> String {
        let Selection { features, represented } = &self.selection;
        let pairs = features.iter().zip(represented).filter(|(_, others)| !others.is_empty());
        let mut text = String::new();
        for (&feature, others) in pairs.clone().take(most) {
            let named = others.iter().take(NAMED).map(|&(other, redundancy)| {
                format!("{} ({redundancy:.2})", cut(&names[other], 32))
            });
            let mut named: Vec<String> = named.collect();
            if others.len() > NAMED {
                named.push(format!("{} more", others.len() - NAMED));
            }
            let line = format!("{} represents {}", cut(&names[feature], 32), named.join(", "));
            let _ = writeln!(text, "{}", wrapped(&line, width));
        }
        let rest = pairs.count().saturating_sub(most);
        if rest > 0 {
            let _ = writeln!(text, "… {} represent others", counted(rest, "more feature"));
        }
        text
    }

    /// In JSON.
    pub fn json(&self, names: &[String]) -> Value {
        let Selection { features, represented } = &self.selection;
        let features: Vec<Value> = features
            .iter()
            .zip(represented)
            .map(|(&feature, others)| {
                let others = others.iter().map(
                    |&(other, redundancy)| json!({"name": names[other], "redundancy": redundancy}),
                );
                json!({"name": names[feature], "represents": others.collect::<Vec<_>>()})
            })
            .collect();
        json!({"redundancy": self.redundancy.to_string(), "features": features})
    }
}
