//! The page of tested pairs.

use basrelief::Result;
use basrelief::data::Roles;
use basrelief::pairs::{Cells, Level, PairStatistic, PairTests, TargetSummary, TestedPair};
use basrelief::wording::thousands;
use basrelief_report::data::{NamedPairTable, PairCell, PairMap};
use basrelief_report::{Block, Section, SectionsReport, Table};

use crate::glossary;
use crate::loci;
use crate::pages::{PageOptions, account, tell_recipe, tell_run};
use crate::pair_listing::{PairListing, p_in_words};
use crate::permutation_test::probability;
use crate::text::{page_head, unsigned};

/// The maximum number of features in the heat map.
const FEATURES: usize = 20;

/// The number of pairs whose tables are shown.
const TABLES: usize = 12;

/// The page, as text.
///
/// # Errors
/// None, the pairs being of the table.
pub fn pairs_page(listing: &PairListing<'_>, options: &PageOptions) -> Result<String> {
    let terms: &[&str] =
        if listing.has_parametric() { &glossary::OF_PAIRS } else { &glossary::OF_PAIRS_IN_GROUPS };
    let mut account = account(&listing.subject, options, terms);
    if let Some(recipe) = listing.recipe {
        tell_recipe(&mut account, recipe, &recipe.line(listing.run));
    }
    for (label, text) in listing.facts() {
        account.tell(label, options.files.text(&text));
    }
    let time =
        options.with_time.then(|| (format!("{:.3} s", listing.seconds), listing.run.threads()));
    tell_run(
        &mut account,
        listing.run.seed(),
        time,
        (&listing.warnings, listing.subject.audience(), &options.files),
    );
    account.warnings.extend(listing.caution().map(|caution| format!("{}.", capitalized(&caution))));
    let mut sections = vec![Section {
        heading: "Strongest pairs".to_string(),
        blocks: vec![Block::Text(listing.meaning()), Block::Table(listed(listing))],
    }];
    if !listing.tests.pairs.is_empty() {
        // Details of pairs that are not significant are folded.
        let fold = || listing.fold().map(Block::Fold);
        let tables = listing.tests.pairs.iter().take(TABLES).map(|pair| table(listing, pair));
        let tables = Block::PairTables(tables.collect::<Result<_>>()?);
        let map = Block::PairMap(map(listing)?);
        for (heading, block) in
            [("All pairs of their features", map), ("Tables of the pairs", tables)]
        {
            let blocks = fold().into_iter().chain([block]).collect();
            sections.push(Section { heading: heading.to_string(), blocks });
        }
    }
    SectionsReport {
        title: format!("Pairs of {}", account.data),
        answer: listing.verdict(),
        account,
        sections,
    }
    .to_html()
}

/// The pairs as a table.
fn listed(listing: &PairListing<'_>) -> Table {
    let has_loci = loci::are_known(listing.tested.0);
    let mut head = Vec::new();
    for name in ["Feature", "with"] {
        head.push((name.to_string(), false));
        head.extend(has_loci.then(|| (loci::CELL_HEAD.to_string(), false)));
    }
    let columns = listing.columns();
    head.extend(columns.iter().map(|column| (page_head(column.heads[0]), true)));
    let rows = listing.tests.pairs.iter().enumerate().map(|(place, pair)| {
        let mut cells = Vec::new();
        for second in [false, true] {
            let column = listing.column(pair, second);
            cells.push(column.name().to_string());
            cells.extend(column.locus().filter(|_| has_loci).map(loci::cell));
        }
        cells.extend(columns.iter().map(|column| column.cells[place].clone()));
        cells
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
    let (most, run) = ((count * count).max(1), listing.run.part(0));
    let roles = Roles::default().with_covariates(listing.covariates);
    let all = PairTests::new(table, &features, target, roles, most, &run)?;
    let has_p = listing.has_parametric();
    let mut values = vec![0.0; count * count.saturating_sub(1) / 2];
    for pair in &all.pairs {
        let place = pair.first * (2 * count - pair.first - 1) / 2 + pair.second - pair.first - 1;
        values[place] = match pair.log10_p() {
            Some(log) if has_p => -log.max(-MOST_DIGITS),
            _ => pair.statistic,
        };
    }
    let names = features.iter().map(|&feature| table.columns()[feature].name().to_string());
    let value = if has_p { "-log10 p" } else { statistic_name(listing) };
    Ok(PairMap {
        alt: format!("Heat map of {value} of all pairs of the features in the strongest pairs"),
        caption: format!(
            "{value} of all pairs of the features in the strongest pairs; a pair that cannot be tested is drawn as 0."
        ),
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
    let p_value = match p_in_words(pair) {
        Some(p) => format!(", p {p}"),
        None => pair.adjusted.map_or(String::new(), |p| format!(", adjusted p {}", probability(p))),
    };
    let statistic = unsigned(pair.statistic, 5);
    let mut facts = vec![format!("{} {statistic}{p_value}", statistic_name(listing))];
    for second in [false, true] {
        let column = listing.column(pair, second);
        let locus = |locus| format!("{}: {}", column.name(), loci::words(locus));
        facts.extend(column.locus().map(locus));
    }
    Ok(NamedPairTable {
        names: (
            listing.column(pair, false).name().to_string(),
            listing.column(pair, true).name().to_string(),
        ),
        facts: facts.join("; "),
        levels: (names(&found.first), names(&found.second)),
        cells: cells.chunks(width).map(<[PairCell]>::to_vec).collect(),
    })
}

/// The name of the statistic.
fn statistic_name(listing: &PairListing<'_>) -> &'static str {
    match listing.tests.statistic {
        PairStatistic::ProductTerm => "F",
        PairStatistic::LikelihoodRatio => "chi-squared",
    }
}

/// The text with a capital letter.
fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + characters.as_str()
}
