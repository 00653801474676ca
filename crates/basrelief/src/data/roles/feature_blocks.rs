//! Blocks of features: each counts as one feature in distances, such as the indicators of one categorical variable, or all
//! expression values next to a few clinical variables.

use std::collections::{HashMap, HashSet};
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::data::{Column, FeatureSet, Table};
use crate::error::{Error, Result, nearest_name, shorten};
use crate::wording::quoted;

/// By which number the sum of the differences of a block is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum BlockScale {
    /// The number of its features, so that the difference of a block is the mean of those of its features.
    #[default]
    Size,
    /// The variance of the sum over all pairs of rows.
    Variance,
    /// The largest sum of two rows, so that the largest difference of a block is 1.
    Max,
}

impl BlockScale {
    /// All scales, in the order of [`NAMES`](Self::NAMES).
    const ALL: [Self; 3] = [Self::Size, Self::Variance, Self::Max];

    /// The names of the values.
    pub const NAMES: [&'static str; 3] = ["size", "variance", "max"];

    /// The name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The number in words: `number of features`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Size => "number of features",
            Self::Variance => "variance over pairs of rows",
            Self::Max => "largest difference of two rows",
        }
    }
}

impl FromStr for BlockScale {
    type Err = Error;

    /// Parses `size`, `variance` or `max`.
    fn from_str(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|scale| scale.name() == text);
        found.ok_or_else(|| {
            Error::option(
                "block_scale",
                format!("{} is unknown", quoted(&shorten(text, 40))),
                format!("use {}", Self::NAMES.join(", ")),
            )
        })
    }
}

/// Blocks of the features of a table. No feature is in two blocks; features in no block count as themselves.
///
/// ```
/// use basrelief::data::{BlockScale, Column, FeatureBlocks, Table};
///
/// let column = |name: &str, values: [f64; 3]| Column::from_values(name, values.to_vec());
/// let table = Table::new(vec![
///     column("color_red", [1.0, 0.0, 0.0])?,
///     column("color_blue", [0.0, 1.0, 1.0])?,
///     column("weight", [2.0, 3.0, 5.0])?,
/// ])?;
/// let blocks = FeatureBlocks::by_prefix("_", BlockScale::Max, &table)?;
/// assert_eq!(blocks.sets()[0].name, "color");
/// assert_eq!(blocks.sets()[0].features, [0, 1]);
/// # Ok::<(), basrelief::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureBlocks {
    sets: Arc<[FeatureSet]>,
    scale: BlockScale,
    /// Number of features of the table.
    width: usize,
}

impl FeatureBlocks {
    /// Blocks by name, each with the names of its columns.
    ///
    /// # Errors
    /// No block; a block without columns, without a name or with the name of another; a column that the table does not
    /// have, or that is in two blocks.
    pub fn named(
        blocks: Vec<(String, Vec<String>)>,
        scale: BlockScale,
        table: &Table<'_>,
    ) -> Result<Self> {
        let places: HashMap<&str, usize> =
            table.columns().iter().map(Column::name).zip(0..).collect();
        let (mut block_of, mut names) = (HashMap::<&str, &str>::new(), HashSet::new());
        let mut sets: Vec<FeatureSet> = Vec::new();
        if blocks.is_empty() {
            return refused("there is no block".to_string(), "name at least one block of columns");
        }
        for (name, columns) in &blocks {
            let block = quoted(&shorten(name, 40)).to_string();
            if name.is_empty() {
                return refused("a block has no name".to_string(), "name every block");
            }
            if !names.insert(name) {
                return refused(
                    format!("two blocks have the name {block}"),
                    "rename one of them, or join them",
                );
            }
            if columns.is_empty() {
                return refused(
                    format!("block {block} is empty"),
                    "remove the block, or add the columns that belong to it",
                );
            }
            let mut features = Vec::with_capacity(columns.len());
            for column in columns {
                let Some(&place) = places.get(column.as_str()) else {
                    return refused(
                        format!(
                            "column {} of block {block} is not a feature of the table",
                            quoted(&shorten(column, 40))
                        ),
                        &match nearest_name(column, places.keys().copied()) {
                            Some(near) => format!("did you mean {}?", quoted(near)),
                            None => {
                                "name columns of the table that are neither the target nor excluded"
                                    .to_string()
                            }
                        },
                    );
                };
                if let Some(other) = block_of.insert(column, name) {
                    let column = quoted(&shorten(column, 40));
                    let problem = match other == name {
                        true => format!("block {block} contains column {column} twice"),
                        false => format!(
                            "column {column} is in two blocks, {} and {block}",
                            quoted(&shorten(other, 40))
                        ),
                    };
                    return refused(problem, "keep it once: a column belongs to one block at most");
                }
                features.push(place);
            }
            features.sort_unstable();
            sets.push(FeatureSet { name: name.clone(), features });
        }
        Ok(Self { sets: sets.into(), scale, width: table.width() })
    }

    /// Blocks of the columns whose names have the same text before the first separator. Columns without the separator, or
    /// without a text before it, are in no block.
    ///
    /// # Errors
    /// An empty separator; no column has it.
    pub fn by_prefix(separator: &str, scale: BlockScale, table: &Table<'_>) -> Result<Self> {
        if separator.is_empty() {
            let problem = "the separator after the prefix is empty".to_string();
            return refused(problem, "write it after the colon, such as prefix:_");
        }
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut sets: Vec<FeatureSet> = Vec::new();
        for (feature, column) in table.columns().iter().enumerate() {
            let Some((prefix, _)) = column.name().split_once(separator) else { continue };
            if prefix.is_empty() {
                continue;
            }
            let place = *places.entry(prefix).or_insert_with(|| {
                sets.push(FeatureSet { name: prefix.to_string(), features: Vec::new() });
                sets.len() - 1
            });
            sets[place].features.push(feature);
        }
        if sets.is_empty() {
            let separator = quoted(&shorten(separator, 40));
            return refused(
                format!("no column has a prefix that ends before {separator}"),
                "use a separator that the names contain, or list the blocks and their columns",
            );
        }
        Ok(Self { sets: sets.into(), scale, width: table.width() })
    }

