//! Weka's attribute-relation file format (ARFF), dense and sparse.

use basrelief::data::RawColumn;
use basrelief::error::shorten;
use basrelief::wording::{leave_out, setting};
use basrelief::{DataError, Result};

use crate::cells::{Collector, Refusal, Want};
use crate::lines::Lines;
use crate::options::{ReadOptions, finish_names};
use crate::source::Source;

/// The number of cells after which the cancellation flag is checked again.
const CHECK_CELLS: usize = 1 << 14;

/// The type of an attribute.
enum Kind {
    Numeric,
    Text,
    Date,
    Nominal(Vec<String>),
}

/// A value, and whether it was quoted (`'?'` is not a missing value).
#[derive(Debug, PartialEq)]
struct Token {
    text: String,
    quoted: bool,
}

type Parsed<T> = std::result::Result<T, DataError>;

pub(crate) fn read(source: &Source<'_>, options: &ReadOptions) -> Result<Vec<RawColumn>> {
    let mut lines = Lines::new(source, b'%', "an ARFF file")?;
    let (mut columns, is_string) = header(&mut lines, options)?;
    let mut rows = 0_usize;
    let mut unchecked = 0;
    let mut given = Vec::new();
    while let Some((number, line)) = lines.next()? {
        let line = decode(line).map_err(|error| source.place(error.at_line(number)))?;
        let result = if line.starts_with('{') {
            sparse_row((&line, number), &mut columns, &is_string, &mut given, options)
        } else {
            dense_row((&line, number), &mut columns, options)
        };
        result.map_err(|error| source.place(error.at_line(number)))?;
        rows += 1;
        unchecked += columns.len();
        if unchecked >= CHECK_CELLS {
            unchecked = 0;
            source.run().check()?;
        }
    }
    if rows == 0 {
        return Err(source.data("the file has no rows after @data", "add data rows"));
    }
    Ok(columns.into_iter().map(Collector::finish).collect())
}

fn decode(line: &[u8]) -> Parsed<String> {
    match std::str::from_utf8(line) {
        Ok(line) => Ok(line.to_string()),
        Err(cause) => Err(DataError::new(
            format!("the text is not UTF-8 (byte {} of the line)", cause.valid_up_to() + 1),
            "convert the file, for example with `iconv -f WINDOWS-1252 -t UTF-8 IN > OUT`",
        )
        .with_value(&String::from_utf8_lossy(line))),
    }
}

/// Reads the header. Returns the columns, and for each of them whether it contains strings.
fn header(lines: &mut Lines<'_>, options: &ReadOptions) -> Result<(Vec<Collector>, Vec<bool>)> {
    let source = lines.source();
    let mut names = Vec::new();
    let mut kinds = Vec::new();
    let mut found = false;
    while let Some((number, line)) = lines.next()? {
        let place = |error: DataError| source.place(error.at_line(number));
        let line = decode(line).map_err(place)?;
        let word = line.split_ascii_whitespace().next().unwrap_or_default().to_lowercase();
        match word.as_str() {
            "@relation" => {}
            "@attribute" => {
                let (name, kind) = attribute(line[word.len()..].trim_start()).map_err(place)?;
                names.push(name);
                kinds.push((kind, number));
            }
            "@data" => {
                found = true;
                break;
            }
            _ => {
                return Err(place(
                    DataError::new(
                        "neither @relation, @attribute, @data nor a comment",
                        "check that this is an ARFF file; comments begin with %",
                    )
                    .with_value(&line),
                ));
            }
        }
    }
    if names.is_empty() {
        let problem =
            if found { "@data without any @attribute before it" } else { "there is no @attribute" };
        return Err(source.data(problem, "check that this is an ARFF file"));
    }
    if !found {
        return Err(source.data("the file has no @data line", "the file may be truncated"));
    }
    finish_names(&mut names).map_err(|error| source.place(error))?;
    options.check_names(&names).map_err(|error| source.place(error))?;
    let is_string = kinds.iter().map(|(kind, _)| matches!(kind, Kind::Text | Kind::Date)).collect();
    let columns = names.into_iter().zip(kinds).map(|(name, (kind, number))| match kind {
        Kind::Numeric => {
            // A text in this column is an error, because the file declares it numeric.
            let want = match options.want(&name) {
                Want::Infer => Want::Numeric,
                stated => stated,
            };
            Ok(Collector::new(name, want))
        }
        Kind::Text => Ok(Collector::new(name, Want::Text)),
        // A date column may be declared categorical, and an excluded one need not be supported.
        Kind::Date if options.want(&name) != Want::Infer => {
            let want = options.want(&name);
            Ok(Collector::new(name, want))
        }
        Kind::Date => Err(source.place(
            DataError::new(
                "date attributes are not supported",
                format!(
                    "rewrite them as numbers, such as the days since the first date, and declare the \
                     attribute numeric; or, if these are categories, use {}; or {}",
                    setting("categorical", Some(&name)),
                    leave_out(&name)
                ),
            )
            .at_line(number)
            .in_column(name),
        )),
        Kind::Nominal(levels) => Collector::nominal(name.clone(), levels).map_err(|twice| {
            source.place(
                DataError::new("the value is declared twice", "remove one of the declarations")
                    .at_line(number)
                    .in_column(name)
                    .with_value(&twice),
            )
        }),
    });
    Ok((columns.collect::<Result<_>>()?, is_string))
}

