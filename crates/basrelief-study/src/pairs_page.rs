//! The page of tested pairs.

use basrelief::Result;
use basrelief::pairs::{Cells, Level, PairTests, TargetSummary, TestedPair};
use basrelief::wording::thousands;
use basrelief_report::data::{NamedPairTable, PairCell, PairMap, Piece};
use basrelief_report::{Block, Section, SectionsReport, Table};

use crate::pages::{PageOptions, account, tell_recipe, tell_run};
use crate::pair_listing::{PairListing, unsigned};
use crate::permutation_test::{p_in_words, probability};
use crate::subject::Subject;

/// Features of the heat map: those of the strongest pairs.
const FEATURES: usize = 20;

/// Pairs whose tables are shown.
const TABLES: usize = 12;

/// The page, as text.
///
/// # Errors
/// None, the pairs being of the table.
pub fn pairs_page(listing: &PairListing<'_>, options: &PageOptions) -> Result<String> {
    let mut account = account(&listing.subject, options.command.clone());
    if let Some(recipe) = listing.recipe {
        tell_recipe(&mut account, recipe, &recipe.line(listing.run));
    }
    for (label, text) in listing.facts() {
        account.tell(label, text);
    }
    let time =
        options.with_time.then(|| (format!("{:.3} s", listing.seconds), listing.run.threads()));
    tell_run(
        &mut account,
        listing.run.seed(),
        time,
        (&listing.warnings, listing.subject.audience()),
    );
    account.warnings.extend(listing.caution().map(|caution| format!("{}.", capitalized(&caution))));
    let mut sections = vec![Section {
        heading: "The strongest pairs".to_string(),
        blocks: vec![Block::Text(listing.meaning()), Block::Table(listed(listing))],
    }];
    if !listing.tests.pairs.is_empty() {
        sections.push(Section {
            heading: "Which features they share".to_string(),
            blocks: vec![Block::PairMap(map(listing)?)],
        });
        let tables = listing.tests.pairs.iter().take(TABLES).map(|pair| table(listing, pair));
        sections.push(Section {
            heading: "Their tables".to_string(),
            blocks: vec![Block::PairTables(tables.collect::<Result<_>>()?)],
        });
    }
    let subject: &Subject<'_> = &listing.subject;
    let title = std::path::Path::new(subject.file()).file_name();
    let title = title.map_or(subject.file().into(), |name| name.to_string_lossy());
    SectionsReport {
        title: format!("Pairs of {title}"),
        answer: answer(listing),
        account,
        sections,
    }
    .to_html()
}

/// The strongest pair, and how sure it is.
fn answer(listing: &PairListing<'_>) -> Vec<Piece> {
    let tested = thousands(listing.tests.tested);
    let words = |text: String| Piece::Words(text);
    let Some(pair) = listing.tests.pairs.first() else {
        return vec![words("No pair can be tested.".to_string())];
    };
    let name = |second: bool| Piece::Name(listing.column(pair, second).name().to_string());
    let by_permutation =
        pair.adjusted.map_or(String::new(), |p| format!(", adjusted p (max-T) {}", probability(p)));
    vec![
        name(false),
        words(" and ".to_string()),
        name(true),
        words(format!(
            " act together most strongly of {tested} pairs: p = {}, q (FDR) = {}{by_permutation}.",
            p_in_words(pair),
            probability(pair.q_value)
        )),
    ]
}

/// The pairs as a table.
fn listed(listing: &PairListing<'_>) -> Table {
    let mut head = vec![("Feature".to_string(), false), ("with".to_string(), false)];
    let columns = listing.columns();
    head.extend(columns.iter().map(|column| (column.heads[0].to_string(), true)));
    let rows = listing.tests.pairs.iter().enumerate().map(|(place, pair)| {
        let names = [false, true].map(|second| listing.column(pair, second).name().to_string());
        let cells = columns.iter().map(|column| column.cells[place].clone());
        names.into_iter().chain(cells).collect()
    });
    let caption = format!("The strongest of {} pairs", thousands(listing.tests.tested));
    Table { caption, head, rows: rows.collect(), ..Table::default() }
}

/// The most digits that a heat map shows of a p-value; an F statistic can be infinite.
const MOST_DIGITS: f64 = 1e4;

/// All pairs of the features in the strongest pairs.
fn map(listing: &PairListing<'_>) -> Result<PairMap> {
    let mut features: Vec<usize> = Vec::new();
    for place in listing.tests.pairs.iter().flat_map(|pair| [pair.first, pair.second]) {
        let feature = listing.tests.features[place];
        if features.len() < FEATURES && !features.contains(&feature) {
            features.push(feature);
        }
    }
    let (table, target) = listing.tested;
    let count = features.len();
    let all =
        PairTests::new(table, &features, target, (count * count).max(1), &listing.run.part(0))?;
    let mut values = vec![0.0; count * count.saturating_sub(1) / 2];
    for pair in &all.pairs {
        let place = pair.first * (2 * count - pair.first - 1) / 2 + pair.second - pair.first - 1;
        values[place] = -pair.log10_p().max(-MOST_DIGITS);
    }
    let names = features.iter().map(|&feature| table.columns()[feature].name().to_string());
    Ok(PairMap {
        alt: "Heat map of -log10 p of all pairs of the features in the strongest pairs".to_string(),
        caption: "-log10 p of all pairs of the features in the strongest pairs, as they come; a pair that cannot be \
                  tested is drawn as 0."
            .to_string(),
        names: names.collect(),
        values,
        unit: None,
    })
}

/// The table of a pair.
fn table(listing: &PairListing<'_>, pair: &TestedPair) -> Result<NamedPairTable> {
    let found = listing.pair_table(pair)?;
    let width = found.second.len().max(1);
    let cells: Vec<PairCell> = match &found.cells {
        Cells::Classes { names, counts } => {
            // In the order of the classes of all rows, some of which may have no row here.
            let all = listing.subject.classes();
            let places: Vec<Option<usize>> =
                all.iter().map(|class| names.iter().position(|name| name == class)).collect();
            let of_all = |counts: &Vec<usize>| {
                places.iter().map(|place| place.map_or(0, |place| counts[place])).collect()
            };
            counts.iter().map(|counts| PairCell::Counts(of_all(counts))).collect()
        }
        Cells::Real(cells) => {
            let cell = |one: &TargetSummary| PairCell::Mean(one.rows, one.mean.unwrap_or(0.0));
            cells.iter().map(cell).collect()
        }
    };
    let names = |levels: &[Level]| levels.iter().map(|level| level.name.clone()).collect();
    let statistic = format!(
        "{} {}, p {}",
        if pair.residual.is_some() { "F" } else { "chi-squared" },
        unsigned(pair.statistic, 5),
        p_in_words(pair)
    );
    Ok(NamedPairTable {
        names: (
            listing.column(pair, false).name().to_string(),
            listing.column(pair, true).name().to_string(),
        ),
        facts: statistic,
        levels: (names(&found.first), names(&found.second)),
        cells: cells.chunks(width).map(<[PairCell]>::to_vec).collect(),
    })
}

/// With a capital letter.
fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + characters.as_str()
}
