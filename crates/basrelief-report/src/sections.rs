//! A page of tables and figures, for the results of all commands except rankings.

use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use basrelief::wording::clean_document;
use basrelief::{Error, Result};

use crate::charts::{BinChart, CellView, HeatMap, Interval, IntervalScale, Mark, Points, Tick};
use crate::data::{Account, Bins, NamedPairTable, PairMap, Piece, RowMap, TargetSummary};
use crate::mosaics::Mosaic;
use crate::page::{Frame, Name, TargetView};
use crate::text::{SHORT, shortened};

/// The maximum length of a cell after the first column.
const CELL: usize = 1000;

/// A page of sections.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionsReport {
    /// The title.
    pub title: String,
    /// The answer, at the top of the page.
    pub answer: Vec<Piece>,
    /// The analysis and its data.
    pub account: Account,
    /// The results.
    pub sections: Vec<Section>,
}

/// A part of a page with a heading.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// The heading, unique on its page.
    pub heading: String,
    /// The contents.
    pub blocks: Vec<Block>,
}

impl Section {
    /// A section with a heading and its contents.
    pub fn new(heading: impl Into<String>, blocks: Vec<Block>) -> Self {
        Self { heading: heading.into(), blocks }
    }
}

/// A piece of a section.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A paragraph.
    Text(String),
    /// The rest of the section is folded, with this line as the summary: it contains no finding.
    Fold(String),
    /// Preformatted lines.
    Lines(String),
    /// A table.
    Table(Table),
    /// An SVG document of the crate's [`figures`](crate::figures) and its text alternative.
    Figure {
        /// The document.
        svg: String,
        /// The text alternative.
        alt: String,
    },
    /// Histograms.
    Histograms(Vec<Bins>),
    /// Rows as points, side by side.
    Maps(Vec<RowMap>),
    /// A heat map of pairs of features.
    PairMap(PairMap),
    /// Tables of pairs of features, with the classes of the account's target in every cell.
    PairTables(Vec<NamedPairTable>),
}

/// A table whose first column names the rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// The caption.
    pub caption: String,
    /// Headings, and whether the column contains numbers.
    pub head: Vec<(String, bool)>,
    /// Rows with one cell for every heading.
    pub rows: Vec<Vec<String>>,
    /// Headings between the rows: the index of the next row, ascending, and the text.
    pub groups: Vec<(usize, String)>,
    /// A number with an interval for every row, drawn after the name: lower end, number, upper end. `None` without
    /// intervals; some rows may have none.
    pub intervals: Option<Vec<Option<[f64; 3]>>>,
    /// Whether the axis of the intervals is logarithmic; their numbers are then positive.
    pub has_log_axis: bool,
}

impl SectionsReport {
    /// The page: a self-contained HTML document that depends only on the data.
    ///
    /// # Errors
    /// [`Error::Internal`]: the number of cells of a row differs from that of the headings, or a number with an interval is
    /// not finite.
    pub fn to_html(&self) -> Result<String> {
        let wrong = |what: &str| Error::Internal(format!("the page `{}`: {what}", self.title));
        for block in self.sections.iter().flat_map(|section| &section.blocks) {
            let Block::Table(table) = block else { continue };
            let intervals = table.intervals.iter().flatten().flatten();
            if table.rows.iter().any(|row| row.len() != table.head.len())
                || table.intervals.as_ref().is_some_and(|all| all.len() != table.rows.len())
            {
                return Err(wrong("a table whose rows and headings differ in number"));
            }
            if !table.groups.is_sorted_by(|one, next| one.0 < next.0)
                || table.groups.last().is_some_and(|(row, _)| *row >= table.rows.len())
            {
                return Err(wrong("a heading without a next row"));
            }
            if intervals.flatten().any(|number| !number.is_finite()) {
                return Err(wrong("a number that is not finite"));
            }
        }
        let page = SectionsPage::new(self);
        let html = page.render().map_err(|cause| wrong(&cause.to_string()))?;
        Ok(clean_document(&html).into_owned())
    }
}

#[derive(Debug)]
struct SectionView<'a> {
    id: String,
    heading: &'a str,
    blocks: Vec<BlockView<'a>>,
    is_folded: bool,
}

