//! Infers the kind of a column of texts without a declared kind. All readers of tables, targets, covariates
//! and data frames apply this rule.
//!
//! 1. A declared kind takes precedence over the rule.
//! 2. If all non-missing cells are numbers, or all cells are missing, the column is numeric.
//! 3. If all non-missing cells are numbers and some of them are infinite, an error names these.
//! 4. If only a few cells are not numbers, they are probably mistakes, and an error names them.
//! 5. If at least nine tenths of the distinct cells are dates, or numbers some of which have a unit, a
//!    currency, a percent sign, a thousands separator, a decimal comma, a typographic minus or a
//!    comparison sign, an error names them.
//! 6. Otherwise the column is categorical.

use std::collections::HashMap;

use super::Cell;
use super::cell::{DecoratedNumber, Decoration, is_date};
use crate::error::{DataError, shorten};
use crate::wording::{leave_out, quoted, setting, ways};

/// The number of cells that an error about a column shows.
const SHOWN_CELLS: usize = 3;

/// The distinct texts of a column, in the order of their first appearance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Levels<'t> {
    /// The texts, which may include texts that mean missing values.
    pub(super) texts: &'t [String],
    /// The number of cells of each.
    pub(super) counts: &'t [usize],
}

/// The use of a column, for the advice of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A feature or a covariate.
    Feature,
    /// The target.
    Target,
}

/// The content of a column of texts whose kind is not declared.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reading {
    /// Names of categories.
    Categories,
    /// Numbers: the number of every level, NaN for texts that mean missing values
    /// ([`is_missing_number`](super::is_missing_number)).
    Numbers(Vec<f64>),
    /// Neither, so that the column is refused.
    Refused(Refused),
}

/// Texts that are neither numbers nor categories.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Refused {
    /// The invalid levels.
    shown: Vec<usize>,
    /// The number of non-missing cells, or of distinct ones.
    known: usize,
    cause: Cause,
}

/// The reason for which texts are refused.
#[derive(Debug, Clone, PartialEq)]
enum Cause {
    /// All cells are numbers, some of them infinite.
    Infinite {
        /// The number of every level, NaN for missing values and for infinite numbers.
        numbers: Vec<f64>,
        /// The number of cells that are infinite.
        infinite: usize,
    },
    /// A few cells are not numbers and are probably mistakes.
    FewOthers {
        /// The number of every level, NaN for missing values and for the other cells.
        numbers: Vec<f64>,
        /// The number of cells that are neither numbers nor missing.
        others: usize,
        /// Whether all of `others` are whole numbers beyond 2^53.
        are_inexact: bool,
    },
    /// Most distinct cells are dates, or numbers with a decoration such as `12 kg`, which cannot be used as
    /// numbers.
    Decorated {
        /// A description of the cells.
        what: String,
        /// The number of every level without its decoration, NaN for missing values; `None` for dates and if
        /// a level is not a number.
        bare: Option<Vec<f64>>,
    },
}

