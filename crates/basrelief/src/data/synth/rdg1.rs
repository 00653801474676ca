//! RDG1: the class is determined by a random decision list over the relevant columns (Prat & Belanche
//! 2006, sec. 4.4.1 and 4.4.6, after WEKA's generator of that name).
//!
//! Rows are drawn one by one. The first rule that is true for a row determines its class. If no rule is true,
//! a rule that is true for the row is appended to the list. It tests from 1 to `terms` different relevant
//! columns; their number and choice are random. Each column is compared with a random value, in the direction
//! that holds for the row. The rules are assigned to the classes in turn.

use super::options::{CLASSES, IRRELEVANT, RELEVANT, ROWS, checked_rows, numbered};
use super::random::Random;
use super::{Generated, GeneratorInfo, Truth};
use crate::data::{Categories, Column};
use crate::error::Result;
use crate::options::{OptionInfo, OptionKind, Settings};
use crate::run::Run;

static TESTED: OptionInfo =
    OptionInfo { help: "Number of columns that rules may test", ..RELEVANT };

static TERMS: OptionInfo = OptionInfo {
    name: "terms",
    flag: "terms",
    kind: OptionKind::Count { least: 1 },
    default: "10",
    help: "Largest number of columns that a rule tests",
};

/// Registry entry of the numeric form.
pub(super) static CONTINUOUS: GeneratorInfo = GeneratorInfo {
    name: "rdg1-continuous",
    purpose: "numbers; the first true rule of a random list (x1 < 0.7 and x2 >= 0.2) gives the class",
    source: "Prat & Belanche 2006, sec. 4.4.1",
    own_options: &[&ROWS, &TESTED, &IRRELEVANT, &CLASSES, &TERMS],
    make: |settings, run| make(settings, run, false),
};

/// Registry entry of the boolean form.
pub(super) static CATEGORICAL: GeneratorInfo = GeneratorInfo {
    name: "rdg1-categorical",
    purpose: "true or false; the first true rule of a random list (x1 is true) gives the class",
    source: "Prat & Belanche 2006, sec. 4.4.6",
    own_options: &[&ROWS, &TESTED, &IRRELEVANT, &CLASSES, &TERMS],
    make: |settings, run| make(settings, run, true),
};

/// The condition `value < bound`, or its negation. For a boolean (0 or 1), the bound is 1/2.
struct Term {
    column: usize,
    bound: f64,
    below: bool,
}

impl Term {
    fn text(&self, names: &[String], boolean: bool) -> String {
        let name = &names[self.column];
        match (boolean, self.below) {
            (true, below) => format!("{name} is {}", !below),
            (false, true) => format!("{name} < {}", self.bound),
            (false, false) => format!("{name} >= {}", self.bound),
        }
    }
}

struct Rule {
    terms: Vec<Term>,
    class: usize,
}

impl Rule {
    fn is_true(&self, row: impl Fn(usize) -> f64) -> bool {
        self.terms.iter().all(|term| (row(term.column) < term.bound) == term.below)
    }
}

