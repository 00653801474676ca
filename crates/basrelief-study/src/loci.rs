//! The genomic positions of ranked genotypes and the alleles that they count, in tables, CSV and JSON.

use basrelief::data::{Locus, Table};
use basrelief::wording::thousands;
use serde_json::{Value, json};

use crate::text::{TableColumn, csv_cell, cut};

/// The largest width of an allele in a table.
const ALLELE: usize = 8;

/// Whether all columns of a table have a genomic position.
pub fn are_known(table: &Table<'_>) -> bool {
    table.columns().iter().all(|column| column.locus().is_some())
}

/// The columns about the positions of some features, all of which must have one.
pub fn columns(table: &Table<'_>, features: &[usize]) -> Vec<TableColumn> {
    let column = |head: &'static str, cell: &dyn Fn(&Locus) -> String| TableColumn {
        heads: [head; 2],
        importance: match head {
            "A1" => 2,
            "POS" => 3,
            _ => 4,
        },
        cells: features
            .iter()
            .map(|&feature| table.columns()[feature].locus().map_or_else(String::new, cell))
            .collect(),
    };
    vec![
        column("CHROM", &|locus| cut(&locus.chromosome, ALLELE)),
        column("POS", &|locus| locus.position.to_string()),
        column("A1", &|locus| cut(&locus.counted, ALLELE)),
    ]
}

/// A position and an allele in one cell of a page: `2:191528660 G`.
pub fn cell(locus: &Locus) -> String {
    format!("{}:{} {}", cut(&locus.chromosome, ALLELE), locus.position, cut(&locus.counted, ALLELE))
}

/// The heading of [`cell`].
pub const CELL_HEAD: &str = "CHROM:POS A1";

/// A position and an allele in a sentence.
pub fn words(locus: &Locus) -> String {
    let Locus { chromosome, position, counted, .. } = locus;
    format!("{}:{}, A1 {}", cut(chromosome, ALLELE), thousands(*position), cut(counted, ALLELE))
}

/// The heading of [`csv`].
pub const CSV_HEAD: &str = ",CHROM,POS,ID,A1";

/// The heading of [`csv`] for two features, one after the other.
pub const CSV_HEAD_OF_PAIRS: &str = ",CHROM_1,POS_1,ID_1,A1_1,CHROM_2,POS_2,ID_2,A1_2";

/// The position of a feature in CSV, after a comma.
pub fn csv(locus: &Locus) -> String {
    let Locus { chromosome, position, id, counted, .. } = locus;
    format!(",{},{position},{},{}", csv_cell(chromosome), csv_cell(id), csv_cell(counted))
}

/// The position of a feature in JSON, as names and values.
pub fn json(locus: &Locus) -> [(&'static str, Value); 5] {
    let Locus { chromosome, position, id, counted, other } = locus;
    [
        ("chrom", json!(**chromosome)),
        ("pos", json!(position)),
        ("id", json!(id)),
        ("a1", json!(counted)),
        ("a2", json!(other)),
    ]
}