/// Parses name and type from the text after `@attribute`.
fn attribute(text: &str) -> Parsed<(String, Kind)> {
    let (name, rest) = name(text)?;
    let rest = rest.trim();
    if let Some(list) = rest.strip_prefix('{') {
        let end = end_of_list(list).map_err(|error| error.in_column(&name))?;
        let Some(end) = end else {
            return Err(DataError::new(
                "the list of values has no closing brace",
                "close it on the same line",
            )
            .in_column(name)
            .with_value(rest));
        };
        let after = list[end + 1..].trim_start();
        if !after.is_empty() && !after.starts_with('%') {
            let help = "quote values that contain a brace, and write % before a comment";
            return Err(DataError::new("text follows the closing brace of the list", help)
                .in_column(name)
                .with_value(after));
        }
        let levels = tokens(&list[..end], Some(b',')).map_err(|error| error.in_column(&name))?;
        return Ok((name, Kind::Nominal(levels.into_iter().map(|token| token.text).collect())));
    }
    let word = rest.split(|c: char| c.is_whitespace() || c == '[').next().unwrap_or_default();
    match word.to_lowercase().as_str() {
        "numeric" | "real" | "integer" => Ok((name, Kind::Numeric)),
        "string" => Ok((name, Kind::Text)),
        "date" => Ok((name, Kind::Date)),
        "relational" => Err(DataError::new(
            "relational attributes are not supported",
            "flatten the data to one row per instance",
        )
        .in_column(name)),
        _ => Err(DataError::new(
            "the type of the attribute is unknown",
            "the known types are numeric, real, integer, string, date and {lists, of, values}",
        )
        .in_column(name)
        .with_value(rest)),
    }
}

/// Returns the position of the closing brace of a list, outside of quotes; `None` if there is none.
///
/// # Errors
/// A quote is not closed.
fn end_of_list(list: &str) -> Parsed<Option<usize>> {
    let mut at = 0;
    // Quotes open only at the start of a value: `d'Or` is not quoted.
    let mut begins = true;
    while let Some(character) = list[at..].chars().next() {
        match character {
            '}' => return Ok(Some(at)),
            '\'' | '"' if begins => {
                at += 1 + quoted(&list[at + 1..], character as u8)?.1;
                begins = false;
                continue;
            }
            ',' => begins = true,
            character if character.is_whitespace() => {}
            _ => begins = false,
        }
        at += character.len_utf8();
    }
    Ok(None)
}

/// Parses a name, quoted or not. Returns it and the rest of the text.
fn name(text: &str) -> Parsed<(String, &str)> {
    match text.bytes().next() {
        Some(quote @ (b'\'' | b'"')) => {
            let (name, used) = quoted(&text[1..], quote)?;
            Ok((name, &text[1 + used..]))
        }
        _ => {
            // `a{x,y}` without a space occurs.
            let end = text.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(text.len());
            Ok((text[..end].to_string(), &text[end..]))
        }
    }
}