impl Levels<'_> {
    /// Applies the rule to the levels.
    pub(super) fn read(self) -> Reading {
        let cells: Vec<Cell> = self.texts.iter().map(|text| Cell::read(text.as_bytes())).collect();
        let count_of = |is: fn(&Cell) -> bool| -> usize {
            cells.iter().zip(self.counts).filter(|(cell, _)| is(cell)).map(|(_, count)| count).sum()
        };
        let is_other = |cell: &Cell| matches!(cell, Cell::Text | Cell::Infinite | Cell::Inexact);
        let numbers = count_of(|cell| matches!(cell, Cell::Number(_) | Cell::Inexact));
        let infinite = count_of(|cell| matches!(cell, Cell::Infinite));
        let others = infinite + count_of(|cell| matches!(cell, Cell::Text));
        let number = |cell: &Cell| match cell {
            Cell::Number(number) => *number,
            _ => f64::NAN,
        };
        let of_levels = cells.iter().map(number).collect();
        if numbers + others == 0 {
            return Reading::Numbers(of_levels);
        }
        let of = |is: &dyn Fn(&Cell) -> bool| -> Vec<usize> {
            (0..cells.len()).filter(|&level| is(&cells[level])).collect()
        };
        if infinite > 0 && others == infinite {
            let shown = of(&|cell| matches!(cell, Cell::Infinite));
            let cause = Cause::Infinite { numbers: of_levels, infinite };
            return Reading::Refused(Refused { shown, known: numbers + others, cause });
        }
        if !are_few(others, numbers) {
            return self.decorated(&cells).map_or(Reading::Categories, Reading::Refused);
        }
        let shown = of(&is_other);
        if shown.is_empty() {
            return Reading::Numbers(of_levels);
        }
        Reading::Refused(Refused {
            shown,
            known: numbers + others,
            cause: Cause::FewOthers {
                numbers: of_levels,
                others: others + count_of(|cell| *cell == Cell::Inexact),
                are_inexact: others == 0,
            },
        })
    }

    /// Whether at least nine tenths of the distinct cells are dates, or numbers some of which are
    /// decorated.
    fn decorated(self, cells: &[Cell]) -> Option<Refused> {
        let known: Vec<usize> = (0..cells.len())
            .filter(|&level| !matches!(cells[level], Cell::Missing | Cell::MissingNumber))
            .collect();
        let limit = known.len() / 10;
        let dates = all_but(limit, &known, |level| is_date(&self.texts[level]));
        if let Some(dates) = dates.filter(|dates| !dates.is_empty()) {
            let cause = Cause::Decorated { what: "dates or times".to_string(), bare: None };
            return Some(Refused { shown: dates, known: known.len(), cause });
        }
        let mut found: HashMap<usize, DecoratedNumber<'_>> = HashMap::new();
        all_but(limit, &known, |level| {
            let number =
                DecoratedNumber::read(&self.texts[level]).filter(|_| !is_plain(cells[level]));
            found.extend(number.map(|number| (level, number)));
            is_plain(cells[level]) || number.is_some()
        })?;
        let unit = shared_suffix(&found, known.len());
        let is_decorated = |level: &usize| {
            found.get(level).is_some_and(|number| match number.decoration {
                Decoration::Suffix(suffix) => Some(suffix) == unit,
                _ => true,
            })
        };
        let decorated: Vec<usize> = known.iter().copied().filter(is_decorated).collect();
        let plain = known.iter().filter(|&&level| is_plain(cells[level])).count();
        let first = found.get(decorated.first()?)?;
        // Two classes such as `<=50K` and `>50K` are bins, not measurements.
        let are_bins = known.len() <= 2
            && decorated.iter().all(|level| found[level].decoration == Decoration::Comparison);
        if 10 * (plain + decorated.len()) < 9 * known.len() || are_bins {
            return None;
        }
        let bare = |level: usize| match cells[level] {
            Cell::Number(number) => Some(number),
            Cell::Missing | Cell::MissingNumber => Some(f64::NAN),
            _ => found.get(&level).map(|number| number.value),
        };
        let what = format!("numbers with {}", first.decoration.name());
        let cause = Cause::Decorated { what, bare: (0..cells.len()).map(bare).collect() };
        Some(Refused { shown: decorated, known: known.len(), cause })
    }
}

/// The items for which a predicate holds; `None` if it fails for more than `limit` of them, which columns of
/// names reach after a few items.
fn all_but(limit: usize, all: &[usize], mut is: impl FnMut(usize) -> bool) -> Option<Vec<usize>> {
    let mut failed = 0;
    let mut found = Vec::new();
    for &item in all {
        if is(item) {
            found.push(item);
        } else if failed == limit {
            return None;
        } else {
            failed += 1;
        }
    }
    Some(found)
}

fn is_plain(cell: Cell) -> bool {
    matches!(cell, Cell::Number(_) | Cell::Inexact | Cell::Infinite)
}

/// Whether the cells that are not numbers are so few that they are probably mistakes rather than names of
/// categories: at most a tenth of the cells, or at most three and fewer than the numbers.
fn are_few(others: usize, numbers: usize) -> bool {
    numbers > 0 && (others <= (numbers + others) / 10 || (others <= 3 && others < numbers))
}

/// The text that follows the number in at least nine tenths of the `known` distinct cells, and in at least
/// three.
fn shared_suffix<'t>(found: &HashMap<usize, DecoratedNumber<'t>>, known: usize) -> Option<&'t str> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for number in found.values() {
        if let Decoration::Suffix(suffix) = number.decoration {
            *counts.entry(suffix).or_default() += 1;
        }
    }
    counts
        .into_iter()
        .find(|&(_, count)| count >= 3 && 10 * count >= 9 * known)
        .map(|(suffix, _)| suffix)
}

/// The place of the first cell of a level, in words: `line 7` or `row 6`.
pub(super) type PlaceOf<'p> = &'p dyn Fn(usize) -> String;

