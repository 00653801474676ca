//! Text files with features in rows and samples in columns: plain matrices, GCT, and series matrices of GEO.
//!
//! Every line is a feature, so that it is read once, by the rules for the cells of any column. GCT files and series
//! matrices also contain properties of the samples, which become [annotations](RawTable::annotations).
//!
//! Sources: the descriptions of GCT 1.2 and 1.3 (Broad Institute); the SOFT documentation of the Gene Expression Omnibus.

use std::collections::HashMap;
use std::io::Read;

use basrelief::data::{Categories, RawColumn, RawTable, RawValues};
use basrelief::wording::quoted;
use basrelief::{DataError, Error, Result, Warning};

use crate::cells::{Collector, Refusal};
use crate::csv::{self, COLUMN_BYTES, CsvReader};
use crate::options::ReadOptions;
use crate::records::{Record, Records};
use crate::source::Source;

/// The arrangement of a file with features in rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// A line of names of samples, then lines of a feature's name and its values.
    Matrix,
    /// GCT 1.2 or 1.3.
    Gct,
    /// A series matrix of GEO.
    Series,
}

/// The content of the lines before the features.
struct Head {
    /// The names of the samples.
    samples: Vec<String>,
    /// The number of fields before the values of a line.
    before: usize,
    /// The number of features that the file states, and the line where it does.
    stated: Option<(usize, u64)>,
    annotations: Vec<RawColumn>,
    /// Whether the first line of values is already in the record.
    has_first: bool,
}

/// The marks of the table in a series matrix.
const TABLE_BEGIN: &[u8] = b"!series_matrix_table_begin";
const TABLE_END: &[u8] = b"!series_matrix_table_end";

/// The start of the lines of a series matrix that describe samples.
const OF_SAMPLES: &str = "!Sample_";

/// The lines of a series matrix whose cells are `key: value`.
const CHARACTERISTICS: &str = "characteristics";

/// The bytes of a cell of text after which the run is checked for memory again.
const CLAIMED_BYTES: usize = 1 << 24;

/// Reads a file with features in rows. A series matrix may have none.
///
/// # Errors
/// The file cannot be read or is damaged; a cell does not fit the kind of its feature.
pub(crate) fn read(
    source: &Source<'_>,
    usual: Option<u8>,
    layout: Layout,
    options: &ReadOptions,
) -> Result<RawTable> {
    csv::open(source, usual, options)?.read_transposed(layout)
}