fn make(settings: &Settings, run: &Run, boolean: bool) -> Result<Generated> {
    let relevant = settings.count(&RELEVANT)?;
    let irrelevant = settings.count(&IRRELEVANT)?;
    let rows = checked_rows(settings, relevant.saturating_add(irrelevant))?;
    let classes = settings.count(&CLASSES)?;
    let most_terms = settings.count(&TERMS)?.min(relevant);
    let mut random = Random::new(run.seed());
    let mut values: Vec<Vec<f64>> = Vec::with_capacity(relevant + irrelevant);
    for _ in 0..relevant + irrelevant {
        run.check()?;
        let mut draw = || if boolean { random.below(2) as f64 } else { random.uniform() };
        values.push((0..rows).map(|_| draw()).collect());
    }

    let mut rules: Vec<Rule> = Vec::new();
    let mut shuffled: Vec<usize> = (0..relevant).collect();
    let mut labels = Vec::with_capacity(rows);
    for row in 0..rows {
        run.check()?;
        let value = |column: usize| values[column][row];
        if let Some(rule) = rules.iter().find(|rule| rule.is_true(value)) {
            labels.push(rule.class.to_string());
            continue;
        }
        let count = 1 + random.below(most_terms as u64) as usize;
        random.shuffle(&mut shuffled);
        let terms = shuffled[..count].iter().map(|&column| {
            let bound = if boolean { 0.5 } else { random.uniform() };
            Term { column, bound, below: value(column) < bound }
        });
        let rule = Rule { terms: terms.collect(), class: rules.len() % classes };
        labels.push(rule.class.to_string());
        rules.push(rule);
    }

    let names = numbered("relevant", relevant);
    let all_names = names.iter().cloned().chain(numbered("irrelevant", irrelevant));
    let columns = all_names
        .zip(values)
        .map(|(name, values)| {
            if !boolean {
                return Column::from_values(name, values);
            }
            let texts =
                values.iter().map(|&value| Some(if value > 0.5 { "true" } else { "false" }));
            Ok(Column::categorical(name, Categories::from_texts(texts)))
        })
        .collect::<Result<Vec<_>>>()?;
    let rules = rules
        .iter()
        .map(|rule| {
            let terms: Vec<String> =
                rule.terms.iter().map(|term| term.text(&names, boolean)).collect();
            format!("{} if {}", rule.class, terms.join(" and "))
        })
        .collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let truth = Truth { relevant: names, rules, ..Truth::default() };
    Generated::classes(columns, &labels, "class", truth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Values;

    /// The text of a cell in a file.
    fn cell(data: &Generated, name: &str, row: usize) -> String {
        let column = &data.table.columns()[data.table.find(name).unwrap()];
        match column.values() {
            Values::Categorical(values) => values.levels()[values.codes()[row] as usize].clone(),
            _ => column.value(row).to_string(),
        }
    }

    /// Whether a term of a rule in the truth holds for a row.
    fn holds(data: &Generated, term: &str, row: usize) -> bool {
        let words: Vec<&str> = term.split(' ').collect();
        let found = cell(data, words[0], row);
        let number = |text: &str| text.parse::<f64>().unwrap();
        match words[1] {
            "is" => found == words[2],
            "<" => number(&found) < number(words[2]),
            ">=" => number(&found) >= number(words[2]),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn the_decision_list_of_the_truth_gives_every_class() {
        for (info, relevant, classes) in
            [(&CONTINUOUS, "6", "3"), (&CATEGORICAL, "12", "2"), (&CONTINUOUS, "1", "2")]
        {
            let given = [("rows", "400"), ("relevant", relevant), ("classes", classes)];
            let run = Run::new(Some(1)).unwrap().with_seed(3);
            let data = info.generate(&info.settings(&given).unwrap(), &run).unwrap();
            let found = data.target.classes("x").unwrap();
            let mut used = vec![false; data.truth.rules.len()];
            for row in 0..400 {
                let (place, rule) = data
                    .truth
                    .rules
                    .iter()
                    .enumerate()
                    .find(|(_, rule)| {
                        let (_, terms) = rule.split_once(" if ").unwrap();
                        terms.split(" and ").all(|term| holds(&data, term, row))
                    })
                    .unwrap();
                used[place] = true;
                let class = &found.names()[found.codes()[row] as usize];
                assert_eq!(rule.split_once(' ').unwrap().0, class, "{row}");
                assert_eq!((place % classes.parse::<usize>().unwrap()).to_string(), *class);
            }
            assert!(used.len() > 1 && used.iter().all(|used| *used), "{used:?}");
        }
    }

    #[test]
    fn rules_have_from_1_to_all_terms_on_different_columns() {
        let given = [("rows", "3000"), ("relevant", "8"), ("terms", "4")];
        let run = Run::new(Some(1)).unwrap();
        let data = CONTINUOUS.generate(&CONTINUOUS.settings(&given).unwrap(), &run).unwrap();
        let mut seen = [false; 5];
        for rule in &data.truth.rules {
            let (_, terms) = rule.split_once(" if ").unwrap();
            let mut names: Vec<&str> =
                terms.split(" and ").map(|term| term.split_once(' ').unwrap().0).collect();
            seen[names.len()] = true;
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{rule}");
        }
        assert_eq!(seen, [false, true, true, true, true]);
    }
}