#[derive(Debug)]
enum BlockView<'a> {
    Text(&'a str),
    Fold(&'a str),
    Histograms(Vec<(&'a Bins, String)>),
    Lines(&'a str),
    Table { table: &'a Table, ticks: Vec<Tick>, groups: Vec<GroupView<'a>> },
    Figure { source: String, alt: &'a str },
    Maps(Vec<(&'a str, String)>),
    PairMap { svg: String, caption: &'a str },
    Mosaics(Vec<Mosaic>),
}

/// Rows of a table with their heading.
#[derive(Debug)]
struct GroupView<'a> {
    heading: Option<&'a str>,
    rows: Vec<RowView>,
}

#[derive(Debug)]
struct RowView {
    name: Name,
    cells: Vec<String>,
    interval: Option<Interval>,
}

#[derive(Debug, Template)]
#[template(path = "sections.html")]
struct SectionsPage<'a> {
    frame: Frame,
    title: String,
    account: &'a Account,
    target: Option<TargetView>,
    sentence: Vec<Piece>,
    sections: Vec<SectionView<'a>>,
}

impl<'a> SectionsPage<'a> {
    fn new(report: &'a SectionsReport) -> Self {
        let target = report.account.target.as_ref();
        let sections = report.sections.iter().enumerate().map(|(place, section)| SectionView {
            id: format!("part-{}", place + 1),
            heading: &section.heading,
            blocks: section.blocks.iter().map(|block| block_view(block, target)).collect(),
            is_folded: section.blocks.iter().any(|block| matches!(block, Block::Fold(_))),
        });
        Self {
            frame: Frame::new(),
            title: shortened(&report.title, 80),
            account: &report.account,
            target: report.account.target.as_ref().map(TargetView::new),
            sentence: report
                .answer
                .iter()
                .map(|piece| match piece {
                    Piece::Name(name) => Piece::Name(shortened(name, 2 * SHORT)),
                    other => other.clone(),
                })
                .collect(),
            sections: sections.collect(),
        }
    }
}

fn block_view<'b>(block: &'b Block, target: Option<&TargetSummary>) -> BlockView<'b> {
    match block {
        Block::Text(text) => BlockView::Text(text),
        Block::Fold(summary) => BlockView::Fold(summary),
        Block::Histograms(all) => {
            let drawn = |bins: &'b Bins| (bins, BinChart::new(bins).render().unwrap_or_default());
            BlockView::Histograms(all.iter().map(drawn).collect())
        }
        Block::Lines(text) => BlockView::Lines(text),
        Block::Figure { svg, alt } => {
            BlockView::Figure { source: STANDARD.encode(svg.as_bytes()), alt }
        }
        Block::Maps(maps) => {
            let drawn = |map: &'_ RowMap| Points::of_map(map).render().unwrap_or_default();
            BlockView::Maps(maps.iter().map(|map| (map.how.as_str(), drawn(map))).collect())
        }
        Block::PairMap(map) => {
            let names: Vec<&str> = map.names.iter().map(String::as_str).collect();
            let greatest = map.values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
            let unit = map.unit.as_deref();
            let drawn = HeatMap::new(map.alt.clone(), &names, &map.values, (0.0, greatest), unit);
            BlockView::PairMap { svg: drawn.render().unwrap_or_default(), caption: &map.caption }
        }
        Block::PairTables(tables) => {
            let mosaic = |table: &NamedPairTable| {
                let names = (table.names.0.as_str(), table.names.1.as_str());
                Mosaic::new(names, table.facts.clone(), &table.levels, &table.cells, target)
            };
            BlockView::Mosaics(tables.iter().map(mosaic).collect())
        }
        Block::Table(table) => {
            let scale =
                IntervalScale::new(table.intervals.iter().flatten().flatten(), table.has_log_axis);
            let interval = |row: usize| {
                let found = table.intervals.as_ref().and_then(|all| all[row])?;
                Some(scale.interval(found))
            };
            let mut groups = vec![GroupView { heading: None, rows: Vec::new() }];
            let mut headings = table.groups.iter().peekable();
            for (row, cells) in table.rows.iter().enumerate() {
                if let Some((_, heading)) = headings.next_if(|(before, _)| *before == row) {
                    groups.push(GroupView { heading: Some(heading), rows: Vec::new() });
                }
                let (name, rest) =
                    cells.split_first().map_or(("", &[][..]), |(name, rest)| (name, rest));
                let view = RowView {
                    name: Name::new(name),
                    cells: rest.iter().map(|cell| shortened(cell, CELL)).collect(),
                    interval: interval(row),
                };
                if let Some(group) = groups.last_mut() {
                    group.rows.push(view);
                }
            }
            groups.retain(|group| !group.rows.is_empty());
            let ticks = if table.intervals.is_some() { scale.ticks() } else { Vec::new() };
            BlockView::Table { table, ticks, groups }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::PairCell;

    fn report() -> SectionsReport {
        SectionsReport {
            title: "Evaluation of <d>.csv".to_string(),
            answer: vec![
                Piece::Name("lfe".to_string()),
                Piece::Words(" errs least & ".to_string()),
                Piece::Code("<b>".to_string()),
            ],
            account: Account { version: "1.2.3".to_string(), ..Account::default() },
            sections: vec![Section {
                heading: "Methods".to_string(),
                blocks: vec![
                    Block::Text("<i>".to_string()),
                    Block::Lines("a\n  b <c>".to_string()),
                    Block::Figure { svg: "<svg></svg>".to_string(), alt: "\"x\"".to_string() },
                    Block::Table(Table {
                        caption: "c".to_string(),
                        head: vec![("method".to_string(), false), ("error".to_string(), true)],
                        rows: vec![
                            vec!["<lfe>".to_string(), "1".to_string()],
                            vec!["nca".to_string(), String::new()],
                        ],
                        groups: vec![(1, "worse & worse".to_string())],
                        intervals: Some(vec![Some([0.5, 1.0, 1.5]), None]),
                        ..Table::default()
                    }),
                    Block::Maps(vec![RowMap {
                        how: "before".to_string(),
                        axes: ("a".to_string(), "b".to_string()),
                        one_unit: true,
                        groups: Vec::new(),
                    }]),
                    Block::PairMap(PairMap {
                        alt: "all <pairs>".to_string(),
                        caption: "up to & with 2".to_string(),
                        names: vec!["a".to_string(), "b".to_string()],
                        values: vec![2.0],
                        unit: None,
                    }),
                    Block::PairTables(vec![NamedPairTable {
                        names: ("a<".to_string(), "b".to_string()),
                        facts: "p < 1".to_string(),
                        levels: (vec!["0".to_string()], vec!["x&".to_string()]),
                        cells: vec![vec![PairCell::Counts(vec![3, 4])]],
                    }]),
                ],
            }],
        }
    }

    #[test]
    fn every_block_is_shown_as_text() {
        let html = report().to_html().unwrap();
        for text in [
            "<h1><bdi>Evaluation of &#60;d&#62;.csv</bdi></h1>",
            "<bdi class=\"name\">lfe</bdi> errs least &#38; <code>&#60;b&#62;</code>",
            "<a href=\"#part-1\">Methods</a>",
            "<p>&#60;i&#62;</p>",
            "aria-label=\"all &#60;pairs&#62;\"",
            "<figcaption>up to &#38; with 2</figcaption>",
            "<bdi>a&#60;</bdi> and <bdi>b</bdi></h3>",
            "<p class=\"quiet\"><span class=\"whole\">p &#60; 1</span></p>",
            "<th scope=\"col\"><bdi>x&#38;</bdi></th>",
            "<span class=\"quiet\">7</span>",
            "a\n  b &#60;c&#62;",
            "src=\"data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=\" alt=\"&#34;x&#34;\"",
            "<bdi>&#60;lfe&#62;</bdi>",
            "<td class=\"num\">1</td>",
            "<th class=\"group\" scope=\"rowgroup\" colspan=\"3\">worse &#38; worse</th>",
        ] {
            assert!(html.contains(text), "{text}");
        }
        assert_eq!(html.matches("<circle").count(), 1, "one of two rows has an interval");
        // The axis, and its grid lines in the row with an interval, which itself starts at 3 %.
        for place in ["3", "50", "97"] {
            assert_eq!(
                html.matches(&format!("x1=\"{place}%\"")).count(),
                1 + usize::from(place == "3")
            );
        }
        for text in ["0.5", "1", "1.5"] {
            assert!(html.contains(&format!("y=\"13\">{text}</text>")), "{text}");
        }
    }

    #[test]
    fn a_section_without_a_finding_is_folded() {
        let mut folded = report();
        folded.sections[0].blocks.insert(1, Block::Fold("No pair is significant".to_string()));
        let html = folded.to_html().unwrap();
        let (before, rest) = html.split_once("<details class=\"fold\"><summary>").unwrap();
        assert!(before.contains("<p>&#60;i&#62;</p>") && !before.contains("<pre class=\"lines\""));
        assert!(rest.starts_with("No pair is significant</summary>"));
        let (_, section) = rest.split_once("</details>\n</section>").unwrap();
        assert!(!section.contains("<table class=\"facts\">"));
    }

    #[test]
    fn references_and_terms_are_at_the_end() {
        let mut page = report();
        page.account.references = vec!["A & B. Title.".to_string()];
        page.account.glossary = vec![("weight".to_string(), "A <number>.".to_string())];
        let html = page.to_html().unwrap();
        for text in [
            "<h2 id=\"cite-head\">How to cite</h2>",
            "<li>A &#38; B. Title.</li>",
            "<summary>Glossary</summary>",
            "<dt>weight</dt><dd>A &#60;number&#62;.</dd>",
        ] {
            assert!(html.contains(text), "{text}: {html}");
        }
        assert!(!report().to_html().unwrap().contains("How to cite</h2>"));
    }

    #[test]
    fn wrong_tables_are_refused() {
        let mut wrong = report();
        let Block::Table(table) = &mut wrong.sections[0].blocks[3] else { panic!("a table") };
        table.rows[0].pop();
        assert!(wrong.to_html().is_err());
        let mut wrong = report();
        let Block::Table(table) = &mut wrong.sections[0].blocks[3] else { panic!("a table") };
        table.intervals = Some(vec![None, Some([f64::NAN, 0.0, 1.0])]);
        assert!(wrong.to_html().is_err());
        for groups in [[(0, "a"), (0, "b")], [(1, "a"), (2, "b")]] {
            let mut wrong = report();
            let Block::Table(table) = &mut wrong.sections[0].blocks[3] else { panic!("a table") };
            table.groups = groups.map(|(row, text)| (row, text.to_string())).to_vec();
            assert!(wrong.to_html().is_err());
        }
    }
}