impl CsvReader<'_> {
    /// Reads a file with features in rows.
    fn read_transposed(&self, layout: Layout) -> Result<RawTable> {
        let text = self.source.text(Some(&self.source.stage("")))?;
        let mut lines = Lines { table: self, records: Records::new(text, self.delimiter) };
        let mut record = Record::default();
        let head = match layout {
            Layout::Matrix => lines.head_of_matrix(&mut record)?,
            Layout::Gct => lines.head_of_gct(&mut record)?,
            Layout::Series => lines.head_of_series(&mut record)?,
        };
        let Head { samples, before, stated, annotations, mut has_first } = head;
        let mut columns: Vec<RawColumn> = Vec::new();
        let (mut held, mut claimed) = (0, 0);
        let mut is_closed = layout != Layout::Series;
        loop {
            if !std::mem::take(&mut has_first) && !lines.next(&mut record)? {
                break;
            }
            if layout == Layout::Series && record.field(0) == TABLE_END {
                is_closed = true;
                break;
            }
            if record.fields != before + samples.len() {
                return Err(self.uneven(&record, before + samples.len(), columns.is_empty()));
            }
            let column = self.feature(&record, before, columns.len())?;
            held += column.bytes() + COLUMN_BYTES as usize;
            columns.push(column.finish());
            self.source.run().check()?;
            if held >= claimed + CLAIMED_BYTES {
                claimed = held;
                // The table is held once here and once as columns.
                self.claim(2 * held as u64)?;
            }
        }
        if !is_closed {
            return Err(self.source.data(
                "the file ends before the line `!series_matrix_table_end`",
                "it is not complete: download it again",
            ));
        }
        if columns.is_empty() && layout != Layout::Series {
            return Err(self
                .source
                .data("the file has no features", "add lines of a name and values"));
        }
        if let Some((stated, line)) = stated
            && stated != columns.len()
        {
            let problem = format!("the line states {stated} rows, but there are {}", columns.len());
            let help = "correct the number, or complete the file";
            return Err(self.source.place(DataError::new(problem, help).at_line(line)));
        }
        let mut warnings = Vec::new();
        warnings.extend(make_unique(&mut columns));
        let all = columns.iter().chain(&annotations).map(|column| column.name.clone());
        self.options
            .check_names(&all.collect::<Vec<String>>())
            .map_err(|error| self.source.place(error))?;
        let row_names = Categories::from_texts(samples.iter().map(|name| Some(name.as_str())));
        Ok(RawTable {
            source: Some(self.source.path().to_path_buf()),
            columns,
            row_names: Some(RawColumn::new(SAMPLE, RawValues::Text(row_names), None)),
            annotations,
            warnings,
        })
    }

    /// The column of a line of values.
    fn feature(&self, record: &Record, before: usize, place: usize) -> Result<Collector> {
        let mut name = self.text_of(record, 0)?;
        if name.is_empty() {
            name = format!("column_{}", place + 1);
        }
        self.collected(name, |column| self.fill(column, record, before))
    }

    /// The column of the cells that a function adds. It is called again if the column turns out to be text.
    fn collected(
        &self,
        name: String,
        fill: impl Fn(&mut Collector) -> Result<()>,
    ) -> Result<Collector> {
        let want = self.options.want(&name);
        let mut column = Collector::new(name, want);
        fill(&mut column)?;
        if column.is_lost() {
            column.restart_as_text();
            fill(&mut column)?;
        }
        Ok(column)
    }

    /// Adds the fields of a line from one on.
    fn fill(&self, column: &mut Collector, record: &Record, before: usize) -> Result<()> {
        record.iter().skip(before).try_for_each(|cell| self.push(column, record, cell))
    }

    /// A field as text.
    fn text_of(&self, record: &Record, field: usize) -> Result<String> {
        let bytes = record.field(field);
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_string()),
            Err(_) => {
                let column = format!("column_{}", field + 1);
                Err(self.refused(Refusal::NotUtf8, &column, record, bytes))
            }
        }
    }

    fn uneven(&self, record: &Record, expected: usize, is_first: bool) -> Error {
        let problem = format!("{} fields, but the line of the names has {expected}", record.fields);
        let help = match is_first {
            true => {
                "check that the first line contains the names of the samples, and that the delimiter is the right one"
            }
            false => "correct the line, or complete the file",
        };
        self.source.place(DataError::new(problem, help).at_line(record.line))
    }
}

/// The name of the column of sample names.
const SAMPLE: &str = "sample";

/// The lines of a file.
struct Lines<'t, R> {
    table: &'t CsvReader<'t>,
    records: Records<R>,
}

