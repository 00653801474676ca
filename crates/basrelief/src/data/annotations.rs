//! Annotations of rows: properties of the samples, such as the phenotypes in a separate file or the characteristics of a GEO
//! series. A target, strata, groups, weights or covariates may be annotations; the others have no effect.

use std::collections::HashMap;

use super::infer::{RawColumn, RawTable, RawValues};
use super::{Categories, CompactNumbers, MISSING_CODE, list};
use crate::error::{DataError, Error, Result, nearest_name, shorten};
use crate::warning::Warning;
use crate::wording::{quoted, setting, ways};

impl RawTable {
    /// Adds the annotations with some names to the columns, and discards the others. Names of columns have no effect.
    ///
    /// # Errors
    /// A name that belongs to a column and to an annotation; if there are annotations, a name that belongs to neither.
    pub fn with_annotations<'n>(
        mut self,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Self> {
        let annotations = std::mem::take(&mut self.annotations);
        if annotations.is_empty() {
            return Ok(self);
        }
        let located = |error: DataError| match &self.source {
            Some(path) => Error::from(error).in_file(path),
            None => error.into(),
        };
        let mut wanted = vec![false; annotations.len()];
        for name in names {
            let place = annotations.iter().position(|own| own.name == name);
            let is_column = self.columns.iter().any(|column| column.name == name);
            match (place, is_column) {
                (Some(_), true) => {
                    return Err(located(
                        DataError::new(
                            "a feature and a property of the samples have this name",
                            "rename one of them",
                        )
                        .in_column(name),
                    ));
                }
                (Some(place), false) => wanted[place] = true,
                (None, true) => {}
                (None, false) => {
                    let known: Vec<&str> =
                        annotations.iter().map(|own| own.name.as_str()).collect();
                    let columns = self.columns.iter().map(|column| column.name.as_str());
                    let help = match nearest_name(name, known.iter().copied().chain(columns)) {
                        Some(near) => format!("did you mean {}?", quoted(near)),
                        None => format!("the properties of the samples are {}", list(&known)),
                    };
                    return Err(located(
                        DataError::new(
                            "no feature and no property of the samples has this name",
                            help,
                        )
                        .in_column(name),
                    ));
                }
            }
        }
        let chosen = annotations.into_iter().zip(wanted).filter(|(_, wanted)| *wanted);
        self.columns.extend(chosen.map(|(column, _)| column));
        Ok(self)
    }

    /// Adds the columns of another table as annotations: its rows are those of the rows of this table with the same name.
    /// Rows that it does not contain have missing values. A note reports how many rows match.
    ///
    /// # Errors
    /// A table has no names of rows; two rows of a table have the same name; no row matches (the message suggests to
    /// transpose the table if its columns have the names).
    pub fn annotated_by(mut self, others: RawTable) -> Result<Self> {
        let Some(names) = &self.row_names else {
            return Err(Error::option(
                "pheno",
                "the data have no names of samples that could be found in the file",
                "use a table whose first column contains the names",
            ));
        };
        let located = |error: DataError, table: &RawTable| match &table.source {
            Some(path) => Error::from(error).in_file(path),
            None => error.into(),
        };
        let own = texts(names);
        let Some(first) = &others.row_names else {
            return Err(Error::Internal("the phenotypes have no names of samples".to_string()));
        };
        let ids = texts(first);
        let mut rows = HashMap::with_capacity(ids.len());
        for (row, id) in ids.iter().enumerate() {
            let Some(id) = id else { continue };
            if let Some(earlier) = rows.insert(id.as_str(), row) {
                let problem =
                    format!("rows {} and {} have the name of this sample", earlier + 1, row + 1);
                let error =
                    DataError::new(problem, "keep one of them").in_column(first.name.as_str());
                return Err(located(error.with_value(id), &others));
            }
        }
        let mut seen = HashMap::with_capacity(own.len());
        for (row, name) in own.iter().enumerate() {
            let Some(name) = name else { continue };
            if rows.contains_key(name.as_str())
                && let Some(earlier) = seen.insert(name.as_str(), row)
            {
                let problem = format!("rows {} and {} have the same name", earlier + 1, row + 1);
                let error = DataError::new(problem, "rename or exclude one of them");
                return Err(located(error.in_column(names.name.as_str()).with_value(name), &self));
            }
        }
        let place = |name: &Option<String>| rows.get(name.as_deref()?).copied();
        let places: Vec<Option<usize>> = own.iter().map(place).collect();
        let matched = places.iter().flatten().count();
        if matched == 0 {
            return Err(located(self.no_match(&own, &ids, first), &others));
        }
        let file = match &others.source {
            Some(path) => crate::wording::clean_path(path),
            None => "the phenotypes".to_string(),
        };
        let (total, unused) = (own.len(), ids.iter().flatten().count() - matched);
        let mut message = match total - matched {
            0 => format!("{file} contains all {total} samples of the table"),
            without => format!(
                "{file} contains {matched} of the {total} samples of the table; {without} have no values there"
            ),
        };
        if unused > 0 {
            message += &format!("; {unused} of its samples are not in the table");
        }
        self.warnings.push(Warning::requested("matched-samples", message));
        self.warnings.extend(others.warnings);
        let columns = others.columns.into_iter();
        self.annotations.extend(columns.map(|column| taken(column, &places)));
        Ok(self)
    }

