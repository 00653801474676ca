//! Blocks of features: their specification, and their weights.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use basrelief::data::{BlockScale, FeatureBlocks, Table};
use basrelief::{Result, Run};
use basrelief_report::data as page;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::listed_pairs::ListedPairs;
use crate::permutation_test::{Tested, probability};
use crate::text::{Look, aligned, cut, rounded};

/// How wide the names of blocks are in a table, and how many blocks it shows.
const NAME: usize = 40;
const SHOWN: usize = 20;

/// The file of blocks.
const LISTED: ListedPairs =
    ListedPairs { what: "the file of blocks", columns: ["block", "column"] };

/// The beginning of a text that specifies blocks by the prefixes of the names of their columns.
const PREFIX: &str = "prefix:";

/// Where the blocks of a study are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockSource {
    /// A table with the columns `block` and `column`, one row per column of a block.
    File(PathBuf),
    /// The names of the columns: those with the same text before the first occurrence of this separator are a block.
    Prefix(String),
    /// The names of the blocks, and of the columns of each.
    Named(Vec<(String, Vec<String>)>),
}

/// The blocks of features of a study, each of which counts as one feature in distances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockPlan {
    /// Where the blocks are listed.
    pub source: BlockSource,
    /// By which number the sum of the differences of a block is divided.
    pub scale: BlockScale,
}

impl BlockPlan {
    /// Reads the name of a file, or `prefix:` and a separator such as `prefix:_`.
    pub fn from_text(text: &str, scale: BlockScale) -> Self {
        let source = match text.strip_prefix(PREFIX) {
            Some(separator) => BlockSource::Prefix(separator.to_string()),
            None => BlockSource::File(PathBuf::from(text)),
        };
        Self { source, scale }
    }

    /// The blocks of the columns of a table.
    ///
    /// # Errors
    /// A file that cannot be read, or without the columns `block` and `column`; the errors of
    /// [`FeatureBlocks::named`] and [`FeatureBlocks::by_prefix`].
    pub fn read(&self, table: &Table<'_>, run: &Run) -> Result<FeatureBlocks> {
        match &self.source {
            BlockSource::File(file) => {
                let blocks = read_blocks(file, run)?;
                let found = FeatureBlocks::named(blocks, self.scale, table);
                found.map_err(|error| error.in_file(file))
            }
            BlockSource::Prefix(separator) => {
                FeatureBlocks::by_prefix(separator, self.scale, table)
            }
            BlockSource::Named(blocks) => FeatureBlocks::named(blocks.clone(), self.scale, table),
        }
    }
}

/// Reads the blocks of a file, in their order there.
fn read_blocks(file: &Path, run: &Run) -> Result<Vec<(String, Vec<String>)>> {
    let mut blocks: Vec<(String, Vec<String>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (row, (block, column)) in LISTED.read(file, run)?.into_iter().enumerate() {
        let block = block.ok_or_else(|| LISTED.missing(row, 0, file))?;
        // A block without a column is refused as empty.
        let place = *places.entry(block.clone()).or_insert_with(|| {
            blocks.push((block, Vec::new()));
            blocks.len() - 1
        });
        match column {
            Some(column) => blocks[place].1.push(column),
            None if blocks[place].1.is_empty() => {}
            None => return Err(LISTED.missing(row, 1, file)),
        }
    }
    Ok(blocks)
}

/// Blocks of features and their weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WeighedBlocks {
    /// By which number the sum of the differences of a block is divided.
    pub scale: BlockScale,
    /// The names of the blocks.
    pub names: Vec<String>,
    /// The features of each block, as column indices, ascending.
    pub features: Vec<Vec<usize>>,
    /// The factor of each block in distances: 1 divided by its scale.
    pub factors: Vec<f64>,
    /// The weight of each block.
    pub weights: Vec<f64>,
}

impl WeighedBlocks {
    /// The weights of blocks with these factors in distances, from the weights of all features.
    pub fn new(blocks: &FeatureBlocks, factors: &[f64], weights: &[f64]) -> Self {
        Self {
            scale: blocks.scale(),
            names: blocks.sets().iter().map(|set| set.name.clone()).collect(),
            features: blocks.sets().iter().map(|set| set.features.clone()).collect(),
            factors: factors.to_vec(),
            weights: blocks.weights(factors, weights),
        }
    }

    /// The blocks in decreasing order of their weights.
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.weights.len()).collect();
        order.sort_by(|&a, &b| self.weights[b].total_cmp(&self.weights[a]).then(a.cmp(&b)));
        order
    }

    /// The p-value of a block and the one adjusted by max-T over the blocks, if blocks were tested.
    fn p_values(&self, block: usize, tested: Option<&Tested>) -> Option<(f64, f64)> {
        let found = tested?.blocks()?;
        Some((found.p_values[block], found.adjusted.as_ref()?[block]))
    }

    /// The blocks as a table for a terminal, best first.
    pub(crate) fn table(&self, tested: Option<&Tested>, look: Look) -> String {
        let is_tested = tested.is_some_and(|tested| tested.blocks().is_some());
        let mut heads = vec!["block", "features", "weight"];
        if is_tested {
            heads.extend(["p", "adjusted (max-T)"]);
        }
        let order = self.order();
        let mut rows: Vec<Vec<String>> = vec![heads.into_iter().map(str::to_string).collect()];
        for &block in order.iter().take(SHOWN) {
            let mut cells = vec![
                cut(&self.names[block], NAME),
                self.features[block].len().to_string(),
                rounded(self.weights[block], 4),
            ];
            if let Some((p, adjusted)) = self.p_values(block, tested) {
                cells.extend([p, adjusted].map(probability));
            }
            rows.push(cells);
        }
        let mut text = aligned(&rows, |column| column == 0, look);
        if order.len() > SHOWN {
            let more = order.len() - SHOWN;
            text.push_str(&format!("… {more} more blocks not shown (--format json shows all)\n"));
        }
        text
    }

    /// The blocks in JSON, best first; `names` are those of all features.
    pub(crate) fn json(&self, names: &[String], tested: Option<&Tested>) -> Value {
        let block = |block: usize| {
            let columns = self.features[block].iter().map(|&feature| names[feature].as_str());
            let mut entry = json!({
                "name": self.names[block],
                "features": columns.collect::<Vec<&str>>(),
                "factor": self.factors[block],
                "weight": self.weights[block],
            });
            if let Some((p, adjusted)) = self.p_values(block, tested) {
                entry["p_value"] = p.into();
                entry["adjusted_p_value"] = adjusted.into();
            }
            entry
        };
        Value::Array(self.order().into_iter().map(block).collect())
    }

    /// The blocks as a page shows them, best first.
    pub(crate) fn for_page(&self, tested: Option<&Tested>) -> page::FeatureBlocks {
        let block = |block: usize| page::FeatureBlock {
            name: self.names[block].clone(),
            features: self.features[block].len(),
            weight: self.weights[block],
            p: self.p_values(block, tested),
        };
        page::FeatureBlocks {
            scale: self.scale.words().to_string(),
            blocks: self.order().into_iter().map(block).collect(),
        }
    }
}
