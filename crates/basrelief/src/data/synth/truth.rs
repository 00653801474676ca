//! The known truth about a generated data set.

use serde_json::{Map, Value};

/// The known truth about a generated data set, by column name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Truth {
    /// Columns on which the target depends. If there are rules, these are the columns that rules may test.
    pub relevant: Vec<String>,
    /// All other columns, in the table's order.
    pub irrelevant: Vec<String>,
    /// Groups of relevant columns that are informative only through their interaction.
    pub interacting: Vec<Vec<String>>,
    /// Columns that are exact copies of another one: the original and its copy.
    pub copies: Vec<[String; 2]>,
    /// Columns with a single value.
    pub constant: Vec<String>,
    /// Columns whose only association with the target is their correlation with a relevant column. They are included
    /// in the irrelevant columns.
    pub linked: Vec<String>,
    /// The decision list for the class, in order; the first rule that is true determines the class.
    /// The format is `0 if relevant2 < 0.25 and relevant1 >= 0.5`.
    pub rules: Vec<String>,
}

impl Truth {
    /// Converts the truth to a JSON object with the keys `relevant`, `irrelevant`, `interacting`, `copies`,
    /// `constant` and, unless they are empty, `linked` and `rules`.
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