/// The first cells of a list of levels, with their places.
fn shown_cells(levels: &[String], shown: &[usize], place: PlaceOf<'_>) -> String {
    let mut cells: Vec<String> = shown
        .iter()
        .take(SHOWN_CELLS)
        .map(|&level| format!("{} ({})", quoted(&shorten(&levels[level], 40)), place(level)))
        .collect();
    if shown.len() > cells.len() {
        cells.push("…".to_string());
    }
    cells.join(", ")
}

impl Refused {
    /// If a few cells are not numbers or are infinite: the number of every level, NaN for these cells, and the
    /// number of these cells; otherwise `None`.
    pub(super) fn coerced(&self) -> Option<(&[f64], usize)> {
        match &self.cause {
            Cause::FewOthers { numbers, others, .. } => Some((numbers, *others)),
            Cause::Infinite { numbers, infinite } => Some((numbers, *infinite)),
            Cause::Decorated { .. } => None,
        }
    }

    /// The number of every level without its decoration; `None` for dates and other causes.
    pub(super) fn bare_numbers(&self) -> Option<&[f64]> {
        match &self.cause {
            Cause::Decorated { bare, .. } => bare.as_deref(),
            Cause::FewOthers { .. } | Cause::Infinite { .. } => None,
        }
    }

    /// The error for a column with a role.
    pub(super) fn error(
        &self,
        (column, role): (&str, Role),
        levels: &[String],
        place: PlaceOf<'_>,
    ) -> DataError {
        let (cells, known) = (shown_cells(levels, &self.shown, place), self.known);
        let declare = declare(column, role);
        let missing = format!(
            "treat them as missing values with {} (or single texts with {})",
            setting("coerce", None),
            setting("na", None)
        );
        let error = match &self.cause {
            Cause::FewOthers { are_inexact: true, .. } => {
                return inexact_number(&cells, (column, role));
            }
            Cause::Infinite { infinite, .. } => {
                let are =
                    if *infinite == 1 { "is an infinite value" } else { "are infinite values" };
                DataError::new(
                    format!("{infinite} of {known} non-missing cells {are}: {cells}"),
                    ways(&["replace them with numbers", &missing, &declare]),
                )
            }
            Cause::FewOthers { others, .. } => {
                let are = if *others == 1 { "is not a number" } else { "are not numbers" };
                DataError::new(
                    format!("{others} of {known} non-missing cells {are}: {cells}"),
                    ways(&["correct them", &missing, &declare]),
                )
            }
            Cause::Decorated { what, bare } => {
                let rewrite = match bare {
                    None => "rewrite them as numbers, such as the days since the first date",
                    Some(_) => "rewrite them as plain numbers, such as 1234.5",
                };
                let missing = format!("declare them missing with {}", setting("na", None));
                DataError::new(
                    format!("{} of {known} distinct values are {what}: {cells}", self.shown.len()),
                    ways(&[rewrite, &missing, &declare]),
                )
            }
        };
        error.in_column(column)
    }
}

/// The advice for a column that contains categories, or for a target that contains classes.
fn declare(column: &str, role: Role) -> String {
    match role {
        Role::Feature => {
            format!("use {} if these are categories", setting("categorical", Some(column)))
        }
        Role::Target => {
            format!("use {} if these are classes", setting("target_type", Some("classes")))
        }
    }
}

/// The error for whole numbers beyond 2^53 in a column; `cells` lists them with their places.
pub fn inexact(cells: &str, column: &str) -> DataError {
    inexact_number(cells, (column, Role::Feature))
}