    /// The blocks, with their features in ascending order.
    pub fn sets(&self) -> &[FeatureSet] {
        &self.sets
    }

    /// By which number the sum of the differences of a block is divided.
    pub fn scale(&self) -> BlockScale {
        self.scale
    }

    /// The number of features in blocks.
    pub fn features(&self) -> usize {
        self.sets.iter().map(|set| set.features.len()).sum()
    }

    /// Checks that the blocks are those of a table with this number of columns.
    ///
    /// # Errors
    /// Another number of columns.
    pub(crate) fn check_width(&self, width: usize) -> Result<()> {
        if self.width == width {
            return Ok(());
        }
        refused(
            format!("the blocks are those of {} features, but there are {width}", self.width),
            "define the blocks for the table that is ranked",
        )
    }

    /// The factor of every feature of the table, from those of the blocks.
    pub(crate) fn of_features(&self, factors: &[f64]) -> Arc<[f64]> {
        let mut all = vec![1.0; self.width];
        for (set, &factor) in self.sets.iter().zip(factors) {
            set.features.iter().for_each(|&feature| all[feature] = factor);
        }
        all.into()
    }

    /// The weights of the blocks, from the weights of all features and the factors of the blocks in distances, which the
    /// [report](crate::Report::block_factors) of the fit contains. The difference of a block is its factor times the sum
    /// of its features' differences, and so is its weight for methods whose weights are linear in the differences.
    ///
    /// # Panics
    /// Weights of another number of features, or factors of another number of blocks.
    pub fn weights(&self, factors: &[f64], weights: &[f64]) -> Vec<f64> {
        assert_eq!((factors.len(), weights.len()), (self.sets.len(), self.width), "one each");
        let sum = |set: &FeatureSet| set.features.iter().map(|&own| weights[own]).sum::<f64>();
        self.sets.iter().zip(factors).map(|(set, factor)| factor * sum(set)).collect()
    }
}

fn refused<T>(problem: String, help: &str) -> Result<T> {
    Err(Error::option("blocks", problem, help))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(names: &[&str]) -> Table<'static> {
        let column = |name: &&str| Column::from_values(*name, vec![0.0, 1.0]).unwrap();
        Table::new(names.iter().map(column).collect()).unwrap()
    }

    /// Blocks and their columns, by name.
    type Listed<'a> = &'a [(&'a str, &'a [&'a str])];

    fn named(blocks: Listed<'_>) -> Result<FeatureBlocks> {
        let text = |text: &&str| text.to_string();
        let blocks =
            blocks.iter().map(|(name, own)| (name.to_string(), own.iter().map(text).collect()));
        FeatureBlocks::named(blocks.collect(), BlockScale::Size, &table(&["a", "b", "c_1", "c_2"]))
    }

    #[test]
    fn blocks_have_the_columns_of_their_names() {
        let blocks = named(&[("y", &["c_2", "a"]), ("x", &["b"])]).unwrap();
        assert_eq!(blocks.sets()[0].features, [0, 3]);
        assert_eq!(blocks.features(), 3);
        assert_eq!(blocks.of_features(&[0.5, 2.0])[..], [0.5, 2.0, 1.0, 0.5]);
        assert_eq!(blocks.weights(&[0.5, 2.0], &[1.0, 4.0, 7.0, 3.0]), [2.0, 8.0]);
        assert!(blocks.check_width(4).is_ok() && blocks.check_width(3).is_err());
    }

    #[test]
    fn wrong_blocks_are_refused() {
        let cases: [(Listed<'_>, &str); 7] = [
            (&[], "there is no block"),
            (&[("", &["a"])], "a block has no name"),
            (&[("x", &["a"]), ("x", &["b"])], "two blocks have the name `x`"),
            (&[("x", &["a"]), ("y", &[])], "block `y` is empty"),
            (&[("x", &["c_3"])], "column `c_3` of block `x` is not a feature of the table"),
            (&[("x", &["a", "a"])], "block `x` contains column `a` twice"),
            (&[("x", &["a"]), ("y", &["b", "a"])], "column `a` is in two blocks, `x` and `y`"),
        ];
        for (blocks, words) in cases {
            let message = named(blocks).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
        assert!(named(&[("x", &["c_3"])]).unwrap_err().to_string().contains("did you mean"));
    }

    #[test]
    fn prefixes_end_before_the_first_separator() {
        let own = table(&["c_1_x", "d", "c_2", "_e", "f_"]);
        let blocks = FeatureBlocks::by_prefix("_", BlockScale::Max, &own).unwrap();
        let found = blocks.sets().iter().map(|set| (set.name.as_str(), &set.features[..]));
        assert_eq!(found.collect::<Vec<_>>(), [("c", &[0, 2][..]), ("f", &[4])]);
        for (separator, words) in [("", "is empty"), ("=", "ends before `=`")] {
            let found = FeatureBlocks::by_prefix(separator, BlockScale::Max, &own);
            let message = found.unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
    }

    #[test]
    fn scales_have_names() {
        for scale in BlockScale::ALL {
            assert_eq!(scale.name().parse::<BlockScale>().unwrap(), scale);
        }
        assert!("sum".parse::<BlockScale>().unwrap_err().to_string().contains("`sum` is unknown"));
    }
}
