//! What is known about a generated data set.

use serde_json::{Map, Value};

/// What is true of a generated data set, by column name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Truth {
    /// Columns that the target depends on.
    pub relevant: Vec<String>,
    /// Groups of relevant columns that tell something only together.
    pub interacting: Vec<Vec<String>>,
    /// Columns that repeat another one exactly: the original and its copy.
    pub copies: Vec<[String; 2]>,
    /// Columns of a single value.
    pub constant: Vec<String>,
}

impl Truth {
    /// As a JSON object with the keys `relevant`, `interacting`, `copies` and `constant`.
    pub fn to_json(&self) -> Map<String, Value> {
        let copies = self.copies.iter().map(|pair| Value::from(pair.to_vec())).collect();
        let interacting = self.interacting.iter().map(|group| Value::from(group.clone())).collect();
        Map::from_iter([
            ("relevant".to_string(), Value::from(self.relevant.clone())),
            ("interacting".to_string(), Value::Array(interacting)),
            ("copies".to_string(), Value::Array(copies)),
            ("constant".to_string(), Value::from(self.constant.clone())),
        ])
    }
}