impl<R: Read> Lines<'_, R> {
    /// Reads the next line that is not blank. Returns `false` at the end.
    fn next(&mut self, record: &mut Record) -> Result<bool> {
        self.records.read(record, usize::MAX).map_err(|fault| self.table.unreadable(fault, &[]))
    }

    /// Reads a line that must exist.
    fn line(&mut self, record: &mut Record, what: &str) -> Result<()> {
        if self.next(record)? {
            return Ok(());
        }
        let problem = format!("the file ends before {what}");
        Err(self.table.source.data(&problem, "it is not complete: write or download it again"))
    }

    /// The fields of a line from one on, as unique names.
    fn names(&self, record: &Record, from: usize) -> Result<Vec<String>> {
        let names: Result<Vec<String>> =
            (from..record.fields).map(|field| self.table.text_of(record, field)).collect();
        let mut names = names?;
        let mut seen = HashMap::with_capacity(names.len());
        for (place, name) in names.iter_mut().enumerate() {
            if name.is_empty() {
                *name = format!("{SAMPLE}_{}", place + 1);
            }
            if let Some(first) = seen.insert(name.clone(), place) {
                let problem =
                    format!("columns {} and {} have this name", first + from + 1, place + from + 1);
                let error = DataError::new(problem, "rename one of the samples");
                let error = error.at_line(record.line).in_column(name.as_str());
                return Err(self.table.source.place(error));
            }
        }
        if names.is_empty() {
            return Err(self.table.source.place(
                DataError::new(
                    "the line of the names contains no sample",
                    "check the delimiter, and that samples are columns",
                )
                .at_line(record.line),
            ));
        }
        Ok(names)
    }

    /// A line of names, of which the first is that of the features. R omits this one.
    fn head_of_matrix(&mut self, record: &mut Record) -> Result<Head> {
        let source = self.table.source;
        if !self.table.options.has_header {
            return Err(Error::option(
                "no_header",
                "samples in columns need names",
                "add a first line with the names of the samples",
            ));
        }
        self.line(record, "the names of the samples")?;
        let fields = record.fields;
        let mut values = Record::default();
        if !self.next(&mut values)? {
            return Err(source.data(
                "the file has no line after the names of the samples",
                "add lines of a feature's name and its values",
            ));
        }
        let omits_corner = values.fields == fields + 1;
        let samples = self.names(record, usize::from(!omits_corner))?;
        *record = values;
        Ok(Head { samples, before: 1, stated: None, annotations: Vec::new(), has_first: true })
    }

    /// The lines of a GCT file: the version, the numbers of rows and columns, the names, and properties of samples.
    fn head_of_gct(&mut self, record: &mut Record) -> Result<Head> {
        let table = self.table;
        let source = table.source;
        self.line(record, "the version")?;
        let version = table.text_of(record, 0)?;
        let is_newer = match version.as_str() {
            "#1.2" => false,
            "#1.3" => true,
            _ => {
                let problem = "the first line is not that of a GCT file, `#1.2` or `#1.3`";
                let error =
                    DataError::new(problem, "save the file as GCT 1.3, or as a table of text");
                return Err(source.place(error.at_line(record.line).with_value(&version)));
            }
        };
        self.line(record, "the numbers of rows and columns")?;
        let line = record.line;
        let wanted = if is_newer { 4 } else { 2 };
        let numbers: Option<Vec<usize>> = (0..wanted.min(record.fields))
            .map(|field| std::str::from_utf8(record.field(field)).ok()?.parse().ok())
            .collect();
        let numbers = numbers.filter(|numbers| numbers.len() == wanted).ok_or_else(|| {
            let problem = format!("the line does not contain {wanted} whole numbers");
            let help = match is_newer {
                true => "write the numbers of rows, columns, row properties and column properties, between tabs",
                false => "write the numbers of rows and columns, with a tab between them",
            };
            source.place(DataError::new(problem, help).at_line(line))
        })?;
        let (before, properties) = match numbers[2..] {
            [of_rows, of_columns] => (1_usize.saturating_add(of_rows), of_columns),
            _ => (2, 0),
        };
        self.line(record, "the names of the samples")?;
        if before > record.fields || record.fields - before != numbers[1] {
            let found = record.fields.saturating_sub(before);
            let problem = format!(
                "line {line} states {} columns of samples, but there are {found}",
                numbers[1]
            );
            let help = "correct the numbers, or complete the file";
            return Err(source.place(DataError::new(problem, help).at_line(record.line)));
        }
        let samples = self.names(record, before)?;
        let mut annotations = Vec::new();
        for _ in 0..properties {
            self.line(record, "the properties of the samples")?;
            if record.fields != before + samples.len() {
                return Err(table.uneven(record, before + samples.len(), false));
            }
            let name = table.text_of(record, 0)?;
            let column = table.collected(name, |column| table.fill(column, record, before))?;
            annotations.push(column.finish());
        }
        let stated = Some((numbers[0], line));
        Ok(Head { samples, before, stated, annotations, has_first: false })
    }

    /// The lines of a series matrix before its values.
    fn head_of_series(&mut self, record: &mut Record) -> Result<Head> {
        let table = self.table;
        let mut described: Vec<(String, Vec<Option<String>>)> = Vec::new();
        loop {
            self.line(record, "the line `!series_matrix_table_begin`")?;
            if record.field(0) == TABLE_BEGIN {
                break;
            }
            let Some(name) = table.text_of(record, 0)?.strip_prefix(OF_SAMPLES).map(str::to_string)
            else {
                continue;
            };
            let cells: Result<Vec<String>> =
                (1..record.fields).map(|field| table.text_of(record, field)).collect();
            for (place, cell) in cells?.into_iter().enumerate() {
                let keyed =
                    name.starts_with(CHARACTERISTICS).then(|| cell.split_once(':')).flatten();
                let (key, value) = match keyed {
                    Some((key, value)) => (key.trim().to_string(), value.trim().to_string()),
                    None => (name.clone(), cell),
                };
                set_property(&mut described, key, place, value);
            }
        }
        self.line(record, "the names of the samples")?;
        let samples = self.names(record, 1)?;
        let mut annotations = Vec::with_capacity(described.len());
        for (name, mut cells) in described {
            cells.resize(samples.len().max(cells.len()), None);
            if cells.len() > samples.len() {
                let problem = format!(
                    "the property {} has {} values, but there are {} samples",
                    quoted(&name),
                    cells.len(),
                    samples.len()
                );
                let error = DataError::new(problem, "the file is damaged: download it again");
                return Err(table.source.place(error.at_line(record.line)));
            }
            annotations.push(table.property(name, &cells)?);
        }
        Ok(Head { samples, before: 1, stated: None, annotations, has_first: false })
    }
}