/// Returns the text up to the closing quote, and the number of bytes used, including the quote.
fn quoted(text: &str, quote: u8) -> Parsed<(String, usize)> {
    let mut out = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        if character == char::from(quote) {
            return Ok((out, at + 1));
        }
        if character != '\\' {
            out.push(character);
            continue;
        }
        match characters.next() {
            Some((_, 'n')) => out.push('\n'),
            Some((_, 't')) => out.push('\t'),
            Some((_, 'r')) => out.push('\r'),
            Some((_, other)) => out.push(other),
            None => break,
        }
    }
    Err(DataError::new("a quote opens here and is never closed", "close it on the same line")
        .with_value(text))
}

/// Splits a text at the delimiter, or at white space if `delimiter` is `None`.
fn tokens(text: &str, delimiter: Option<u8>) -> Parsed<Vec<Token>> {
    let mut out = Vec::new();
    let mut rest = text.trim();
    let is_end = |character: char| match delimiter {
        Some(delimiter) => character == char::from(delimiter),
        None => character.is_ascii_whitespace(),
    };
    loop {
        match rest.bytes().next() {
            Some(quote @ (b'\'' | b'"')) => {
                let (token, used) = quoted(&rest[1..], quote)?;
                out.push(Token { text: token, quoted: true });
                rest = &rest[1 + used..];
                let after = rest.trim_start();
                if !after.is_empty() && !rest.starts_with(is_end) && !after.starts_with(is_end) {
                    return Err(DataError::new(
                        "text follows a closing quote",
                        "quote the whole value, and write \\' for a quote inside it",
                    )
                    .with_value(after));
                }
                if delimiter.is_some() {
                    rest = after;
                }
            }
            _ => {
                let end = rest.find(is_end).unwrap_or(rest.len());
                out.push(Token { text: rest[..end].trim().to_string(), quoted: false });
                rest = &rest[end..];
            }
        }
        if rest.is_empty() {
            return Ok(out);
        }
        rest = rest[1..].trim_start();
    }
}

fn push(column: &mut Collector, (token, line): (&Token, u64), options: &ReadOptions) -> Parsed<()> {
    // A quoted question mark may be a declared value.
    if !token.quoted && (token.text == "?" || options.is_missing(token.text.as_bytes())) {
        column.push_missing();
        return Ok(());
    }
    if options.kinds.coerce && column.is_no_number(token.text.trim().as_bytes()) {
        column.push_missing();
        return Ok(());
    }
    // Spaces inside quotes are part of a text, but not of a number.
    let text = match token.quoted && column.is_text() {
        true => token.text.as_str(),
        false => token.text.trim(),
    };
    column.push(text.as_bytes(), line).map(|_| ()).map_err(|refusal| {
        let error = match refusal {
            Refusal::Because(error) => error,
            Refusal::NotUtf8 => DataError::new("the text is not UTF-8", "convert the file"),
        };
        error.in_column(column.name()).with_value(&token.text)
    })
}

fn dense_row(
    (line, number): (&str, u64),
    columns: &mut [Collector],
    options: &ReadOptions,
) -> Parsed<()> {
    // Weka also accepts white space between values.
    let delimiter = if columns.len() == 1 || line.contains(',') { Some(b',') } else { None };
    let values = tokens(line, delimiter)?;
    if values.len() != columns.len() {
        let help = if values.last().is_some_and(|last| !last.quoted && last.text.starts_with('{')) {
            "instance weights, `{w}` at the end of a row, are not supported: remove them"
        } else {
            "correct the line, or quote values that contain a comma"
        };
        let problem =
            format!("{} values, but {} attributes are declared", values.len(), columns.len());
        return Err(DataError::new(problem, help));
    }
    columns
        .iter_mut()
        .zip(&values)
        .try_for_each(|(column, token)| push(column, (token, number), options))
}