    /// The error if no name of a row is the name of a row of the other table.
    fn no_match(
        &self,
        own: &[Option<String>],
        ids: &[Option<String>],
        first: &RawColumn,
    ) -> DataError {
        let columns: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        let is_id = |name: &&&str| ids.iter().any(|id| id.as_deref() == Some(**name));
        let of_columns = columns.iter().take(10_000).filter(is_id).count();
        if of_columns > 0 {
            return DataError::new(
                format!(
                    "its samples are columns of the table and not rows ({of_columns} names match), so that the rows of \
                     the table are features"
                ),
                ways(&[format!("add {}", setting("transpose", None)), "transpose the table".into()]),
            )
            .in_column(first.name.as_str());
        }
        let some = |names: &[Option<String>]| {
            let first: Vec<String> =
                names.iter().flatten().take(3).map(|name| shorten(name, 40)).collect();
            first.join(", ")
        };
        DataError::new(
            format!(
                "no sample of the table is in it: the table has {}, and it has {}",
                some(own),
                some(ids)
            ),
            "the first column of both files must contain the names of the samples, spelled alike",
        )
        .in_column(first.name.as_str())
    }
}

/// The cells of a column as texts; `None` if missing.
fn texts(column: &RawColumn) -> Vec<Option<String>> {
    match &column.values {
        RawValues::Numbers(numbers) => {
            let text = |value: f64| (!value.is_nan()).then(|| value.to_string());
            numbers.iter().map(text).collect()
        }
        RawValues::Text(categories) => {
            let levels = categories.levels();
            categories.codes().iter().map(|&code| levels.get(code as usize).cloned()).collect()
        }
    }
}

/// The column with other rows, in this order; `None` is missing. Levels without rows are excluded: a sample of another study
/// has no effect.
fn taken(column: RawColumn, rows: &[Option<usize>]) -> RawColumn {
    let (values, lines) = match &column.values {
        RawValues::Numbers(numbers) => {
            let all: Vec<f64> = numbers.iter().collect();
            let numbers: CompactNumbers =
                rows.iter().map(|row| row.map_or(f64::NAN, |row| all[row])).collect();
            (RawValues::Numbers(numbers), Vec::new())
        }
        RawValues::Text(categories) => {
            let (codes, levels) = (categories.codes(), categories.levels());
            let code_of = |row: &Option<usize>| row.map_or(MISSING_CODE, |row| codes[row]);
            let text_of = |row| levels.get(code_of(row) as usize).map(String::as_str);
            let taken = Categories::from_texts(rows.iter().map(text_of));
            let old: HashMap<&str, usize> = levels.iter().map(String::as_str).zip(0..).collect();
            let line = |level: &String| column.lines.get(*old.get(level.as_str())?).copied();
            let lines = taken.levels().iter().filter_map(line).collect();
            (RawValues::Text(taken), lines)
        }
    };
    RawColumn { values, lines, ..column }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, cells: &[Option<&str>]) -> RawColumn {
        RawColumn::new(name, RawValues::Text(Categories::from_texts(cells.iter().copied())), None)
    }

    fn table() -> RawTable {
        let numbers: CompactNumbers = [1.0, 2.0, 3.0].into_iter().collect();
        RawTable {
            columns: vec![RawColumn::new("gene", RawValues::Numbers(numbers), None)],
            row_names: Some(column("sample", &[Some("s1"), Some("s2"), Some("s3")])),
            ..RawTable::default()
        }
    }

    fn phenotypes(ids: &[Option<&str>], classes: &[Option<&str>]) -> RawTable {
        RawTable {
            columns: vec![column("class", classes)],
            row_names: Some(column("id", ids)),
            ..RawTable::default()
        }
    }

    #[test]
    fn phenotypes_are_found_by_name() {
        let others =
            phenotypes(&[Some("s3"), Some("s1"), Some("s9")], &[Some("b"), Some("a"), Some("x")]);
        let joined = table().annotated_by(others).unwrap();
        assert_eq!(texts(&joined.annotations[0]), [Some("a".into()), None, Some("b".into())]);
        let RawValues::Text(classes) = &joined.annotations[0].values else { panic!("texts") };
        assert_eq!(classes.levels(), ["a", "b"], "of samples in the table");
        let message = joined.warnings[0].to_string();
        assert!(message.contains("2 of the 3 samples"), "{message}");
        assert!(message.contains("1 of its samples are not in the table"), "{message}");
        let named = joined.clone().with_annotations(["class", "gene"]).unwrap();
        assert_eq!(named.columns.len(), 2);
        assert_eq!(joined.clone().with_annotations([]).unwrap().columns.len(), 1);
        let message = joined.with_annotations(["clas"]).unwrap_err().to_string();
        assert!(message.contains("did you mean `class`"), "{message}");
    }

    #[test]
    fn names_that_do_not_match_are_refused() {
        let refused =
            |table: RawTable, others: RawTable| table.annotated_by(others).unwrap_err().to_string();
        let message = refused(table(), phenotypes(&[Some("gene")], &[Some("a")]));
        assert!(message.contains("transpose"), "{message}");
        let message = refused(table(), phenotypes(&[Some("x")], &[Some("a")]));
        assert!(message.contains("the table has s1, s2, s3, and it has x"), "{message}");
        let twice = phenotypes(&[Some("s1"), Some("s1")], &[Some("a"), None]);
        assert!(refused(table(), twice).contains("rows 1 and 2"));
        let mut own = table();
        own.row_names = Some(column("sample", &[Some("s1"), Some("s1"), None]));
        let message = refused(own.clone(), phenotypes(&[Some("s1")], &[Some("a")]));
        assert!(message.contains("rows 1 and 2 have the same name"), "{message}");
        own.row_names = None;
        assert!(refused(own, phenotypes(&[Some("s1")], &[Some("a")])).contains("no names"));
        let mut both = table().annotated_by(phenotypes(&[Some("s1")], &[Some("a")])).unwrap();
        both.columns.push(column("class", &[None, None, None]));
        let message = both.with_annotations(["class"]).unwrap_err().to_string();
        assert!(message.contains("rename one of them"), "{message}");
    }
}