impl CsvReader<'_> {
    /// A property of samples, by the rules for cells of text files.
    fn property(&self, name: String, cells: &[Option<String>]) -> Result<RawColumn> {
        let add = |column: &mut Collector| -> Result<()> {
            for cell in cells {
                match cell.as_deref().filter(|cell| !self.options.is_missing(cell.as_bytes())) {
                    None => column.push_missing(),
                    Some(cell) => {
                        let pushed = column.push(cell.as_bytes(), 0);
                        pushed.map_err(|refusal| match refusal {
                            Refusal::Because(error) => {
                                self.source.place(error.in_column(column.name()).with_value(cell))
                            }
                            Refusal::NotUtf8 => Error::Internal("a text is not UTF-8".to_string()),
                        })?;
                    }
                }
            }
            Ok(())
        };
        let mut finished = self.collected(name, add)?.finish();
        finished.lines.clear();
        Ok(finished)
    }
}

/// Sets a property of a sample. A second value of the same property is called `name.2`.
fn set_property(
    described: &mut Vec<(String, Vec<Option<String>>)>,
    key: String,
    sample: usize,
    value: String,
) {
    let mut name = key.clone();
    for number in 2.. {
        let place = described.iter().position(|(own, _)| *own == name).unwrap_or_else(|| {
            described.push((name.clone(), Vec::new()));
            described.len() - 1
        });
        let cells = &mut described[place].1;
        if cells.len() <= sample {
            cells.resize(sample + 1, None);
        }
        if cells[sample].is_none() {
            cells[sample] = Some(value);
            return;
        }
        name = format!("{key}.{number}");
    }
}

/// Gives columns whose name occurred before another one: `NAME.2`, `NAME.3`, …
fn make_unique(columns: &mut [RawColumn]) -> Option<Warning> {
    let mut seen: HashMap<String, usize> =
        columns.iter().map(|column| (column.name.clone(), 0)).collect();
    let (mut renamed, mut example) = (0, None);
    for column in columns {
        let count = seen.entry(column.name.clone()).or_default();
        *count += 1;
        if *count == 1 {
            continue;
        }
        let mut number = *count;
        let other = loop {
            let name = format!("{}.{number}", column.name);
            if !seen.contains_key(&name) {
                break name;
            }
            number += 1;
        };
        example.get_or_insert_with(|| (column.name.clone(), other.clone()));
        seen.insert(other.clone(), 1);
        column.name = other;
        renamed += 1;
    }
    let (name, other) = example?;
    let features = if renamed == 1 { "feature has" } else { "features have" };
    Some(Warning::new(
        "repeated-names",
        format!(
            "{renamed} {features} the name of an earlier one and a number was added: the second {} is called {}",
            quoted(&name),
            quoted(&other)
        ),
    ))
}