fn sparse_row(
    (line, number): (&str, u64),
    columns: &mut [Collector],
    is_string: &[bool],
    given: &mut Vec<Option<Token>>,
    options: &ReadOptions,
) -> Parsed<()> {
    let Some(list) = line.strip_prefix('{').and_then(|list| list.strip_suffix('}')) else {
        return Err(DataError::new(
            "the sparse row has no closing brace",
            "close it on the same line; instance weights after it are not supported",
        )
        .with_value(line));
    };
    given.clear();
    given.resize_with(columns.len(), || None);
    let mut rest = list.trim();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        let index = rest[..end].parse::<usize>().ok().filter(|&index| index < columns.len());
        let Some(index) = index else {
            return Err(DataError::new(
                "this is not an attribute number",
                format!(
                    "a sparse row lists pairs `number value`, with numbers from 0 to {}",
                    columns.len() - 1
                ),
            )
            .with_value(&rest[..end]));
        };
        rest = rest[end..].trim_start();
        // One value, up to the next comma; a quoted value may contain commas.
        let (token, used) = match rest.bytes().next() {
            Some(quote @ (b'\'' | b'"')) => {
                let (text, used) = quoted(&rest[1..], quote)?;
                (Token { text, quoted: true }, used + 1)
            }
            _ => {
                let end = rest.find(',').unwrap_or(rest.len());
                (Token { text: rest[..end].trim().to_string(), quoted: false }, end)
            }
        };
        rest = rest[used..].trim_start();
        if !rest.is_empty() {
            rest = rest.strip_prefix(',').map(str::trim_start).ok_or_else(|| {
                DataError::new("a comma is missing after a value", "separate the pairs by commas")
                    .with_value(&shorten(rest, 60))
            })?;
        }
        if given[index].replace(token).is_some() {
            return Err(DataError::new(
                format!("attribute number {index} occurs twice in the row"),
                "remove one of them",
            ));
        }
    }
    for ((column, token), &is_string) in columns.iter_mut().zip(given.iter()).zip(is_string) {
        match token {
            Some(token) => push(column, (token, number), options)?,
            // Omitted values are 0, which is the first declared value; a string has no such value.
            None if is_string => column.push_missing(),
            None => column.push_zero().map_err(|_| {
                DataError::new("an omitted value cannot be 0 here", "write the value")
            })?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_may_be_quoted() {
        let (name, kind) = attribute(r#"'cell\'s size' { small, 'very big', "a,b" }"#).unwrap();
        assert_eq!(name, "cell's size");
        let Kind::Nominal(levels) = kind else { panic!("nominal expected") };
        assert_eq!(levels, ["small", "very big", "a,b"]);
        let (name, kind) = attribute("color{red,blue}").unwrap();
        assert_eq!(name, "color");
        assert!(matches!(kind, Kind::Nominal(levels) if levels == ["red", "blue"]));
        // Comments and quoted values may contain braces.
        for text in
            ["color {red, blue} % not {green}", "color {red, blue}% }", "color { 'red' , blue }"]
        {
            let Kind::Nominal(levels) = attribute(text).unwrap().1 else { panic!("{text}") };
            assert_eq!(levels, ["red", "blue"], "{text}");
        }
        let Kind::Nominal(levels) = attribute("c {' low ', '}', d'Or}").unwrap().1 else {
            panic!("nominal expected")
        };
        assert_eq!(levels, [" low ", "}", "d'Or"]);
        assert!(attribute("c {a, b} c").is_err());
        assert!(attribute("c {a, 'b}").is_err() && attribute("c {a, b").is_err());
        assert!(matches!(attribute("d date \"yyyy-MM-dd\"").unwrap().1, Kind::Date));
    }

    #[test]
    fn rows_are_split_at_commas_or_white_space() {
        let texts = |text: &str, delimiter| -> Vec<String> {
            tokens(text, delimiter).unwrap().into_iter().map(|token| token.text).collect()
        };
        assert_eq!(texts("1, 'a, b' ,?", Some(b',')), ["1", "a, b", "?"]);
        assert_eq!(texts("1 'a b'\t ?", None), ["1", "a b", "?"]);
        assert_eq!(texts("1,,", Some(b',')), ["1", "", ""]);
    }
}
