//! What is known about a generated data set.

use serde_json::{Map, Value};

/// What is true of a generated data set, by column name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Truth {
    /// Columns that the target depends on (those that its rules may test, where it has rules).
    pub relevant: Vec<String>,
    /// All other columns, in the table's order.
    pub irrelevant: Vec<String>,
    /// Groups of relevant columns that tell something only together.
    pub interacting: Vec<Vec<String>>,
    /// Columns that repeat another one exactly: the original and its copy.
    pub copies: Vec<[String; 2]>,
    /// Columns of a single value.
    pub constant: Vec<String>,
    /// Columns that are correlated with a relevant one, through which alone they tell something of the target. They
    /// count among the irrelevant.
    pub linked: Vec<String>,
    /// The decision list that gives the class, in order: the first rule that is true decides.
    /// Written as `0 if relevant2 < 0.25 and relevant1 >= 0.5`.
    pub rules: Vec<String>,
}

impl Truth {
    /// As a JSON object with the keys `relevant`, `irrelevant`, `interacting`, `copies`, `constant` and,
    /// where there are any, `linked` and `rules`.
    pub fn to_json(&self) -> Map<String, Value> {
        let copies = self.copies.iter().map(|pair| Value::from(pair.to_vec())).collect();
        let interacting = self.interacting.iter().map(|group| Value::from(group.clone())).collect();
        let some = |key: &str, names: &[String]| {
            (!names.is_empty()).then(|| (key.to_string(), Value::from(names.to_vec())))
        };
        let fields = [
            ("relevant".to_string(), Value::from(self.relevant.clone())),
            ("irrelevant".to_string(), Value::from(self.irrelevant.clone())),
            ("interacting".to_string(), Value::Array(interacting)),
            ("copies".to_string(), Value::Array(copies)),
            ("constant".to_string(), Value::from(self.constant.clone())),
        ];
        let lists = some("linked", &self.linked).into_iter().chain(some("rules", &self.rules));
        fields.into_iter().chain(lists).collect()
    }
}