/// [`inexact`] for a column with a role.
fn inexact_number(cells: &str, (column, role): (&str, Role)) -> DataError {
    let names = match role {
        Role::Feature => {
            format!("use {} if they are names", setting("categorical", Some(column)))
        }
        Role::Target => declare(column, role),
    };
    let mut help =
        vec!["subtract a constant or divide all values before they are read".to_string(), names];
    if role == Role::Feature {
        help.push(leave_out(column).to_string());
    }
    DataError::new(
        format!("whole numbers beyond 2^53 (9007199254740992) lose their last digits: {cells}"),
        ways(&help),
    )
    .in_column(column)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: &[(&str, usize)]) -> Reading {
        let levels: Vec<String> = texts.iter().map(|(text, _)| (*text).to_string()).collect();
        let counts: Vec<usize> = texts.iter().map(|(_, count)| *count).collect();
        Levels { texts: &levels, counts: &counts }.read()
    }

    fn error(texts: &[&str]) -> Option<String> {
        let levels: Vec<String> = texts.iter().map(|text| (*text).to_string()).collect();
        let counts = vec![1; levels.len()];
        let place = |level: usize| format!("row {}", level + 1);
        match (Levels { texts: &levels, counts: &counts }).read() {
            Reading::Categories | Reading::Numbers(_) => None,
            Reading::Refused(refused) => {
                Some(refused.error(("x", Role::Feature), &levels, &place).to_string())
            }
        }
    }

    #[test]
    fn few_other_cells_are_mistakes() {
        for (numbers, others, few) in [
            (0, 0, false),
            (0, 5, false),
            (5, 0, true),
            (207, 1, true),
            (2, 1, true),
            (1, 1, false),
            (4, 3, true),
            (40, 4, true),
            (40, 5, false),
            (2, 40, false),
        ] {
            assert_eq!(are_few(others, numbers), few, "{numbers} and {others}");
        }
    }

    #[test]
    fn columns_of_numbers_are_numeric() {
        assert_eq!(read(&[("1", 2), ("2.5", 1)]), Reading::Numbers(vec![1.0, 2.5]));
        let Reading::Numbers(numbers) = read(&[("1", 2), ("-", 9)]) else { panic!("numbers") };
        assert!(numbers[0] == 1.0 && numbers[1].is_nan());
        // If all cells are missing, the column may contain numbers.
        let Reading::Numbers(numbers) = read(&[("-", 2), (".", 1)]) else { panic!("numbers") };
        assert!(numbers.iter().all(|number| number.is_nan()));
        assert_eq!(read(&[]), Reading::Numbers(vec![]));
        assert_eq!(read(&[("-", 2), ("+", 1)]), Reading::Categories);
        assert_eq!(read(&[("red", 2), ("blue", 1)]), Reading::Categories);
    }

    #[test]
    fn whole_numbers_that_would_be_rounded_are_refused() {
        let message = error(&["1", "9007199254740993", "9007199254740995"]).unwrap();
        assert!(message.contains("beyond 2^53"), "{message}");
        assert!(
            message.contains("`9007199254740993` (row 2), `9007199254740995` (row 3)"),
            "{message}"
        );
        assert_eq!(error(&["9007199254740992", "9007199254740994"]), None);
        // In a column of names, they are names.
        assert_eq!(error(&["a", "b", "c", "9007199254740993"]), None);
    }

    #[test]
    fn infinite_numbers_are_refused_unless_they_are_names() {
        let message = error(&["1", "inf", "-Infinity"]).unwrap();
        assert!(
            message.contains("2 of 3 non-missing cells are infinite values: `inf` (row 2)"),
            "{message}"
        );
        assert!(error(&["inf", "1e999"]).is_some());
        assert_eq!(error(&["inf", "sup", "max"]), None);
    }

    #[test]
    fn decorated_numbers_and_dates_are_refused() {
        for (texts, what) in [
            (vec!["1040 EUR", "1697 EUR", "265 EUR"], "numbers with a currency"),
            (vec!["1,040", "1,697", "265"], "thousands separator"),
            (vec!["5%", "50%"], "a percent sign"),
            (vec!["12 kg", "13 kg"], "a unit"),
            (vec!["74 bhp", "81.8 bhp", "100 bhp", "unknown bhp"], ""),
            (vec!["74 bhp", "81.8 bhp", "100 bhp"], "a unit"),
            (vec!["−5", "−3", "2"], ""),
            (vec!["−5", "−3", "−4", "−1", "2"], "a minus sign"),
            (vec!["<5", "<7", "<9"], "a comparison sign"),
            (vec!["2024-01-31", "2024-02-01"], "dates or times"),
            (vec!["1,5", "2,5", "3,5"], "decimal comma"),
        ] {
            let message = error(&texts);
            // A few of them among plain numbers are refused as mistakes, with another message.
            let is_refused = message.is_some();
            assert_eq!(is_refused, texts[0] == "−5" || !what.is_empty(), "{texts:?}");
            assert!(message.unwrap_or_default().contains(what), "{texts:?}");
        }
    }

    #[test]
    fn names_that_contain_numbers_are_categories() {
        for texts in [
            vec!["1st", "2nd", "3rd"],
            vec!["1a", "1b", "2a", "2b"],
            vec!["18-24", "25-34", "65+"],
            vec!["<=50K", ">50K"],
            vec!["<30", ">30"],
            vec!["A1", "A2", "B1"],
            vec!["chr1", "chr2"],
            vec!["4wd", "2wd"],
            vec!["T1N0", "T2N1"],
            vec!["192.168.1.1", "10.0.0.1"],
            vec!["yes", "no", "12 kg", "5"],
        ] {
            assert_eq!(error(&texts), None, "{texts:?}");
        }
    }
}
